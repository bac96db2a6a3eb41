"""Datasheets of one faction with one name."""

from __future__ import annotations

import msgspec
import pytest

from pipeline.document import Span
from pipeline.extract import Extract
from pipeline.namesakes import parted
from pipeline.records import AnyRecord, Book, Datasheet, DocumentRow, Model, Sighting
from tests import pages
from tests.pages import Page

ADDRESS = "https://rules.example.invalid/wh40k11ed/factions/ashen-compact/Brindle-Hauler"
GUN = 'RANGED WEAPONS | RANGE | A | BS | S | AP | D | |\n| Rivet gun | 24" | {attacks} | 5+ | 4 | 0 | 1 | |'


def extract(url: str | None, *records: AnyRecord, kind: str = "datasheet", identity: str = "ash/hauler") -> Extract:
    document = DocumentRow(
        document_id=url or kind, path="x", member=None, format="html", kind=kind, edition="11e", faction_id="ash", title=None, url=url,
        captured_at=None, bytes=9, sha256="0", characters=9, characters_claimed=9, characters_echo=0, characters_furniture=0, status="read",
    )  # fmt: skip
    sheet = Datasheet(datasheet_id=identity, faction_id="ash", name="Hauler")
    return Extract(document=document, sightings=[Sighting(record, (Span(0, 9),)) for record in (sheet, *records)])


def book(name: str) -> Book:
    return Book(book_id=f"{name}/x", name=name, kind="Index", edition="11", version=None, updated=None)


def identities(extracts: list[Extract]) -> list[list[str]]:
    return [[s.record.identity for s in one.sightings if not isinstance(s.record, Book)] for one in extracts]


def test_two_pages_of_one_name_are_two_datasheets() -> None:
    read = pages.read(
        Page(sheet=GUN.format(attacks=number), url=url) for number, url in ((1, ADDRESS), (2, f"{ADDRESS}-1"))
    )
    assert [d.datasheet_id for d in read.rows("datasheets")] == [
        "ashen-compact/brindle-hauler", "ashen-compact/brindle-hauler-1",
    ]  # fmt: skip
    assert [(w.profile_id, w.attacks) for w in read.rows("weapon_profiles")] == [
        ("ashen-compact/brindle-hauler/ranged/rivet-gun", "1"), ("ashen-compact/brindle-hauler-1/ranged/rivet-gun", "2"),
    ]  # fmt: skip
    assert read.rows("conflicts") == []
    assert [o.record_id for o in read.rows("observations") if o.table == "datasheets"] == [
        "ashen-compact/brindle-hauler", "ashen-compact/brindle-hauler-1",
    ]  # fmt: skip


@pytest.mark.parametrize("url", [f"{ADDRESS}-1", f"{ADDRESS}-1/", f"{ADDRESS}-1?x=2#y", f"{ADDRESS}-25", ADDRESS])
def test_a_number_alone_proves_nothing(url: str) -> None:
    (sheet,) = pages.read([Page(url=url)]).rows("datasheets")
    assert sheet.datasheet_id == "ashen-compact/brindle-hauler"


def test_a_number_may_be_part_of_the_name() -> None:
    named = {"title": "Ashen Compact – X-101", "keywords": "KEYWORDS: VEHICLE; FLY; X-101"}
    read = pages.read([Page(url=ADDRESS.replace("Brindle-Hauler", "X-101"), **named), Page(**named, sheet=GUN)])
    assert [d.datasheet_id for d in read.rows("datasheets")] == ["ashen-compact/x-101"]


def test_the_book_names_the_second_datasheet() -> None:
    plain = extract("https://x.invalid/factions/ash/Hauler", book("Ash"))
    model = Model(model_id="ash/hauler/hauler", datasheet_id="ash/hauler", position=1, name="Hauler")
    second = extract("https://x.invalid/factions/ash/Hauler-1", book("Fen Crusade"), model)
    other = extract(None, identity="ash/hauler-crew")
    assert identities(parted([second, plain, other])) == [
        ["ash/hauler-fen-crusade", "ash/hauler-fen-crusade/hauler"], ["ash/hauler"], ["ash/hauler-crew"],
    ]  # fmt: skip


def test_an_export_that_holds_both_names_the_second_datasheet() -> None:
    export = extract(
        None, Datasheet(datasheet_id="ash/hauler-fen-crusade", faction_id="ash", name="Hauler"), kind="export"
    )
    dump = extract("https://x.invalid/factions/ash/Hauler-1")
    assert identities(parted([export, dump]))[1] == ["ash/hauler-fen-crusade"]
    alone = msgspec.structs.replace(export, sightings=export.sightings[:1])
    assert identities(parted([alone, dump]))[1] == ["ash/hauler"]
