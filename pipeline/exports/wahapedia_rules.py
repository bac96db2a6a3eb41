"""The other tables of the pipe-delimited export → records: factions, books, detachments, stratagems, rules."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from pipeline import ids
from pipeline.document import Span
from pipeline.exports.clean_text import name, optional, plain
from pipeline.exports.pipe_rows import Row
from pipeline.exports.reading import ExportReading
from pipeline.exports.stratagem_cards import card, phases, turn
from pipeline.exports.wahapedia_ids import BOARDING_ACTIONS, SOURCE, Army, Ids, Owner, stratagem_type
from pipeline.factions import detachment_name
from pipeline.ids import fold
from pipeline.records import (
    Book,
    Crosswalk,
    DatasheetDetachmentRule,
    DatasheetEnhancement,
    DatasheetStratagem,
    Detachment,
    Enhancement,
    Faction,
    Rule,
    Stratagem,
)
from pipeline.values import points
from pipeline.vocabulary import vocabulary

_DATE = re.compile(r"([0-9][0-9])\.([0-9][0-9])\.([0-9]{4})\b.*")  # `04.03.2026 0:00:00`
_NO_DATE = "0001"  # `01.01.0001`: the export's way to say that there is none


def factions(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Factions."""
    for row in rows:
        owner, printed = known.factions.get(row.cells["id"]), name(row.cells["name"])
        if owner is None:
            reading.tell("unreadable-row", f"A faction without a name: {row.cells['id']!r}", row.span)
            continue
        aliases = () if printed == owner.name else (printed,)
        reading.see(Faction(faction_id=owner.faction_id, name=owner.name, aliases=aliases), row.span)
        _cross(reading, row, "factions", owner.faction_id, printed)


def books(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Books that the datasheets are from."""
    for row in rows:
        cells = row.cells
        printed, kind = known.books[cells["id"]], optional(name(cells["type"]))
        if not ids.slug(printed):
            reading.tell("unreadable-row", f"A book without a name: {cells['id']!r}", row.span)
            continue
        date = _DATE.fullmatch(cells["errata_date"].strip())
        edition, version = name(cells["edition"]), optional(name(cells["version"]))
        record = Book(
            book_id=ids.book(printed, kind, version),
            name=printed,
            kind=kind,
            edition=edition if edition != "0" else None,
            version=version,
            updated=f"{date[3]}-{date[2]}-{date[1]}" if date and date[3] != _NO_DATE else None,
        )
        reading.see(record, row.span)
        _cross(reading, row, "books", record.book_id, printed)


def detachments(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Detachments, those of Boarding Actions among them."""
    seen: set[str] = set()
    for row in rows:
        army = known.detachments.get(row.cells["id"])
        if army is None:
            _orphan(reading, row, "faction", row.cells["faction_id"])
            continue
        if army.detachment_id in seen:
            reading.tell(
                "duplicate-id",
                f"{army.printed!r} stands twice in the same faction.",
                row.span,
                table="detachments",
                record_id=army.detachment_id,
            )
            continue
        seen.add(army.detachment_id)
        record = Detachment(
            detachment_id=army.detachment_id,
            faction_id=army.faction_id,
            name=army.name,
            aliases=() if army.printed == army.name else (army.printed,),
        )
        reading.see(record, row.span)
        _cross(reading, row, "detachments", army.detachment_id, army.printed)


def detachment_rules(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Rules of detachments."""
    for row in rows:
        cells = row.cells
        rule_id, owner = known.detachment_rules.get(cells["id"]), known.factions.get(cells["faction_id"])
        if rule_id is None or owner is None:
            _orphan(reading, row, "faction", cells["faction_id"])
            continue
        army = known.detachments.get(cells["detachment_id"])
        if army is None:
            _orphan(reading, row, "detachment", cells["detachment_id"])
        record = Rule(
            rule_id=rule_id,
            number=None,
            title=name(cells["name"]),
            kind="detachment-rule",
            faction_id=owner.faction_id,
            detachment_id=army and army.detachment_id,
            flavour=optional(plain(cells["legend"])),
            text=optional(plain(cells["description"])),
        )
        reading.see(record, row.span)
        _cross(reading, row, "rules", rule_id, name(cells["name"]))


def abilities(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Core and army rules. An army rule that several factions have is a rule of each of them."""
    for row in rows:
        cells = row.cells
        owner = known.factions.get(cells["faction_id"])
        faction_id = owner.faction_id if owner else None
        shared = next((one for one in known.shared_rules.get(cells["id"], []) if one.faction_id == faction_id), None)
        if shared is None or (cells["faction_id"] and owner is None):
            _orphan(reading, row, "faction", cells["faction_id"])
            continue
        record = Rule(
            rule_id=shared.rule_id,
            number=None,
            title=shared.name,
            kind="army-rule" if owner else "core-ability",
            faction_id=faction_id,
            flavour=optional(plain(cells["legend"])),
            text=optional(plain(cells["description"])),
        )
        reading.see(record, row.span)
        _cross(reading, row, "rules", shared.rule_id, shared.name)


def stratagems(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Stratagems. The detachment is that of the id; the type's column names it, too, and is wrong now and then."""
    for row in rows:
        cells = row.cells
        identity, owner = known.stratagems.get(cells["id"]), known.factions.get(cells["faction_id"])
        if identity is None:
            _orphan(reading, row, "faction", cells["faction_id"])
            continue
        army = known.detachments.get(cells["detachment_id"])
        sections = card(plain(cells["description"]))
        when = phases(cells["phase"])
        cost = points(cells["cp_cost"])
        printed_turn = turn(cells["turn"])
        if when is None or (cost is None and cells["cp_cost"].strip()) or (not printed_turn and cells["turn"].strip()):
            reading.tell(
                "unreadable-value",
                f"phase {cells['phase']!r}, turn {cells['turn']!r}, cp_cost {cells['cp_cost']!r}",
                row.span,
                table="stratagems",
                record_id=identity,
            )
        if not sections.complete:
            reading.tell(
                "incomplete-stratagem",
                "Its text has no WHEN, TARGET or EFFECT.",
                row.span,
                table="stratagems",
                record_id=identity,
            )
        record = Stratagem(
            stratagem_id=identity,
            name=name(cells["name"]),
            cp_cost=cost,
            source="detachment" if army else known.rule_set(cells),
            faction_id=owner and owner.faction_id,
            detachment_id=army and army.detachment_id,
            type=_type(row, army, owner, identity, reading),
            flavour=optional(plain(cells["legend"])),
            when_text=sections.when,
            target_text=sections.target,
            effect_text=sections.effect,
            restrictions_text=sections.restrictions,
            phases=when or (),
            turn=printed_turn,
            complete=sections.complete,
        )
        reading.see(record, row.span)
        _cross(reading, row, "stratagems", identity, record.name)


def _type(row: Row, army: Army | None, owner: Owner | None, identity: str, reading: ExportReading) -> str | None:
    named, kind = stratagem_type(row.cells["type"])
    if army and owner and named and fold(detachment_name(owner.faction_id, named)) != fold(army.name):
        reading.tell(
            "source-contradiction",
            f"type says {named!r}, detachment_id {army.name!r}",
            row.span,
            table="stratagems",
            record_id=identity,
        )
    if kind is None or kind in vocabulary("page")["stratagem_types"]:
        return kind
    reading.tell("unknown-stratagem-type", f"{kind!r}", row.span, table="stratagems", record_id=identity)
    return None


def enhancements(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Enhancements. Boarding Actions print no prices, where the export has a 0; `+40` is what an upgrade costs."""
    for row in rows:
        cells = row.cells
        identity, owner = known.enhancements.get(cells["id"]), known.factions.get(cells["faction_id"])
        if identity is None or owner is None:
            _orphan(reading, row, "faction", cells["faction_id"])
            continue
        army = known.detachments.get(cells["detachment_id"])
        if army is None:
            _orphan(reading, row, "detachment", cells["detachment_id"])
        price = points(cells["cost"].strip().removeprefix("+"))
        if price is None and cells["cost"].strip():
            reading.tell(
                "unreadable-value", f"cost: {cells['cost']!r}", row.span, table="enhancements", record_id=identity
            )
        filler = price == 0 and army is not None and army.type == BOARDING_ACTIONS
        record = Enhancement(
            enhancement_id=identity,
            faction_id=owner.faction_id,
            detachment_id=army and army.detachment_id,
            name=name(cells["name"]),
            points=None if filler else price,
            flavour=optional(plain(cells["legend"])),
            text=optional(plain(cells["description"])),
        )
        reading.see(record, row.span)
        _cross(reading, row, "enhancements", identity, record.name)


def datasheet_stratagems(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Stratagems that a datasheet lists, in the order of the rows."""
    positions: Counter[str] = Counter()
    for row, unit_id, identity in _links(rows, known, reading, known.stratagems, "stratagem_id"):
        positions[unit_id] += 1
        record = DatasheetStratagem(datasheet_id=unit_id, position=positions[unit_id], stratagem_id=identity)
        reading.see(record, row.span)


def datasheet_enhancements(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Enhancements that a unit can be given."""
    for row, unit_id, identity in _links(rows, known, reading, known.enhancements, "enhancement_id"):
        reading.see(DatasheetEnhancement(datasheet_id=unit_id, enhancement_id=identity), row.span)


def datasheet_detachment_rules(rows: list[Row], known: Ids, reading: ExportReading) -> None:
    """Detachment rules that concern a unit."""
    for row, unit_id, identity in _links(rows, known, reading, known.detachment_rules, "detachment_ability_id"):
        reading.see(DatasheetDetachmentRule(datasheet_id=unit_id, rule_id=identity), row.span)


def _links(
    rows: list[Row], known: Ids, reading: ExportReading, targets: Mapping[str, str], column: str
) -> Iterator[tuple[Row, str, str]]:
    """Rows with the datasheet and the record that each joins; a row that points to nothing is reported and left out."""
    lost: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for row in rows:
        unit, target = known.units.get(row.cells["datasheet_id"]), targets.get(row.cells[column])
        if unit is None:
            lost["datasheet_id", row.cells["datasheet_id"]].append(row.span)
        elif target is None:
            lost[column, row.cells[column]].append(row.span)
        else:
            yield row, unit.datasheet_id, target
    for (where, identity), spans in lost.items():
        reading.tell("orphan-rows", f"{len(spans)} rows with {where} {identity!r}.", spans[0])


def _orphan(reading: ExportReading, row: Row, of: str, identity: str) -> None:
    reading.tell("orphan-rows", f"{name(row.cells['name'])!r}: no {of} {identity!r}.", row.span)


def _cross(reading: ExportReading, row: Row, table: str, record_id: str, printed: str) -> None:
    crosswalk = Crosswalk(table=table, record_id=record_id, source=SOURCE, source_id=row.cells["id"], name=printed)
    reading.see(crosswalk, row.span)
