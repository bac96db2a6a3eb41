"""All reading and writing of rows: records → Arrow, Parquet and JSON, and back.

In: records of one table, and the table's definition. Out: `<table>.parquet` (declared schema, zstd) and `<table>.json`
(a JSON array, one row per line, UTF-8 unescaped, keys in the order of the columns), rows sorted by key. The bytes
depend on the rows and on the versions of pyarrow and msgspec, on nothing else.

    >>> definition = schema.table("leaders")
    >>> store.write_json(definition, rows(definition, leaders), folder / "leaders.json")  # doctest: +SKIP

Rows are checked before they are written: pyarrow would cut 1.5 to 1 in an integer column, fill missing columns and
take null where the schema forbids it; JSON writers would make NaN of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pipeline import schema
from pipeline.records import TABLES, Record

if TYPE_CHECKING:
    import pyarrow as pa

Tables = Mapping[str, Sequence[Record]]
"""The records of a release by table."""

Columns = dict[str, list[Any]]
"""The values of a table, column by column, in the order of its rows."""

ROWS_PER_GROUP = 1 << 16
COMPRESSION_LEVEL = 9
FAULTS_SHOWN = 5

AnyRecordT = TypeVar("AnyRecordT", bound=Record)


class BrokenRows(ValueError):  # noqa: N818 - it says what is wrong, as the codes of the catalogue do
    """Rows that their table cannot hold. A release never gets here: `validate` looks first."""

    def __init__(self, table: str, faults: Sequence[schema.Fault]) -> None:
        shown = "; ".join(f"row {fault.row}: {fault.message}" for fault in faults[:FAULTS_SHOWN])
        super().__init__(f"{table}: {len(faults)} faults: {shown}")


class DamagedRelease(ValueError):  # noqa: N818 - it says what is wrong
    """A file of a published release that is not what this program writes."""

    def __init__(self, path: Path, fault: object) -> None:
        super().__init__(f"{path} is damaged, or of another version of this program: {fault}")


def by_key(records: Iterable[AnyRecordT]) -> list[AnyRecordT]:
    """Records of one table in the order of their keys."""
    return sorted(records, key=lambda record: tuple(getattr(record, column) for column in record.key))


def columns(definition: schema.Table, records: Sequence[Record]) -> Columns:
    """The values of the table's columns. A column that the records do not have is left out: `schema.faults` reports
    it.
    """
    known = set(TABLES[definition.name].__struct_fields__)
    found: Columns = {}
    for field in definition.fields:
        if field.name in known:
            values = [getattr(record, field.name) for record in records]
            # what is no list stays: it is a fault, and to be reported as what it is
            found[field.name] = msgspec.to_builtins(values) if field.type == "array" else values
    return found


def checked(definition: schema.Table, records: Sequence[Record]) -> Columns:
    """The values of the table's columns. Raises `BrokenRows` unless the table can hold them all."""
    found = columns(definition, records)
    faults = list(schema.faults(definition, found))
    if faults:
        raise BrokenRows(definition.name, faults)
    return found


def row_dicts(values: Columns) -> Iterator[dict[str, Any]]:
    """Columns as rows."""
    names = tuple(values)
    return (dict(zip(names, row, strict=True)) for row in zip(*values.values(), strict=True))


def arrow_table(definition: schema.Table, values: Columns) -> pa.Table:
    """Checked columns as an Arrow table with the declared schema."""
    import pyarrow as pa

    declared = definition.arrow()
    arrays = [pa.array(values[field.name], type=field.type) for field in declared]
    return pa.Table.from_arrays(arrays, schema=declared)


def write_parquet(definition: schema.Table, values: Columns, path: Path) -> None:
    """Write checked columns as Parquet. Row groups, pages, compression and metadata are fixed, so that bytes repeat."""
    from pyarrow import parquet

    parquet.write_table(
        arrow_table(definition, values).combine_chunks(),
        path,
        row_group_size=ROWS_PER_GROUP,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        version="2.6",
        data_page_version="1.0",
    )


def write_json(values: Columns, path: Path) -> None:
    """Write checked columns as a JSON array with one row per line."""
    encode = msgspec.json.Encoder().encode
    lines = b",\n".join(map(encode, row_dicts(values)))
    path.write_bytes(b"[\n" + lines + b"\n]\n" if lines else b"[]\n")


def write_document(document: Any, path: Path) -> None:
    """Write one JSON document, indented."""
    path.write_bytes(document_bytes(document))


def document_bytes(document: Any) -> bytes:
    """One JSON document, indented."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def read_document(path: Path) -> Any:
    """Read one JSON document. Raises DamagedRelease where it is none."""
    return _read(path, Any)


def read_rows(release: Path, table: str) -> list[dict[str, Any]]:
    """A table of a release as rows of plain values. Raises DamagedRelease where the file is no such table."""
    found: list[dict[str, Any]] = _read(release / "tables" / f"{table}.json", list[dict[str, Any]])
    return found


def read_records(release: Path, table: str) -> list[Record]:
    """A table of a release as records. Raises DamagedRelease where the release has not all of their columns."""
    record = TABLES[table]
    return list(_read(release / "tables" / f"{table}.json", list[record]))  # type: ignore[valid-type]


class _Field(msgspec.Struct):
    name: str


class _Schema(msgspec.Struct, rename="camel"):
    fields: list[_Field]
    primary_key: list[str]


class _Resource(msgspec.Struct):
    name: str
    format: str
    rows: int | None = None
    schema: _Schema | None = None


class _Source(msgspec.Struct):
    captured_at: str | None = None


class _Package(msgspec.Struct):
    """What is relied on of a `datapackage.json`."""

    edition: str
    resources: list[_Resource]
    sources: list[_Source] = []


def read_package(release: Path) -> dict[str, Any]:
    """The `datapackage.json` of a release. Raises DamagedRelease where it does not describe one."""
    path = release / "datapackage.json"
    found: dict[str, Any] = read_document(path)
    try:
        package = msgspec.convert(found, _Package)
    except msgspec.ValidationError as fault:
        raise DamagedRelease(path, fault) from fault
    for one in package.resources:
        if one.format == "parquet" and (one.rows is None or one.schema is None):
            raise DamagedRelease(path, f"the table {one.name} has no rows or no schema")
    return found


def _read(path: Path, kind: Any) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as fault:
        raise DamagedRelease(path, fault) from fault


def read_arrow(release: Path, table: str) -> pa.Table:
    """A table of a release as an Arrow table."""
    from pyarrow import parquet

    return parquet.read_table(release / "tables" / f"{table}.parquet")
