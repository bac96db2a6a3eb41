"""Ids that are no longer used, as `schemas/renamed_ids.json` declares them.

In: that file, a JSON array of `{"table", "old_id", "new_id", "kind", "reason"}`, with `"editions"` where it does not
count for all of them. Out: the rows of the `migrations` table, and where an old id leads.

    >>> Successors([Migration(table="datasheets", old_id="a/wagon", new_id="a/hauler", kind="renamed", reason="…")])
    ...     .of("weapon_profiles", "a/wagon/ranged/rivet-gun")  # doctest: +SKIP
    Successor(new_id='a/hauler/ranged/rivet-gun')

An id below a migrated one (`a/wagon/…`) moves with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from pipeline.records import Migration
from pipeline.vocabulary import SCHEMAS


class _Declared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    old_id: str
    new_id: str | None
    kind: str
    reason: str
    editions: tuple[str, ...] = ()


def declared(edition: str) -> list[Migration]:
    """The migrations that count for an edition."""
    content = (SCHEMAS / "renamed_ids.json").read_bytes()
    return [
        Migration(table=one.table, old_id=one.old_id, new_id=one.new_id, kind=one.kind, reason=one.reason)
        for one in msgspec.json.decode(content, type=list[_Declared])
        if not one.editions or edition in one.editions
    ]


class Successor(NamedTuple):
    """Where an old id leads; None: it was retired."""

    new_id: str | None


class Successors:
    """Follows old ids, through several migrations where need be."""

    def __init__(self, migrations: Iterable[Migration]) -> None:
        self._tables: dict[str, dict[str, str | None]] = {}
        self._owners: dict[str, str | None] = {}
        for one in migrations:
            self._tables.setdefault(one.table, {})[one.old_id] = one.new_id
            self._owners[one.old_id] = one.new_id

    def of(self, table: str, old_id: str) -> Successor | None:
        """Where a table's old id leads in the end; None for an id that no migration speaks of."""
        found = self._step(table, old_id)
        seen = {old_id}
        while found is not None and found.new_id is not None and found.new_id not in seen:
            seen.add(found.new_id)
            further = self._step(table, found.new_id)
            if further is None:
                break
            found = further
        return found

    def _step(self, table: str, old_id: str) -> Successor | None:
        own = self._tables.get(table, {})
        if old_id in own:
            return Successor(own[old_id])
        parts = old_id.split("/")
        for length in range(len(parts) - 1, 0, -1):
            above = "/".join(parts[:length])
            if above in self._owners:
                new = self._owners[above]
                return Successor(None if new is None else "/".join((new, *parts[length:])))
        return None
