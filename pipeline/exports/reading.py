"""What an export module makes of one file: sightings, and all that is to be said of it."""

from __future__ import annotations

from functools import cached_property

from pipeline.diagnostics import Diagnostic
from pipeline.document import Claim, Claimed, Span, line_at, line_starts
from pipeline.editions import READ, overruled
from pipeline.raw import decode
from pipeline.records import AnyRecord, Sighting

_BOM = "\ufeff"


class ExportReading:
    """One file of an export. All positions are characters of `text`; the run adds which document that is."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.edition: str | None = None
        self.captured_at: str | None = None
        self.faction_id: str | None = None
        self.title: str | None = None
        self.sightings: list[Sighting] = []
        self.claims: list[Claimed] = []
        self.diagnostics: list[Diagnostic] = []
        self._told: set[tuple[str, str]] = set()

    @cached_property
    def _line_starts(self) -> list[int]:
        return line_starts(self.text)

    def settle_edition(self, asked: str | None, stated: str | None) -> None:
        """The edition that is asked for, else the one that the export states; where they differ, that is said. None: not read."""
        edition = asked or stated
        if edition is not None and edition not in READ:
            self.tell("other-game", f"The export belongs to {edition}, which is not read.")
            return
        self.edition = edition
        if asked and stated and asked != stated:
            self.tell("overruled-edition", overruled(asked, {stated}))

    def line_of(self, position: int) -> int:
        """Line number, counted from 1, of a character offset."""
        return line_at(self._line_starts, position)

    def see(self, record: AnyRecord, *spans: Span) -> None:
        """Take down a record with the characters that it was read from."""
        self.sightings.append(Sighting(record, spans))

    def claim(self, span: Span) -> None:
        """Say that a stretch was read as values of records."""
        self.claims.append(Claimed(span.start, span.end, Claim.VALUE))

    def tell(
        self, code: str, message: str, at: Span | None = None, *, table: str | None = None, record_id: str | None = None
    ) -> None:
        """Take down a diagnostic."""
        self.diagnostics.append(
            Diagnostic(
                code=code,
                message=message,
                line=self.line_of(at.start) if at else None,
                start=at.start if at else None,
                end=at.end if at else None,
                table=table,
                record_id=record_id,
            )
        )

    def tell_once(self, code: str, kind: str, message: str, at: Span | None = None) -> None:
        """Take down a diagnostic, unless there is one of that code and kind already."""
        if (code, kind) not in self._told:
            self._told.add((code, kind))
            self.tell(code, message, at)


def decoded(name: str, data: bytes) -> ExportReading:
    """Decode a file. One that cannot be decoded has no text, and a diagnostic that says why."""
    found = decode(data)
    reading = ExportReading(name, found.text)
    reading.diagnostics.extend(found.diagnostics)
    return reading


def looks_like_a_page(text: str) -> bool:
    """Whether a file that should be an export is an HTML page: a redirect, an error, a consent page."""
    return text.lstrip(_BOM).lstrip()[:1] == "<"
