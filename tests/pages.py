"""Invented pages, read by the pipeline in memory: text in, the linked tables and what is said of them out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import run
from pipeline.document import Document
from pipeline.extract import Extract, extract
from pipeline.link import diagnostic_rows
from pipeline.readers import text as reader
from pipeline.records import TABLES, CrossReference, DiagnosticRow, DocumentRow, Record


class Page(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A text dump. Without `text` it is a small sound datasheet: title, `sheet`, keywords, faction keywords, `rest`."""

    text: str | None = None
    title: str | None = "Ashen Compact – Brindle Hauler"
    sheet: str = ""
    keywords: str = "KEYWORDS: VEHICLE; FLY; BRINDLE HAULER"
    faction_keywords: str = "FACTION KEYWORDS:\nASHEN COMPACT\nASHEN COMPACT"
    rest: str = ""
    path: str | None = None
    url: str | None = None
    sidecar_name: str | None = None
    sidecar_faction: str | None = None
    captured_at: str | None = None

    def printed(self) -> str:
        """The whole text."""
        if self.text is not None:
            return self.text
        parts = (self.title, self.sheet, self.keywords, self.faction_keywords, self.rest)
        return "\n".join(part.strip("\n") for part in parts if part)


class Release(NamedTuple):
    """What the pipeline makes of some pages, of all editions together."""

    tables: dict[str, list[Any]]
    extracts: list[Extract]

    def codes(self) -> list[str]:
        """Codes of all diagnostics, sorted, as often as they are said."""
        return sorted(row.code for row in self.diagnostics())

    def diagnostics(self) -> list[DiagnosticRow]:
        return list(self.tables["diagnostics"])

    def counted(self) -> Counter[str]:
        return Counter(self.codes())

    def rows(self, table: str) -> list[Any]:
        """Rows of a table, by key; where rows have a position, by it."""
        return sorted(self.tables[table], key=_place)

    def documents(self) -> list[DocumentRow]:
        return list(self.tables["documents"])


def _place(record: Record) -> tuple[Any, ...]:
    if isinstance(record, DocumentRow):
        return (record.path,)
    if isinstance(record, CrossReference):
        return (record.from_table, record.from_id, record.position)
    owner = getattr(record, "datasheet_id", getattr(record, "profile_id", ""))
    if isinstance(position := getattr(record, "position", None), int):
        return (owner, position)
    return tuple(str(getattr(record, column)) for column in record.key)


def document(page: Page | str, number: int = 0) -> Document:
    """A page as the document that raw files are loaded as, with its blocks."""
    page = Page(text=page) if isinstance(page, str) else page
    text = page.printed()
    data = text.encode()
    sha256 = hashlib.sha256(data).hexdigest()
    made = Document(
        document_id=sha256[:16], path=page.path or f"page-{number}.txt", member=None, format="text", sha256=sha256,
        bytes=len(data), text=text, url=page.url, captured_at=page.captured_at, sidecar_name=page.sidecar_name,
        sidecar_faction=page.sidecar_faction,
    )  # fmt: skip
    return reader.read(made)


def read(pages: Iterable[Page | str], edition: str | None = None) -> Release:
    """The tables that the pages make. Pages that are all rejected leave the documents and their diagnostics alone."""
    extracts = [extract(document(page, number), edition) for number, page in enumerate(pages)]
    return linked(extracts)


def linked(extracts: Sequence[Extract]) -> Release:
    """The tables that extracts make."""
    editions = run.link_editions(run.Read(list(extracts), []))
    tables: dict[str, list[Any]] = {}
    for edition in editions:
        for name, rows in edition.tables.tables.items():
            tables[name] = tables.get(name, []) + list(rows)
    if not editions:
        tables = {name: [] for name in TABLES}
        tables["documents"] = [made.document for made in extracts]
        tables["diagnostics"] = list(diagnostic_rows([d for made in extracts for d in made.diagnostics]))
    return Release(tables, list(extracts))
