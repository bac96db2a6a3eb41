"""A datasheet of the datacards → records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pipeline import ids
from pipeline.document import Span
from pipeline.exports.cells import Place, number
from pipeline.exports.clean_text import bullets, but_bullets, is_name, optional
from pipeline.exports.datacard_ids import Target, Targets
from pipeline.exports.json_cards import Card, know, object_of, objects, text, text_of, texts, title
from pipeline.exports.reading import ExportReading
from pipeline.exports.unit_lines import composition_line, transport_capacity
from pipeline.exports.weapon_rows import WeaponRow, see_weapon
from pipeline.ids import HYPHENS, fold
from pipeline.records import (
    ALL_MODELS,
    INVULNERABLE_SAVE,
    Ability,
    Datasheet,
    HeadedText,
    Keyword,
    Leader,
    Model,
    UnitComposition,
    UnitCost,
    WargearOption,
)
from pipeline.values import characteristic, inches, points, with_value

_SHEET = (
    "id", "source", "name", "factions", "faction_id", "keywords", "stats", "rangedWeapons", "meleeWeapons", "abilities",
    "composition", "loadout", "wargear", "fluff", "baseSize", "points", "wargearOptions", "imperialArmour", "leader",
    "additionalCost", "transport",
)  # fmt: skip
_STATS = ("name", "m", "t", "sv", "w", "ld", "oc", "showDamagedMarker", "showName")
_PROFILE = ("name", "range", "attacks", "skill", "strength", "ap", "damage", "keywords")
_ABILITIES = ("core", "faction", "other", "wargear", "special", "primarch", "damaged", "invul")
_ABILITY = ("name", "description", "restriction", "isAura", "isPsychic", "isBondsman", "abilities")
_PRICE = ("cost", "models", "keyword", "detachment")
_WEAPONS = (("rangedWeapons", "ranged"), ("meleeWeapons", "melee"))
_DAMAGED = re.compile(rf"([0-9]+)[-{HYPHENS}]([0-9]+)\b.*")  # `1-7 WOUNDS REMAINING`


def see_datasheet(
    reading: ExportReading,
    card: Card,
    faction_id: str,
    names: Mapping[str, str],
    army_rules: Mapping[str, str],
    targets: Targets,
) -> None:
    """Take down a datasheet. `names` are the units of the file, `army_rules` its army rules' ids, by folded names."""
    fields, span = card
    know(reading, "datasheet", fields, _SHEET, span)
    printed = title(fields)
    if not ids.slug(printed):
        reading.tell("unreadable-row", "A datasheet without a name.", span)
        return
    identity = ids.datasheet(faction_id, printed)
    abilities = object_of(fields, "abilities")
    know(reading, "abilities", abilities, _ABILITIES, span)
    damaged = object_of(abilities, "damaged")
    bounds = _DAMAGED.fullmatch(text(damaged, "range"))
    if damaged and bounds is None:
        reading.tell(
            "unreadable-value", f"damaged: {damaged.get('range')!r}", span, table="datasheets", record_id=identity
        )
    transport, guard = optional(text(fields, "transport")), text(object_of(abilities, "invul"), "info").lstrip("* ")
    sections = [HeadedText(title(one), text(one, "description")) for one in objects(abilities, "special")]
    if guard:
        sections.append(HeadedText(INVULNERABLE_SAVE, guard))
    record = Datasheet(
        datasheet_id=identity,
        faction_id=faction_id,
        name=printed,
        base_size=optional(title(fields, "baseSize")),
        loadout_text=optional(text(fields, "loadout")),
        transport_capacity=transport_capacity(transport),
        transport_text=transport,
        damaged_low=int(bounds[1]) if bounds else None,
        damaged_high=int(bounds[2]) if bounds else None,
        damaged_text=optional(text(damaged, "description")),
        leader_text=optional(text(fields, "leader")),
        other_sections=tuple(sections),
    )
    reading.see(record, span)
    targets.add(reading, span, fields.get("id"), Target("datasheets", identity), printed)
    _models(reading, fields, span, identity)
    _weapons(reading, fields, span, identity)
    _abilities(reading, abilities, span, identity, army_rules)
    _lines(reading, fields, span, identity)
    _costs(reading, fields, span, identity)
    _keywords(reading, fields, span, identity)
    for led in dict.fromkeys(bullets(record.leader_text or "")):
        known = names.get(fold(led))
        led_id = ids.datasheet(faction_id, known) if known else None
        reading.see(Leader(leader_id=identity, led_name=known or led, led_id=led_id), span)


def _models(reading: ExportReading, fields: Mapping[str, Any], span: Span, datasheet_id: str) -> None:
    guard = object_of(object_of(fields, "abilities"), "invul")
    save, limit = text_of(guard.get("value")).strip(), text(guard, "info")
    for position, stats in enumerate(objects(fields, "stats"), start=1):
        know(reading, "stats", stats, _STATS, span)
        printed = title(stats) or title(fields)
        identity = ids.model(datasheet_id, printed)
        place = Place(reading, span, "models", identity)
        cells = {column: text_of(stats.get(column)).strip() for column in ("m", "t", "sv", "w", "ld", "oc")}
        # one save for the whole datasheet: not of the models that its footnote excludes
        guarded = bool(save) and fold(printed) not in fold(limit)
        record = Model(
            model_id=identity,
            datasheet_id=datasheet_id,
            position=position,
            name=printed,
            movement_inches=number(place, "m", cells["m"], inches),
            movement_inches_printed=optional(cells["m"]),
            toughness=number(place, "t", cells["t"], characteristic, 1),
            toughness_printed=optional(cells["t"]),
            save=number(place, "sv", cells["sv"], characteristic, 2, 7),
            save_printed=optional(cells["sv"]),
            invulnerable_save=number(place, "invul", save, characteristic, 2, 6) if guarded else None,
            invulnerable_save_printed=f"{save}{'*' if limit.startswith('*') else ''}" if guarded else None,
            wounds=number(place, "w", cells["w"], characteristic, 1),
            wounds_printed=optional(cells["w"]),
            leadership=number(place, "ld", cells["ld"], characteristic, 2, 12),
            leadership_printed=optional(cells["ld"]),
            objective_control=number(place, "oc", cells["oc"], characteristic),
            objective_control_printed=optional(cells["oc"]),
        )
        reading.see(record, span)


def _weapons(reading: ExportReading, fields: Mapping[str, Any], span: Span, datasheet_id: str) -> None:
    position = 0
    for field, kind in _WEAPONS:
        for weapon in objects(fields, field):
            know(reading, "weapon", weapon, ("profiles", "abilities"), span)
            footnotes = {fold(title(one)): text(one, "description") for one in objects(weapon, "abilities")}
            for profile in objects(weapon, "profiles"):
                know(reading, "profile", profile, _PROFILE, span)
                printed = title(profile)
                if not is_name(printed):
                    reading.tell("unreadable-row", f"A weapon's name without a letter: {printed!r}", span)
                    continue
                position += 1
                row = WeaponRow(
                    name=printed,
                    kind=kind,
                    range=text_of(profile.get("range")),
                    attacks=text_of(profile.get("attacks")),
                    skill=text_of(profile.get("skill")),
                    strength=text_of(profile.get("strength")),
                    armour_penetration=text_of(profile.get("ap")),
                    damage=text_of(profile.get("damage")),
                    abilities=tuple(texts(profile, "keywords")),
                )
                see_weapon(reading, span, datasheet_id, position, row, footnotes)


def _abilities(
    reading: ExportReading,
    abilities: Mapping[str, Any],
    span: Span,
    datasheet_id: str,
    army_rules: Mapping[str, str],
) -> None:
    found: list[tuple[str, Mapping[str, Any]]] = []
    for field, kind in (("core", "core"), ("faction", "faction"), ("other", "datasheet"), ("wargear", "wargear")):
        found += [(kind, one) for one in objects(abilities, field)]
    for group in objects(abilities, "primarch"):
        found += [("primarch", one) for one in objects(group, "abilities")]
    for position, (kind, fields) in enumerate(found, start=1):
        know(reading, "ability", fields, _ABILITY, span)
        printed, value = with_value(title(fields)) if kind == "core" else (title(fields), None)
        if not ids.slug(printed):
            reading.tell("unreadable-row", f"An ability without a name: {text(fields, 'description')[:40]!r}", span)
            continue
        record = Ability(
            ability_id=ids.ability(datasheet_id, kind, printed),
            datasheet_id=datasheet_id,
            position=position,
            kind=kind,
            name=printed,
            value=value,
            text=optional(text(fields, "description")) or optional(text(fields, "restriction").strip("()")),
            rule_id=army_rules.get(fold(printed)) if kind == "faction" else None,
        )
        reading.see(record, span)


def _lines(reading: ExportReading, fields: Mapping[str, Any], span: Span, datasheet_id: str) -> None:
    for position, option in enumerate(texts(fields, "wargear"), start=1):
        record = WargearOption(
            option_id=ids.option(datasheet_id, position),
            datasheet_id=datasheet_id,
            position=position,
            text=but_bullets(option),
            choices=bullets(option),
        )
        reading.see(record, span)
    for position, line in enumerate(texts(fields, "composition"), start=1):
        counted = composition_line(line)
        reading.see(
            UnitComposition(
                datasheet_id=datasheet_id,
                position=position,
                model_name=counted.model_name,
                models_min=counted.models_min,
                models_max=counted.models_max,
                text=line,
            ),
            span,
        )


def _costs(reading: ExportReading, fields: Mapping[str, Any], span: Span, datasheet_id: str) -> None:
    """Prices in the order of a page: all sizes for the first units, for the later ones, special prices, wargear."""
    prices: list[UnitCost] = []

    def price(
        kind: str, first: int | None, last: int | None, models: int | None, line: str, printed: object, more: int = 0
    ) -> None:
        base = points(text_of(printed))
        if base is None:
            reading.tell("unreadable-value", f"cost: {printed!r}", span, table="unit_costs", record_id=datasheet_id)
        prices.append(
            UnitCost(
                datasheet_id=datasheet_id,
                position=len(prices) + 1,
                kind=kind,
                from_unit=first,
                to_unit=last,
                models=models,
                description=line,
                points=None if base is None else base + more,
            )
        )

    sizes: list[tuple[int | None, str, object, bool]] = []
    for entry in objects(fields, "points"):
        know(reading, "price", entry, _PRICE, span)
        models = points(text_of(entry.get("models")))
        only = ", ".join(filter(None, (title(entry, "keyword"), title(entry, "detachment"))))
        line = "1 model" if models == 1 else f"{models} models"
        sizes.append((models, f"{line} ({only})" if only else line, entry.get("cost"), bool(only)))
    sizes.sort(key=lambda size: (size[3], size[0] or 0))
    later = object_of(fields, "additionalCost")
    last, more = points(text_of(later.get("afterSelections"))), points(text_of(later.get("cost")))
    if later and (last is None or more is None):
        reading.tell("unreadable-value", f"additionalCost: {later!r}", span, table="unit_costs", record_id=datasheet_id)
    tiered = last is not None and more is not None
    for models, line, cost, _ in (size for size in sizes if not size[3]):
        price("unit", 1 if tiered else None, last if tiered else None, models, line, cost)
    if last is not None and more is not None:
        for models, line, cost, _ in (size for size in sizes if not size[3]):
            price("unit", last + 1, None, models, line, cost, more)
    for models, line, cost, _ in (size for size in sizes if size[3]):
        price("unit", None, None, models, line, cost)
    items: dict[str, object] = {}
    for menu in objects(fields, "wargearOptions"):
        for item in objects(menu, "options"):
            if text_of(item.get("cost")) not in ("", "0"):
                items.setdefault(title(item), item.get("cost"))
    for item_name, cost in items.items():
        price("wargear", None, None, None, f"per {item_name}", cost)
    for record in prices:
        reading.see(record, span)


def _keywords(reading: ExportReading, fields: Mapping[str, Any], span: Span, datasheet_id: str) -> None:
    """The export has keywords in mixed case, a datasheet prints capitals."""
    found: dict[str, bool] = {}
    for field, is_faction in (("keywords", False), ("factions", True)):
        for keyword in texts(fields, field):
            found.setdefault(keyword.upper(), is_faction)
    for position, (keyword, is_faction) in enumerate(found.items(), start=1):
        record = Keyword(
            datasheet_id=datasheet_id,
            keyword=keyword,
            model_name=ALL_MODELS,
            position=position,
            is_faction=is_faction,
        )
        reading.see(record, span)
