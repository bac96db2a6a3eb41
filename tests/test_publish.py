"""A release: all of it, the same each time, and nothing that a guard objects to."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import msgspec
import pytest
from frictionless import Checklist, Package
from frictionless.resources import TableResource

from pipeline import guards, publish, schema, store, validate
from pipeline import records as r
from pipeline.guards import Guard
from pipeline.records import TABLES, Record
from tests import invented
from tests.invented import HOST, SHEET, Game, added, changed, without

GAME = invented.game()
PROSE = "Not one word of this may be found."


def passed(game: Game, edition: str = "11e") -> validate.Validated:
    """What the gate makes of a game that is known to be sound; the suites have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validate, "run_suites", lambda *_: ())
        outcome = validate.validate(game, edition=edition)
    assert isinstance(outcome, validate.Validated), outcome.diagnostics
    return outcome


def put(game: Game, output: Path, *allow: Guard, **options: Any) -> publish.Published:
    outcome = publish.publish(passed(game), output, allow=allow, **options)
    assert isinstance(outcome, publish.Published), outcome
    return outcome


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def damage(release: Path) -> list[str]:
    """What of a release is not as its datapackage.json says."""
    package = store.read_document(release / "datapackage.json")
    told = {one["path"]: one["hash"] for one in package["resources"]}
    found = {path: f"sha256:{value}" for path, value in hashes(release).items() if path != "datapackage.json"}
    return sorted(path for path in told.keys() | found.keys() if told.get(path) != found.get(path))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outcome = validate.validate(GAME, edition="11e")  # the whole gate, once
    assert isinstance(outcome, validate.Validated)
    done = publish.publish(outcome, tmp_path_factory.mktemp("output"))
    assert isinstance(done, publish.Published)
    return done.folder


# what is in it


def test_a_release_holds_what_the_contract_says(release: Path) -> None:
    files = set(hashes(release))
    assert {f"tables/{table}.{form}" for table in TABLES for form in ("parquet", "json")} <= files
    assert {
        "factions/ash-compact.json",
        "datapackage.json",
        "CHANGES.md",
        "changes.json",
        "validation/index.html",
        "validation/results.json",
        "dataset.sqlite",
        "dataset.duckdb",
        "schemas/faction.schema.json",
        "schemas/datasheets.ts",
    } <= files
    assert damage(release) == []
    assert [path.name for path in release.parent.iterdir()] == ["11e"]


def test_the_package_names_every_file_source_and_count(release: Path) -> None:
    package = store.read_document(release / "datapackage.json")
    assert package["edition"] == "11e"
    assert {one["title"]: one["captured_at"] for one in package["sources"]} == {
        "ash-compact/Ash Captain.txt": "2026-06-20T10:15:00Z",
        "ash-compact/Brindle Hauler.txt": "2026-06-20T10:15:00Z",
    }
    assert package["scope"] == {
        "factions": ["ash-compact"],
        "documents": {"datasheet": {"read": 2}},
        "legends": {"no": 1, "unknown": 2},
    }
    assert package["diagnostics"] == {"warning": {"incomplete-stratagem": 1}}
    for one in package["resources"]:
        assert (release / one["path"]).stat().st_size == one["bytes"]
    rows = {one["path"]: one["rows"] for one in package["resources"] if "rows" in one}
    for table, records in GAME.items():
        wanted = 1 if table == "diagnostics" else len(records)
        assert rows[f"tables/{table}.parquet"] == rows[f"tables/{table}.json"] == wanted


def test_the_package_is_a_data_package(release: Path) -> None:
    package = Package(release / "datapackage.json")
    assert list(Package.metadata_validate(package.to_descriptor())) == []
    tables = [one for one in package.resources if isinstance(one, TableResource) and one.format == "json"]
    assert len(tables) == len(TABLES)
    # frictionless counts no bytes of JSON files (`damage` does), and takes `[]` for no table
    checklist = Checklist(skip_errors=["byte-count"])
    for table in tables:
        if not table.rows:
            continue
        report = table.validate(checklist)
        assert report.valid, report.flatten(["rowNumber", "fieldName", "note"])


def test_published_schemas_hold_for_what_is_published(release: Path) -> None:
    for table in TABLES:
        made = store.read_document(release / "schemas" / "tables" / f"{table}.schema.json")
        jsonschema.validate(json.loads((release / "tables" / f"{table}.json").read_text(encoding="utf-8")), made)
    faction = store.read_document(release / "schemas" / "faction.schema.json")
    jsonschema.validate(store.read_document(release / "factions" / "ash-compact.json"), faction)


def test_the_content_hash_can_be_made_by_anyone(release: Path) -> None:
    digest = hashlib.sha256()
    for path in sorted((release / "tables").glob("*.json")):
        digest.update(f"{path.stem}\n".encode())
        for row in json.loads(path.read_text(encoding="utf-8")):
            line = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            digest.update(f"{line}\n".encode())
    assert store.read_document(release / "datapackage.json")["contentHash"] == f"sha256:{digest.hexdigest()}"


def test_the_results_of_the_validation_are_published(release: Path) -> None:
    results = store.read_document(release / "validation" / "results.json")["expectations"]
    assert len(results) > 300
    assert {one["table"] for one in results} == set(TABLES)
    assert [one["code"] for one in results if one["failures"]] == ["incomplete-stratagem"]
    page = (release / "validation" / "index.html").read_text(encoding="utf-8")
    assert "ash-compact/Brindle Hauler.txt:" in page
    assert "boarding-actions/breach" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "src=" not in page


# the same input, the same bytes


def test_the_bytes_repeat_in_another_folder_and_order(release: Path, tmp_path: Path) -> None:
    outcome = validate.validate({name: records[::-1] for name, records in GAME.items()}, edition="11e")
    assert isinstance(outcome, validate.Validated)
    publish.publish(outcome, tmp_path / "another" / "folder")
    assert hashes(tmp_path / "another" / "folder" / "11e") == hashes(release)


def test_no_place_of_this_machine_is_in_it(release: Path) -> None:
    for path in release.rglob("*"):
        if path.is_file():
            assert str(release.parent).encode() not in path.read_bytes(), path


def test_a_rebuild_of_the_same_is_the_same(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    dearer = changed(GAME, "unit_costs", f"{SHEET}#1", points=90)
    put(dearer, tmp_path)
    before = hashes(tmp_path / "11e")
    put(dearer, tmp_path)
    assert hashes(tmp_path / "11e") == before
    assert "85 → 90" in (tmp_path / "11e" / "CHANGES.md").read_text(encoding="utf-8")


def test_changes_are_told_column_by_column(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    put(changed(added(GAME, *more()), "unit_costs", f"{SHEET}#1", points=90), tmp_path)
    told = store.read_document(tmp_path / "11e" / "changes.json")
    assert [(one["id"], one["kind"], one["column"], one["old"]) for one in told["changes"]] == [
        (f"{SHEET}#1", "changed", "points", 85),
        ("ash-compact/new-host", "added", None, None),
    ]
    assert {table for table, one in told["tables"].items() if one["changes"]} == {"unit_costs", "detachments"}


@pytest.mark.parametrize("form", ["", '{"first": false, "tables": {"unit_costs": {"rows": {"before": 1}}}}'])
def test_changes_told_in_another_form_are_told_anew(tmp_path: Path, form: str) -> None:
    put(GAME, tmp_path)
    dearer = changed(GAME, "unit_costs", f"{SHEET}#1", points=90)
    put(dearer, tmp_path)
    (tmp_path / "11e" / "changes.json").write_text(form, encoding="utf-8")
    put(dearer, tmp_path)
    assert store.read_document(tmp_path / "11e" / "changes.json")["changes"] == []


def more() -> list[Record]:
    return [r.Detachment(detachment_id="ash-compact/new-host", faction_id="ash-compact", name="New Host")]


# the guards


def stopped(game: Game, output: Path, *allow: Guard) -> list[tuple[str, str | None]]:
    before = hashes(output)
    outcome = publish.publish(passed(game), output, allow=allow)
    assert isinstance(outcome, publish.Stopped)
    assert hashes(output) == before
    return [(one.code, one.table) for one in outcome.diagnostics]


def fewer(table: str, *identities: str) -> Game:
    game = GAME
    for identity in identities:
        game = without(without_observations(game, table, identity), table, identity)
    return game


def without_observations(game: Game, table: str, identity: str) -> Game:
    kept = [
        one
        for one in game["observations"]
        if isinstance(one, r.Observation) and (one.table, one.record_id) != (table, identity)
    ]
    return {**game, "observations": list(kept)}


def test_a_release_that_lost_rows_is_stopped(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    smaller = fewer("unit_costs", f"{invented.TROOPERS}#5")
    assert stopped(smaller, tmp_path) == [("rows-lost", "unit_costs")]
    assert stopped(smaller, tmp_path, Guard.IDS_DROPPED) == [("rows-lost", "unit_costs")]
    assert [one.code for one in put(smaller, tmp_path, Guard.ROWS_LOST).waived] == ["rows-lost"]


def test_a_few_rows_less_are_no_loss(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    observed = next(one for one in GAME["observations"] if isinstance(one, r.Observation) and one.table == "faqs")
    put(without(GAME, "observations", observed.identity), tmp_path)


def test_a_table_about_the_run_may_shrink(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    put({**GAME, "conflicts": []}, tmp_path)


def test_older_sources_are_stopped(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    documents: list[Record] = [
        msgspec.structs.replace(one, captured_at="2026-06-19T23:59:59Z") for one in GAME["documents"]
    ]
    older = {**GAME, "documents": documents}
    assert stopped(older, tmp_path) == [("older-sources", None)]
    put(older, tmp_path, Guard.OLDER_SOURCES)
    put(GAME, tmp_path)


@pytest.mark.parametrize(
    "date", ["2026-06-20", "2026-06-20T12:00:00", "2026-06-20T12:15:00+02:00", "2026-06-20T10:15:00.5Z"]
)
def test_dates_of_all_forms_can_be_compared(date: str) -> None:
    newest = guards.newest([None, date, "2026-06-19T23:00:00Z"])
    assert newest is not None
    assert newest.isoformat()[:10] == "2026-06-20"
    assert guards.newest([]) is None


def test_a_date_of_another_zone_is_not_older(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    moved = [msgspec.structs.replace(one, captured_at="2026-06-20T06:15:00-04:00") for one in GAME["documents"]]
    put({**GAME, "documents": list(moved)}, tmp_path)


def test_sources_without_dates_say_nothing(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    put({**GAME, "documents": [msgspec.structs.replace(one, captured_at=None) for one in GAME["documents"]]}, tmp_path)


RENAMED = f"{HOST}/dust-feint"


def renamed() -> Game:
    """A stratagem under another id, wherever it is spoken of."""
    old = f"{HOST}/ash-feint"
    game = changed(without_observations(GAME, "stratagems", old), "stratagems", old, stratagem_id=RENAMED)
    return changed(game, "datasheet_stratagems", f"{SHEET}#2", stratagem_id=RENAMED)


@pytest.mark.parametrize(
    ("declared", "stops"),
    [
        (None, True),
        (
            r.Migration(table="stratagems", old_id=f"{HOST}/ash-feint", new_id=RENAMED, kind="renamed", reason="…"),
            False,
        ),
        (r.Migration(table="stratagems", old_id=f"{HOST}/ash-feint", new_id=None, kind="retired", reason="…"), False),
        (r.Migration(table="stratagems", old_id=f"{HOST}/ash-feint", new_id="a/b/c", kind="merged", reason="…"), True),
    ],
)
def test_an_id_goes_only_with_a_declared_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: r.Migration | None, stops: bool
) -> None:
    put(GAME, tmp_path)
    monkeypatch.setattr("pipeline.migrations.declared", lambda _: [declared] if declared else [])
    if stops:
        assert stopped(renamed(), tmp_path) == [("ids-dropped", "stratagems")]
        put(renamed(), tmp_path, Guard.IDS_DROPPED)
    else:
        put(renamed(), tmp_path)
        assert len(store.read_rows(tmp_path / "11e", "migrations")) == 1


def test_editions_lie_beside_each_other(tmp_path: Path) -> None:
    put(GAME, tmp_path)
    documents = [msgspec.structs.replace(one, edition="10e") for one in GAME["documents"]]
    publish.publish(passed({"documents": list(documents)}, edition="10e"), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["10e", "11e"]


def test_the_guards_have_codes_of_their_own() -> None:
    assert [str(guard) for guard in guards.Guard] == ["rows-lost", "older-sources", "ids-dropped"]


# the forms


def test_sqlite_has_all_rows_with_types_keys_and_foreign_keys(release: Path) -> None:
    with closing(sqlite3.connect(release / "dataset.sqlite")) as database:
        for table, definition in schema.tables().items():
            rows = store.read_rows(release, table)
            (count,) = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            assert count == len(rows)
            about = database.execute(f'PRAGMA table_info("{table}")').fetchall()
            assert [one[1] for one in about] == list(definition.columns)
            assert {one[1] for one in about if one[5]} == set(definition.key)
            assert {one[1] for one in about if one[3]} == {one.name for one in definition.fields if one.required}
            keys = database.execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
            assert {(one[3], one[2]) for one in keys} == {
                (key.column, key.reference.resource) for key in definition.foreign_keys
            }
        (lance,) = database.execute(
            "SELECT count(*) FROM weapon_profiles, json_each(abilities) WHERE value = 'LANCE'"
        ).fetchone()
        assert lance == 1
        database.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError):
            database.execute("UPDATE models SET datasheet_id = 'nobody'")


def test_duckdb_has_all_rows_with_types_keys_and_foreign_keys(release: Path) -> None:
    with duckdb.connect(str(release / "dataset.duckdb"), read_only=True) as database:
        for table in TABLES:
            rows = database.execute(f'SELECT * FROM "{table}"').fetchall()
            read = [dict(zip(schema.table(table).columns, row, strict=True)) for row in rows]
            wanted = store.read_rows(release, table)
            key = schema.table(table).key
            assert sorted(read, key=lambda row: tuple(row[one] for one in key)) == wanted
        kinds = database.execute("SELECT table_name, constraint_type FROM duckdb_constraints()").fetchall()
    for table, definition in schema.tables().items():
        assert kinds.count((table, "PRIMARY KEY")) == 1
        assert kinds.count((table, "FOREIGN KEY")) >= len(definition.foreign_keys)


def test_lost_rows_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline import forms

    monkeypatch.setattr(forms, "_sqlite_rows", lambda content: iter([]))
    with pytest.raises(RuntimeError, match="sqlite: 0 rows of"):
        put(GAME, tmp_path)
    assert list(tmp_path.iterdir()) == []


# without prose


def with_prose_everywhere() -> Game:
    """The game with one and the same sentence in every column that holds sentences."""

    def told(record: Record) -> Record:
        fields = [one for one in schema.table(record.table_name()).fields if one.role == "prose"]
        return msgspec.convert(record.row() | {one.name: prose(one) for one in fields}, type(record))

    game: Game = {name: [told(record) for record in records] for name, records in GAME.items()}
    note = r.Conflict(
        table="stratagems", record_id="core/second-chance", column="effect_text", document_id=invented.DOCUMENT.document_id,
        kept=json.dumps(PROSE), other=json.dumps(PROSE),
    )  # fmt: skip
    quote = r.DiagnosticRow(
        diagnostic_id="unclaimed-text/0123456789ab", code="unclaimed-text", severity="warning", message=PROSE,
        document_id=None, line=None, start=None, end=None, table=None, record_id=None,
    )  # fmt: skip
    return added(game, note, quote)


def prose(field: schema.Field) -> Any:
    if field.array_item is not None:
        return [prose(field.array_item)]
    return {part.name: prose(part) for part in field.fields} or PROSE


def plain_bytes(release: Path) -> Iterator[tuple[str, bytes]]:
    for path in release.rglob("*"):
        if path.suffix == ".parquet":
            table = store.read_arrow(release, path.stem)
            yield path.name, json.dumps(table.to_pylist(), ensure_ascii=False).encode()
        elif path.suffix == ".duckdb":
            with duckdb.connect(str(path), read_only=True) as database:
                for table_name in TABLES:
                    rows = database.execute(f'SELECT * FROM "{table_name}"').fetchall()
                    yield path.name, repr(rows).encode()
        elif path.is_file():
            yield path.name, path.read_bytes()


def test_no_sentence_is_left_without_prose(tmp_path: Path) -> None:
    put(with_prose_everywhere(), tmp_path / "with")
    assert {name for name, content in plain_bytes(tmp_path / "with" / "11e") if PROSE.encode() in content} >= {
        "rules.json",
        "rules.parquet",
        "dataset.sqlite",
        "dataset.duckdb",
        "ash-compact.json",
        "index.html",
    }
    done = put(with_prose_everywhere(), tmp_path / "without", prose=False)
    assert [name for name, content in plain_bytes(done.folder) if PROSE.encode() in content] == []
    assert damage(done.folder) == []
    package = store.read_document(done.folder / "datapackage.json")
    assert package["prose"] is False


def test_what_is_left_without_prose_is_no_longer_than_a_name(tmp_path: Path) -> None:
    done = put(GAME, tmp_path, prose=False)
    longest_id = 120
    for table in TABLES:
        for row in store.read_rows(done.folder, table):
            for column, value in row.items():
                field = schema.table(table).field(column)
                assert field.role != "prose"
                for text in value if isinstance(value, list) else [value]:
                    assert not isinstance(text, str) or len(text) <= longest_id, (table, column)
    # facts, names and structure stay
    assert store.read_rows(done.folder, "unit_costs") == [one.row() for one in store.by_key(GAME["unit_costs"])]
    assert len(store.read_rows(done.folder, "rules")) == len(GAME["rules"])
    assert [one["column"] for one in store.read_rows(done.folder, "conflicts")] == ["points"]


def test_schemas_without_prose_hold_for_what_is_published(tmp_path: Path) -> None:
    done = put(GAME, tmp_path, prose=False)
    for table in TABLES:
        made = store.read_document(done.folder / "schemas" / "tables" / f"{table}.schema.json")
        jsonschema.validate(store.read_rows(done.folder, table), made)
    made = store.read_document(done.folder / "schemas" / "faction.schema.json")
    jsonschema.validate(store.read_document(done.folder / "factions" / "ash-compact.json"), made)
