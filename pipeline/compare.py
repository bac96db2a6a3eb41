"""What changed between two releases: rows added, removed, and changed column by column.

In: the folders of two releases. Out: `Changes`, as a document for programs and as Markdown for people.

    >>> compare(Path("old"), Path("new")).tables["unit_costs"].changed  # doctest: +SKIP
    {'ash-compact/brindle-hauler#1': {'points': (85, 90)}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline import schema, store

Row = Mapping[str, Any]

COUNTED = frozenset({"documents", "observations", "conflicts", "diagnostics"})
"""Tables about the run, not the game: they differ in places and hashes, and only their rows are counted."""


@dataclass(frozen=True, slots=True)
class TableChanges:
    """A table's changes: ids of rows that came and went, and per row that stayed the columns that differ (old, new)."""

    rows_before: int = 0
    rows_now: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: Mapping[str, Mapping[str, tuple[Any, Any]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of all tables; `first`: there was no release before."""

    first: bool
    tables: Mapping[str, TableChanges]

    def document(self) -> dict[str, Any]:
        """The changes as plain values, for `changes.json`."""
        return {
            "first": self.first,
            "tables": {
                name: {
                    "rows": {"before": one.rows_before, "now": one.rows_now},
                    "added": one.added,
                    "removed": one.removed,
                    "changed": [
                        {"id": identity, "column": column, "before": before, "now": now}
                        for identity, columns in one.changed.items()
                        for column, (before, now) in columns.items()
                    ],
                }
                for name, one in self.tables.items()
            },
        }

    def markdown(self) -> str:
        """The changes for people, for `CHANGES.md`."""
        return "\n".join(["# Changes", "", *self._lines()]) + "\n"

    def _lines(self) -> Iterator[str]:
        if self.first:
            yield "The first release: there is nothing to compare it with."
            return
        for name, one in self.tables.items():
            if one.added or one.removed or one.changed or one.rows_before != one.rows_now:
                yield f"## {name}: {one.rows_before} → {one.rows_now} rows"
                yield ""
                yield from (f"- added `{identity}`" for identity in one.added)
                yield from (f"- removed `{identity}`" for identity in one.removed)
                for identity, columns in one.changed.items():
                    for column, (before, now) in columns.items():
                        yield f"- `{identity}` {column}: {_shown(before)} → {_shown(now)}"
                yield ""


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def compare(old: Path | None, new: Path) -> Changes:
    """Compare a release's folder with that of the one before; None: there is none before."""
    return Changes(old is None, {name: _table(name, old, new) for name in schema.tables()})


def _table(name: str, old: Path | None, new: Path) -> TableChanges:
    now = _rows(name, new)
    before = {} if old is None else _rows(name, old)
    if old is None or name in COUNTED:
        return TableChanges(len(before), len(now))
    return TableChanges(
        rows_before=len(before),
        rows_now=len(now),
        added=tuple(identity for identity in now if identity not in before),
        removed=tuple(identity for identity in before if identity not in now),
        changed={
            identity: columns
            for identity, row in now.items()
            if identity in before and (columns := dict(_differences(before[identity], row)))
        },
    )


def _rows(table: str, release: Path) -> dict[str, Row]:
    if not (release / "tables" / f"{table}.json").is_file():
        return {}  # a table that the release before did not have yet
    key = schema.table(table).key
    return {"#".join(str(row[column]) for column in key): row for row in store.read_rows(release, table)}


def _differences(before: Row, now: Row) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for column, value in now.items():
        if column in before and before[column] != value:
            yield column, (before[column], value)
