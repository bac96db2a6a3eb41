"""A small invented game, sound in every table: what the tests of the back rooms break one value at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from pipeline import records as r
from pipeline.records import TABLES, Record

Game = dict[str, list[Record]]

SHEET = "ash-compact/brindle-hauler"
LEADER = "ash-compact/ash-captain"
TROOPERS = "ash-compact/rivet-troopers"
HOST = "ash-compact/rivet-host"
RIFLE = f"{SHEET}/ranged/rivet-gun"
SPITTER = f"{SHEET}/ranged/plasma-spitter"
HOOK = f"{SHEET}/melee/boarding-hook"

RecordT = TypeVar("RecordT", bound=Record)


def document(name: str, **changes: Any) -> r.DocumentRow:
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    row = r.DocumentRow(
        document_id=sha256[:16],
        path=f"ash-compact/{name}.txt",
        member=None,
        format="text",
        kind="datasheet",
        edition="11e",
        faction_id="ash-compact",
        title=f"Ash Compact – {name}",
        url=None,
        captured_at="2026-06-20T10:15:00Z",
        bytes=5000,
        sha256=sha256,
        characters=4900,
        characters_claimed=4900,
        characters_echo=1000,
        characters_furniture=40,
        status="read",
    )
    return msgspec.structs.replace(row, **changes)


DOCUMENT = document("Brindle Hauler")


def profile(profile_id: str, position: int, **values: Any) -> r.WeaponProfile:
    sound = r.WeaponProfile(
        profile_id=profile_id,
        datasheet_id=SHEET,
        position=position,
        kind="ranged",
        weapon_name="Rivet gun",
        profile_name=None,
        range_inches=24,
        range_printed='24"',
        attacks="D6+1",
        attacks_min=2,
        attacks_max=7,
        attacks_mean=4.5,
        skill=3,
        skill_printed="3+",
        strength="5",
        strength_min=5,
        strength_max=5,
        strength_mean=5.0,
        armour_penetration=-1,
        armour_penetration_printed="-1",
        damage="1",
        damage_min=1,
        damage_max=1,
        damage_mean=1.0,
        abilities=("RAPID FIRE 2",),
        printed_name="Rivet gun rapid fire 2",
        split_certain=True,
    )
    return msgspec.structs.replace(sound, **values)


def _profiles() -> list[r.WeaponProfile]:
    spitter = "Plasma spitter"
    return [
        profile(RIFLE, 1),
        profile(
            f"{SPITTER}/standard",
            2,
            weapon_name=spitter,
            profile_name="standard",
            abilities=(),
            printed_name=f"{spitter} – standard",
        ),
        profile(
            f"{SPITTER}/supercharge",
            3,
            weapon_name=spitter,
            profile_name="supercharge",
            abilities=("HAZARDOUS", "TORRENT"),
            printed_name=f"{spitter} – supercharge hazardous, torrent",
            skill=None,
            skill_printed="N/A",
        ),
        profile(
            HOOK,
            4,
            kind="melee",
            weapon_name="Boarding hook",
            range_inches=None,
            range_printed="Melee",
            abilities=("ANTI-INFANTRY 4+", "LANCE"),
            printed_name="Boarding hook anti-infantry 4+, lance",
        ),
    ]


def _weapon_abilities() -> list[r.WeaponAbility]:
    return [
        r.WeaponAbility(profile_id=RIFLE, position=1, ability="RAPID FIRE", value="2", rule_id="24.31"),
        r.WeaponAbility(profile_id=f"{SPITTER}/supercharge", position=1, ability="HAZARDOUS"),
        r.WeaponAbility(profile_id=f"{SPITTER}/supercharge", position=2, ability="TORRENT"),
        r.WeaponAbility(profile_id=HOOK, position=1, ability="ANTI", value="4+", target="INFANTRY"),
        r.WeaponAbility(profile_id=HOOK, position=2, ability="LANCE"),
    ]


def _rules() -> list[r.Rule]:
    return [
        r.Rule(rule_id="24", number="24", title="Abilities", kind="section"),
        r.Rule(
            rule_id="24.31",
            number="24.31",
            title="[RAPID FIRE X]",
            kind="weapon-ability",
            parent_id="24",
            text="Close by, it fires faster.\n- Within half range, that is.\n  - Measured from the barrel.",
            sections=(r.LabelledText(label="EFFECT", text="More attacks."),),
            examples=("A hauler fires seven times.",),
            sidebars=(r.TitledText(title="Designer’s Note", text="Mind the heat."),),
        ),
        r.Rule(
            rule_id="detachment-rule/ash-compact/rivet-storm",
            number=None,
            title="Rivet Storm",
            kind="detachment-rule",
            faction_id="ash-compact",
            detachment_id=HOST,
            flavour="It rains iron.",
            text="Range < 12\" counts as close.",
        ),
    ]  # fmt: skip


def _stratagems() -> list[r.Stratagem]:
    return [
        r.Stratagem(
            stratagem_id="core/second-chance",
            name="SECOND CHANCE",
            cp_cost=1,
            source="core",
            type="Battle Tactic",
            rule_number="15.02",
            when_text="Any phase.",
            target_text="One unit.",
            effect_text="Roll again.",
            phases=("any",),
            turn="either",
            complete=True,
        ),
        r.Stratagem(
            stratagem_id=f"{HOST}/ash-feint",
            name="ASH FEINT",
            cp_cost=2,
            source="detachment",
            faction_id="ash-compact",
            detachment_id=HOST,
            flavour="Out of the ash.",
            when_text="Your Shooting phase.",
            target_text="One unit.",
            effect_text="It is somewhere else.",
            restrictions_text="Once per battle.",
            phases=("shooting",),
            turn="yours",
            complete=True,
        ),
        r.Stratagem(stratagem_id="boarding-actions/breach", name="BREACH", cp_cost=1, source="boarding-actions"),
    ]


def _sheets() -> list[r.Datasheet]:
    return [
        r.Datasheet(
            datasheet_id=SHEET,
            faction_id="ash-compact",
            name="Brindle Hauler",
            role="Dedicated Transports",
            is_legends=False,
            base_size="Hull",
            loadout_text="It is equipped with: rivet gun.",
            transport_capacity=12,
            transport_text="It has a transport capacity of 12 models.",
            damaged_low=1,
            damaged_high=4,
            damaged_text="Subtract 1 from Hit rolls.",
            other_sections=(r.HeadedText(heading="ORDERS", text="None are taken."),),
        ),
        r.Datasheet(
            datasheet_id=LEADER, faction_id="ash-compact", name="Ash Captain", leader_text="It can lead troopers."
        ),
        r.Datasheet(datasheet_id=TROOPERS, faction_id="ash-compact", name="Rivet Troopers"),
    ]


def _costs() -> list[r.UnitCost]:
    def cost(position: int, **values: Any) -> r.UnitCost:
        sound = r.UnitCost(
            datasheet_id=TROOPERS,
            position=position,
            kind="unit",
            from_unit=1,
            to_unit=3,
            models=5,
            description="5 models",
            points=60,
        )
        return msgspec.structs.replace(sound, **values)

    return [
        cost(1),
        cost(2, models=10, description="10 models", points=120),
        cost(3, from_unit=4, to_unit=None, points=70),
        cost(4, from_unit=4, to_unit=None, models=10, description="10 models", points=140),
        cost(5, kind="wargear", from_unit=None, to_unit=None, models=None, description="per coil lance", points=5),
        cost(1, datasheet_id=SHEET, from_unit=None, to_unit=None, models=1, description="1 model", points=85),
    ]


def _model() -> r.Model:
    return r.Model(
        model_id=f"{SHEET}/model/brindle-hauler",
        datasheet_id=SHEET,
        position=1,
        name="Brindle Hauler",
        movement_inches=12,
        movement_inches_printed='12"',
        toughness=9,
        toughness_printed="9",
        save=3,
        save_printed="3+",
        wounds=11,
        wounds_printed="11",
        leadership=7,
        leadership_printed="7+",
        objective_control=2,
        objective_control_printed="2",
    )


def _keywords() -> list[r.Keyword]:
    def keyword(sheet: str, word: str, position: int, model: str = "*", faction: bool = False) -> r.Keyword:
        return r.Keyword(datasheet_id=sheet, keyword=word, model_name=model, position=position, is_faction=faction)

    return [
        keyword(SHEET, "VEHICLE", 1),
        keyword(SHEET, "TRANSPORT", 2),
        keyword(SHEET, "ASH COMPACT", 3, faction=True),
        keyword(TROOPERS, "INFANTRY", 1),
        keyword(TROOPERS, "CHARACTER", 2, model="Rivet Sergeant"),
        keyword(TROOPERS, "ASH COMPACT", 3, faction=True),
        keyword(LEADER, "INFANTRY", 1),
        keyword(LEADER, "CHARACTER", 2),
        keyword(LEADER, "ASH COMPACT", 3, faction=True),
    ]


def _rest() -> list[Record]:
    return [
        r.Faction(faction_id="ash-compact", name="Ash Compact", aliases=("AGENTS OF THE ASH COMPACT",)),
        r.Ability(
            ability_id=f"{SHEET}/ability/core/deadly-demise",
            datasheet_id=SHEET,
            position=1,
            kind="core",
            name="Deadly Demise",
            value="D3",
        ),
        r.Ability(
            ability_id=f"{SHEET}/ability/datasheet/ashen-wake",
            datasheet_id=SHEET,
            position=2,
            kind="datasheet",
            name="Ashen Wake",
            text="It leaves a trail & smoke.",
        ),
        r.WargearOption(
            option_id=f"{SHEET}/option/1",
            datasheet_id=SHEET,
            position=1,
            text="Its rivet gun can be replaced:\n- 1 plasma spitter",
            choices=("1 plasma spitter",),
        ),
        r.UnitComposition(
            datasheet_id=SHEET,
            position=1,
            model_name="Brindle Hauler",
            models_min=1,
            models_max=1,
            text="1 Brindle Hauler",
        ),
        r.Leader(leader_id=LEADER, led_name="Rivet Troopers", led_id=TROOPERS),
        r.Leader(leader_id=LEADER, led_name="Rivet Troopers of Old"),
        r.KeywordIndex(
            keyword_index_id="ash-compact/keyword/vehicle",
            keywords=("VEHICLE",),
            faction_id="ash-compact",
            datasheet_ids=(SHEET,),
            printed_groups=("Vehicle",),
        ),
        r.KeywordIndex(
            keyword_index_id="any/keyword/infantry+character",
            keywords=("INFANTRY", "CHARACTER"),
            datasheet_ids=(LEADER, TROOPERS),
        ),
        r.DatasheetStratagem(datasheet_id=SHEET, position=1, stratagem_id="core/second-chance", tag="C"),
        r.DatasheetStratagem(datasheet_id=SHEET, position=2, stratagem_id=f"{HOST}/ash-feint"),
        r.Detachment(detachment_id=HOST, faction_id="ash-compact", name="Rivet Host", aliases=("Grand Rivet Host",)),
        r.Enhancement(
            enhancement_id=f"{HOST}/enhancement/veil-of-soot",
            faction_id="ash-compact",
            detachment_id=HOST,
            name="Veil of Soot",
            points=20,
            text="The bearer cannot be seen.",
        ),
        r.Faq(faq_id="ash-compact/faq/0123456789ab", faction_id="ash-compact", question="May it?", answer="It may."),
        r.Book(
            book_id="ash-compact/faction-pack",
            name="Ash Compact",
            kind="Faction Pack",
            edition="11",
            version="1.2",
            updated="June 2026",
        ),
        r.CrossReference(
            reference_id="stratagems/core/second-chance/1",
            from_table="stratagems",
            from_id="core/second-chance",
            position=1,
            printed="(24.31)",
            kind="number",
            to_number="24.31",
            to_table="rules",
            to_id="24.31",
            status="resolved",
        ),
        r.DatasheetEnhancement(datasheet_id=LEADER, enhancement_id=f"{HOST}/enhancement/veil-of-soot"),
        r.DatasheetDetachmentRule(
            datasheet_id=SHEET, rule_id="detachment-rule/ash-compact/rivet-storm"
        ),
        r.Agreement(
            datasheet_id=SHEET, table="unit_costs", record_id=f"{SHEET}#1", sources=("html", "text"), differing=()
        ),
        r.SourcePair(
            table="unit_costs", source="html", other_source="text", rows=2, rows_agreeing=2, values=8, values_agreeing=8
        ),
        r.Crosswalk(table="datasheets", record_id=SHEET, source="datacards", source_id="007", name="Brindle Hauler"),
        r.Conflict(
            table="unit_costs",
            record_id=f"{SHEET}#1",
            column="points",
            document_id=DOCUMENT.document_id,
            kept="85",
            other="90",
        ),
    ]  # fmt: skip


NOT_OBSERVED = {"documents", "observations", "conflicts", "diagnostics", "migrations", "cross_references", "crosswalk"}


def game() -> Game:
    """Every table with at least one row but `diagnostics` and `migrations`; every row of the sources is observed."""
    found: Game = {name: [] for name in TABLES}
    everything: Iterable[Record] = (
        *_sheets(),
        *_profiles(),
        *_weapon_abilities(),
        *_rules(),
        *_stratagems(),
        *_costs(),
        *_keywords(),
        *_rest(),
        _model(),
        DOCUMENT,
        document("Ash Captain"),
    )
    for record in everything:
        found[record.table_name()].append(record)
    found["observations"] = list(_observations(found))
    return found


def _observations(tables: Mapping[str, Sequence[Record]]) -> Iterable[r.Observation]:
    observed = (record for name, rows in tables.items() if name not in NOT_OBSERVED for record in rows)
    for number, record in enumerate(observed):
        yield r.Observation(
            table=record.table_name(),
            record_id=record.identity,
            document_id=DOCUMENT.document_id,
            start=10 * number,
            end=10 * number + 9,
            line=number + 1,
        )


def changed(tables: Mapping[str, Sequence[Record]], table: str, identity: str, **values: Any) -> Game:
    """The game with other values in one record."""
    found = {name: list(rows) for name, rows in tables.items()}
    (place,) = [place for place, record in enumerate(found[table]) if record.identity == identity]
    found[table][place] = msgspec.structs.replace(found[table][place], **values)
    return found


def added(tables: Mapping[str, Sequence[Record]], *new: Record) -> Game:
    """The game with more records."""
    found = {name: list(rows) for name, rows in tables.items()}
    for record in new:
        found[record.table_name()].append(record)
    return found


def without(tables: Mapping[str, Sequence[Record]], table: str, identity: str) -> Game:
    """The game without one record."""
    found = {name: list(rows) for name, rows in tables.items()}
    found[table] = [record for record in found[table] if record.identity != identity]
    return found
