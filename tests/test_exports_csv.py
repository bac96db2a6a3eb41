from collections.abc import Mapping

import pytest

from pipeline.exports import wahapedia_csv
from pipeline.exports.reading import ExportReading
from pipeline.records import (
    Ability,
    AnyRecord,
    Crosswalk,
    Datasheet,
    Detachment,
    Enhancement,
    Keyword,
    Leader,
    Model,
    Rule,
    Stratagem,
    UnitComposition,
    UnitCost,
    WargearOption,
    WeaponAbility,
    WeaponProfile,
)

LINK = "https://example.org/wh40k10ed/factions/ash-compact"
FACTIONS = f"\ufeffid|name|link|\nASH|Ash Compact|{LINK}|\nFEN|Fen Wardens|{LINK}|\n"
BOOKS = (
    "id|name|type|edition|version|errata_date|errata_link|\n"
    "01|Ash Compact|Faction Pack|10|1.2|04.03.2026 0:00:00||\n"
    "02|Cinder Lodge|Faction Pack|10||01.01.0001 0:00:00||\n"
    "03|Ash Compact (Warhammer Legends)|Faction Pack|0||01.01.0001 0:00:00||\n"
)
SHEET_COLUMNS = (
    "id|name|faction_id|source_id|legend|role|loadout|transport|virtual|leader_head|leader_footer|damaged_w|"
    "damaged_description|link|\n"
)
WEAPON_COLUMNS = "datasheet_id|line|line_in_wargear|dice|name|description|range|type|A|BS_WS|S|AP|D|\n"


def line(columns: str, **cells: str) -> str:
    """A row with the cells that are given, the others empty."""
    names = columns.strip().strip("|").split("|")
    assert set(cells) <= set(names)
    return "".join(f"{cells.get(name, '')}|" for name in names) + "\n"


HAULER = line(
    SHEET_COLUMNS,
    id="0042",
    name="Brindle Hauler",
    faction_id="ASH",
    source_id="01",
    role="Dedicated Transports",
    loadout="<b>This model is equipped with:</b> coil lance.",
    transport="This model has a transport capacity of 12 Ash Infantry models.",
    damaged_w="1-4",
    damaged_description="It slows.",
    link=LINK + "/Brindle-Hauler",
)
GUARD = line(SHEET_COLUMNS, id="0043", name="Ash Guard", faction_id="ASH", source_id="03", link=LINK)
NAMESAKE = line(SHEET_COLUMNS, id="0044", name="Brindle Hauler", faction_id="ASH", source_id="02", link=LINK)
SHEETS = SHEET_COLUMNS + HAULER + GUARD + NAMESAKE


def lance(**cells: str) -> str:
    """A weapon's row: a lance, but for the cells that are given."""
    usual = {
        "datasheet_id": "0042", "line": "1", "line_in_wargear": "1", "name": "Coil lance", "description": "lance",
        "range": "Melee", "type": "Melee", "A": "3", "BS_WS": "3", "S": "7", "AP": "-2", "D": "2",
    }  # fmt: skip
    return line(WEAPON_COLUMNS, **(usual | cells))


def read(**tables: str) -> dict[str, ExportReading]:
    files = {"Factions": FACTIONS, "Source": BOOKS, "Datasheets": SHEETS} | tables
    return wahapedia_csv.read({f"{name}.csv": text.encode() for name, text in files.items()})


def seen(readings: Mapping[str, ExportReading], kind: type[AnyRecord], file: str | None = None) -> list[AnyRecord]:
    found = [
        sighting.record
        for name, reading in readings.items()
        if file in (None, name)
        for sighting in reading.sightings
        if isinstance(sighting.record, kind)
    ]
    return list(dict.fromkeys(found))


def codes(reading: ExportReading) -> list[str]:
    return [diagnostic.code for diagnostic in reading.diagnostics if diagnostic.code != "missing-column"]


def weapon(row: str) -> tuple[ExportReading, list[AnyRecord]]:
    readings = read(Datasheets_wargear=WEAPON_COLUMNS + row)
    return readings["Datasheets_wargear.csv"], seen(readings, WeaponProfile)


def test_a_datasheet() -> None:
    readings = read()
    hauler = seen(readings, Datasheet)[0]
    assert isinstance(hauler, Datasheet)
    assert hauler.datasheet_id == "ash-compact/brindle-hauler"
    assert (hauler.role, hauler.is_legends) == ("Dedicated Transports", False)
    assert hauler.loadout_text == "This model is equipped with: coil lance."
    assert (hauler.transport_capacity, hauler.damaged_low, hauler.damaged_high) == (12, 1, 4)
    assert {reading.edition for reading in readings.values()} == {"10e"}


def test_legends_come_from_the_book() -> None:
    flags = {sheet.name: sheet.is_legends for sheet in seen(read(), Datasheet) if isinstance(sheet, Datasheet)}
    assert flags["Ash Guard"] is True


@pytest.mark.parametrize("turned", [False, True])
def test_namesakes_in_one_faction_are_told_apart_by_their_books_whatever_the_order(turned: bool) -> None:
    rows = (NAMESAKE, GUARD, HAULER) if turned else (HAULER, GUARD, NAMESAKE)
    readings = read(Datasheets=SHEET_COLUMNS + "".join(rows))
    walk = {r.source_id: r.record_id for r in seen(readings, Crosswalk) if isinstance(r, Crosswalk)}
    assert walk["0042"] == "ash-compact/brindle-hauler"
    assert walk["0044"] == "ash-compact/brindle-hauler-cinder-lodge"


def test_a_file_that_is_missing_takes_only_its_own_part_along() -> None:
    readings = wahapedia_csv.read({"Factions.csv": FACTIONS.encode(), "Source.csv": BOOKS.encode()})
    assert [len(reading.sightings) for reading in readings.values()] == [4, 6]


def test_a_stat_line_and_its_printed_forms() -> None:
    columns = "datasheet_id|line|name|M|T|Sv|inv_sv|inv_sv_descr|W|Ld|OC|base_size|base_size_descr|\n"
    readings = read(
        Datasheets_models=columns + '0042|1||20+"|9|3+|4*|* Against ranged attacks only|11|7+|2|100mm||\n'
        "0043|1|Ash Warden|-|3|7+|-||2|6+|0|32mm|Warden 40mm|\n"
    )
    hauler, warden = seen(readings, Model)
    assert isinstance(hauler, Model)
    assert isinstance(warden, Model)
    assert hauler.name == "Brindle Hauler"
    assert (hauler.movement_inches, hauler.movement_inches_printed) == (20, '20+"')
    assert (hauler.invulnerable_save, hauler.invulnerable_save_printed) == (4, "4+*")
    assert (warden.movement_inches, warden.movement_inches_printed) == (None, "-")
    assert (warden.invulnerable_save, warden.invulnerable_save_printed) == (None, None)
    assert warden.objective_control == 0
    assert warden.base_size == "32mm (Warden 40mm)"
    sheet = seen(readings, Datasheet)[0]
    assert isinstance(sheet, Datasheet)
    assert sheet.base_size == "100mm"
    assert [(one.heading, one.text) for one in sheet.other_sections] == [
        ("INVULNERABLE SAVE", "Against ranged attacks only")
    ]


def test_a_weapon() -> None:
    reading, (profile,) = weapon(
        lance(
            name="Ember pistol – supercharge ",
            description="pistol, anti-infantry 4+, sustained hits d3",
            range="12",
            type="Ranged",
            A="D6+1",
        )
    )
    assert isinstance(profile, WeaponProfile)
    assert profile.profile_id == "ash-compact/brindle-hauler/ranged/ember-pistol/supercharge"
    assert (profile.weapon_name, profile.profile_name) == ("Ember pistol", "supercharge")
    assert (profile.range_inches, profile.range_printed) == (12, '12"')
    assert (profile.attacks, profile.attacks_min, profile.attacks_max, profile.attacks_mean) == ("D6+1", 2, 7, 4.5)
    assert (profile.skill, profile.skill_printed) == (3, "3+")
    assert profile.abilities == ("PISTOL", "ANTI-INFANTRY 4+", "SUSTAINED HITS D3")
    assert profile.split_certain
    assert codes(reading) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ember pistol - standard", ("Ember pistol", "standard")),
        ("Ashen-pattern pistol", ("Ashen-pattern pistol", None)),
        ("Ember lance", ("Ember lance", None)),
    ],
)
def test_a_dash_divides_only_between_spaces(name: str, expected: tuple[str, str | None]) -> None:
    _, (profile,) = weapon(lance(name=name, description=""))
    assert isinstance(profile, WeaponProfile)
    assert (profile.weapon_name, profile.profile_name) == expected
    assert profile.abilities == ()


def test_na_is_data() -> None:
    _, (profile,) = weapon(lance(BS_WS="N/A"))
    assert isinstance(profile, WeaponProfile)
    assert (profile.skill, profile.skill_printed) == (None, "N/A")


def test_a_lost_minus_sign_is_not_mended() -> None:
    _, (profile,) = weapon(lance(AP="2"))
    assert isinstance(profile, WeaponProfile)
    assert profile.armour_penetration == 2
    assert profile.range_inches is None


def test_a_footnote_explains_an_ability_of_the_datasheet() -> None:
    abilities = "datasheet_id|line|ability_id|model|name|description|type|parameter|\n"
    readings = read(
        Datasheets_wargear=WEAPON_COLUMNS + lance(description="harpooned"),
        Datasheets_abilities=abilities + "0042|1||||It pulls.|Wargear profile||\n".replace("||||It", "|||Harpooned|It"),
    )
    (ability,) = seen(readings, WeaponAbility)
    assert isinstance(ability, WeaponAbility)
    assert (ability.ability, ability.text) == ("HARPOONED", "It pulls.")
    assert codes(readings["Datasheets_wargear.csv"]) == []


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (line(WEAPON_COLUMNS, datasheet_id="0042", A="0", BS_WS="-"), "placeholder-rows"),
        (lance(A="0"), "unreadable-value"),
        (lance(A="three"), "unreadable-value"),
        (lance(BS_WS="0"), "unreadable-value"),
        (lance(D="nan"), "unreadable-value"),
        (lance(type="Sling"), "unknown-weapon-section"),
        (lance(description="sustained hits"), "ability-without-value"),
        (lance(description="glimmer"), "unknown-ability"),
        (lance(datasheet_id="0099"), "orphan-rows"),
        (lance()[:-3] + "\n", "unreadable-row"),
        (lance(description="a|b"), "unreadable-row"),
        (lance(name="5"), "unreadable-row"),
        (lance(dice="1-2"), "unknown-column"),
    ],
)
def test_a_bad_row_of_weapons_is_named_and_the_others_are_read(row: str, code: str) -> None:
    reading, profiles = weapon(lance(name="Coil pike") + row + lance(name="Ember lance"))
    assert codes(reading) == [code]
    assert {"Coil pike", "Ember lance"} <= {p.weapon_name for p in profiles if isinstance(p, WeaponProfile)}


def test_abilities_get_their_names_values_and_rules() -> None:
    readings = read(
        Abilities="id|name|legend|faction_id|description|\n"
        "a1|Deadly Demise|||It <b>bursts</b>.|\na2|Oath of Ash|Long ago.|ASH|All are sworn.|\na2|Oath of Ash||FEN|x|\n",
        Datasheets_abilities="datasheet_id|line|ability_id|model|name|description|type|parameter|\n"
        "0042|1|a1||||Core|d3|\n0042|2|a2||||Faction||\n0042|3|||Rolling Wall|It holds.|Datasheet||\n"
        "0042|4|||LONER|It is alone.|Special (правая колонка)||\n0042|5|||Glow|x|New kind||\n",
    )
    reading = readings["Datasheets_abilities.csv"]
    demise, oath, wall = (one for one in seen(readings, Ability) if isinstance(one, Ability))
    assert (demise.kind, demise.name, demise.value, demise.rule_id) == (
        "core",
        "Deadly Demise",
        "D3",
        "core/deadly-demise",
    )
    assert oath.rule_id == "army-rule/ash-compact/oath-of-ash"
    assert (wall.ability_id, wall.text) == ("ash-compact/brindle-hauler/ability/datasheet/rolling-wall", "It holds.")
    sheet = seen(readings, Datasheet, "Datasheets_abilities.csv")[0]
    assert isinstance(sheet, Datasheet)
    assert [one.heading for one in sheet.other_sections] == ["LONER", "Glow"]
    assert codes(reading) == ["unknown-heading"]
    rules = {rule.rule_id: rule for rule in seen(readings, Rule) if isinstance(rule, Rule)}
    assert rules["core/deadly-demise"].text == "It bursts."
    assert set(rules) == {
        "core/deadly-demise",
        "army-rule/ash-compact/oath-of-ash",
        "army-rule/fen-wardens/oath-of-ash",
    }


def test_options_composition_and_costs() -> None:
    readings = read(
        Datasheets_options="datasheet_id|line|button|description|\n"
        "0042|1|•|Its lance can be one of:<ul><li>1 ember pistol</li><li>1 chain hook</li></ul>|\n"
        "0042|2|*|* Not both.|\n",
        Datasheets_unit_composition="datasheet_id|line|description|\n0042|1|4-9 Ash Guards|\n"
        '0042|2|1 Brindle Prince – <span class="kwb">EPIC</span> <span class="kwb">HERO</span>|\n'
        "0042|3|1 Warden and 10 Guards|\n0042|4|OR|\n",
        Datasheets_models_cost="datasheet_id|line|description|cost|\n0042|1|5 models|75|\n"
        "0042|2|1 Warden and 10 Guards|150|\n0042|3|Side car|+55|\n0042|4|6 models|free|\n",
    )
    options = [one for one in seen(readings, WargearOption) if isinstance(one, WargearOption)]
    assert options[0].choices == ("1 ember pistol", "1 chain hook")
    assert options[1].text == "* Not both."
    lines = [one for one in seen(readings, UnitComposition) if isinstance(one, UnitComposition)]
    assert [(line.model_name, line.models_min, line.models_max) for line in lines] == [
        ("Ash Guards", 4, 9),
        ("Brindle Prince", 1, 1),
        (None, None, None),
        (None, None, None),
    ]
    costs = [one for one in seen(readings, UnitCost) if isinstance(one, UnitCost)]
    assert [(cost.kind, cost.models, cost.points) for cost in costs] == [
        ("unit", 5, 75),
        ("unit", 11, 150),
        ("wargear", None, 55),
        ("unit", 6, None),
    ]
    assert codes(readings["Datasheets_models_cost.csv"]) == ["unreadable-value"]


def test_keywords_of_all_models_and_of_one() -> None:
    readings = read(
        Datasheets_keywords="datasheet_id|keyword|model|is_faction_keyword|\n0042|Ash Compact||true|\n"
        "0042|Vehicle|ALL MODELS|false|\n0042|Vehicle||false|\n0042||| true|\n0042|Character|WARDEN|false|\n"
    )
    found = [one for one in seen(readings, Keyword) if isinstance(one, Keyword)]
    assert [(one.keyword, one.model_name, one.is_faction, one.position) for one in found] == [
        ("ASH COMPACT", "*", True, 1),
        ("VEHICLE", "*", False, 2),
        ("CHARACTER", "WARDEN", False, 3),
    ]
    sighting = readings["Datasheets_keywords.csv"].sightings[1]
    assert len(sighting.spans) == 2
    assert codes(readings["Datasheets_keywords.csv"]) == ["placeholder-rows"]


def test_of_namesakes_the_leaders_own_faction_and_book_are_meant() -> None:
    readings = read(Datasheets_leader="leader_id|attached_id|\r\n0043|0044|\r\n0043|0042|\r\n0043|0099|\r\n")
    (leader,) = seen(readings, Leader)
    assert isinstance(leader, Leader)
    assert (leader.led_name, leader.led_id) == ("Brindle Hauler", "ash-compact/brindle-hauler")
    assert codes(readings["Datasheets_leader.csv"]) == ["orphan-rows"]


STRATAGEM_COLUMNS = "faction_id|name|id|type|cp_cost|legend|turn|phase|detachment|detachment_id|description|\n"
DETACHMENTS = "id|faction_id|name|legend|type|\nd1|ASH|Rivet Host|||\nd2|ASH|Rivet Host||Boarding Actions|\n"
CARD = (
    "<b>WHEN:</b> Any phase:<ul><li>first</li></ul><br><b>TARGET:</b> One unit.<br><br><b>EFFECT:</b> It hides.<ul>"
    "<li>once</li></ul>Again."
)


def feint(**cells: str) -> str:
    """A stratagem's row: a feint of the Rivet Host, but for the cells that are given."""
    usual = {
        "faction_id": "ASH", "name": "ASH FEINT", "id": "s1", "type": "Rivet Host – Battle Tactic Stratagem",
        "cp_cost": "1", "turn": "Your turn", "phase": "Shooting or Fight phase", "detachment_id": "d1",
        "description": CARD,
    }  # fmt: skip
    return line(STRATAGEM_COLUMNS, **(usual | cells))


def test_a_stratagem_and_its_bullets() -> None:
    readings = read(
        Detachments=DETACHMENTS,
        Stratagems=STRATAGEM_COLUMNS
        + feint(legend="Old.\nVery.")
        + feint(
            faction_id="", name="SECOND CHANCE", id="s2", type="Core – Stratagem", detachment_id="", phase="Any phase"
        )
        + feint(
            faction_id="", name="SECOND CHANCE", id="s3", type="Hull – Odd Stratagem", detachment_id="", phase="Noon"
        ),
    )
    reading = readings["Stratagems.csv"]
    ash, core, hull = (one for one in seen(readings, Stratagem) if isinstance(one, Stratagem))
    assert (ash.stratagem_id, ash.type, ash.source) == (
        "ash-compact/rivet-host/ash-feint",
        "Battle Tactic",
        "detachment",
    )
    assert (ash.phases, ash.turn, ash.flavour) == (("shooting", "fight"), "yours", "Old.\nVery.")
    assert ash.when_text == "Any phase:\n- first"
    assert (ash.target_text, ash.effect_text) == ("One unit.", "It hides.\n- once\nAgain.")
    assert (ash.restrictions_text, ash.complete) == (None, True)
    assert (core.stratagem_id, core.type, core.phases) == ("core/second-chance", None, ("any",))
    assert (hull.stratagem_id, hull.type, hull.phases) == ("hull/second-chance", None, ())
    assert codes(reading) == ["unreadable-value", "unknown-stratagem-type"]


def test_detachments_of_one_name_and_the_prices_of_their_enhancements() -> None:
    readings = read(
        Detachments=DETACHMENTS,
        Enhancements="faction_id|id|name|cost|detachment|detachment_id|legend|description|\n"
        "ASH|e1|Ember Crown|15|Rivet Host|d1||Text.|\nASH|e2|Hull Crown|0|Rivet Host|d2|||\n"
        "ASH|e3|Late Crown|+40|Rivet Host|d1|||\n",
    )
    armies = [one.detachment_id for one in seen(readings, Detachment) if isinstance(one, Detachment)]
    assert armies == ["ash-compact/rivet-host", "ash-compact/rivet-host-boarding-actions"]
    prices = [one.points for one in seen(readings, Enhancement) if isinstance(one, Enhancement)]
    assert prices == [15, None, 40]


def test_the_type_column_is_not_believed_against_the_id() -> None:
    readings = read(
        Detachments=DETACHMENTS,
        Stratagems=STRATAGEM_COLUMNS
        + f"ASH|ASH FEINT|s1|Coil Host – Stratagem|1||Your turn|Fight phase|Rivet Host|d1|{CARD}\n",
    )
    assert codes(readings["Stratagems.csv"]) == ["source-contradiction"]


def test_rows_point_to_their_characters() -> None:
    reading = read()["Datasheets.csv"]
    span = reading.sightings[0].spans[0]
    assert reading.text[span.start : span.end].startswith("0042|Brindle Hauler|")
    assert reading.line_of(span.start) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<html><head><title>301 Moved Permanently</title></head></html>", "redirect-page"),
        ("", "empty-file"),
        ("id|faction_id|\n0042|Brindle Hauler|ASH|\n", "damaged-header"),
        ("id|name|faction_id|\n0042|Brindle Hauler|ASH|01|\n0043|Ash Guard|ASH|01|\n", "damaged-header"),
        ("id|name|faction_id|\n0042|Brindle Hauler|ASH|\n0043|Ash", "truncated-page"),
        ("id|name|faction_id|\n0042|Brindle Hauler|ASH|\n0043|Ash|\n0044|Fen|ASH|\n", "unreadable-row"),
        ("id|name|faction_id|colour|\n0042|Brindle Hauler|ASH|red|\n", "unknown-column"),
        ("id|name|faction_id|\n0042|Brindle Hauler|XXX|\n", "orphan-rows"),
        ("id|name|faction_id|\n0042|Brindle Hauler|ASH|\n0043|Brindle Hauler|ASH|\n", "duplicate-id"),
    ],
)
def test_a_damaged_table_is_named_and_the_others_are_unharmed(text: str, code: str) -> None:
    readings = read(Datasheets=text)
    assert codes(readings["Datasheets.csv"]) == [code]
    assert len(readings["Factions.csv"].sightings) == 4


def test_bytes_that_are_no_text() -> None:
    readings = wahapedia_csv.read({"Factions.csv": FACTIONS.encode(), "Datasheets.csv": b"id|name\xff|\n1|\xff|\n"})
    assert codes(readings["Datasheets.csv"]) == ["guessed-encoding", "damaged-header"]
    cut = wahapedia_csv.read({"Factions.csv": "id|name|\nASH|T’au|\n".encode()[:-5]})
    assert "truncated-page" in codes(cut["Factions.csv"])


def test_a_table_without_the_closing_delimiter_and_with_other_columns() -> None:
    readings = wahapedia_csv.read(
        {"Factions.csv": b"link|id|name\r\nx|ASH|Ash Compact\r\ny|FEN|Fen Wardens\r\n"}, "11e"
    )
    assert [one.identity for one in (s.record for s in readings["Factions.csv"].sightings)][::2] == [
        "ash-compact",
        "fen-wardens",
    ]
    assert readings["Factions.csv"].edition == "11e"


def test_an_edition_that_is_asked_for_overrules_the_links() -> None:
    link = b"https://rules.example.invalid/wh40k10ed/factions/ash/"
    readings = wahapedia_csv.read({"Factions.csv": b"id|name|link|\nASH|Ash Compact|" + link + b"|\n"}, "11e")
    assert readings["Factions.csv"].edition == "11e"
    assert "overruled-edition" in codes(readings["Factions.csv"])


def test_an_export_of_an_edition_that_is_not_read() -> None:
    link = b"https://rules.example.invalid/wh40k9ed/factions/ash/"
    (reading,) = wahapedia_csv.read({"Factions.csv": b"id|name|link|\nASH|Ash Compact|" + link + b"|\n"}).values()
    assert (reading.edition, [one.code for one in reading.diagnostics if one.code != "missing-column"]) == (
        None,
        ["other-game"],
    )


def test_without_a_link_the_edition_is_uncertain() -> None:
    readings = wahapedia_csv.read({"Factions.csv": b"id|name|\nASH|Ash Compact|\n"})
    assert "uncertain-edition" in codes(readings["Factions.csv"])
