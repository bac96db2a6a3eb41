"""A page while it is read: its sections, whom it is about, and what its sections have said so far.

Extractors of sections that any page can have take a section and a `Page`, and add to it, as those of a datasheet's sections add to
a `Sheet`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.diagnostics import Diagnostic, excerpt
from pipeline.document import Block, BlockKind, Claim, Claimed, Document, Span
from pipeline.extractors import claims
from pipeline.extractors.sections import Expected, Section
from pipeline.records import AnyRecord, Sighting

_WORD = re.compile(r"\w")
_WHOLE = Span(0, 0)  # the place of what is said of a page as a whole
_SMALL_WORD = 3  # letters of a word that may be small inside a name, `Wrath of the Deep`


class Fault(NamedTuple):
    """Something to be said of a stretch of text: a diagnostic that does not know its document yet."""

    code: str
    message: str
    span: Span
    table: str | None = None
    record_id: str | None = None


@dataclass(slots=True)
class Page:
    """A document cut into sections, and everything read from them."""

    document: Document
    sections: list[Section]
    expected: Expected  # the titles that its lists announce
    faction: str | None = None  # its id
    faction_printed: str | None = None
    sightings: list[Sighting] = field(default_factory=list)
    named_sightings: list[Sighting] = field(default_factory=list)  # of records whose ids are known to be whole
    claims: list[Claimed] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _lowered: str | None = None

    @property
    def is_marked(self) -> bool:
        """Whether the page's own markup says what belongs together."""
        return self.document.parts is not None

    def title(self) -> Block | None:
        """The line `Faction – Unit` at the top of a datasheet, where a dump has kept it."""
        return next((b for b in self.document.blocks[:3] if b.kind is BlockKind.TITLE), None)

    def of_kind(self, *kinds: str) -> list[Section]:
        """The sections of some kinds, in order."""
        return [section for section in self.sections if section.kind in kinds]

    def add(self, record: AnyRecord, *blocks: Block) -> None:
        """A record, and the blocks that it was read from."""
        self.sightings.append(Sighting(record, tuple(Span(b.start, b.end) for b in blocks)))

    def claim(self, claim: Claim, blocks: Iterable[Block]) -> None:
        """Says what blocks were read as; blank ones are furniture."""
        for block in blocks:
            own = Claim.FURNITURE if block.kind is BlockKind.BLANK else claim
            self.claims.append(Claimed(block.start, block.end, own))

    def say(
        self, code: str, message: str, span: Span = _WHOLE, table: str | None = None, record_id: str | None = None
    ) -> None:
        """A diagnostic of a stretch of the page; of the page as a whole, where none is given."""
        place = self.document.line_of(span.start), span.start, span.end
        self.diagnostics.append(
            Diagnostic(
                code=code, message=message, document_id=self.document.document_id, line=place[0], start=place[1], end=place[2],
                table=table, record_id=record_id,
            )
        )  # fmt: skip

    def say_all(self, faults: Sequence[Fault]) -> None:
        """Faults as diagnostics of this page."""
        for fault in faults:
            self.say(*fault)

    def recased(self, name: str) -> str:
        """A name in capitals as the page prints it elsewhere in small letters; else as it is."""
        if not name.isupper():
            return name
        text = self.document.text
        if self._lowered is None:
            self._lowered = text.lower()
        if len(self._lowered) != len(text):  # `İ` is two characters in small letters
            return name
        at = -1
        while (at := self._lowered.find(name.lower(), at + 1)) >= 0:
            found = text[at : at + len(name)]
            whole = not _WORD.match(text, at + len(name)) and not (at and _WORD.match(text, at - 1))
            if whole and _is_cased_as_name(found):
                return found
        return name

    def settle_claims(self) -> tuple[int, int, int]:
        """Brings the claims in order and says what nobody claimed. How many characters were claimed, as echo, as furniture."""
        self.claims = claims.in_order(self.claims)
        at = 0
        lengths = dict.fromkeys(Claim, 0)
        for claimed in self.claims:
            if claimed.start > at:
                self._gap(at, claimed.start)
            at = claimed.end
            lengths[claimed.claim] += at - claimed.start
        if at < len(self.document.text):
            self._gap(at, len(self.document.text))
        return sum(lengths.values()), lengths[Claim.ECHO], lengths[Claim.FURNITURE]

    def _gap(self, start: int, end: int) -> None:
        text = self.document.text[start:end]
        if text.strip():
            self.say("unclaimed-text", f"Not understood: “{excerpt(text)}”", Span(start, end))


def _is_cased_as_name(text: str) -> bool:
    """`Shadow-touched Warden of the Deep`, and not all in capitals."""
    return (
        not text.isupper()
        and text[0].isupper()
        and all(word[0].isupper() or len(word) <= _SMALL_WORD for word in text.split())
    )
