"""Which row of a release is which row of the one before.

In: the rows of a table in both releases, and the migrations. Out: `Matched`: pairs of the same row, rows that went, rows that came.

Rows are the same when their keys are, once old ids are followed to what became of them: the weapons of a renamed datasheet are
still the same weapons. Its name stands in other places, too (a keyword, a model of the same name): such a row is tried under the
new name as well. Rows that have no name, only a place in a list, are matched by what they say, list by list: one more price does
not make others of all that follow.

    >>> [pair.row["points"] for pair in match(definition, before, now).pairs]  # doctest: +SKIP
    [85, 120]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.ids import fold, slug
from pipeline.migrations import Successors
from pipeline.schema import Table

Row = Mapping[str, Any]

SIMILAR = 0.5
"""Share of words that two rows without a name must have in common to be taken for one row in other words."""

_WORD = re.compile(r"\w+")


class OldRow(NamedTuple):
    """A row of the old release: as it was; under the ids that it has now; and also under the new names of what it belongs to."""

    was: Row
    row: Row
    renamed: Row | None = None

    def says(self, column: str, value: Any) -> bool:
        """Whether the row has this value, under the old name or the new one."""
        return self.row.get(column) == value or (self.renamed is not None and self.renamed.get(column) == value)


class Pair(NamedTuple):
    """One row in both releases."""

    old: OldRow
    row: Row


@dataclass(slots=True)
class Matched:
    """The rows of a table. `merged`: old rows whose id leads to a row that was there already."""

    pairs: list[Pair] = field(default_factory=list)
    gone: list[OldRow] = field(default_factory=list)
    merged: list[OldRow] = field(default_factory=list)
    came: list[Row] = field(default_factory=list)


def identity(definition: Table, row: Row) -> str:
    """The key's values, joined by `#`, as `Record.identity`."""
    return "#".join(str(row[column]) for column in definition.key)


class Follower:
    """Gives old rows the ids that they have now. `names` gives the old and the new name of a row that a migration renames."""

    def __init__(self, successors: Successors, names: Callable[[str, str, str], tuple[str, str] | None]) -> None:
        self._successors = successors
        self._names = names

    def follow(self, table: str, old_id: str) -> str:
        """What an id is now: itself where no migration speaks of it, or says that it was retired."""
        found = self._successors.of(table, old_id)
        return old_id if found is None or found.new_id is None else found.new_id

    def old_row(self, definition: Table, row: Row) -> OldRow:
        """A row of the old release."""
        moved: dict[str, Any] = {}
        names: list[tuple[str, str]] = []
        for column, table in _ids(definition, row):
            value = row[column]
            now = self.follow(table, value)
            if now != value:
                moved[column] = now
                name = self._names(table, value, now)
                # the row's own new name is what is to be told, not what follows from it
                if name is not None and (column,) != definition.key:
                    names.append(name)
        for one in definition.fields:
            if one.item_reference is not None and one.name in row:
                followed = [self.follow(one.item_reference.resource, value) for value in row[one.name]]
                moved |= {one.name: followed} if followed != row[one.name] else {}
        if not moved:
            return OldRow(row, row)
        now_row = {**row, **moved}
        return OldRow(row, now_row, {**now_row, **_renamed(row, moved, names, definition)} if names else None)


def _ids(definition: Table, row: Row) -> Iterator[tuple[str, str]]:
    """Columns that hold an id, and the table that it is of."""
    if len(definition.key) == 1:
        yield definition.key[0], definition.name
    for key in definition.foreign_keys:
        if row.get(key.column) is not None and (key.column,) != definition.key:
            yield key.column, key.reference.resource
    for reference in definition.record_references:
        if row.get(reference.id) is not None and row.get(reference.table) is not None:
            yield reference.id, row[reference.table]


def _renamed(row: Row, moved: Row, names: Sequence[tuple[str, str]], definition: Table) -> dict[str, Any]:
    """The row's texts with the new names in place of the old ones: `BRINDLE WAGON` → `BRINDLE HAULER`."""
    found: dict[str, Any] = {}
    for column, value in row.items():
        if column in moved:
            if (column,) == definition.key:
                found[column] = _each(_id_renamer, names, moved[column])
        elif isinstance(value, str):
            found[column] = _each(_text_renamer, names, value)
    return found


def _each(renamer: Callable[[str, str, str], str], names: Sequence[tuple[str, str]], text: str) -> str:
    for old, new in names:
        text = renamer(old, new, text)
    return text


def _text_renamer(old: str, new: str, text: str) -> str:
    return re.sub(re.escape(old), lambda m: new.upper() if m[0].isupper() else new, text, flags=re.IGNORECASE)


def _id_renamer(old: str, new: str, text: str) -> str:
    return "/".join(slug(new) if part == slug(old) else part for part in text.split("/"))


def match(definition: Table, before: Sequence[OldRow], now: Sequence[Row]) -> Matched:
    """The rows of a table in both releases."""
    return _by_content(definition, before, now) if definition.row_match else _by_key(definition, before, now)


def _by_key(definition: Table, before: Sequence[OldRow], now: Sequence[Row]) -> Matched:
    rows = {identity(definition, row): row for row in now}
    found = Matched()
    taken: set[str] = set()
    # rows that always had their id come first: one that now leads to the same id was merged into them
    for old in sorted(before, key=lambda old: old.row is not old.was):
        key = identity(definition, old.row)
        if key not in rows and old.renamed is not None:
            key = identity(definition, old.renamed)
        if key in taken and old.row is not old.was:
            found.merged.append(old)
        elif key in rows:
            taken.add(key)
            found.pairs.append(Pair(old, rows[key]))
        else:
            found.gone.append(old)
    found.came = [row for key, row in rows.items() if key not in taken]
    return found


def _by_content(definition: Table, before: Sequence[OldRow], now: Sequence[Row]) -> Matched:
    owner = definition.part_of[0]
    lists: dict[str, tuple[list[OldRow], list[Row]]] = defaultdict(lambda: ([], []))
    kept = {old.was[owner] for old in before if old.was[owner] == old.row[owner]}
    found = Matched()
    for old in before:
        if old.was[owner] != old.row[owner] in kept:
            found.merged.append(old)
        else:
            lists[old.row[owner]][0].append(old)
    for row in now:
        lists[row[owner]][1].append(row)
    for mine, theirs in lists.values():
        if [old.row for old in mine] == theirs:
            found.pairs += map(Pair, mine, theirs)
        else:
            _match_list(definition, mine, theirs, found)
    return found


def _match_list(definition: Table, before: Sequence[OldRow], now: Sequence[Row], found: Matched) -> None:
    assert definition.row_match is not None  # only such tables come here
    left = sorted(before, key=_place)
    free = sorted(now, key=lambda row: row["position"])
    places = {*definition.key, "position"} - {definition.part_of[0]}
    everything = tuple(column for column in definition.columns if column not in places)
    for columns in (everything, *definition.row_match.columns):
        shared = [column for column in columns if column in definition.columns]
        left, free = _match_by(shared, left, free, found)
    if definition.row_match.similar is not None:
        left, free = _match_similar(definition.row_match.similar, left, free, found)
    found.gone += left
    found.came += free


def _place(old: OldRow) -> int:
    return int(old.row["position"])


def _match_by(
    columns: Sequence[str], before: Iterable[OldRow], now: Sequence[Row], found: Matched
) -> tuple[list[OldRow], list[Row]]:
    by_content: dict[Hashable, list[Row]] = defaultdict(list)
    for row in now:
        by_content[_content(columns, row)].append(row)
    left = []
    taken: set[int] = set()
    for old in before:
        candidates = by_content.get(_content(columns, old.row))
        if not candidates and old.renamed is not None:
            candidates = by_content.get(_content(columns, old.renamed))
        if candidates:
            row = candidates.pop(0)
            taken.add(id(row))
            found.pairs.append(Pair(old, row))
        else:
            left.append(old)
    return left, [row for row in now if id(row) not in taken]


def _content(columns: Sequence[str], row: Row) -> Hashable:
    return tuple(fold(value) if isinstance(value := row.get(column), str) else repr(value) for column in columns)


def _match_similar(
    column: str, before: Iterable[OldRow], now: Iterable[Row], found: Matched
) -> tuple[list[OldRow], list[Row]]:
    left, free = [], list(now)
    for old in before:
        likeness, place = max(
            ((_likeness(old.row.get(column), row.get(column)), -place) for place, row in enumerate(free)),
            default=(0, 0),
        )
        if likeness >= SIMILAR:
            found.pairs.append(Pair(old, free.pop(-place)))
        else:
            left.append(old)
    return left, free


def _likeness(one: str | None, other: str | None) -> float:
    mine, theirs = Counter(_WORD.findall(fold(one or ""))), Counter(_WORD.findall(fold(other or "")))
    return 2 * (mine & theirs).total() / max(1, mine.total() + theirs.total())


def out_of_order(pairs: Iterable[Pair], owner: str) -> list[Pair]:
    """The fewest rows that must have changed their place in their owner's list. What shifts because another row came or went
    did not.
    """
    lists: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        lists[pair.row[owner]].append(pair)
    found: list[Pair] = []
    for one in lists.values():
        one.sort(key=lambda pair: (pair.old.row["position"], pair.row["position"]))
        found += _not_rising(one)
    return found


def _not_rising(pairs: Sequence[Pair]) -> list[Pair]:
    """What is not part of a longest run of rows whose new places rise as the old ones do."""
    ends: list[int] = []  # the smallest last place of a run of each length
    lengths = []
    for pair in pairs:
        place = pair.row["position"]
        length = bisect_right(ends, place)
        ends[length : length + 1] = [place]
        lengths.append(length)
    moved = []
    wanted, limit = len(ends) - 1, float("inf")
    for pair, length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == wanted and pair.row["position"] <= limit:
            wanted, limit = wanted - 1, pair.row["position"]
        else:
            moved.append(pair)
    return moved[::-1]
