"""One document → everything that it says: `Extract`.

In: a `Document` with its blocks. Out: sightings of records, weapon rows whose names are still to be divided, claims that say what
each stretch of text was read as, and diagnostics for the rest. Pure: the same document gives the same extract on any worker.

A page is cut into sections; who it is about is settled; then its datasheet is read, if it has one, and what any page can have.
"""

from __future__ import annotations

import msgspec

from pipeline import editions
from pipeline.diagnostics import CODES, Diagnostic, excerpt
from pipeline.document import BlockKind, Claim, Claimed, Document
from pipeline.exports.reading import ExportReading
from pipeline.extractors import (
    datasheet_pages,
    enhancements,
    faction_pages,
    identity,
    marked,
    nameless,
    rule_sections,
    stratagems,
)
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import expected_titles, sections
from pipeline.extractors.weapons import WeaponRow
from pipeline.records import DocumentRow, Sighting


class Extract(msgspec.Struct, kw_only=True):
    """Everything that one document says."""

    document: DocumentRow
    sightings: list[Sighting] = []
    weapon_rows: list[WeaponRow] = []
    names: list[str] = []  # folded names of wargear that the page prints alone
    claims: list[Claimed] = []
    diagnostics: list[Diagnostic] = []
    line_starts: list[int] = []


def extract(document: Document, edition: str | None = None) -> Extract:
    """Reads a document. `edition` overrules the evidence on the page; a rejected document has no sightings."""
    document.url = document.url or next((b.text for b in document.blocks[:2] if b.kind is BlockKind.URL), None)
    addressed, other = editions.of_address(document.url) if document.url else (None, None)
    if edition is not None and edition not in editions.READ:
        other = edition
    if other or (addressed is None and editions.of_other_edition(document.text)):
        return rejected(document, "other-game", f"The page belongs to {other or 'another edition'}, which is not read.")
    page = _cut(document)
    kind = identity.kind_of(page.sections)
    if kind == "other":
        message = f"Nothing of a datasheet, rules or faction page: “{excerpt(document.text[:200])}”"
        return rejected(document, "not-a-datasheet-page", message)
    said = {addressed} if addressed else editions.evidence(document.blocks)
    if edition is None and len(said) != 1:
        what = f"it has marks of {' and '.join(sorted(said))}" if said else "nothing on it names one"
        message = f"The page's edition is uncertain: {what}. Give it with --edition."
        return rejected(document, "uncertain-edition", message)
    if edition and said and edition not in said:
        page.say("overruled-edition", editions.overruled(edition, said))
    identity.settle_faction(page)
    sheet = datasheet_pages.read(page) if kind == "datasheet" else None
    _take_rest(page, sheet)
    return _finished(page, kind, edition or said.pop(), sheet)


def rejected(document: Document, code: str, message: str) -> Extract:
    """The extract of a document that is not read, and why."""
    row = _row(document, kind="other", status="rejected")
    return Extract(
        document=row,
        diagnostics=[Diagnostic(code=code, message=message, document_id=document.document_id, line=1, start=0, end=0)],
    )


def of_export(document: Document, reading: ExportReading) -> Extract:
    """The extract of one file of a structured export."""
    document.captured_at = reading.captured_at or document.captured_at
    diagnostics = [msgspec.structs.replace(d, document_id=document.document_id) for d in reading.diagnostics]
    claims = sorted(reading.claims)
    at = claimed = 0
    for claim in claims:
        claimed += max(0, claim.end - max(at, claim.start))
        at = max(at, claim.end)
    refused = not reading.sightings and any(CODES[d.code].severity == "error" for d in diagnostics)
    row = _row(
        document, kind="export", status="rejected" if refused or reading.edition is None else "read", edition=reading.edition,
        faction=reading.faction_id, title=reading.title, counts=(claimed, 0, 0),
    )  # fmt: skip
    return Extract(
        document=row, sightings=[] if reading.edition is None else reading.sightings, claims=claims, diagnostics=diagnostics,
        line_starts=document.line_starts(),
    )  # fmt: skip


def _row(document: Document, *, kind: str, status: str, edition: str | None = None, faction: str | None = None, title: str | None = None,
         counts: tuple[int, int, int] = (0, 0, 0)) -> DocumentRow:  # fmt: skip
    return DocumentRow(
        document_id=document.document_id, path=document.path, member=document.member, format=document.format, kind=kind,
        edition=edition, faction_id=faction, title=title, url=document.url, captured_at=document.captured_at,
        bytes=document.bytes, sha256=document.sha256, characters=len(document.text), characters_claimed=counts[0],
        characters_echo=counts[1], characters_furniture=counts[2], status=status,
    )  # fmt: skip


def _cut(document: Document) -> Page:
    parts = document.parts
    if parts is None:
        expected = expected_titles(document.blocks)
        cut = sections(document.blocks, expected)
    else:
        expected = expected_titles(marked.announcing(parts))
        cut = marked.sections(parts, expected)
    return Page(document, cut, expected, diagnostics=list(document.diagnostics))


def _take_rest(page: Page, sheet: datasheet_pages.DatasheetPage | None) -> None:
    """Everything that can stand on any page."""
    homes = enhancements.homes(page)
    for number, section in enumerate(page.sections):
        kind = section.kind
        if kind in rule_sections.KINDS:
            rule_sections.take(section, page)
        elif kind == "stratagem-list":
            stratagems.listed(section, page, sheet.datasheet_id if sheet else None)
        elif kind == "enhancement-list":
            enhancements.listed(section, page)
        elif kind == "enhancement":
            enhancements.printed(section, page, homes.get(number))
        elif kind == "books":
            faction_pages.books(section, page)
        elif kind == "faq":
            faction_pages.faqs(section, page)
        elif kind in ("detachment-list", "heading"):
            page.claim(Claim.VALUE, section.blocks)
        elif kind == "furniture":
            page.claim(Claim.FURNITURE, section.blocks)
        elif kind == "preamble" and sheet is None:
            rule_sections.take_text(section.blocks, page)


def _finished(page: Page, kind: str, edition: str, sheet: datasheet_pages.DatasheetPage | None) -> Extract:
    named, faults = nameless.dropped(page.sightings)
    page.say_all(faults)
    counts = page.settle_claims()
    row = _row(
        page.document, kind=kind, edition=edition, faction=page.faction, title=sheet.name if sheet else None, counts=counts,
        status="partly-read" if any(d.code == "unclaimed-text" for d in page.diagnostics) else "read",
    )  # fmt: skip
    return Extract(
        document=row, sightings=rule_sections.part_namesakes(named + page.named_sightings), claims=page.claims, diagnostics=page.diagnostics,
        weapon_rows=sheet.weapon_rows if sheet else [], names=sheet.wargear if sheet else [],
        line_starts=page.document.line_starts(),
    )  # fmt: skip
