"""A record of a release, with the raw lines behind each part of it.

In: the release's folder, an id, and where the raw files lie. The raw files are found by their hash, so that a record is never
explained with other characters than those it came from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline import raw, run, store
from pipeline.diagnostics import Diagnostic
from pipeline.document import Document
from pipeline.records import TABLES, Observation, Record

_NOT_EXPLAINED = ("observations", "diagnostics", "conflicts", "documents")


class Evidence(NamedTuple):
    """Raw text behind a record. `text` is None where the raw file is not at hand; `place` is the element of a saved page."""

    document: str
    line: int
    text: str | None
    place: str | None = None


class Explained(NamedTuple):
    """A record, its evidence, and what else is said of it."""

    table: str
    record: Record
    evidence: list[Evidence]


def explain(release: Path, identity: str, raw_paths: Sequence[Path]) -> list[Explained]:
    """Every record of the release that has this id, or belongs to it (`…/devilfish` gives its weapons too), with its evidence."""
    found: list[tuple[str, Record]] = []
    for table in TABLES:
        if table not in _NOT_EXPLAINED:
            found += [
                (table, r)
                for r in store.read_records(release, table)
                if r.identity == identity or r.identity.startswith(f"{identity}#")
            ]
    wanted = {(table, record.identity) for table, record in found}
    places: dict[tuple[str, str], list[Observation]] = {}
    for seen in store.read_records(release, "observations"):
        assert isinstance(seen, Observation)
        if (seen.table, seen.record_id) in wanted:
            places.setdefault((seen.table, seen.record_id), []).append(seen)
    paths = {row["document_id"]: row for row in store.read_rows(release, "documents")}
    documents, texts = _read({o.document_id for seen in places.values() for o in seen}, raw_paths)
    made = []
    for table, record in found:
        evidence = []
        for seen in places.get((table, record.identity), []):
            row = paths[seen.document_id]
            name = row["path"] if row["member"] is None else f"{row['path']}, {row['member']}"
            text = texts.get(seen.document_id)
            shown = None if text is None else text[seen.start : seen.end].rstrip("\n")
            evidence.append(Evidence(name, seen.line, shown, place_of(documents.get(seen.document_id), seen.start)))
        made.append(Explained(table, record, evidence))
    return made


def near(release: Path, identity: str) -> list[str]:
    """Ids that contain what was asked for, for the message that nothing has it."""
    wanted = identity.casefold().strip("/")
    return sorted(
        {i for table in TABLES if table not in _NOT_EXPLAINED for i in _identities(release, table) if wanted in i}
    )


def _identities(release: Path, table: str) -> Iterator[str]:
    for record in store.read_records(release, table):
        yield record.identity


def place_of(document: Document | None, start: int) -> str | None:
    """The element of a saved page that a character stands in, with its line in the file."""
    if document is None or document.parts is None:
        return None
    at = bisect_right(document.blocks, start, key=lambda block: block.start) - 1
    return document.blocks[at].place if at >= 0 else None


def _read(document_ids: set[str], raw_paths: Sequence[Path]) -> tuple[dict[str, Document], dict[str, str]]:
    """What was read of the wanted documents that are at hand: of a saved page its visible text, of all others the decoded one."""
    texts: dict[str, str] = {}
    documents: dict[str, Document] = {}
    for reference in raw.RawFiles(raw_paths):
        if len(texts) == len(document_ids):
            break
        loaded = raw.load(reference)
        if isinstance(loaded, Diagnostic) or loaded.document_id not in document_ids:
            continue
        document = run.read_document(reference)
        if isinstance(document, Document):
            documents[loaded.document_id] = document
            texts[loaded.document_id] = document.text
        else:
            texts[loaded.document_id] = raw.decode(loaded.data, loaded.hints.charset).text
    return documents, texts
