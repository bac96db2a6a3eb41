"""Rows written and read back."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline import nested, schema, store
from pipeline.records import TABLES, Faction
from tests import invented

GAME = invented.game()


def write(folder: Path, game: invented.Game) -> None:
    (folder / "tables").mkdir(parents=True)
    for name, records in game.items():
        definition = schema.table(name)
        values = store.checked(definition, store.by_key(records))
        store.write_parquet(definition, values, folder / "tables" / f"{name}.parquet")
        store.write_json(values, folder / "tables" / f"{name}.json")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    write(folder, GAME)
    return folder


@pytest.mark.parametrize("name", TABLES)
def test_what_was_written_is_read_back(release: Path, name: str) -> None:
    assert store.read_records(release, name) == store.by_key(GAME[name])
    assert store.read_rows(release, name) == store.read_arrow(release, name).to_pylist()


@pytest.mark.parametrize("name", TABLES)
def test_parquet_has_the_declared_schema_and_nothing_of_pandas(release: Path, name: str) -> None:
    read = parquet.read_schema(release / "tables" / f"{name}.parquet")
    assert read.equals(schema.table(name).arrow(), check_metadata=True)
    assert read.metadata is None


def test_json_is_one_row_per_line_unescaped_in_the_order_of_the_columns(release: Path) -> None:
    text = (release / "tables" / "rules.json").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) == len(GAME["rules"]) + 2
    assert "Designer’s Note" in text
    assert list(json.loads(lines[1].rstrip(","))) == list(schema.table("rules").columns)
    assert (release / "tables" / "diagnostics.json").read_text(encoding="utf-8") == "[]\n"


def test_bytes_do_not_depend_on_the_order_of_the_records(release: Path, tmp_path: Path) -> None:
    write(tmp_path, {name: records[::-1] for name, records in GAME.items()})
    assert hashes(tmp_path) == hashes(release)


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("table", "identity", "values"),
    [
        ("unit_costs", f"{invented.SHEET}#1", {"points": 1.5}),
        ("unit_costs", f"{invented.SHEET}#1", {"points": True}),
        ("unit_costs", f"{invented.SHEET}#1", {"description": None}),
        ("weapon_profiles", invented.RIFLE, {"attacks_mean": float("nan")}),
        ("weapon_profiles", invented.RIFLE, {"attacks_mean": 4}),
        ("factions", "ash-compact", {"aliases": None}),
        ("rules", "24.31", {"sections": ("EFFECT",)}),
    ],
)
def test_rows_that_would_be_repaired_are_not_written(table: str, identity: str, values: dict[str, Any]) -> None:
    broken = invented.changed(GAME, table, identity, **values)
    with pytest.raises(store.BrokenRows, match=rf"{table}: 1 faults: row \d: {next(iter(values))}"):
        store.checked(schema.table(table), broken[table])


def test_a_record_class_that_lost_a_column_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    short = msgspec.defstruct("Short", [("faction_id", str), ("name", str)])
    monkeypatch.setitem(TABLES, "factions", short)
    with pytest.raises(store.BrokenRows, match="column aliases is missing"):
        store.checked(schema.table("factions"), [Faction(faction_id="a", name="A")])


def test_a_release_of_another_make_is_not_read_as_records(release: Path, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "faqs.json").write_text('[{"faq_id":"a/faq/b","faction_id":null}]')
    assert store.read_rows(tmp_path, "faqs") == [{"faq_id": "a/faq/b", "faction_id": None}]
    with pytest.raises(store.DamagedRelease, match=r"faqs\.json is damaged, or of another version"):
        store.read_records(tmp_path, "faqs")


def faction() -> dict[str, Any]:
    tables = {name: store.checked(schema.table(name), store.by_key(rows)) for name, rows in GAME.items()}
    ((name, document),) = nested.faction_documents(schema.tables(), tables, "11e")
    assert name == "ash-compact"
    return document


def test_a_faction_document_folds_the_tables() -> None:
    document = faction()
    sheets = {sheet["datasheet_id"]: sheet for sheet in document["datasheets"]}
    assert document["edition"] == "11e"
    assert set(sheets) == {invented.SHEET, invented.LEADER, invented.TROOPERS}
    hauler = sheets[invented.SHEET]
    assert [(weapon["kind"], weapon["weapon_name"], len(weapon["profiles"])) for weapon in hauler["weapons"]] == [
        ("ranged", "Rivet gun", 1),
        ("ranged", "Plasma spitter", 2),
        ("melee", "Boarding hook", 1),
    ]
    supercharge = hauler["weapons"][1]["profiles"][1]
    assert [ability["ability"] for ability in supercharge["abilities"]] == ["HAZARDOUS", "TORRENT"]
    assert [cost["points"] for cost in sheets[invented.TROOPERS]["costs"]] == [60, 120, 70, 140, 5]
    assert sheets[invented.LEADER]["leads"][0] == {"led_name": "Rivet Troopers", "led_id": invented.TROOPERS}
    assert sheets[invented.TROOPERS]["led_by"] == [{"leader_id": invented.LEADER, "led_name": "Rivet Troopers"}]
    assert [one["name"] for one in document["enhancements"]] == ["Veil of Soot"]


def test_every_row_that_hangs_under_a_faction_is_in_its_document() -> None:
    text = json.dumps(faction())
    for table in ("models", "weapon_profiles", "abilities", "wargear_options"):
        for record in GAME[table]:
            assert json.dumps(record.identity) in text


def test_arrow_takes_an_empty_table() -> None:
    definition = schema.table("rules")
    table = store.arrow_table(definition, store.checked(definition, []))
    assert table.num_rows == 0
    assert pa.types.is_list(table.schema.field("sections").type)
