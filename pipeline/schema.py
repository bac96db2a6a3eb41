"""The tables as `schemas/<table>.json` defines them (Frictionless Table Schema): types, keys, constraints, texts.

In: the schemas. Out: `Table` objects; the Arrow schema of each; `faults`, which holds columns of values against them.

    >>> table("leaders").key
    ('leader_id', 'led_name')
    >>> table("weapon_profiles").field("range_inches").unit
    'inches'

Beyond the standard, a field may have a `unit`, a `role` (`name`: a name, has a letter and is one line; `prose`:
sentences of rules or flavour, left out of a release without prose; `printed`: a cell as the source prints it) and, for
lists of ids, an `itemReference`; a table has `recordReferences` (pairs of columns that name a table and a row of it),
`stableIds` (an id that was published is never dropped without a declared migration) and `lossGuard` (losing rows stops
a release).

What changed between releases is told once, where it was printed. So a column is `derivedFrom` others, or from tables;
a whole table is `derived`; a row is `partOf` the rows that these columns name, the first being its owner, and comes and
goes with them; and `rowMatch` finds rows again that only have a place in their owner's list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from pipeline.records import TABLES
from pipeline.vocabulary import SCHEMAS

if TYPE_CHECKING:
    import pyarrow as pa

FieldType = Literal["string", "integer", "number", "boolean", "array", "object"]
Role = Literal["name", "prose", "printed"]


class Constraints(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """What a value must be. `pattern` is anchored at both ends."""

    required: bool = False
    unique: bool = False
    enum: tuple[str, ...] | None = None
    pattern: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    min_length: int | None = None


class ItemReference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the ids in a list point to."""

    resource: str
    field: str


class Field(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """A column, an item of a list column (then without a name), or a field of such an item."""

    name: str = ""
    type: FieldType
    description: str = ""
    unit: str | None = None
    role: Role | None = None
    array_item: Field | None = None
    fields: tuple[Field, ...] = ()
    item_reference: ItemReference | None = None
    derived_from: tuple[str, ...] = ()
    example: Any = None
    constraints: Constraints = Constraints()

    @property
    def required(self) -> bool:
        """Whether null is forbidden."""
        return self.constraints.required


class Target(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Table and column that a foreign key points to."""

    resource: str
    fields: tuple[str]


class ForeignKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A column whose values are null or values of another table's column."""

    fields: tuple[str]
    reference: Target

    @property
    def column(self) -> str:
        """The column that points."""
        return self.fields[0]


class RecordReference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two columns that together name a row of any table: the table's name, and the row's `identity`."""

    table: str
    id: str


class RowMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How rows that have no name, only a place in a list, are found again in another release.

    `columns`: sets of columns, the strictest first; rows that agree in all columns of a set are the same. `similar`: of what is
    then left, rows whose words in this column are half the same.
    """

    columns: tuple[tuple[str, ...], ...]
    similar: str | None = None


class Table(msgspec.Struct, frozen=True, dict=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """A table's definition."""

    name: str
    title: str
    description: str
    stable_ids: bool
    loss_guard: bool
    primary_key: tuple[str, ...]
    fields: tuple[Field, ...]
    foreign_keys: tuple[ForeignKey, ...] = ()
    record_references: tuple[RecordReference, ...] = ()
    derived: bool = False
    part_of: tuple[str, ...] = ()
    row_match: RowMatch | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that identify a row."""
        return self.primary_key

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(field.name for field in self.fields)

    def field(self, column: str) -> Field:
        """A column by name; KeyError for one that the table does not have."""
        return self._by_name[column]

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    def without_prose(self) -> Table:
        """The table without the columns that hold sentences; keys and ids are none."""
        return msgspec.structs.replace(self, fields=tuple(field for field in self.fields if field.role != "prose"))

    def descriptor(self) -> dict[str, Any]:
        """The Table Schema as plain JSON values, as `datapackage.json` publishes it."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return {
            part: plain[part] for part in ("fields", "primaryKey", "foreignKeys", "recordReferences") if part in plain
        }

    def arrow(self) -> pa.Schema:
        """The Arrow schema: types, nullability, descriptions and units."""
        import pyarrow as pa

        return pa.schema([_arrow_field(field) for field in self.fields])


@cache
def table(name: str) -> Table:
    """A table's definition by name; KeyError for a table that does not exist."""
    if name not in TABLES:
        raise KeyError(f"no table {name!r}; the tables are {', '.join(sorted(TABLES))}")
    return msgspec.convert(json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")), Table)


def tables() -> dict[str, Table]:
    """All tables by name, in the order of `pipeline.records.TABLES`."""
    return {name: table(name) for name in TABLES}


def _arrow_type(field: Field) -> pa.DataType:
    import pyarrow as pa

    if field.type == "array":
        item = _item(field)
        return pa.list_(pa.field("element", _arrow_type(item), nullable=not item.required))
    if field.type == "object":
        return pa.struct([pa.field(part.name, _arrow_type(part), nullable=not part.required) for part in field.fields])
    plain: dict[str, pa.DataType] = {
        "string": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
    }
    return plain[field.type]


def _arrow_field(field: Field) -> pa.Field[Any]:
    import pyarrow as pa

    metadata = {"description": field.description} | ({"unit": field.unit} if field.unit else {})
    return pa.field(field.name, _arrow_type(field), nullable=not field.required, metadata=metadata)


def _item(field: Field) -> Field:
    if field.array_item is None:
        raise ValueError(f"schema of list column {field.name!r} does not say what its items are")
    return field.array_item


# What rows must be before they are written or framed. pyarrow and pandas would repair such faults without a word.


class Fault(NamedTuple):
    """A value that its column cannot hold: code of the catalogue, row number, column, what is wrong."""

    code: str
    row: int
    column: str
    message: str


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (float,),
    "boolean": (bool,),
    "array": (tuple, list),
    "object": (dict,),
}


def faults(definition: Table, columns: Mapping[str, Sequence[Any]]) -> Iterator[Fault]:
    """Columns that are missing or unknown, nulls in required columns, values of a wrong type, as `Fault`s.

    The types are exact: 1.5 and True are no integers, NaN is no number, None is no empty list.
    """
    for column in columns:
        if column not in definition.columns:
            yield Fault("wrong-type", 0, column, f"table {definition.name} has no column {column}")
    for field in definition.fields:
        if field.name not in columns:
            yield Fault("wrong-type", 0, field.name, f"column {field.name} is missing")
        else:
            yield from _column_faults(field, columns[field.name])


def _column_faults(field: Field, values: Sequence[Any]) -> Iterator[Fault]:
    if _all_sound(field, values):
        return
    for row, value in enumerate(values):
        if value is None and field.required:
            yield Fault("missing-value", row, field.name, f"{field.name} is null")
        elif not _all_sound(field, (value,)):
            wanted = f"{field.type} expected, {type(value).__name__} found"
            yield Fault("wrong-type", row, field.name, f"{field.name} = {value!r}: {wanted}")


def _all_sound(field: Field, values: Sequence[Any]) -> bool:
    # one set of types per column, and not a look at each value: a game has some hundred thousand rows
    allowed: set[type] = {*_PYTHON_TYPES[field.type], *(() if field.required else (type(None),))}
    if not set(map(type, values)) <= allowed:
        return False
    present: Sequence[Any] = values if field.required else [value for value in values if value is not None]
    if field.type == "number":
        return all(map(math.isfinite, present))
    if field.type == "array":
        return _all_sound(_item(field), [item for value in present for item in value])
    if field.type == "object":
        names = [part.name for part in field.fields]
        return all(list(value) == names for value in present) and all(
            _all_sound(part, [value[part.name] for value in present]) for part in field.fields
        )
    return True


def duplicates(keys: Sequence[Any]) -> list[int]:
    """Numbers of the rows whose key another row before them has."""
    seen: set[Any] = set()
    repeated = []
    for row, key in enumerate(keys):
        if key in seen:
            repeated.append(row)
        seen.add(key)
    return repeated


def whole(pattern: str) -> str:
    r"""A schema's pattern for Python's `re`, where `$` would let a line break pass: `^a$` → `\A(?:a)\Z`."""
    return rf"\A(?:{pattern.removeprefix('^').removesuffix('$')})\Z"
