from typing import Any

import pytest

from pipeline.exports import price_yaml
from pipeline.exports.reading import ExportReading
from pipeline.records import AnyRecord

NECRONS = """\
name: Necrons
slug: necrons
version: "1.1"
firstSeen: 2026-07-22
detachments:
  - name: No
    dp: 2
    objective: PURGE THE FOE
    enhancements:
      - { name: Ember Crown, points: 15 }
units:
  - name: Brindle Hauler
    pricing:
      - range: "[1,3]"
        label: Your 1st To 3rd Units Cost
        costs:
          - { models: 1, points: 75 }
      - range: "[4,)"
        label: Your 4th + Unit Costs
        costs:
          - { models: 1, points: 85 }
    wargear:
      - { item: Coil lance, points: 5 }
    role: leader
    attachTo:
      - Ash Guard
      - 06.10
  - name: Ash Guard
    legends: true
    pricing:
      - range: "[1,)"
        label: Your Unit Costs
        costs:
          - { models: 5, points: 60 }
          - { models: 5, points: 70, desc: "1 Warden, 4 Guards" }
          - { models: 1, points: 20, desc: Side car, addon: true }
  - name: Ash Guard
    groupTitle: Every Model Has The Ash Keyword
    pricing:
      - range: "[1,)"
        label: Your Unit Costs
        costs:
          - { models: 5, points: 65 }
"""
ORKS = """\
name: Orks
slug: orks
firstSeen: 2026-07-22
parent: Necrons
detachments:
  - { name: "No", dp: 2, objective: PURGE THE FOE, enhancements: [] }
units:
  - name: Brindle Hauler
    groupTitle: Necrons
    pricing:
      - { range: "[1,3]", label: x, costs: [{ models: 1, points: 75 }] }
      - { range: "[4,)", label: x, costs: [{ models: 1, points: 95 }] }
"""


def read(**files: str) -> dict[str, ExportReading]:
    return price_yaml.read({f"{name}.yaml": text.encode() for name, text in files.items()})


def table(reading: ExportReading, name: str) -> list[dict[str, Any]]:
    records: list[AnyRecord] = [sighting.record for sighting in reading.sightings]
    return [record.row() for record in records if record.table_name() == name]


def costs(reading: ExportReading) -> list[tuple[Any, ...]]:
    columns = ("datasheet_id", "position", "kind", "from_unit", "to_unit", "models", "description", "points")
    return [tuple(row[column] for column in columns) for row in table(reading, "unit_costs")]


def test_prices_with_tiers_conditions_and_wargear() -> None:
    reading = read(necrons=NECRONS)["necrons.yaml"]
    assert costs(reading) == [
        ("necrons/brindle-hauler", 1, "unit", 1, 3, 1, "1 model", 75),
        ("necrons/brindle-hauler", 2, "unit", 4, None, 1, "1 model", 85),
        ("necrons/brindle-hauler", 3, "wargear", None, None, None, "per Coil lance", 5),
        ("necrons/ash-guard", 1, "unit", None, None, 5, "5 models", 60),
        ("necrons/ash-guard", 2, "unit", None, None, 5, "1 Warden, 4 Guards", 70),
        ("necrons/ash-guard", 3, "wargear", None, None, None, "Side car", 20),
        ("necrons/ash-guard", 4, "unit", None, None, 5, "5 models (Every Model Has The Ash Keyword)", 65),
    ]
    assert (reading.edition, reading.captured_at, reading.diagnostics) == ("11e", "2026-07-22", [])


def test_names_stay_text() -> None:
    reading = read(necrons=NECRONS)["necrons.yaml"]
    (army,) = table(reading, "detachments")
    assert (army["name"], army["detachment_points"], army["force_disposition"]) == ("No", 2, "PURGE THE FOE")
    assert [(row["led_name"], row["led_id"]) for row in table(reading, "leaders")] == [
        ("Ash Guard", "necrons/ash-guard"),
        ("06.10", None),
    ]
    assert [sheet["is_legends"] for sheet in table(reading, "datasheets")] == [None, True, True]


def test_rows_point_to_their_characters() -> None:
    reading = read(necrons=NECRONS)["necrons.yaml"]
    sighting = next(s for s in reading.sightings if s.record.table_name() == "enhancements")
    start, end = sighting.spans[0]
    assert reading.text[start:end] == "{ name: Ember Crown, points: 15 }"


def test_a_unit_under_another_factions_title_is_that_factions_and_another_price_says_for_whom() -> None:
    readings = read(a=ORKS, b=NECRONS)
    assert costs(readings["a.yaml"]) == [
        ("necrons/brindle-hauler", 1, "unit", 1, 3, 1, "1 model", 75),
        ("necrons/brindle-hauler", 3, "unit", 4, None, 1, "1 model (Orks)", 95),
    ]
    assert costs(readings["b.yaml"])[1:3] == [
        ("necrons/brindle-hauler", 2, "unit", 4, None, 1, "1 model", 85),
        ("necrons/brindle-hauler", 4, "wargear", None, None, None, "per Coil lance", 5),
    ]
    assert [army["detachment_id"] for army in table(readings["a.yaml"], "detachments")] == ["necrons/no"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (NECRONS.replace("points: 85", "points: many"), "unreadable-value"),
        (NECRONS.replace('"[4,)"', '"later"'), "unreadable-value"),
        (NECRONS.replace("dp: 2", "dp: 2\n    colour: red"), "unknown-field"),
        (NECRONS.replace("name: Necrons", "title: Necrons", 1), "unreadable-row"),
        (NECRONS.replace("name: Ember Crown", 'name: ""'), "unreadable-row"),
        (NECRONS[:300] + "\n      - { name: ", "damaged-yaml"),
        ("- a\n- b\n", "unknown-format"),
        ("<html></html>", "redirect-page"),
        ("", "empty-file"),
    ],
)
def test_a_damaged_file_is_named_and_the_others_are_unharmed(text: str, code: str) -> None:
    readings = read(bad=text, good=NECRONS.replace("Necrons", "Orks").replace("necrons", "orks"))
    assert code in {diagnostic.code for diagnostic in readings["bad.yaml"].diagnostics}
    assert readings["good.yaml"].diagnostics == []
    assert len(costs(readings["good.yaml"])) == 7


def test_without_detachment_points_the_edition_is_uncertain() -> None:
    reading = read(a=NECRONS.replace("    dp: 2\n", ""))["a.yaml"]
    assert "uncertain-edition" in {diagnostic.code for diagnostic in reading.diagnostics}
