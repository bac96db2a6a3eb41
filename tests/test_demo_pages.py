"""The saved pages of the demo: made as they are kept, and read as they were meant."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline import explain
from pipeline.document import Document
from pipeline.extract import Extract, extract
from pipeline.extractors import weapons
from pipeline.readers import html, text
from tests import demo_pages, second_opinion

DEMO = Path(__file__).resolve().parent.parent / "raw" / "demo"
STEMS = (
    "lantern-wardens__Cinder_Striders", "lantern-wardens__Gloamwing_Dropship", "lantern-wardens__Lamplight_Fusiliers",
    "dra-veth-tidehold__Pressure_Gunners",
)  # fmt: skip


@cache
def page(stem: str) -> Extract:
    return extract(html.read_document(Document(stem, f"{stem}.html", None, "html", "", 0, demo_pages.page(stem))))


@cache
def dump(stem: str) -> Extract:
    path = DEMO / demo_pages.truth(stem)["edition"] / f"{stem}.txt"
    sidecar = path.with_suffix(".json")
    hints = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar.is_file() else {}
    return extract(
        text.read(
            Document(
                stem, path.name, None, "text", "", 0, path.read_text(encoding="utf-8"),
                url=hints.get("url"), sidecar_name=hints.get("name"), sidecar_faction=hints.get("faction"),
            )
        )
    )  # fmt: skip


def records(found: Extract, table: str) -> list[Any]:
    return [sighting.record for sighting in found.sightings if sighting.record.table_name() == table]


def ids(found: Extract, table: str) -> set[str]:
    return {record.identity for record in records(found, table)}


def test_the_files_are_what_makes_them_says() -> None:
    kept = {path.name: path.read_bytes() for path in demo_pages.FOLDER.iterdir()}
    assert kept == demo_pages.files(), "run python -m tests.demo_pages"


@pytest.mark.parametrize("stem", STEMS)
def test_every_character_is_claimed_and_nothing_is_said(stem: str) -> None:
    found = page(stem)
    assert found.document.status == "read"
    assert found.document.characters_claimed == found.document.characters
    assert Counter(d.code for d in found.diagnostics) <= Counter({"single-profile": 9})


@pytest.mark.parametrize("stem", STEMS)
def test_a_page_says_what_is_meant(stem: str) -> None:
    said, found = demo_pages.truth(stem), page(stem)
    assert found.document.title == said["unit"]
    shown = [(k.keyword, k.model_name) for k in records(found, "keywords") if not k.is_faction]
    assert shown == [(keyword, model) for keyword, model, is_faction in said["keywords"] if not is_faction]
    assert [(c.description, c.points, c.from_unit, c.to_unit) for c in records(found, "unit_costs")] == [
        (c["description"], c["points"], c["from_unit"], c["to_unit"]) for c in said["costs"]
    ]
    assert sorted((a.kind, a.name, a.value or "") for a in records(found, "abilities")) == sorted(
        (a["kind"], a["name"], a["value"] or "") for a in said["abilities"]
    )
    assert [(o.text, list(o.choices)) for o in records(found, "wargear_options")] == [
        (o["text"], o["choices"]) for o in said["wargear_options"]["options"]
    ]
    assert [(c.model_name, c.models_min, c.models_max) for c in records(found, "unit_composition")] == [
        (c["model_name"], c["models_min"], c["models_max"]) for c in said["composition"]
    ]
    made = []
    for row in found.weapon_rows:
        division, certain = weapons.divide(row, weapons.KnownNames())
        profile = weapons.records(row, division, certain=certain).profile
        assert profile.split_certain
        made.append(
            (
                profile.kind,
                profile.weapon_name,
                profile.profile_name,
                profile.attacks,
                profile.skill,
                list(profile.abilities),
            )
        )
    columns = ("kind", "weapon_name", "profile_name", "attacks", "skill", "abilities")
    assert made == [tuple(weapon[column] for column in columns) for weapon in said["weapons"]]


@pytest.mark.parametrize("stem", STEMS)
def test_a_page_tells_what_its_dump_lost(stem: str) -> None:
    found = page(stem)
    models = records(found, "models")
    assert len(models) == max(
        len(demo_pages.STATS[demo_pages.truth(stem)["unit"]]), len(demo_pages.truth(stem)["models"])
    )
    assert all(model.toughness and model.wounds and model.movement_inches for model in models)
    assert [b.version for b in records(found, "books")] == ["1.0"]
    led = {(r.leader_id, r.led_name) for r in records(found, "leaders")}
    assert bool(led) == any(demo_pages.truth(stem).get(column) for column in ("leader_text", "led_by_text"))
    assert any(index.members_known for index in records(found, "keyword_index"))


@pytest.mark.parametrize("stem", STEMS)
def test_ids_are_those_of_the_dump(stem: str) -> None:
    for table in (
        "datasheets",
        "abilities",
        "stratagems",
        "datasheet_stratagems",
        "detachments",
        "unit_costs",
        "unit_composition",
    ):
        assert ids(page(stem), table) == ids(dump(stem), table), table
    for table in ("keywords", "keyword_index", "models"):
        assert ids(page(stem), table) >= ids(dump(stem), table), table
    titled = {identity for identity in ids(dump(stem), "rules") if "untitled" not in identity}
    assert titled <= ids(page(stem), "rules")


@pytest.mark.parametrize("stem", STEMS)
def test_cards_are_those_of_the_dump(stem: str) -> None:
    theirs = {card.identity: card for card in records(dump(stem), "stratagems") if card.complete}
    ours = {card.identity: card for card in records(page(stem), "stratagems") if card.complete}
    assert theirs
    for identity, card in theirs.items():
        assert msgspec.structs.asdict(ours[identity]) == msgspec.structs.asdict(card), identity


def test_the_element_behind_a_record_is_shown() -> None:
    document = html.read_document(
        Document("0", "Hauler.html", None, "html", "", 0, demo_pages.page("lantern-wardens__Cinder_Striders"))
    )
    model = next(s for s in extract(document).sightings if s.record.table_name() == "models")
    assert explain.place_of(document, model.spans[0].start) == "line 5: div.dsCharValue"


@pytest.mark.parametrize("stem", STEMS)
def test_another_parser_reads_the_same(stem: str) -> None:
    source, found = demo_pages.page(stem), page(stem)
    assert second_opinion.our_weapon_cells(found) == second_opinion.weapon_cells(source) != []
    assert second_opinion.our_stratagems(found) == second_opinion.stratagems(source) != []
    assert {
        word for keyword in second_opinion.keywords(source) for word in keyword.split()
    } == second_opinion.our_keywords(found)
