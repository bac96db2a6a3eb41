"""What changed between two releases, for people: `CHANGES.md`, and what `datasheets diff` prints.

In: `Changes`. Out: Markdown, bounded in size: counts first, then what is the same in many records under one heading, then the rest
by faction and datasheet. What has no room is counted; `changes.json` has all of it.

    >>> print(markdown(compare(old, new)))  # doctest: +SKIP
    …
    ### Brindle Hauler
    - **Weapon profiles** Rivet gun: damage 3 → D3
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from pipeline import schema
from pipeline.compare import DATASHEETS, FACTIONS, NAMED_BY, Change, Changes, Form, Name

SAME = 4
"""So many records with the very same change have a heading together."""
MANY = 10
"""So many records with another value in the same column have a heading together."""
LINES_PER_HEADING = 500
LINES = 2_000
TEXT = 240
"""Characters of a value or a difference of texts that are shown."""
WORDS_AROUND = 4
WORDS_COMPARED = 1_500
SHORT = 60

_MARKUP = re.compile(r"[\\*_~<`]")
_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")
_SPACE = re.compile(r"\s+")
_ABBREVIATED = "…"

NOT_PRINTED = "not printed"


def markdown(changes: Changes) -> str:
    """The changes as a page of Markdown."""
    return "\n".join(["# Changes", "", *_Page(changes).lines()]) + "\n"


class _Page:
    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.parts: dict[Name, list[Change]] = defaultdict(list)
        self.told: list[Change] = []
        told = {Name(one.table, one.id) for one in changes.changes}
        for one in changes.changes:
            if one.part_of not in told:
                self.told.append(one)
            else:
                self.parts[one.part_of].append(one)
        self.titles = {name: table.title for name, table in schema.tables().items()}
        self.count = len(self.told)
        self.room = LINES
        self.left_out = 0

    def lines(self) -> Iterator[str]:
        if self.changes.first:
            yield "The first release: there is nothing to compare it with."
            return
        body = [*self._shared(), *self._by_owner()]
        yield from self._head()
        if self.left_out:
            yield f"**{self.left_out:,} changes had no room on this page**; `changes.json` (`datasheets diff --json`) has them all."
            yield ""
        yield from body

    def _head(self) -> Iterator[str]:
        changes = self.changes
        editions = (
            changes.edition
            if changes.edition == changes.edition_before
            else f"{changes.edition_before} → {changes.edition}"
        )
        parts = len(changes.changes) - self.count
        more = f", which bring {parts:,} more" if parts else ""
        yield f"{editions}: {_counted(self.count, 'change')}{more}."
        yield ""
        yield from self._counts()
        if changes.form:
            yield "## Tables and columns"
            yield ""
            yield from (_form_line(one) for one in changes.form)
            yield ""

    def _counts(self) -> Iterator[str]:
        rows = []
        for name, one in self.changes.tables.items():
            if one.changes or one.follows or one.before != one.now:
                kinds = ", ".join(f"{count:,} {kind}" for kind, count in one.changes.items())
                parts = f" ({one.parts:,} with another)" if one.parts else ""
                follows = f"{one.follows:,}" if one.follows else ""
                rows.append(f"| {name} | {_number(one.before)} | {_number(one.now)} | {kinds}{parts} | {follows} |")
        if rows:
            yield "| table | rows before | now | changes | what follows from others, not listed |"
            yield "|---|--:|--:|---|--:|"
            yield from rows
            yield ""

    # the same in many records

    def _shared(self) -> Iterator[str]:
        groups = [
            (found, True) for found in self._take(_place_of_change, MANY) if found[0].kind in ("changed", "moved")
        ]
        groups += [(found, False) for found in self._take(_exact, SAME)]
        groups.sort(key=lambda group: (-len(group[0]), group[0][0].table, group[0][0].id))
        if groups:
            yield "## The same in many records"
            yield ""
        for found, each in groups:
            sheets = {one.datasheet_id for one in found}
            where = f"{len({one.id for one in found}):,} records" if None in sheets else f"{len(sheets):,} datasheets"
            heading = f"### {self._shared_heading(found[0], each)}, in {where}"
            yield from self._section(heading, self._shared_lines(found, each), len(found))

    def _take(self, key: Callable[[Change], Hashable], least: int) -> list[list[Change]]:
        """Takes the changes out of those to be told that enough records share."""
        groups: dict[Hashable, list[Change]] = defaultdict(list)
        for one in self.told:
            shared = key(one)
            if shared is not None:
                groups[shared].append(one)
        found = [group for group in groups.values() if len({one.datasheet_id or one.id for one in group}) >= least]
        taken = {id(one) for group in found for one in group}
        self.told = [one for one in self.told if id(one) not in taken]
        return found

    def _shared_heading(self, change: Change, each: bool) -> str:
        title = self.titles.get(change.table, change.table)
        if change.kind == "moved":
            return f"{title}: another order"
        if change.kind != "changed":
            return f"{title}: {self._fact(change)}"
        return f"{title}: {_column(change)} changed" if each else f"{title}: {_difference(change)}"

    def _shared_lines(self, found: Sequence[Change], each: bool) -> Iterator[str]:
        if each and found[0].kind != "moved":
            for one in sorted(found, key=lambda one: (one.faction_id or "", one.datasheet_id or "", one.id)):
                yield f"- {self._whose(one)}{_values(one)}"
            return
        factions: dict[str, list[str]] = defaultdict(list)
        for one in found:
            name = self._sheet(one) or f"`{one.id}`"
            if name not in factions[one.faction_id or ""]:
                factions[one.faction_id or ""].append(name)
        for faction, names in sorted(factions.items()):
            yield f"- {self._faction(faction)}: {', '.join(names)}"

    def _whose(self, change: Change) -> str:
        sheet = self._sheet(change)
        label = _escaped(_short(change.label, SHORT))
        if sheet is None:
            return f"{self._faction(change.faction_id or '')}, {label}: "
        return f"{sheet}: " if change.table == DATASHEETS else f"{sheet}, {label}: "

    # the rest

    def _by_owner(self) -> Iterator[str]:
        factions: dict[str, dict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
        for one in self.told:
            whole = one.table == DATASHEETS and one.kind not in ("changed", "renamed")
            factions[one.faction_id or ""]["" if whole else one.datasheet_id or ""].append(one)
        for faction, sheets in sorted(factions.items()):
            yield f"## {self._faction(faction)}"
            yield ""
            for sheet, found in sorted(sheets.items()):
                name = self._sheet(found[0]) if sheet else "In general"
                yield from self._section(f"### {name}", self._rows(found), len(found))

    def _rows(self, found: Sequence[Change]) -> Iterator[str]:
        orders: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for one in found:
            if one.kind == "moved":
                orders[one.table, one.label.rpartition(": ")[0]].append(one)
            elif one.kind == "changed":
                yield f"- {self._title(one)}: {_difference(one)}"
            else:
                yield f"- **{self.titles.get(one.table, one.table)}** {self._fact(one)}"
        for (table, _), moved in orders.items():
            places = ", ".join(f"{_escaped(_short(one.label, SHORT))} {one.old} → {one.new}" for one in moved)
            yield f"- **{self.titles.get(table, table)}** in another order: {_short(places, TEXT)}"

    def _title(self, change: Change) -> str:
        title = f"**{self.titles.get(change.table, change.table)}**"
        told = change.table == DATASHEETS or change.column in NAMED_BY.get(change.table, ())
        return title if told else f"{title} {_escaped(_short(change.label, SHORT))}"

    def _fact(self, change: Change) -> str:
        """A row that came, went, or has another id."""
        parts = self.parts.get(Name(change.table, change.id), [])
        brings = Counter(one.table for one in parts if one.kind in ("added", "removed", "retired"))
        details = [_difference(one) for one in parts if one.kind == "changed" and one.table == change.table]
        details += [f"{count:,} {self.titles.get(table, table).lower()}" for table, count in brings.items()]
        details += [_escaped(change.reason)] if change.reason else []
        if change.kind in ("renamed", "merged"):
            said = f"{change.kind} `{change.old}` → `{change.new}`"
        else:
            row = change.old if change.new is None else change.new
            details = [*_facts(change.table, row), *details]
            said = f"{change.kind} {_escaped(_short(change.label, TEXT))}"
        return said + (f" ({'; '.join(details)})" if details else "")

    def _faction(self, faction: str) -> str:
        return _escaped(self.changes.names.get(FACTIONS, {}).get(faction, faction)) or "Of no faction"

    def _sheet(self, change: Change) -> str | None:
        if change.datasheet_id is None:
            return None
        return _escaped(self.changes.names.get(DATASHEETS, {}).get(change.datasheet_id, change.datasheet_id))

    def _section(self, heading: str, lines: Iterable[str], count: int) -> Iterator[str]:
        """A heading and its lines, as many as there is room for."""
        every = list(lines)
        shown = every[: min(LINES_PER_HEADING, self.room)]
        self.room -= len(shown)
        if not shown:
            self.left_out += count
            return
        yield heading
        yield ""
        yield from shown
        if len(shown) < len(every):
            self.left_out += len(every) - len(shown)
            yield f"- … and {len(every) - len(shown):,} more"
        yield ""


def _place_of_change(change: Change) -> Hashable:
    if change.kind == "moved":
        return change.table, change.kind
    if change.kind != "changed" or _is_prose(change) or change.items is not None:
        return None
    return change.table, change.column


def _exact(change: Change) -> Hashable:
    if change.kind == "changed":
        return change.table, change.column, repr(change.old), repr(change.new)
    if change.kind in ("added", "removed", "retired"):
        row = change.old if change.new is None else change.new
        return change.table, change.kind, change.label, tuple(_facts(change.table, row))
    return None


def _is_prose(change: Change) -> bool:
    table = schema.tables().get(change.table)
    return any(one.name == change.column and one.role == "prose" for one in table.fields) if table else False


def _form_line(form: Form) -> str:
    if form.kind == "other-key":
        return f"- table `{form.table}` has another key: its rows cannot be compared"
    what = f"table `{form.table}`" if form.column is None else f"column `{form.table}.{form.column}`"
    return f"- {what} was {form.kind}: only the {'new' if form.kind == 'added' else 'old'} release has it"


def _facts(table: str, row: dict[str, Any]) -> list[str]:
    """The few values that tell a row from others like it."""
    definition = schema.tables().get(table)
    if definition is None:
        return []
    left_out = {
        *definition.key,
        *definition.part_of,
        *NAMED_BY.get(table, ()),
        "position",
        "faction_id",
        "detachment_id",
    }
    return [
        f"{one.name.removesuffix('_printed').replace('_', ' ')} {_shown(row[one.name])}"
        for one in definition.fields
        if one.name not in left_out
        and one.role not in ("prose", "name")
        and not one.derived_from
        and row.get(one.name) not in (None, [], False)
    ]


def _difference(change: Change) -> str:
    return f"{_column(change)} {_values(change)}"


def _column(change: Change) -> str:
    return (change.column or "").removesuffix("_printed").replace("_", " ")


def _values(change: Change) -> str:
    if change.items is not None:
        return _items(change.items.added, change.items.removed)
    if isinstance(change.old, str) and isinstance(change.new, str) and len(change.old) + len(change.new) > SHORT:
        return word_diff(change.old, change.new)
    return f"{_shown(change.old)} → {_shown(change.new)}"


def _items(added: Sequence[Any], removed: Sequence[Any]) -> str:
    if not added and not removed:
        return "in another order"
    titled = {_head_of(one): one for one in removed if isinstance(one, dict)}
    told = []
    for item in added:
        before = titled.get(_head_of(item)) if isinstance(item, dict) else None
        if before is None:
            told.append(f"+ {_shown(item)}")
        else:
            del titled[_head_of(item)]
            texts = (" ".join(map(str, list(one.values())[1:])) for one in (before, item))
            told.append(f"{_shown(_head_of(item))}: {word_diff(*texts)}")
    told += [f"− {_shown(item)}" for item in removed if not isinstance(item, dict) or _head_of(item) in titled]
    return _cut(", ".join(told))


def _head_of(item: dict[str, Any]) -> str:
    return str(next(iter(item.values()), ""))


def _shown(value: Any) -> str:
    """A value as a person reads it; what a source does not print is no value."""
    if value is None:
        return NOT_PRINTED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        value = ": ".join(str(one) for one in value.values() if one)
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return _escaped(_short(str(value), TEXT)) or "empty"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rstrip() + _ABBREVIATED


def _cut(text: str) -> str:
    """Shortens what has marks in it; a mark is not left open."""
    if len(text) <= 2 * TEXT:
        return text
    kept = text[: 2 * TEXT].rpartition(" ")[0]
    for mark in ("**", "~~"):
        kept += mark if kept.count(mark) % 2 else ""
    return f"{kept} {_ABBREVIATED}"


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _number(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def word_diff(old: str, new: str) -> str:
    """What differs between two texts, with a few words around it: `… subtract ~~1~~ **2** from Hit rolls …`."""
    mine, theirs = _TOKEN.findall(old), _TOKEN.findall(new)
    pieces = []
    for tag, a, b, c, d in _together(_operations(mine, theirs), mine):
        if tag == "equal":
            pieces.append(_around(mine[a:b], at_start=a == 0, at_end=b == len(mine)))
        else:
            gone, came = _joined(mine[a:b]).strip(), _joined(theirs[c:d]).strip()
            marked = " ".join([*([f"~~{gone}~~"] if gone else []), *([f"**{came}**"] if came else [])])
            before = mine[a:b] or theirs[c:d]
            pieces.append((" " if before[0].isspace() else "") + marked + (" " if before[-1].isspace() else ""))
    return _cut("".join(pieces).strip())


_Operation = tuple[str, int, int, int, int]


def _together(operations: Iterable[_Operation], mine: Sequence[str]) -> list[_Operation]:
    """Differences with nothing but a space between them are one."""
    found: list[_Operation] = []
    for tag, a, b, c, d in operations:
        if tag == "equal" and found and b - a == 1 and mine[a].isspace() and b < len(mine):
            found.append(("space", a, b, c, d))
        elif tag != "equal" and found and found[-1][0] != "equal":
            while found and found[-1][0] != "equal":
                _, a, _, c, _ = found.pop()
            found.append(("replace", a, b, c, d))
        else:
            found.append((tag, a, b, c, d))
    return found


def _operations(mine: Sequence[str], theirs: Sequence[str]) -> list[_Operation]:
    if len(mine) + len(theirs) > WORDS_COMPARED:
        start = next(
            (n for n, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs))
        )
        tails = zip(reversed(mine[start:]), reversed(theirs[start:]), strict=False)
        end = next((n for n, (a, b) in enumerate(tails) if a != b), min(len(mine), len(theirs)) - start)
        return [
            ("equal", 0, start, 0, start),
            ("replace", start, len(mine) - end, start, len(theirs) - end),
            ("equal", len(mine) - end, len(mine), len(theirs) - end, len(theirs)),
        ]
    return list(SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes())


def _around(tokens: Sequence[str], *, at_start: bool, at_end: bool) -> str:
    """The words next to a difference."""
    near = 2 * WORDS_AROUND  # each word has white space beside it
    if len(tokens) <= (near if at_start or at_end else 2 * near):
        return _joined(tokens)
    start = "" if at_start else _joined(tokens[:near]).rstrip()
    end = "" if at_end else _joined(tokens[-near:]).lstrip()
    return f"{start} {_ABBREVIATED} {end}"


def _joined(tokens: Sequence[str]) -> str:
    return _MARKUP.sub(r"\\\g<0>", _SPACE.sub(" ", "".join(tokens)))
