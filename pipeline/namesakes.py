"""Two datasheets of one faction with one name: pages that only their addresses tell apart get ids of their own.

    …/factions/ash-compact/Hauler      ash-compact/hauler
    …/factions/ash-compact/Hauler-1    ash-compact/hauler-fen-crusade, by the book that its card names; without one, hauler-1

In: the extracts of one edition. Out: the same, in which all ids below the second datasheet have its own. A number in the address
alone proves nothing: the page keeps the plain id unless the run holds another datasheet of that faction and name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.extract import Extract
from pipeline.factions import declared_name
from pipeline.ids import fold
from pipeline.records import Book, Datasheet

_TAIL = re.compile(r"/(?P<name>[^/?#]+?)(?:-(?P<number>[0-9]+))?/?(?:[?#].*)?$")


class _Sheet(NamedTuple):
    """The datasheet of a page."""

    record: Datasheet
    number: str | None  # behind the name in the page's address
    book: str | None


def parted(extracts: Sequence[Extract]) -> list[Extract]:
    """Extracts with an id of its own for each datasheet that shares faction and name with another one of them."""
    pages = {index: sheet for index, extract in enumerate(extracts) if (sheet := _sheet(extract)) is not None}
    numbered: dict[tuple[str, str], list[_Sheet]] = defaultdict(list)
    for sheet in pages.values():
        if sheet.number is not None:
            numbered[sheet.record.datasheet_id, sheet.number].append(sheet)
    if not numbered:
        return list(extracts)
    plain = {sheet.record.datasheet_id for sheet in pages.values() if sheet.number is None}
    exported = _exported(extracts)
    own = {
        (old, number): new
        for (old, number), sheets in numbered.items()
        if (new := _own_id(sheets, old in plain, exported[_name_of(sheets[0].record)] - {old})) is not None
    }
    return [
        _renamed(extract, pages[index].record.datasheet_id, new)
        if index in pages
        and (new := own.get((pages[index].record.datasheet_id, pages[index].number or ""))) is not None
        else extract
        for index, extract in enumerate(extracts)
    ]


def _sheet(extract: Extract) -> _Sheet | None:
    document = extract.document
    if document.kind != "datasheet" or not document.url or (found := _TAIL.search(document.url)) is None:
        return None
    record = next((s.record for s in extract.sightings if isinstance(s.record, Datasheet)), None)
    if record is None:
        return None
    is_name = ids.slug(found["name"]) == ids.slug(record.name)  # the number is none of the name, as in `X-101`
    book = next((s.record.name for s in extract.sightings if isinstance(s.record, Book)), None)
    return _Sheet(record, found["number"] if is_name else None, book)


def _name_of(record: Datasheet) -> tuple[str, str]:
    return record.faction_id, fold(record.name)


def _exported(extracts: Iterable[Extract]) -> dict[tuple[str, str], set[str]]:
    """Ids of the datasheets that exports hold, by faction and name."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for extract in extracts:
        if extract.document.kind == "export":
            for sighting in extract.sightings:
                if isinstance(sighting.record, Datasheet):
                    found[_name_of(sighting.record)].add(sighting.record.datasheet_id)
    return found


def _own_id(sheets: Sequence[_Sheet], has_plain: bool, exported: set[str]) -> str | None:
    """The id of a numbered page: by its book; else that of the only namesake in an export; else by its number."""
    record = sheets[0].record
    book = min((sheet.book for sheet in sheets if sheet.book), default=None)
    named = ids.datasheet(record.faction_id, f"{record.name} {book}") if book else None
    if named in exported:
        return named
    if not has_plain and not exported:
        return None
    if named and fold(book or "") != fold(declared_name(record.faction_id) or record.faction_id):
        return named
    return min(exported) if len(exported) == 1 else f"{record.datasheet_id}-{sheets[0].number}"


def _renamed(extract: Extract, old: str, new: str) -> Extract:
    def named(value: Any) -> Any:
        if isinstance(value, str) and (value == old or value.startswith(f"{old}/")):
            return new + value[len(old) :]
        return value

    def changed(row: Any) -> Any:
        columns = {column: getattr(row, column) for column in row.__struct_fields__}
        return msgspec.structs.replace(
            row, **{c: found for c, value in columns.items() if (found := named(value)) != value}
        )

    return msgspec.structs.replace(
        extract,
        sightings=[
            msgspec.structs.replace(sighting, record=changed(sighting.record)) for sighting in extract.sightings
        ],
        weapon_rows=[changed(row) for row in extract.weapon_rows],
        diagnostics=[changed(told) for told in extract.diagnostics],
    )
