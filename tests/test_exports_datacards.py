import json
from typing import Any

import pytest

from pipeline.exports import datacards
from pipeline.exports.reading import ExportReading
from pipeline.records import AnyRecord

HEAD: dict[str, Any] = {"source": "40k-11e", "compatibleDataVersion": 9, "updated": "2026-08-01T10:00:00Z"}


def en(text: str) -> dict[str, str]:
    return {"en": text, "de": "x"}


def sheet(**fields: Any) -> dict[str, Any]:
    usual = {
        "id": "u-1",
        "source": "40k-11e",
        "name": en("Brindle Hauler"),
        "factions": ["Ash Compact"],
        "faction_id": "f-1",
        "keywords": [en("Vehicle"), en("Frame")],
        "stats": [{"name": en("Brindle Hauler"), "m": '10"', "t": "9", "sv": "3+", "w": "11", "ld": "7+", "oc": "2"}],
        "rangedWeapons": [],
        "meleeWeapons": [],
        "abilities": {},
        "composition": [en("**1 Brindle Hauler**")],
        "loadout": en("**This model is equipped with:** coil lance."),
        "wargear": [],
        "baseSize": en("100mm"),
        "points": [{"cost": "75", "models": "1", "keyword": None, "detachment": None}],
    }
    return usual | fields


def faction(*sheets: dict[str, Any], **fields: Any) -> bytes:
    usual: dict[str, Any] = HEAD | {
        "id": "f-1",
        "name": "Ash Compact",
        "rules": {"army": [], "detachment": []},
        "detachments": [],
        "stratagems": [],
        "enhancements": [],
        "datasheets": list(sheets),
    }
    return json.dumps(usual | fields, ensure_ascii=False).encode()


def one(data: bytes) -> ExportReading:
    return datacards.read({"ash.json": data})["ash.json"]


def table(reading: ExportReading, name: str) -> list[dict[str, Any]]:
    records: list[AnyRecord] = [sighting.record for sighting in reading.sightings]
    return [record.row() for record in records if record.table_name() == name]


def codes(reading: ExportReading) -> list[str]:
    return [diagnostic.code for diagnostic in reading.diagnostics]


def test_a_datasheet_with_its_place() -> None:
    reading = one(faction(sheet(), sheet(id="u-2", name=en("Ash Guard"))))
    hauler, guard = table(reading, "datasheets")
    assert hauler["datasheet_id"] == "ash-compact/brindle-hauler"
    assert hauler["loadout_text"] == "This model is equipped with: coil lance."
    assert guard["name"] == "Ash Guard"
    spans = {s.record.identity: s.spans[0] for s in reading.sightings if s.record.table_name() == "datasheets"}
    start, end = spans["ash-compact/ash-guard"]
    assert json.loads(reading.text[start:end])["id"] == "u-2"
    assert (reading.edition, codes(reading)) == ("11e", [])


def test_a_second_price_tier_and_prices_of_wargear() -> None:
    prices = [
        {"cost": "150", "models": "10"},
        {"cost": "75", "models": "5"},
        {"cost": "90", "models": "5", "keyword": en("Imperium")},
    ]
    menu = [
        {
            "instruction": en("x"),
            "options": [{"name": en("Coil lance"), "cost": "5"}, {"name": en("Pike"), "cost": "0"}],
        }
    ]
    reading = one(
        faction(
            sheet(points=prices, additionalCost={"cost": "10", "afterSelections": 3}, wargearOptions=[*menu, *menu])
        )
    )
    assert [
        (c["kind"], c["from_unit"], c["to_unit"], c["models"], c["description"], c["points"])
        for c in table(reading, "unit_costs")
    ] == [
        ("unit", 1, 3, 5, "5 models", 75),
        ("unit", 1, 3, 10, "10 models", 150),
        ("unit", 4, None, 5, "5 models", 85),
        ("unit", 4, None, 10, "10 models", 160),
        ("unit", None, None, 5, "5 models (Imperium)", 90),
        ("wargear", None, None, None, "per Coil lance", 5),
    ]


def test_weapons_abilities_and_an_invulnerable_save_with_an_exception() -> None:
    reading = one(
        faction(
            sheet(
                stats=[{"name": en("Warden"), "m": "-", "t": "4"}, {"name": en("Ash Hound"), "m": '12"', "t": "3"}],
                rangedWeapons=[
                    {
                        "profiles": [
                            {
                                "name": en("Ember pistol – standard"), "range": '12"', "attacks": "D6+1", "skill": "3+",
                                "strength": "4", "ap": "0", "damage": "1", "keywords": ["Pistol", "Harpooned"],
                            }
                        ],
                        "abilities": [{"name": en("Harpooned"), "description": en("It **pulls**.")}],
                    }
                ],
                abilities={
                    "invul": {"value": "4+", "info": en("*Excluding the Ash Hound.*")},
                    "core": [{"name": en("Deadly Demise D6+2")}, {"name": en("Deep Strike")}],
                    "faction": [{"name": en("Oath of Ash"), "restriction": en("(Warden only)")}],
                    "other": [{"name": en("Rolling Wall"), "description": en("■ It holds.\n◦ Twice.")}],
                    "primarch": [{"name": en("Lord"), "abilities": [{"name": en("Aura"), "description": en("x")}]}],
                    "special": [{"name": en("LONER"), "description": en("It is alone.")}],
                    "damaged": {"range": en("1‑4 WOUNDS REMAINING"), "description": en("It slows.")},
                },
            ),
            rules={"army": [{"name": en("Oath of Ash"), "rules": [{"type": "text", "text": en("All.")}]}]},
        )
    )  # fmt: skip
    assert [m["invulnerable_save"] for m in table(reading, "models")] == [4, None]
    (profile,) = table(reading, "weapon_profiles")
    assert profile["profile_id"] == "ash-compact/brindle-hauler/ranged/ember-pistol/standard"
    assert profile["abilities"] == ("PISTOL", "HARPOONED")
    assert [a["text"] for a in table(reading, "weapon_abilities")] == [None, "It pulls."]
    found = {(a["kind"], a["name"], a["value"], a["rule_id"]) for a in table(reading, "abilities")}
    assert found == {
        ("core", "Deadly Demise", "D6+2", None),
        ("core", "Deep Strike", None, None),
        ("faction", "Oath of Ash", None, "army-rule/ash-compact/oath-of-ash"),
        ("datasheet", "Rolling Wall", None, None),
        ("primarch", "Aura", None, None),
    }
    (record,) = table(reading, "datasheets")
    assert (record["damaged_low"], record["damaged_high"], record["damaged_text"]) == (1, 4, "It slows.")
    assert [section["heading"] for section in record["other_sections"]] == ["LONER", "INVULNERABLE SAVE"]


def test_leaders_are_the_bullets_of_the_leader_text() -> None:
    led = en("This model can lead these units:  ■ **ASH GUARD** ■ **FEN GUARD**")
    reading = one(faction(sheet(leader=led), sheet(id="u-2", name=en("Ash Guard"))))
    assert [(r["led_name"], r["led_id"]) for r in table(reading, "leaders")] == [
        ("Ash Guard", "ash-compact/ash-guard"),
        ("FEN GUARD", None),
    ]


def test_stratagems_enhancements_and_rules_of_a_detachment() -> None:
    owner = {"detachment": "Rivet Host", "detachment_id": "d-1", "detachment_faction": "Ash Compact"}
    stratagem = owner | {
        "id": "s-1", "name": en("Ash Feint"), "cost": 1, "turn": "opponents", "type": "", "phase": ["shooting"],
        "when": en("Any phase."), "target": en("One unit."), "effect": en("It hides."), "fluff": en("Old."),
    }  # fmt: skip
    table_lost = [
        {"order": 1, "type": "text", "text": en("See below.")},
        {"order": 2, "type": "image", "text": en("-")},
    ]
    reading = one(
        faction(
            detachments=[{"id": "d-1", "name": en("Rivet Host"), "faction": "Ash Compact", "detachmentPoints": 2}],
            stratagems=[stratagem, stratagem | {"id": "s-2", "detachment_id": "d-9"}],
            enhancements=[owner | {"id": "e-1", "name": en("Ember Crown"), "cost": "15", "description": en("x")}],
            rules={"army": [], "detachment": [owner | {"rules": [{"name": en("Rivets"), "rules": table_lost}]}]},
        )
    )
    assert [(a["detachment_id"], a["detachment_points"]) for a in table(reading, "detachments")] == [
        ("ash-compact/rivet-host", 2)
    ]
    (found,) = table(reading, "stratagems")
    assert (found["stratagem_id"], found["type"], found["turn"]) == (
        "ash-compact/rivet-host/ash-feint",
        None,
        "opponents",
    )
    assert [e["points"] for e in table(reading, "enhancements")] == [15]
    (rule,) = table(reading, "rules")
    assert (rule["rule_id"], rule["text"], rule["complete"]) == (
        "detachment-rule/ash-compact/rivets",
        "See below.",
        False,
    )
    # the group of rules prints a field of stratagems, the second stratagem points nowhere
    assert codes(reading) == ["unknown-field", "orphan-rows"]


def test_one_unit_of_two_factions_is_two_datasheets_under_one_id_of_the_source() -> None:
    readings = datacards.read({"a.json": faction(sheet()), "b.json": faction(sheet(), id="f-2", name="Fen Wardens")})
    rows = [row for reading in readings.values() for row in table(reading, "crosswalk") if row["table"] == "datasheets"]
    assert [(row["record_id"], row["source_id"]) for row in rows] == [
        ("ash-compact/brindle-hauler", "u-1"),
        ("fen-wardens/brindle-hauler", "u-1"),
    ]


def book(name: str, *containers: dict[str, Any]) -> bytes:
    section = {"id": "x", "name": en("01. Moving"), "order": 1, "containers": list(containers)}
    return json.dumps(HEAD | {"id": "b", "name": en(name), "sections": [section]}).encode()


MOVE = {
    "id": "c-1", "type": "behaviourType", "order": 1, "title": en("Slow Move"), "subTitle": en("09.04"),
    "behaviour": {"id": "m", "eligibleIf": en("Any."), "maximumDistance": en("'-'"), "effect": en("It moves.")},
    "components": [
        {"order": 1, "type": "text", "text": en("Slowly.\nExample: like this.")},
        {"order": 2, "type": "accordion", "title": en("9.4.1 - Very Slowly"), "text": en("Stop.")},
    ],
}  # fmt: skip


def test_numbered_rules_and_their_parts() -> None:
    reading = one(book("Core Rules", MOVE))
    move, part = table(reading, "rules")
    assert (move["rule_id"], move["kind"], move["parent_id"]) == ("09.04", "move", "09.00")
    assert move["sections"] == ({"label": "ELIGIBLE IF", "text": "Any."}, {"label": "EFFECT", "text": "It moves."})
    assert (move["text"], move["examples"]) == ("Slowly.", ("like this.",))
    assert (part["rule_id"], part["title"], part["parent_id"]) == ("09.04.01", "Very Slowly", "09.04")


def test_numbers_of_another_book_are_no_numbers_of_the_core_rules() -> None:
    move, _ = table(one(book("Small Battles", MOVE)), "rules")
    assert (move["rule_id"], move["number"]) == ("small-battles/slow-move", None)


def test_two_rules_of_one_number() -> None:
    reading = one(book("Core Rules", MOVE | {"components": []}, MOVE | {"components": [], "title": en("Late Move")}))
    assert [rule["rule_id"] for rule in table(reading, "rules")] == ["09.04", "core/slow-move"]
    assert codes(reading) == ["source-contradiction"]


def test_faqs_are_joined_to_what_they_are_about() -> None:
    entries = [
        {
            "id": "q-1", "order": 1, "publication": {"name": en("Codex: Necrons")}, "question": en("May it?"),
            "answer": en("No."), "targets": [{"type": "datasheet", "id": "u-1", "name": en("Brindle Hauler")}],
        },
        {
            "id": "q-2", "order": 2, "publication": {"name": en("Core Rules")}, "errataHeader": en("Keywords"),
            "errataText": en("Add ‘FRAME’."), "targets": [{"type": "stratagem", "id": "s-9", "name": en("Lost")}],
        },
        {"id": "q-3", "order": 3, "publication": {"name": en("Core Rules")}, "question": en("And now?")},
    ]  # fmt: skip
    files = {"a-faqs.json": json.dumps(HEAD | {"faqs": entries}).encode(), "b.json": faction(sheet())}
    reading = datacards.read(files)["a-faqs.json"]
    first, second = table(reading, "faqs")
    assert (first["faction_id"], first["question"], first["answer"]) == ("necrons", "May it?", "No.")
    assert (second["faction_id"], second["question"], second["answer"]) == (None, "Keywords", "Add ‘FRAME’.")
    assert [(r["status"], r["to_id"]) for r in table(reading, "cross_references")] == [
        ("resolved", "ash-compact/brindle-hauler"),
        ("dangling", None),
    ]
    assert codes(reading) == ["unreadable-row"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (faction(sheet())[:-20], "damaged-json"),
        (b"[1, 2]", "damaged-json"),
        (b'{"datasheets": ' + b"[" * 100_000, "damaged-json"),
        (faction(sheet(), rules=[]), "unreadable-row"),
        (b"<html></html>", "redirect-page"),
        (b"", "empty-file"),
        (b"\xff\xfe{}", "damaged-json"),
        (json.dumps(HEAD | {"cards": []}).encode(), "unknown-format"),
        (faction(sheet(), name=""), "unreadable-row"),
        (faction(sheet(), source="x"), "uncertain-edition"),
        (faction(sheet(), source="40k-9e"), "other-game"),
        (faction(sheet(colour="red"), sheet(name=en("Ash Guard"), colour="blue")), "unknown-field"),
        (faction(sheet(name=en(""))), "unreadable-row"),
        (faction(5), "unreadable-row"),  # type: ignore[arg-type]
        (faction(sheet(points=[{"cost": "free", "models": "1"}])), "unreadable-value"),
        (faction(sheet(points=[{"cost": "1e400", "models": "1"}])).replace(b'"1e400"', b"1e400"), "unreadable-row"),
        (faction(sheet(), id="x").replace(b'"x"', b"1e400"), "unreadable-row"),
        (faction(sheet(points=[{"cost": 0.0, "models": "1"}])), "unreadable-value"),
        (faction(sheet(stats=[{"name": en("X"), "t": "0"}])), "unreadable-value"),
        (faction(sheet(abilities={"damaged": {"range": en("often")}})), "unreadable-value"),
        (faction(sheet(), stratagems={}), "unreadable-row"),
    ],
)
def test_a_damaged_file_is_named_and_the_others_are_unharmed(data: bytes, code: str) -> None:
    readings = datacards.read({"bad.json": data, "good.json": faction(sheet(), name="Fen Wardens")})
    assert codes(readings["bad.json"]) == [code]
    assert codes(readings["good.json"]) == []
    assert len(table(readings["good.json"], "datasheets")) == 1
