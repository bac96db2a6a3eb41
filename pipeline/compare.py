"""What changed between two releases, each change once, for programs.

In: two releases. Out: `Changes`, which `changes.json` holds and `changelog` tells to people.

    >>> compare(Release.of(Path("old/11e")), Release.of(Path("new/11e"))).changes[0]  # doctest: +SKIP
    Change(table='unit_costs', id='ash-compact/brindle-hauler#1', kind='changed', column='points', old=85, new=90, …)

What follows from a change is not told beside it: `damage_mean` beside `damage`, the keyword index beside the keyword, the places
of all rows behind a new one, the ids of the weapons of a renamed unit. `derivedFrom`, `derived` and `rowMatch` in `schemas/` say
what follows from what. It is told when it changed and its source did not. Rows that came or went with another row (`partOf`) name
the change that they are part of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from pipeline import schema, store
from pipeline.match import Follower, Matched, OldRow, Pair, Row, identity, match, out_of_order
from pipeline.migrations import Successors
from pipeline.records import ALL_MODELS, Migration
from pipeline.schema import Table

Kind = Literal["added", "removed", "retired", "renamed", "merged", "changed", "moved"]

DATASHEETS, FACTIONS = "datasheets", "factions"
_KINDS: tuple[Kind, ...] = ("renamed", "merged", "retired", "removed", "added", "changed", "moved")
NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "weapon_profiles": ("weapon_name", "profile_name"),
    "weapon_abilities": ("ability", "target"),
    "keywords": ("keyword",),
    "unit_costs": ("description", "from_unit", "to_unit"),
    "unit_composition": ("model_name",),
    "wargear_options": ("text",),
    "datasheet_stratagems": ("stratagem_id",),
    "datasheet_enhancements": ("enhancement_id",),
    "datasheet_detachment_rules": ("rule_id",),
    "leaders": ("led_name",),
    "rules": ("number", "title"),
    "faqs": ("question",),
    "keyword_index": ("keyword_index_id",),
    "crosswalk": ("source", "source_id"),
}
"""What people call a row, where it is not just its `name`."""
_BETWEEN = {"weapon_profiles": " – ", "unit_costs": ", "}


class Name(msgspec.Struct, frozen=True):
    """A row's table and id."""

    table: str
    id: str


class Items(msgspec.Struct, frozen=True):
    """What came to a list and what went from it; nothing of both: the order changed."""

    added: tuple[Any, ...]
    removed: tuple[Any, ...]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change.

    `id` is the row's key in the new release, and in the old one where it is `removed`, `retired` or `merged`. `old` and `new` are
    the values of `column`, null being what a source does not print; the whole row where one is `added`, `removed` or `retired`; the
    ids where it is `renamed` or `merged`. `items` for lists, `reason` as the migration gives it.
    """

    table: str
    id: str
    kind: Kind
    column: str | None = None
    old: Any = None
    new: Any = None
    items: Items | None = None
    label: str
    datasheet_id: str | None = None
    faction_id: str | None = None
    part_of: Name | None = None
    reason: str | None = None


class TableChanges(msgspec.Struct, frozen=True):
    """How much changed in a table.

    `told`: its changes are listed. `changes`: how many, by kind; `parts`: how many of the listed are part of another. `follows`:
    values and rows that changed as other changes imply, and are not listed; of a table that is not told, all rows that differ.
    """

    before: int | None
    now: int | None
    told: bool = True
    changes: dict[str, int] = {}
    parts: int = 0
    follows: int = 0


class Form(msgspec.Struct, frozen=True):
    """A table or a column that only one of the releases has, so that its values cannot be compared."""

    table: str
    column: str | None
    kind: Literal["added", "removed", "other-key"]


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that changed. `first`: there was no release before; `names` of factions and datasheets by table and id."""

    first: bool
    edition_before: str | None
    edition: str
    tables: dict[str, TableChanges]
    form: tuple[Form, ...] = ()
    changes: tuple[Change, ...] = ()
    names: dict[str, dict[str, str]] = {}

    def of(self, table: str) -> Changes:
        """What changed in one table."""
        return msgspec.structs.replace(
            self,
            tables={name: one for name, one in self.tables.items() if name == table},
            form=tuple(one for one in self.form if one.table == table),
            changes=tuple(one for one in self.changes if one.table == table),
        )


class Shape(NamedTuple):
    """Columns, key and number of rows of a table in a release."""

    columns: tuple[str, ...]
    key: tuple[str, ...]
    rows: int


class Release(NamedTuple):
    """A release to compare: its folder, and what it has."""

    folder: Path
    edition: str
    shapes: Mapping[str, Shape]

    @classmethod
    def of(cls, folder: Path) -> Release:
        """A published release. Raises OSError when there is none in the folder, DamagedRelease when it is no release."""
        package = store.read_package(folder)
        shapes = {
            one["name"]: Shape(
                tuple(field["name"] for field in one["schema"]["fields"]),
                tuple(one["schema"]["primaryKey"]),
                one["rows"],
            )
            for one in package["resources"]
            if one["format"] == "parquet"
        }
        return cls(folder, package["edition"], shapes)


def compare(old: Release | None, new: Release, *, also: str | None = None) -> Changes:
    """What changed from a release to another; None: there was none before. `also` is a derived table to be told as well."""
    if old is None:
        tables = {name: TableChanges(None, shape.rows, told=False) for name, shape in new.shapes.items()}
        return Changes(first=True, edition_before=None, edition=new.edition, tables=tables)
    return _Comparison(old, new, also).changes()


class _Comparison:
    def __init__(self, old: Release, new: Release, also: str | None) -> None:
        self.old = old
        self.new = new
        known = schema.tables()
        names = [*known, *sorted({*old.shapes, *new.shapes} - {*known})]
        self.order = {name: place for place, name in enumerate(names)}
        self.form = tuple(self._form(names))
        apart = {one.table for one in self.form if one.column is None}
        both = [name for name in names if name in old.shapes and name in new.shapes and name not in apart]
        self.definitions = {name: _definition(name, known, old.shapes[name], new.shapes[name]) for name in both}
        self.told = [name for name in both if not self.definitions[name].derived or name == also]
        self.migrations: Sequence[Migration] = ()
        if "migrations" in new.shapes:
            self.migrations = store.read_records(new.folder, "migrations")  # type: ignore[assignment]
        self.declared = {(one.table, one.old_id): one for one in self.migrations}
        self.successors = Successors(self.migrations)
        self.follower = Follower(self.successors, self._names)
        self.matched = {name: self._match(name) for name in self.told}
        self.parts: dict[tuple[str, str, bool], Name] = {}
        self.follows: Counter[str] = Counter()

    def _form(self, names: Sequence[str]) -> Iterator[Form]:
        for name in names:
            before, now = self.old.shapes.get(name), self.new.shapes.get(name)
            if before is None and now is not None:
                yield Form(name, None, "added")
            elif now is None and before is not None:
                yield Form(name, None, "removed")
            elif before is not None and now is not None:
                if before.key != now.key:
                    yield Form(name, None, "other-key")
                yield from (Form(name, column, "added") for column in now.columns if column not in before.columns)
                yield from (Form(name, column, "removed") for column in before.columns if column not in now.columns)

    def _match(self, table: str) -> Matched:
        definition = self.definitions[table]
        before, now = (_content(release, table) for release in (self.old, self.new))
        if before == now and not self.migrations:
            return Matched()
        rows = store.read_rows(self.old.folder, table)
        follow = self.follower.old_row if self.migrations else _as_it_was
        old_rows = [follow(definition, row) for row in rows]
        return match(definition, old_rows, store.read_rows(self.new.folder, table))

    @cache  # noqa: B019 - lives as long as the comparison
    def _rows(self, table: str, new: bool) -> Mapping[str, Row]:
        """The rows of a table by id."""
        release = self.new if new else self.old
        if table not in release.shapes:
            return {}
        definition = self.definitions[table]
        return {identity(definition, row): row for row in store.read_rows(release.folder, table)}

    def _names(self, table: str, old_id: str, new_id: str) -> tuple[str, str] | None:
        before, now = self._rows(table, False).get(old_id, {}), self._rows(table, True).get(new_id, {})
        names = before.get("name"), now.get("name")
        return None if None in names or names[0] == names[1] else names  # type: ignore[return-value]

    # what is told

    def changes(self) -> Changes:
        """Everything that changed."""
        found = [one for name in self.told for one in self._table(name)]
        found.sort(key=self._place)
        return Changes(
            first=False,
            edition_before=self.old.edition,
            edition=self.new.edition,
            tables={name: self._counts(name, found) for name in self.order},
            form=self.form,
            changes=tuple(found),
            names=self._used_names(found),
        )

    def _place(self, change: Change) -> tuple[Any, ...]:
        owner, _, position = change.id.rpartition("#")
        definition = self.definitions[change.table]
        column = definition.columns.index(change.column) if change.column else -1
        number = int(position) if position.isdecimal() else 0
        return self.order[change.table], owner, number, change.id, _KINDS.index(change.kind), column

    def _counts(self, table: str, found: Sequence[Change]) -> TableChanges:
        before, now = (release.shapes.get(table) for release in (self.old, self.new))
        rows = before and before.rows, now and now.rows
        if table not in self.matched:
            return TableChanges(*rows, told=False, follows=self._differing(table))
        mine = [one for one in found if one.table == table]
        kinds = Counter(one.kind for one in mine)
        return TableChanges(
            *rows,
            changes={kind: kinds[kind] for kind in _KINDS if kinds[kind]},
            parts=sum(one.part_of is not None for one in mine),
            follows=self.follows[table],
        )

    def _differing(self, table: str) -> int:
        """Rows that one release has and the other has not, to the letter."""
        if table not in self.definitions:
            return 0
        before, now = (
            Counter(line.removesuffix(b",") for line in _content(release, table).splitlines() if line.startswith(b"{"))
            for release in (self.old, self.new)
        )
        return max((before - now).total(), (now - before).total())

    def _used_names(self, found: Sequence[Change]) -> dict[str, dict[str, str]]:
        used = {
            DATASHEETS: {one.datasheet_id for one in found if one.datasheet_id},
            FACTIONS: {one.faction_id for one in found if one.faction_id},
        }
        return {
            table: {one: row["name"] for one in sorted(wanted) if (row := self._row(table, one)) and row.get("name")}
            for table, wanted in used.items()
        }

    def _row(self, table: str, key: str) -> Row | None:
        return self._rows(table, True).get(key) or self._rows(table, False).get(key)

    def _table(self, table: str) -> Iterator[Change]:
        definition, matched = self.definitions[table], self.matched[table]
        for old in matched.merged:
            yield from self._merged(definition, old)
        for old in matched.gone:
            yield from self._gone(definition, old)
        for row in matched.came:
            yield from self._came(definition, row)
        for pair in matched.pairs:
            if pair.old.was != pair.row:
                yield from self._changed(definition, pair)
        if definition.part_of and "position" in definition.columns:
            for pair in out_of_order(matched.pairs, definition.part_of[0]):
                old, new = pair.old.row["position"], pair.row["position"]
                yield self._change(definition, pair.row, "moved", column="position", old=old, new=new)

    def _change(self, definition: Table, row: Row, kind: Kind, *, gone: bool = False, **values: Any) -> Change:
        sheet, faction = self._owner(definition, row, not gone)
        if gone and sheet is not None and definition.name != DATASHEETS:
            sheet = self.follower.follow(DATASHEETS, sheet)
        return Change(
            table=definition.name,
            id=identity(definition, row),
            kind=kind,
            label=self._label(definition, row, not gone),
            datasheet_id=sheet,
            faction_id=faction,
            **values,
        )

    def _owner(self, definition: Table, row: Row, new: bool) -> tuple[str | None, str | None]:
        """The datasheet and the faction that a row belongs to."""
        if definition.name == DATASHEETS:
            return identity(definition, row), row.get("faction_id")
        for table, key in _owners(definition, row)[:1]:
            owner = self._rows(table, new).get(key) if table in self.definitions else None
            if owner is not None:
                return self._owner(self.definitions[table], owner, new)
        return None, identity(definition, row) if definition.name == FACTIONS else row.get("faction_id")

    def _label(self, definition: Table, row: Row, new: bool) -> str:
        columns = NAMED_BY.get(definition.name, ("name",))
        values = [str(row[column]) for column in columns if row.get(column) is not None]
        if definition.name == "unit_costs":
            values = _price_label(row)
        elif definition.name == "keywords" and row.get("model_name", ALL_MODELS) != ALL_MODELS:
            values.append(f"({row['model_name']})")
        label = _BETWEEN.get(definition.name, " ").join(values)
        label = label or row.get("text") or identity(definition, row)
        for table, key in _owners(definition, row)[:1]:
            if table not in (DATASHEETS, FACTIONS) and table in self.definitions and not definition.record_references:
                owner = self._rows(table, new).get(key)
                return f"{self._label(self.definitions[table], owner, new)}: {label}" if owner else label
        return label

    # rows that came and went

    @cached_property
    def _came_ids(self) -> Mapping[str, frozenset[str]]:
        return {
            name: frozenset(identity(self.definitions[name], row) for row in found.came)
            for name, found in self.matched.items()
        }

    @cached_property
    def _gone_ids(self) -> Mapping[str, frozenset[str]]:
        return {
            name: frozenset(identity(self.definitions[name], old.was) for old in (*found.gone, *found.merged))
            for name, found in self.matched.items()
        }

    def _part_of(self, definition: Table, row: Row, *, came: bool) -> Name | None:
        """The row that this one came or went with; the outermost, where that one did so, too."""
        ids = self._came_ids if came else self._gone_ids
        for table, key in _owners(definition, row):
            if key in ids.get(table, ()):
                part = self.parts.get((table, key, came)) or Name(table, key)
                self.parts[definition.name, identity(definition, row), came] = part
                return part
        return None

    def _merged(self, definition: Table, old: OldRow) -> Iterator[Change]:
        was, now = identity(definition, old.was), identity(definition, old.row)
        migration = self.declared.get((definition.name, was))
        if migration is not None:
            yield self._change(definition, old.was, "merged", gone=True, old=was, new=now, reason=migration.reason)
        else:
            self.follows[definition.name] += 1

    def _gone(self, definition: Table, old: OldRow) -> Iterator[Change]:
        part = self._part_of(definition, old.was, came=False)
        if part is None and self._row_follows(definition, old.was):
            self.follows[definition.name] += 1
            return
        was = identity(definition, old.was)
        successor = self.successors.of(definition.name, was)
        migration = self.declared.get((definition.name, was))
        # an edition is a game of its own: what the new one lacks was not lost, but is no longer played
        retired = (successor is not None and successor.new_id is None) or (
            self.old.edition != self.new.edition and definition.stable_ids
        )
        reason = migration.reason if migration and retired else None
        kind: Kind = "retired" if retired else "removed"
        yield self._change(definition, old.was, kind, gone=True, old=old.was, part_of=part, reason=reason)

    def _came(self, definition: Table, row: Row) -> Iterator[Change]:
        part = self._part_of(definition, row, came=True)
        if part is None and self._row_follows(definition, row):
            self.follows[definition.name] += 1
            return
        yield self._change(definition, row, "added", new=row, part_of=part)

    def _row_follows(self, definition: Table, row: Row) -> bool:
        """Whether a row says nothing but what is derived: a keyword that no page's index prints."""
        says = [
            one
            for one in definition.fields
            if one.name not in definition.key and row.get(one.name) not in (None, [], False)
        ]
        derived = [one for one in says if one.derived_from]
        return bool(derived) and derived == says and all(self._source_changed(one) for one in derived)

    def _source_changed(self, column: schema.Field) -> bool:
        return all(source not in self.matched or self._touched(source) for source in column.derived_from)

    @cache  # noqa: B019 - lives as long as the comparison
    def _touched(self, table: str) -> frozenset[str]:
        """Owners of the rows of a table that came, went or changed; the rows themselves where they have none."""
        definition, matched = self.definitions[table], self.matched[table]
        changed = [pair.row for pair in matched.pairs if pair.old.row != pair.row]
        rows = [*matched.came, *changed, *(old.row for old in matched.gone)]
        return frozenset(
            row[definition.part_of[0]] if definition.part_of else identity(definition, row) for row in rows
        )

    # rows that stayed

    def _changed(self, definition: Table, pair: Pair) -> Iterator[Change]:
        was, now = identity(definition, pair.old.was), identity(definition, pair.row)
        migration = self.declared.get((definition.name, was))
        part = None
        if migration is not None and was != now:
            part = Name(definition.name, now)
            outer = self._renamed_with(definition, pair)
            reason = migration.reason
            yield self._change(definition, pair.row, "renamed", old=was, new=now, reason=reason, part_of=outer)
            part = outer or part
        differing = {
            column: (pair.old.was[column], pair.row[column]) for column in definition.columns if self._differs(definition, pair, column)
        }  # fmt: skip
        for column, (old, new) in differing.items():
            if self._follows(definition, pair, column, differing):
                self.follows[definition.name] += 1
            else:
                items = _items(old, new)
                yield self._change(
                    definition, pair.row, "changed", column=column, old=old, new=new, items=items, part_of=part
                )

    def _renamed_with(self, definition: Table, pair: Pair) -> Name | None:
        """The renamed row that this one belongs to."""
        for (table, old_key), (_, key) in zip(
            _owners(definition, pair.old.was), _owners(definition, pair.row), strict=True
        ):
            if old_key != key and (table, old_key) in self.declared:
                return Name(table, key)
        return None

    def _differs(self, definition: Table, pair: Pair, column: str) -> bool:
        if column in definition.key or (column == "position" and definition.part_of):
            return False  # how the row was found again; `out_of_order` tells of places
        return not pair.old.says(column, pair.row[column])

    def _follows(self, definition: Table, pair: Pair, column: str, differing: Mapping[str, Any]) -> bool:
        """Whether a change is no more than another one implies."""
        for source in definition.field(column).derived_from:
            if source in differing:
                return True
            if source not in self.matched:
                continue
            if any(key.column == column for key in definition.foreign_keys):
                if differing[column][0] in self._gone_ids[source] or differing[column][1] in self._came_ids[source]:
                    return True
            elif any(key.reference.resource == definition.name for key in self.definitions[source].foreign_keys):
                if identity(definition, pair.row) in self._touched(source):
                    return True
            elif self._touched(source):
                return True
        return False


def _as_it_was(_: Table, row: Row) -> OldRow:
    return OldRow(row, row)


def _content(release: Release, table: str) -> bytes:
    return (release.folder / "tables" / f"{table}.json").read_bytes()


def _definition(name: str, known: Mapping[str, Table], before: Shape, now: Shape) -> Table:
    """A table's definition, with the columns that both releases have; of one that this version does not know, what they say."""
    columns = [column for column in now.columns if column in before.columns]
    if name not in known:
        fields = tuple(schema.Field(name=column, type="string") for column in columns)
        return Table(
            name=name, title=name, description="", stable_ids=False, loss_guard=False, primary_key=now.key, fields=fields
        )  # fmt: skip
    table = known[name]
    fields = tuple(
        table.field(column) if column in table.columns else schema.Field(name=column, type="string")
        for column in columns
    )
    part_of = tuple(column for column in table.part_of if column in columns)
    return msgspec.structs.replace(
        table,
        fields=fields,
        primary_key=now.key,
        part_of=part_of,
        foreign_keys=tuple(key for key in table.foreign_keys if key.column in columns),
        record_references=tuple(one for one in table.record_references if {one.table, one.id} <= {*columns}),
        row_match=table.row_match if part_of and "position" in columns else None,
    )


def _owners(definition: Table, row: Row) -> list[tuple[str, str]]:
    """Table and id of what a row is part of, its owner first."""
    targets = {key.column: key.reference.resource for key in definition.foreign_keys}
    targets |= {one.id: row[one.table] for one in definition.record_references}
    return [(targets[column], row[column]) for column in definition.part_of]


def _items(old: Any, new: Any) -> Items | None:
    if not isinstance(old, list) or not isinstance(new, list):
        return None
    return Items(_without(new, old), _without(old, new))


def _without(items: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    left = list(others)
    found = []
    for item in items:
        if item in left:
            left.remove(item)
        else:
            found.append(item)
    return tuple(found)


def _price_label(row: Row) -> list[str]:
    of = [row["description"]] if row.get("description") else []
    first, last = row.get("from_unit"), row.get("to_unit")
    if first is None or (first == 1 and last is None):
        return of
    return [*of, f"unit {first} and on" if last is None else f"units {first}–{last}"]
