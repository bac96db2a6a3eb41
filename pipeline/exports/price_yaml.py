"""Price lists: YAML files, one per faction.

In: the files of a folder or archive by name. Out: one reading for each.

    name: Ash Compact
    detachments:
      - { name: Rivet Host, dp: 2, objective: PURGE THE FOE, enhancements: [{ name: Ember Crown, points: 15 }] }
    units:
      - name: Brindle Hauler
        pricing: [{ range: "[1,3]", label: Your 1st To 3rd Units Cost, costs: [{ models: 1, points: 75 }] }]
        wargear: [{ item: Coil lance, points: 5 }]

Every scalar is read as the text that stands there, so that YAML 1.1 turns no name into a number or a truth value (`No`,
`06.10`). A unit under the title of another faction (`groupTitle: Space Marines`) is that faction's datasheet; where its
price is another one than in that faction's own file, it is a price for the armies of this faction, and says so. Any
other title says when the price holds. Only the 11th edition has detachment points, which is how the edition is known.

A chapter's file repeats the detachments of its `parent`; those are the parent's.

Not read: to which units an enhancement lets its bearer be attached; `unique`, the groups of which an army takes one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import yaml

from pipeline import ids
from pipeline.document import Span
from pipeline.exports.clean_text import name
from pipeline.exports.reading import ExportReading, decoded, looks_like_a_page
from pipeline.factions import declared_name, detachment_name, faction_id, is_declared
from pipeline.ids import fold
from pipeline.records import Crosswalk, Datasheet, Detachment, Enhancement, Faction, Leader, UnitCost
from pipeline.values import points

SOURCE = "mfm"
"""Whose ids these are, in the crosswalk."""

_RANGE = re.compile(r"\[([0-9]+),(?:([0-9]+)\]|\))")  # `[1,3]`, `[4,)`
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ROOT = frozenset({"name", "slug", "version", "firstSeen", "parent", "detachments", "units"})
_META = frozenset({"version", "lastUpdated", "notes", "factions"})
_DETACHMENT = frozenset({"name", "dp", "objective", "unique", "enhancements"})
_ENHANCEMENT = frozenset({"name", "points", "leaderTo", "supportTo"})
_UNIT = frozenset({"name", "groupTitle", "legends", "pricing", "wargear", "role", "attachTo"})
_TIER = frozenset({"range", "label", "costs"})
_COST = frozenset({"models", "points", "desc", "addon"})
_ITEM = frozenset({"item", "points"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Unit(NamedTuple):
    """An entry of the units: its datasheet, the title that it stands under, whether that is another faction's."""

    reading: ExportReading
    node: _Map
    datasheet_id: str
    faction_id: str
    name: str
    title: str
    foreign: bool


class _Price(NamedTuple):
    """A price, without its place on the datasheet."""

    kind: str
    from_unit: int | None
    to_unit: int | None
    models: int | None
    description: str
    points: int | None


class _Map:
    """A mapping of the file: its fields as nodes, and where it stands."""

    def __init__(self, node: yaml.MappingNode) -> None:
        self.span = Span(node.start_mark.index, node.end_mark.index)
        self._fields = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}

    def __contains__(self, field: str) -> bool:
        return field in self._fields

    def names(self) -> Iterable[str]:
        """Names of the fields."""
        return self._fields.keys()

    def text(self, field: str) -> str:
        """A field as the text that stands there; empty where it is none."""
        node = self._fields.get(field)
        return name(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def maps(self, field: str) -> list[_Map]:
        """The mappings of a field that is a list."""
        node = self._fields.get(field)
        entries = node.value if isinstance(node, yaml.SequenceNode) else []
        return [_Map(entry) for entry in entries if isinstance(entry, yaml.MappingNode)]

    def texts(self, field: str) -> list[str]:
        """The texts of a field that is a list."""
        node = self._fields.get(field)
        entries = node.value if isinstance(node, yaml.SequenceNode) else []
        return [name(entry.value) for entry in entries if isinstance(entry, yaml.ScalarNode)]


def read(files: Mapping[str, bytes], edition: str | None = None) -> dict[str, ExportReading]:
    """Read the files of one export, of which some may be missing or damaged. `edition` overrides what they show."""
    readings = {file_name: decoded(file_name, files[file_name]) for file_name in sorted(files)}
    roots = {file_name: root for file_name, reading in readings.items() if (root := _root(reading)) is not None}
    has_points = any("dp" in army for root in roots.values() for army in root.maps("detachments"))
    armies = {faction_id(root.text("name")): _army_slugs(root) for root in roots.values()}
    units: dict[str, list[_Unit]] = defaultdict(list)
    for file_name, root in roots.items():
        reading = readings[file_name]
        reading.settle_edition(edition, "11e" if has_points else None)
        if edition is None and not has_points:
            reading.tell("uncertain-edition", "No detachment has points, which would show the 11th edition.")
        date = root.text("firstSeen") or root.text("lastUpdated")
        reading.captured_at = date if _DATE.fullmatch(date) else None
        if "units" in root or "detachments" in root:
            for unit in _file(reading, root, armies):
                units[unit.datasheet_id].append(unit)
        else:
            _know(reading, "meta", root, _META)
    for identity, entries in units.items():
        _datasheet(identity, entries)
        _prices(identity, entries)
    return readings


def _root(reading: ExportReading) -> _Map | None:
    """The file's mapping; None, and a diagnostic, where there is none."""
    if not reading.text:
        return None
    if looks_like_a_page(reading.text):
        reading.tell("redirect-page", "An HTML page under the name of a YAML file.")
        return None
    try:
        node = yaml.compose(reading.text, Loader=_LOADER)
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        where = Span(mark.index, mark.index) if mark is not None else None
        reading.tell("damaged-yaml", str(getattr(fault, "problem", None) or "no YAML"), where)
        return None
    if not isinstance(node, yaml.MappingNode):
        reading.tell("unknown-format", "The file is no mapping.")
        return None
    return _Map(node)


def _army_slugs(root: _Map) -> set[str]:
    return {ids.slug(army.text("name")) for army in root.maps("detachments")}


def _file(reading: ExportReading, root: _Map, armies: Mapping[str, set[str]]) -> list[_Unit]:
    """A faction's file: what is no unit is taken down, the units are given back."""
    _know(reading, "file", root, _ROOT)
    printed = root.text("name")
    if not ids.slug(printed):
        reading.tell("unreadable-row", "The file does not say whose it is.")
        return []
    reading.title, reading.faction_id = printed, faction_id(printed)
    _faction(reading, printed, root.text("slug"), root.span)
    parent = faction_id(root.text("parent"))
    for army in root.maps("detachments"):
        repeated = ids.slug(army.text("name")) in armies.get(parent, set())
        _detachment(reading, army, parent if repeated else reading.faction_id)
    units = list(_of_factions(reading, root))
    names: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        reading.claim(unit.node.span)
        names[fold(unit.name)].add(unit.datasheet_id)
    for unit in units:
        for led in dict.fromkeys(unit.node.texts("attachTo")):
            candidates = names.get(fold(led), set())
            led_id = next(iter(candidates)) if len(candidates) == 1 else None
            reading.see(Leader(leader_id=unit.datasheet_id, led_name=led, led_id=led_id), unit.node.span)
    return units


def _faction(reading: ExportReading, printed: str, slug: str, span: Span) -> None:
    identity = faction_id(printed)
    known = declared_name(identity) or printed
    aliases = () if known == printed else (printed,)
    reading.see(Faction(faction_id=identity, name=known, aliases=aliases), span)
    if slug:
        crosswalk = Crosswalk(table="factions", record_id=identity, source=SOURCE, source_id=slug, name=printed)
        reading.see(crosswalk, span)


def _detachment(reading: ExportReading, army: _Map, faction: str) -> None:
    _know(reading, "detachment", army, _DETACHMENT)
    printed = army.text("name")
    if not ids.slug(printed):
        reading.tell("unreadable-row", "A detachment without a name.", army.span)
        return
    known = detachment_name(faction, printed)
    identity = ids.detachment(faction, known)
    record = Detachment(
        detachment_id=identity,
        faction_id=faction,
        name=known,
        aliases=() if known == printed else (printed,),
        detachment_points=_points(reading, army, "dp", "detachments", identity),
        force_disposition=army.text("objective").upper() or None,
    )
    reading.see(record, army.span)
    reading.claim(army.span)
    for entry in army.maps("enhancements"):
        _know(reading, "enhancement", entry, _ENHANCEMENT)
        title = entry.text("name")
        if not ids.slug(title):
            reading.tell("unreadable-row", "An enhancement without a name.", entry.span)
            continue
        enhancement_id = ids.enhancement(faction, identity, title)
        enhancement = Enhancement(
            enhancement_id=enhancement_id,
            faction_id=faction,
            detachment_id=identity,
            name=title,
            points=_points(reading, entry, "points", "enhancements", enhancement_id),
        )
        reading.see(enhancement, entry.span)


def _of_factions(reading: ExportReading, root: _Map) -> Iterator[_Unit]:
    for node in root.maps("units"):
        _know(reading, "unit", node, _UNIT)
        printed, group = node.text("name"), node.text("groupTitle")
        if not ids.slug(printed):
            reading.tell("unreadable-row", "A unit without a name.", node.span)
            continue
        other = bool(group) and is_declared(group) and faction_id(group) != reading.faction_id
        owner = faction_id(group) if other else str(reading.faction_id)
        title = "" if other or ids.slug(group) == reading.faction_id else group
        yield _Unit(reading, node, ids.datasheet(owner, printed), owner, printed, title, other)


def _datasheet(identity: str, units: list[_Unit]) -> None:
    """The datasheet that the entries of all files are of."""
    is_legends = True if any(unit.node.text("legends") == "true" for unit in units) else None
    for unit in units:
        record = Datasheet(datasheet_id=identity, faction_id=unit.faction_id, name=unit.name, is_legends=is_legends)
        unit.reading.see(record, unit.node.span)
        if unit.foreign:
            owner = declared_name(unit.faction_id) or unit.faction_id
            unit.reading.see(Faction(faction_id=unit.faction_id, name=owner), unit.node.span)


def _prices(identity: str, units: list[_Unit]) -> None:
    """Prices in the order of a page: those of the faction's own file, under a condition, in other factions' files.

    A price that another file repeats is the same record, seen once more.
    """
    known: dict[_Price, int] = {}
    own = sorted(units, key=lambda unit: (unit.foreign, unit.title, str(unit.reading.faction_id)))
    listed = [(unit, price, at) for unit in own for price, at in _priced(unit)]
    listed += [(unit, price, at) for unit in own for price, at in _wargear(unit)]
    for unit, price, at in listed:
        if unit.foreign and price not in known:
            armies = declared_name(str(unit.reading.faction_id)) or unit.reading.title
            price = price._replace(description=f"{price.description} ({armies})")
        position = known.setdefault(price, len(known) + 1)
        unit.reading.see(UnitCost(datasheet_id=identity, position=position, **price._asdict()), at)


def _priced(unit: _Unit) -> Iterator[tuple[_Price, Span]]:
    for tier in unit.node.maps("pricing"):
        _know(unit.reading, "pricing", tier, _TIER)
        bounds = _RANGE.fullmatch(tier.text("range").replace(" ", ""))
        if bounds is None:
            unit.reading.tell("unreadable-value", f"range: {tier.text('range')!r}", tier.span, table="unit_costs")
            continue
        first, last = int(bounds[1]), int(bounds[2]) if bounds[2] else None
        endless = (first, last) == (1, None)  # the price does not depend on copies
        for cost in tier.maps("costs"):
            _know(unit.reading, "cost", cost, _COST)
            models = _points(unit.reading, cost, "models", "unit_costs", unit.datasheet_id)
            line = cost.text("desc") or ("1 model" if models == 1 else f"{models} models")
            addition = cost.text("addon") == "true"  # `Invader ATV`, which joins the unit
            price = _Price(
                kind="wargear" if addition else "unit",
                from_unit=None if endless else first,
                to_unit=last,
                models=None if addition else models,
                description=f"{line} ({unit.title})" if unit.title else line,
                points=_points(unit.reading, cost, "points", "unit_costs", unit.datasheet_id),
            )
            yield price, cost.span


def _wargear(unit: _Unit) -> Iterator[tuple[_Price, Span]]:
    for item in unit.node.maps("wargear"):
        _know(unit.reading, "wargear", item, _ITEM)
        cost = _points(unit.reading, item, "points", "unit_costs", unit.datasheet_id)
        yield _Price("wargear", None, None, None, f"per {item.text('item')}", cost), item.span


def _points(reading: ExportReading, at: _Map, field: str, table: str, record_id: str) -> int | None:
    value = points(at.text(field))
    if value is None:
        reading.tell("unreadable-value", f"{field}: {at.text(field)!r}", at.span, table=table, record_id=record_id)
    return value


def _know(reading: ExportReading, kind: str, node: _Map, known: frozenset[str]) -> None:
    for field in sorted(set(node.names()) - known):
        reading.tell_once("unknown-field", f"{kind}.{field}", f"Field {field} of {kind} is not known.", node.span)
