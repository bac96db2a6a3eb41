"""Counts of the real exports, which are not in the repository: `DATASHEETS_CORPUS` names the folder that has them."""

import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from pipeline.exports import datacards, price_yaml, wahapedia_csv
from pipeline.exports.reading import ExportReading

CORPUS = Path(os.environ.get("DATASHEETS_CORPUS", "absent"))
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the real files")


def files(folder: str, pattern: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((CORPUS / folder).rglob(pattern))}


@cache
def csv() -> dict[str, ExportReading]:
    return wahapedia_csv.read(files("10e/wahapedia-csv", "*.csv"))


@cache
def cards() -> dict[str, ExportReading]:
    return datacards.read(files("11e/datacards", "*.json"))


def rows(readings: dict[str, ExportReading]) -> Counter[str]:
    return Counter(sighting.record.table_name() for reading in readings.values() for sighting in reading.sightings)


def distinct(readings: dict[str, ExportReading]) -> Counter[str]:
    return Counter(
        table
        for table, _ in {
            (sighting.record.table_name(), sighting.record.identity)
            for reading in readings.values()
            for sighting in reading.sightings
        }
    )


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("factions", 26),
        ("datasheets", 1712),
        ("models", 1817 - 4),
        ("weapon_profiles", 9355 - 48 - 144),  # placeholders, and weapons of datasheets that the export lacks
        ("unit_composition", 2168 - 4),
        ("unit_costs", 2136),
        ("wargear_options", 2832),
        ("abilities", 7158 - 229 - 165 - 109 - 1 - 1),  # footnotes, sections, an orphan
        ("keywords", 11675),
        ("leaders", 1826),
        ("stratagems", 1479),  # one name thrice
        ("datasheet_stratagems", 91111 - 10 - 3),
        ("datasheet_enhancements", 11583),
        ("datasheet_detachment_rules", 16511),
        ("detachments", 261),
        ("enhancements", 927),
        ("rules", 90 + 284),
        ("books", 72),
    ],
)
def test_the_csv_export(table: str, expected: int) -> None:
    assert distinct(csv())[table] == expected


def test_every_row_of_the_csv_export_is_read_or_named() -> None:
    assert not [d for reading in csv().values() for d in reading.diagnostics if d.severity == "error"]
    lines = {name: len(reading.claims) for name, reading in csv().items()}
    assert lines["Datasheets_wargear.csv"] == 9355
    assert lines["Stratagems.csv"] == 1481  # one of them on two lines


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("datasheets", 352),
        ("weapon_profiles", 1499),
        ("models", 375),
        ("stratagems", 421),
        ("enhancements", 283),
        ("detachments", 83),
    ],
)
def test_the_datacards(table: str, expected: int) -> None:
    assert distinct(cards())[table] == expected


def test_the_numbered_core_rules() -> None:
    numbers = {
        sighting.record.identity
        for sighting in cards()["core_rules.json"].sightings
        if sighting.record.table_name() == "rules" and sighting.record.identity[0].isdigit()
    }
    assert len(numbers) == 296


def test_the_price_lists() -> None:
    readings = price_yaml.read(files("11e/mfm", "*.yaml"))
    assert rows(readings)["unit_costs"] == 2959 + 81
    assert rows(readings)["enhancements"] == 1199
    assert {reading.edition for reading in readings.values()} == {"11e"}


def test_files_that_only_pretend() -> None:
    readings = wahapedia_csv.read(files("bad", "*.csv"))
    assert [[d.code for d in reading.diagnostics] for reading in readings.values()] == [["redirect-page"]] * 2
