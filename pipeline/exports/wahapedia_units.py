"""The tables of the pipe-delimited export that make up a datasheet → records."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from pipeline import ids
from pipeline.diagnostics import excerpt
from pipeline.document import Span
from pipeline.exports.cells import Place, as_roll, number
from pipeline.exports.clean_text import bullets, but_bullets, is_name, name, optional, plain
from pipeline.exports.pipe_rows import Row
from pipeline.exports.reading import ExportReading
from pipeline.exports.unit_lines import composition_line, core_value, cost_line, transport_capacity
from pipeline.exports.wahapedia_ids import SOURCE, Ids, Unit
from pipeline.exports.weapon_rows import WeaponRow, see_weapon
from pipeline.ids import fold
from pipeline.records import (
    ALL_MODELS,
    INVULNERABLE_SAVE,
    Ability,
    Crosswalk,
    Datasheet,
    HeadedText,
    Keyword,
    Leader,
    Model,
    UnitComposition,
    UnitCost,
    WargearOption,
)
from pipeline.values import characteristic, inches, is_absent
from pipeline.vocabulary import vocabulary

_DAMAGED = re.compile(r"([0-9]+)-([0-9]+)")  # `1-5`
_LEGENDS = re.compile(r"\bLegends\b")  # `Space Marines (Warhammer Legends)`, `Legends: Ultramarines`
_KINDS = {"ranged": "ranged", "melee": "melee"}


def datasheets(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Datasheets."""
    seen: set[str] = set()
    for row, unit in _of_units(rows, known, reading, "id"):
        cells = row.cells
        if unit.datasheet_id in seen:
            reading.tell(
                "duplicate-id",
                f"{unit.name!r} stands twice in the same faction and book; the first is kept.",
                row.span,
                table="datasheets",
                record_id=unit.datasheet_id,
            )
            continue
        seen.add(unit.datasheet_id)
        if cells["damaged_w"].strip() and not _DAMAGED.fullmatch(cells["damaged_w"].strip()):
            reading.tell(
                "unreadable-value",
                f"damaged_w: {cells['damaged_w']!r}",
                row.span,
                table="datasheets",
                record_id=unit.datasheet_id,
            )
        reading.see(datasheet(cells["id"], known), row.span)
        crosswalk = Crosswalk(
            table="datasheets",
            record_id=unit.datasheet_id,
            source=SOURCE,
            source_id=cells["id"],
            name=unit.name,
        )
        reading.see(crosswalk, row.span)


def datasheet(identity: str, known: Ids) -> Datasheet:
    """What a datasheet says once for the whole unit. Three tables hold parts of it; each is a sighting of the whole."""
    unit, cells = known.units[identity], known.datasheet_cells[identity]
    book = known.books.get(cells["source_id"])
    damaged = _DAMAGED.fullmatch(cells["damaged_w"].strip())
    transport = optional(plain(cells["transport"]))
    bases = {base(model) for model in known.model_cells.get(identity, [])}
    notes = [invulnerable_note(model) for model in known.model_cells.get(identity, [])]
    sections = [
        HeadedText(name(section["name"]) or section["type"], plain(section["description"]))
        for section in known.section_cells.get(identity, [])
    ]
    return Datasheet(
        datasheet_id=unit.datasheet_id,
        faction_id=unit.faction_id,
        name=unit.name,
        role=optional(name(cells["role"])),
        is_legends=None if book is None else _LEGENDS.search(book) is not None,
        base_size=bases.pop() if len(bases) == 1 else None,
        loadout_text=optional(plain(cells["loadout"])),
        transport_capacity=transport_capacity(transport),
        transport_text=transport,
        damaged_low=int(damaged[1]) if damaged else None,
        damaged_high=int(damaged[2]) if damaged else None,
        damaged_text=optional(plain(cells["damaged_description"])),
        leader_text=optional(plain(f"{cells['leader_head']}<br>{cells['leader_footer']}")),
        other_sections=tuple(
            dict.fromkeys([*sections, *(HeadedText(INVULNERABLE_SAVE, note) for note in notes if note)])
        ),
    )


def base(cells: Mapping[str, str]) -> str | None:
    """`40mm`, and behind it what the export says of other models of the line: `32mm (Nob on 40mm)`."""
    size, more = name(cells["base_size"]), name(cells["base_size_descr"])
    return optional(f"{size} ({more})" if size and more else size or more)


def invulnerable_note(cells: Mapping[str, str]) -> str:
    """The footnote of an invulnerable save: `* Against ranged attacks only`."""
    return plain(cells["inv_sv_descr"]).lstrip("* ")


def models(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Stat lines. The one line of a unit has no name of its own: it has the unit's."""
    spans: dict[str, list[Span]] = defaultdict(list)
    for row, unit in _of_units(rows, known, reading):
        cells = row.cells
        spans[cells["datasheet_id"]].append(row.span)
        printed = name(cells["name"]) or unit.name
        identity = ids.model(unit.datasheet_id, printed)
        place = Place(reading, row.span, "models", identity)
        record = Model(
            model_id=identity,
            datasheet_id=unit.datasheet_id,
            position=len(spans[cells["datasheet_id"]]),
            name=printed,
            base_size=base(cells),
            movement_inches=number(place, "M", cells["M"], inches),
            movement_inches_printed=optional(cells["M"].strip()),
            toughness=number(place, "T", cells["T"], characteristic, 1),
            toughness_printed=optional(cells["T"].strip()),
            save=number(place, "Sv", cells["Sv"], characteristic, 2, 7),
            save_printed=optional(cells["Sv"].strip()),
            invulnerable_save=number(place, "inv_sv", cells["inv_sv"], characteristic, 2, 6),
            invulnerable_save_printed=_invulnerable(cells["inv_sv"]),
            wounds=number(place, "W", cells["W"], characteristic, 1),
            wounds_printed=optional(cells["W"].strip()),
            leadership=number(place, "Ld", cells["Ld"], characteristic, 2, 12),
            leadership_printed=optional(cells["Ld"].strip()),
            objective_control=number(place, "OC", cells["OC"], characteristic),
            objective_control_printed=optional(cells["OC"].strip()),
        )
        reading.see(record, row.span)
    for csv_id, of_unit in spans.items():
        reading.see(datasheet(csv_id, known), *of_unit)


def _invulnerable(printed: str) -> str | None:
    """`4` → `4+`, `4*` → `4+*`: the export leaves the sign out; its `-` stands where a datasheet prints nothing."""
    if is_absent(printed):
        return None
    roll = printed.strip().rstrip("*")
    return f"{as_roll(roll)}{'*' if roll != printed.strip() else ''}"


def weapons(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Weapon profiles and their abilities. Placeholder rows name no weapon."""
    positions: Counter[str] = Counter()
    placeholders: list[Row] = []
    dice_columns = [row for row in rows if row.cells["dice"].strip()]
    footnotes: dict[str, dict[str, str]] = defaultdict(dict)
    for (datasheet, ability), text in known.footnotes.items():
        footnotes[datasheet][ability] = text
    for row, unit in _of_units(rows, known, reading):
        cells = row.cells
        printed = name(cells["name"])
        if not printed:
            placeholders.append(row)
            continue
        kind = _KINDS.get(cells["type"].strip().casefold())
        if kind is None:
            reading.tell(
                "unknown-weapon-section",
                f"{printed}: type {cells['type']!r}",
                row.span,
                table="datasheets",
                record_id=unit.datasheet_id,
            )
            continue
        if not is_name(printed):
            reading.tell("unreadable-row", f"A weapon's name without a letter: {printed!r}", row.span)
            continue
        positions[unit.datasheet_id] += 1
        weapon = WeaponRow(
            name=printed,
            kind=kind,
            range=cells["range"],
            attacks=cells["A"],
            skill=cells["BS_WS"],
            strength=cells["S"],
            armour_penetration=cells["AP"],
            damage=cells["D"],
            abilities=tuple(name(one) for one in cells["description"].split(",") if one.strip()),
        )
        see_weapon(
            reading,
            row.span,
            unit.datasheet_id,
            positions[unit.datasheet_id],
            weapon,
            footnotes.get(cells["datasheet_id"], {}),
        )
    _placeholders(placeholders, reading)
    if dice_columns:
        reading.tell(
            "unknown-column",
            f"Column dice, the roll that picks a profile, has no place here; {len(dice_columns)} rows fill it.",
            dice_columns[0].span,
        )


def abilities(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Abilities; those that a datasheet prints as a section of its own go to its other sections."""
    types: dict[str, str] = vocabulary("wahapedia")["ability_types"]
    positions: Counter[str] = Counter()
    sections: dict[str, list[Span]] = defaultdict(list)
    for row, unit in _of_units(rows, known, reading):
        cells = row.cells
        kind = types.get(cells["type"])
        if kind == "footnote":
            continue  # read with the weapons
        if kind is None:
            reading.tell_once("unknown-heading", cells["type"], f"Type {cells['type']!r}; kept as a section.", row.span)
        if kind is None or kind == "section":
            sections[cells["datasheet_id"]].append(row.span)
            continue
        title, rule_id = _title(row, unit, known)
        if not ids.slug(title):
            reading.tell("unreadable-row", f"An ability without a name: {excerpt(cells['description'])}", row.span)
            continue
        positions[unit.datasheet_id] += 1
        value, note = core_value(cells["parameter"])
        record = Ability(
            ability_id=ids.ability(unit.datasheet_id, kind, title),
            datasheet_id=unit.datasheet_id,
            position=positions[unit.datasheet_id],
            kind=kind,
            name=title,
            value=value,
            text=optional(plain(cells["description"])) or note,
            rule_id=rule_id,
        )
        reading.see(record, row.span)
    for csv_id, of_unit in sections.items():
        reading.see(datasheet(csv_id, known), *of_unit)


def _title(row: Row, unit: Unit, known: Ids) -> tuple[str, str | None]:
    """Name of an ability and its rule: a core or army rule is pointed to, of several factions' the unit's own."""
    shared = known.shared_rules.get(row.cells["ability_id"], [])
    fitting = [rule for rule in shared if rule.faction_id in (None, unit.faction_id)] or shared
    printed = name(row.cells["name"]) or (fitting[0].name if fitting else "")
    return printed, fitting[0].rule_id if len(fitting) == 1 else None


def options(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Wargear options and the notes below them."""
    positions: Counter[str] = Counter()
    for row, unit in _of_units(rows, known, reading):
        text = plain(row.cells["description"])
        if not text:
            reading.tell("unreadable-row", "An option without a text.", row.span)
            continue
        positions[unit.datasheet_id] += 1
        position = positions[unit.datasheet_id]
        record = WargearOption(
            option_id=ids.option(unit.datasheet_id, position),
            datasheet_id=unit.datasheet_id,
            position=position,
            text=but_bullets(text),
            choices=bullets(text),
        )
        reading.see(record, row.span)


def composition(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """What models a unit is made of."""
    positions: Counter[str] = Counter()
    for row, unit in _of_units(rows, known, reading):
        text = plain(row.cells["description"])
        if not text:
            reading.tell("unreadable-row", "A line of the composition without a text.", row.span)
            continue
        positions[unit.datasheet_id] += 1
        line = composition_line(text)
        record = UnitComposition(
            datasheet_id=unit.datasheet_id,
            position=positions[unit.datasheet_id],
            model_name=line.model_name,
            models_min=line.models_min,
            models_max=line.models_max,
            text=text,
        )
        reading.see(record, row.span)


def costs(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Prices. `+55` is what an addition to the unit costs."""
    positions: Counter[str] = Counter()
    for row, unit in _of_units(rows, known, reading):
        positions[unit.datasheet_id] += 1
        description = plain(row.cells["description"])
        cost = cost_line(description, row.cells["cost"])
        if cost.points is None or not description:
            reading.tell(
                "unreadable-value",
                f"cost: {row.cells['cost'].strip()!r}",
                row.span,
                table="unit_costs",
                record_id=f"{unit.datasheet_id}#{positions[unit.datasheet_id]}",
            )
        record = UnitCost(
            datasheet_id=unit.datasheet_id,
            position=positions[unit.datasheet_id],
            kind=cost.kind,
            from_unit=None,
            to_unit=None,
            models=cost.models,
            description=description or "-",
            points=cost.points,
        )
        reading.see(record, row.span)


def keywords(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Keywords of units and of single models. The export has them in mixed case, a datasheet prints capitals."""
    for_all = set(vocabulary("wahapedia")["all_models"])
    positions: Counter[str] = Counter()
    placeholders: list[Row] = []
    spans: dict[tuple[str, str, str], list[Span]] = {}
    found: dict[tuple[str, str, str], Keyword] = {}
    for row, unit in _of_units(rows, known, reading):
        keyword, model = name(row.cells["keyword"]).upper(), name(row.cells["model"])
        if not keyword:
            placeholders.append(row)
            continue
        record = Keyword(
            datasheet_id=unit.datasheet_id,
            keyword=keyword,
            model_name=ALL_MODELS if model in for_all else model,
            position=positions[unit.datasheet_id] + 1,
            is_faction=row.cells["is_faction_keyword"].strip() == "true",
        )
        key = (record.datasheet_id, record.keyword, record.model_name)
        # some keywords stand twice: one record, seen in two rows
        if key in found:
            spans[key].append(row.span)
            continue
        positions[unit.datasheet_id] += 1
        found[key], spans[key] = record, [row.span]
    for key, record in found.items():
        reading.see(record, *spans[key])
    _placeholders(placeholders, reading)


def leaders(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Which units a leader can lead. A datasheet prints a name; the export knows which of its namesakes is meant."""
    led: dict[tuple[str, str], dict[str, tuple[Unit, list[Span]]]] = defaultdict(dict)
    leading: dict[str, Unit] = {}
    for row, unit in _of_units(rows, known, reading, "leader_id"):
        other = known.units.get(row.cells["attached_id"])
        if other is None:
            reading.tell_once(
                "orphan-rows", row.cells["attached_id"], f"No datasheet {row.cells['attached_id']}.", row.span
            )
            continue
        leading[unit.datasheet_id] = unit
        candidates = led[unit.datasheet_id, fold(other.name)]
        candidates.setdefault(other.datasheet_id, (other, []))[1].append(row.span)
    for (leader_id, _), candidates in led.items():
        meant = _meant(leading[leader_id], [unit for unit, _ in candidates.values()])
        spans = [span for _, of_unit in candidates.values() for span in of_unit]
        shown = meant or next(iter(candidates.values()))[0]
        if meant is None:
            reading.tell(
                "ambiguous-reference",
                f"{shown.name!r} can be {', '.join(sorted(candidates))}.",
                spans[0],
                table="leaders",
                record_id=f"{leader_id}#{shown.name}",
            )
        record = Leader(leader_id=leader_id, led_name=shown.name, led_id=meant and meant.datasheet_id)
        reading.see(record, *spans)


def _meant(leader: Unit, candidates: list[Unit]) -> Unit | None:
    """Of the namesakes that can be led: the only one, that of the leader's faction, there that of its own book."""
    for fitting in (
        candidates,
        [unit for unit in candidates if unit.faction_id == leader.faction_id],
        [unit for unit in candidates if unit.faction_id == leader.faction_id and unit.plain],
    ):
        if len(fitting) == 1:
            return fitting[0]
    return None


def _of_units(
    rows: list[Row], known: Ids, reading: ExportReading, column: str = "datasheet_id"
) -> Iterator[tuple[Row, Unit]]:
    """Rows with the datasheet that they belong to; where the export lacks it, they are reported and left out."""
    orphans: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        unit = known.units.get(row.cells[column])
        if unit is None:
            orphans[row.cells[column]].append(row)
        else:
            yield row, unit
    for identity, of_unit in orphans.items():
        reading.tell("orphan-rows", f"{len(of_unit)} rows of datasheet {identity!r}.", of_unit[0].span)


def _placeholders(rows: list[Row], reading: ExportReading) -> None:
    if rows:
        reading.tell("placeholder-rows", f"{len(rows)} rows without a name.", rows[0].span)
