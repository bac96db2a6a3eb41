"""A weapon's row of an export → profile and abilities. Exports keep name and abilities apart: no division is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pipeline import ids, weapon_abilities
from pipeline.document import Span
from pipeline.exports.cells import Place, as_inches, as_roll, number, rolled
from pipeline.exports.reading import ExportReading
from pipeline.ids import fold
from pipeline.records import WeaponAbility, WeaponProfile
from pipeline.values import armour_penetration, inches, profile, skill
from pipeline.weapon_abilities import PrintedAbility


class WeaponRow(NamedTuple):
    """The cells of a weapon's row, as an export prints them."""

    name: str
    kind: str
    range: str
    attacks: str
    skill: str
    strength: str
    armour_penetration: str
    damage: str
    abilities: tuple[str, ...]


def profile_id(datasheet_id: str, kind: str, printed: str) -> str:
    """Id of the profile with this name cell."""
    return ids.weapon_profile(datasheet_id, kind, *profile(printed.strip()))


def see_weapon(
    reading: ExportReading,
    span: Span,
    datasheet_id: str,
    position: int,
    row: WeaponRow,
    footnotes: Mapping[str, str],
) -> None:
    """Take down a profile and its abilities. `footnotes` explain the datasheet's own ones, by their folded names."""
    weapon, profile_name = profile(row.name.strip())
    identity = profile_id(datasheet_id, row.kind, row.name)
    place = Place(reading, span, "weapon_profiles", identity)
    abilities = list(_abilities(place, row.abilities, footnotes))
    attacks, attacks_dice = rolled(place, "A", row.attacks)
    strength, strength_dice = rolled(place, "S", row.strength)
    damage, damage_dice = rolled(place, "D", row.damage)
    melee = row.kind == "melee"
    record = WeaponProfile(
        profile_id=identity,
        datasheet_id=datasheet_id,
        position=position,
        kind=row.kind,
        weapon_name=weapon,
        profile_name=profile_name,
        range_inches=None if melee else number(place, "range", row.range, inches, 1),
        range_printed=as_inches(row.range),
        attacks=attacks,
        attacks_min=attacks_dice and attacks_dice.minimum,
        attacks_max=attacks_dice and attacks_dice.maximum,
        attacks_mean=attacks_dice and attacks_dice.mean,
        skill=number(place, "BS_WS", row.skill, skill, 2, 6),
        skill_printed=as_roll(row.skill),
        strength=strength,
        strength_min=strength_dice and strength_dice.minimum,
        strength_max=strength_dice and strength_dice.maximum,
        strength_mean=strength_dice and strength_dice.mean,
        # a positive one is kept: it breaks the schema's constraint, and nobody but the source can mend it
        armour_penetration=number(place, "AP", row.armour_penetration, armour_penetration, -1000),
        armour_penetration_printed=row.armour_penetration.strip() or None,
        damage=damage,
        damage_min=damage_dice and damage_dice.minimum,
        damage_max=damage_dice and damage_dice.maximum,
        damage_mean=damage_dice and damage_dice.mean,
        abilities=tuple(ability.canonical for ability, _ in abilities),
        printed_name=row.name.strip(),
        split_certain=True,
    )
    reading.see(record, span)
    for place_of, (ability, text) in enumerate(abilities, start=1):
        record_of = WeaponAbility(
            profile_id=identity,
            position=place_of,
            ability=ability.ability,
            value=ability.value,
            target=ability.target,
            condition=ability.condition,
            text=text,
        )
        reading.see(record_of, span)


def _abilities(
    place: Place, printed: Iterable[str], footnotes: Mapping[str, str]
) -> Iterable[tuple[PrintedAbility, str | None]]:
    for one in printed:
        text = footnotes.get(fold(one))
        ability = weapon_abilities.parse(one)
        if ability is None:
            # `harpooned`: an ability of this datasheet alone, which a footnote explains
            ability = PrintedAbility(fold(one).upper())
            if text is None:
                place.reading.tell(
                    "unknown-ability", f"{one.strip()!r}", place.span, table=place.table, record_id=place.record_id
                )
        elif ability.value_missing:
            place.reading.tell(
                "ability-without-value", f"{one.strip()!r}", place.span, table=place.table, record_id=place.record_id
            )
        yield ability, text
