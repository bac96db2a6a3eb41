"""Tables as a release to compare, without all that publishing adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline import schema, store
from pipeline.compare import Release, Shape
from pipeline.records import Record


def release(
    tables: Mapping[str, Sequence[Record]], folder: Path, edition: str = "11e", leave_out: Sequence[str] = ()
) -> Release:
    """The tables in a folder, without those tables and `table.column`s that are left out."""
    (folder / "tables").mkdir(parents=True)
    shapes = {}
    for name, definition in schema.tables().items():
        records = store.by_key(tables.get(name, ()))
        columns = {
            column: values
            for column, values in store.checked(definition, records).items()
            if f"{name}.{column}" not in leave_out
        }
        if name not in leave_out:
            store.write_json(columns, folder / "tables" / f"{name}.json")
            shapes[name] = Shape(tuple(columns), definition.key, len(records))
    return Release(folder, edition, shapes)
