"""A release's tables in one SQLite and one DuckDB file, with types, keys and foreign keys.

In: the folder of a release with its Parquet files, and the tables' definitions. Out: `dataset.sqlite` and
`dataset.duckdb` beside them, each with as many rows per table as the Parquet files.

SQLite has no lists: there they are JSON text, for its `json_each`. The bytes of both depend on the tables and on the
libraries' versions alone. For DuckDB that takes one thread, a fixed name of the database (the catalogue holds it) and
the storage format of version 1.3: since 1.4 a file is given a random identifier.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pipeline.schema import Field, Table

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = ("sqlite", "duckdb")

_SQLITE = {"string": "TEXT", "integer": "INTEGER", "number": "REAL", "boolean": "INTEGER", "array": "TEXT"}
_DUCKDB = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
_DUCKDB_STORAGE = "v1.3.0"
_DUCKDB_BLOCK = 16384  # bytes, the least: most tables and their indexes are small
_ROWS_AT_ONCE = 10_000
_DEEPEST = 8  # rules nest three deep

Tables = Mapping[str, Table]


def write(release: Path, tables: Tables) -> None:
    """Make both files from the Parquet files in a release's folder. RuntimeError when rows were lost on the way."""
    _write_sqlite(release, tables)
    _write_duckdb(release, tables)


def _parquet(release: Path, table: str) -> Path:
    return release / "tables" / f"{table}.parquet"


def _targets_first(tables: Tables) -> list[str]:
    """The tables in an order in which foreign keys point to what is there already."""
    needs = {
        name: {key.reference.resource for key in table.foreign_keys} - {name} for name, table in sorted(tables.items())
    }
    return list(TopologicalSorter(needs).static_order())


def _quoted(*names: str) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _create(table: Table, types: Mapping[str, str], suffix: str = "") -> str:
    columns = [f"{_quoted(one.name)} {types[one.name]}{' NOT NULL' if one.required else ''}" for one in table.fields]
    columns.append(f"PRIMARY KEY ({_quoted(*table.key)})")
    columns += [
        f"FOREIGN KEY ({_quoted(key.column)}) REFERENCES {_quoted(key.reference.resource)} "
        f"({_quoted(*key.reference.fields)})"
        for key in table.foreign_keys
    ]
    return f"CREATE TABLE {_quoted(table.name)} ({', '.join(columns)}){suffix}"


def _check(form: str, table: str, wanted: int, written: int) -> None:
    if wanted != written:
        raise RuntimeError(f"{form}: {written} rows of {table} were written, it has {wanted}")


def _write_sqlite(release: Path, tables: Tables) -> None:
    from pyarrow import parquet

    with closing(sqlite3.connect(release / "dataset.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("BEGIN")
        for name in _targets_first(tables):
            table = tables[name]
            database.execute(_create(table, {one.name: _SQLITE[one.type] for one in table.fields}, " STRICT"))
            content = parquet.read_table(_parquet(release, name))
            places = ", ".join("?" * len(table.fields))
            database.executemany(f"INSERT INTO {_quoted(name)} VALUES ({places})", _sqlite_rows(content))
            ((written,),) = database.execute(f"SELECT count(*) FROM {_quoted(name)}")
            _check("sqlite", name, content.num_rows, written)
        database.execute("COMMIT")
        broken = database.execute("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise RuntimeError(f"sqlite: {len(broken)} foreign keys lead nowhere, the first in {broken[0][0]}")


def _sqlite_rows(content: pa.Table) -> Iterator[tuple[Any, ...]]:
    for batch in content.to_batches(max_chunksize=_ROWS_AT_ONCE):
        yield from zip(*(map(_sqlite_value, column.to_pylist()) for column in batch.columns), strict=True)


def _sqlite_value(value: Any) -> Any:
    return msgspec.json.encode(value).decode() if isinstance(value, list) else value


def _write_duckdb(release: Path, tables: Tables) -> None:
    import duckdb

    path = release / "dataset.duckdb"
    with duckdb.connect(config={"threads": 1}) as connection:
        options = f"STORAGE_VERSION '{_DUCKDB_STORAGE}', BLOCK_SIZE {_DUCKDB_BLOCK}"
        connection.execute(f"ATTACH '{_text(path)}' AS dataset ({options})")
        connection.execute("USE dataset")
        for name in _targets_first(tables):
            table = tables[name]
            connection.execute(_create(table, {one.name: _duckdb_type(one) for one in table.fields}))
            source = f"FROM read_parquet('{_text(_parquet(release, name))}')"
            for rows in _parents_first(table):
                connection.execute(f"INSERT INTO {_quoted(name)} {source} {rows}")
            (wanted,) = connection.execute(f"SELECT count(*) {source}").fetchone() or (0,)
            (written,) = connection.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone() or (0,)
            _check("duckdb", name, wanted, written)
        connection.execute("CHECKPOINT dataset")
        connection.execute("USE memory")
        connection.execute("DETACH dataset")


def _parents_first(table: Table) -> Iterator[str]:
    """Conditions that take a table's rows in turn: DuckDB wants the row that a foreign key names to be there before."""
    own = [key for key in table.foreign_keys if key.reference.resource == table.name]
    if not own:
        yield ""
        return
    (key,), identity = own, own[0].reference.fields[0]
    yield f"WHERE {_quoted(key.column)} IS NULL"
    there = f"(SELECT {_quoted(identity)} FROM {_quoted(table.name)})"
    for _ in range(_DEEPEST):
        yield f"WHERE {_quoted(key.column)} IN {there} AND {_quoted(identity)} NOT IN {there}"


def _text(path: Path) -> str:
    return str(path).replace("'", "''")


def _duckdb_type(field: Field) -> str:
    if field.array_item is not None:
        return f"{_duckdb_type(field.array_item)}[]"
    if field.type == "object":
        parts = ", ".join(f"{_quoted(part.name)} {_duckdb_type(part)}" for part in field.fields)
        return f"STRUCT({parts})"
    return _DUCKDB[field.type]
