"""Rows that have no name of their own, only a place in a list: prices, composition, options, abilities of a weapon, stratagems of a list.

Two sources print the same list in another order, or with a row more. So the list of the most trusted source stands, and the rows
of the others are laid beside the rows that say the same thing; what has no counterpart is a conflict, or, where a list only gains
by it, is added at its end.

    >>> aligned("unit_costs", sightings)  # doctest: +SKIP
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.ids import fold
from pipeline.records import Record
from pipeline.sightings import Seen, is_foreign, trust


class _Kind(NamedTuple):
    """How rows of a table are told apart. `grows`: rows of other sources are added."""

    owner: str
    content: Callable[[Any], Hashable]
    grows: bool = False
    pairs: bool = False  # what is left on both sides, as many here as there, is the same in other words


def _price(row: Any) -> Hashable:
    """What a price is of: the tier, the number of models, and who pays it, `1 model (Assigned Agent)`."""
    _, bracket, only = row.description.partition("(")
    name = fold(only) if bracket else ""
    return row.kind, row.from_unit or 1, row.to_unit, row.models, name if row.models else fold(row.description)


def _letters(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


LISTS: dict[str, _Kind] = {
    "unit_costs": _Kind("datasheet_id", _price, pairs=True),
    "unit_composition": _Kind("datasheet_id", lambda r: fold(r.model_name or r.text), pairs=True),
    "wargear_options": _Kind("datasheet_id", lambda r: _letters(r.text), pairs=True),
    "weapon_abilities": _Kind("profile_id", lambda r: (r.ability, r.target)),
    "datasheet_stratagems": _Kind("datasheet_id", lambda r: r.stratagem_id, grows=True),
}
"""The tables whose rows are places in lists."""


class Unmatched(NamedTuple):
    """A row that a less trusted source has and the kept list lacks."""

    owner: str
    seen: Seen


def aligned(table: str, groups: dict[str, list[Seen]]) -> tuple[dict[str, list[Seen]], list[Unmatched]]:
    """Sightings of a list's rows, regrouped under the rows of the most trusted list."""
    kind = LISTS[table]
    by_owner: dict[str, dict[str, list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for group in groups.values():
        for seen in group:
            by_owner[getattr(seen.record, kind.owner)][seen.document.document_id].append(seen)
    made: dict[str, list[Seen]] = defaultdict(list)
    unmatched: list[Unmatched] = []
    for owner, by_document in by_owner.items():
        documents = sorted(by_document, key=lambda d: _rank(table, owner, by_document[d][0]))
        rows = sorted(by_document[documents[0]], key=lambda s: s.record.position)
        for seen in rows:
            made[seen.record.identity].append(seen)
        for document in documents[1:]:
            others = sorted(by_document[document], key=lambda s: s.record.position)
            for mine, theirs in _pairs(kind, rows, others):
                if mine is not None:
                    made[mine.record.identity].append(_beside(mine, theirs))
                elif kind.grows or theirs.document.format == rows[0].document.format:
                    added = _added(theirs, max(r.record.position for r in rows) + 1)
                    rows.append(added)
                    made[added.record.identity].append(added)
                else:
                    unmatched.append(Unmatched(owner, theirs))
    return made, unmatched


def _rank(table: str, owner: str, seen: Seen) -> tuple[Any, ...]:
    """The most trusted format first; of one format the file of the unit's own faction."""
    document = seen.document
    newer = tuple(-ord(c) for c in document.captured_at or "")
    return trust(table, None, document.format), is_foreign(owner, document), newer, document.document_id


def _pairs(kind: _Kind, rows: Sequence[Seen], others: Sequence[Seen]) -> Iterator[tuple[Seen | None, Seen]]:
    """Each row of another source with the kept row that says the same, or None."""
    free: dict[Hashable, list[Seen]] = defaultdict(list)
    for row in rows:
        free[kind.content(row.record)].append(row)
    left: list[Seen] = []
    for other in others:
        candidates = free.get(kind.content(other.record))
        if candidates:
            yield candidates.pop(0), other
        else:
            left.append(other)
    pairs = kind.pairs and bool(left) and left[0].document.format != rows[0].document.format
    unpaired = [row for group in free.values() for row in group] if pairs else []
    if len(unpaired) == len(left):
        unpaired.sort(key=lambda s: s.record.position)
        yield from zip(unpaired, left, strict=True)
    else:
        yield from ((None, other) for other in left)


def _beside(mine: Seen, theirs: Seen) -> Seen:
    """The other source's row under the id and in the place of the kept one."""
    places = {column: getattr(mine.record, column) for column in (*mine.record.key, "position")}
    return Seen(msgspec.structs.replace(theirs.record, **places), theirs.spans, theirs.document)


def _added(seen: Seen, position: int) -> Seen:
    record: Record = msgspec.structs.replace(seen.record, position=position)
    if "option_id" in record.__struct_fields__:
        record = msgspec.structs.replace(record, option_id=ids.option(record.datasheet_id, position))  # type: ignore[attr-defined]
    return Seen(record, seen.spans, seen.document)
