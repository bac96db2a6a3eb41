"""What stops a sound release from replacing the published one, unless a flag says that it may.

In: the published release's folder, and the tables of the new one. Out: diagnostics, one per guard and table.

    rows-lost       a table lost more than 5 % of its rows
    older-sources   the newest source is older than the newest one of the published release
    ids-dropped     ids are gone that no migration declares as renamed, merged or retired
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from pipeline import schema, store
from pipeline.diagnostics import Diagnostic
from pipeline.migrations import Successors

LOSS_ALLOWED = 0.05
_SHOWN = 10


class Guard(StrEnum):
    """The guards, by the code that each reports."""

    ROWS_LOST = "rows-lost"
    OLDER_SOURCES = "older-sources"
    IDS_DROPPED = "ids-dropped"


def objections(published: Path, columns: Mapping[str, store.Columns], successors: Successors) -> Iterator[Diagnostic]:
    """Everything that speaks against putting the new tables in place of the published release."""
    package = store.read_package(published)
    yield from _older(package, columns["documents"])
    rows = {one["name"]: one["rows"] for one in package["resources"] if one["format"] == "parquet"}
    for name, definition in schema.tables().items():
        if name not in rows:
            continue  # a table that the published release does not have yet
        if definition.loss_guard:
            yield from _lost(name, rows[name], len(columns[name][definition.key[0]]))
        if definition.stable_ids:
            yield from _dropped(name, published, columns[name], successors)


def newest(dates: Iterable[str | None]) -> datetime | None:
    """The latest of some ISO dates, those without a zone taken as UTC; None where there is none."""
    return max((_instant(date) for date in dates if date is not None), default=None)


def _instant(date: str) -> datetime:
    read = datetime.fromisoformat(date)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _older(package: Mapping[str, Any], documents: store.Columns) -> Iterator[Diagnostic]:
    before = newest(source.get("captured_at") for source in package.get("sources", ()))
    now = newest(documents["captured_at"])
    if before is not None and now is not None and now < before:
        message = f"the newest source is of {now}, that of the published release of {before}"
        yield Diagnostic(code=Guard.OLDER_SOURCES, message=message)


def _lost(table: str, before: int, now: int) -> Iterator[Diagnostic]:
    if now < before * (1 - LOSS_ALLOWED):
        yield Diagnostic(code=Guard.ROWS_LOST, message=f"{table} had {before} rows, now {now}", table=table)


def _dropped(table: str, published: Path, columns: store.Columns, successors: Successors) -> Iterator[Diagnostic]:
    (key,) = schema.table(table).key
    kept = set(columns[key])
    before = [row[key] for row in store.read_rows(published, table)]
    dropped = [
        identity for identity in before if identity not in kept and not _declared(table, identity, kept, successors)
    ]
    if dropped:
        shown = ", ".join(dropped[:_SHOWN]) + (" …" if len(dropped) > _SHOWN else "")
        yield Diagnostic(
            code=Guard.IDS_DROPPED, message=f"{len(dropped)} ids of {table} are gone: {shown}", table=table
        )


def _declared(table: str, identity: str, kept: set[str], successors: Successors) -> bool:
    successor = successors.of(table, identity)
    return successor is not None and (successor.new_id is None or successor.new_id in kept)
