r"""What a reader makes of one raw file: its text, and blocks that tile it.

In: decoded text. Out: `Document`, whose blocks joined give back the text character by character.

    >>> text = "STEALTH24.33\nSome warriors hide."
    >>> [block.kind for block in read(text)]          # doctest: +SKIP
    [<BlockKind.RULE: 'rule'>, <BlockKind.TEXT: 'text'>]

All positions in this project are character offsets into the text of a document: the decoded text, of a saved page what is seen
of it. `start` is inclusive, `end` exclusive.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate

import msgspec

from pipeline.diagnostics import Diagnostic

RULE_NUMBER = r"[0-9][0-9]\.[0-9][0-9](?:\.[0-9][0-9])?"
"""How the numbers of rules are printed: `24.05`, `05.04.04`."""


class Span(msgspec.Struct, frozen=True, gc=False, order=True, array_like=True):
    """Characters `start` (inclusive) to `end` (exclusive) of a document's text."""

    start: int
    end: int

    def __iter__(self) -> Iterator[int]:
        return iter((self.start, self.end))


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Stretches in order; those that touch are one.

    >>> joined([Span(5, 9), Span(0, 5), Span(12, 13)])
    (Span(start=0, end=9), Span(start=12, end=13))
    """
    made: list[Span] = []
    start = end = -1
    ordered = sorted(spans)
    if len(ordered) < 2:
        return tuple(ordered)
    for span in ordered:
        if span.start <= end:
            end = max(end, span.end)
        else:
            if end >= 0:
                made.append(Span(start, end))
            start, end = span.start, span.end
    if end >= 0:
        made.append(Span(start, end))
    return tuple(made)


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a text start."""
    lengths = map(len, text.split("\n"))
    return [0, *accumulate(map((1).__add__, lengths))][:-1]


def line_starts_of(blocks: Iterable[Block], text: str) -> list[int]:
    """The same of a text that blocks tile, each of which is a line or several with their line breaks."""
    starts = []
    for block in blocks:
        starts.append(block.start)
        if "\n" in block.text:
            at = block.start
            while (at := text.find("\n", at, block.end - 1) + 1) > 0:
                starts.append(at)
    return [*starts, len(text)]


def line_at(starts: Sequence[int], position: int) -> int:
    """Line number, counted from 1, of a character offset. `starts`: where the lines start."""
    return bisect_right(starts, position)


class Claim(StrEnum):
    """What somebody who read a stretch of text says that it is."""

    __hash__ = str.__hash__  # that of Enum is written in Python

    VALUE = "value"  # part of a record
    ECHO = "echo"  # a repeat of what was read, as a record, elsewhere on the page
    FURNITURE = "furniture"  # boilerplate of the page that the vocabulary names


class Claimed(msgspec.Struct, frozen=True, gc=False, order=True, array_like=True):
    """A stretch of a document's text and what it was read as."""

    start: int
    end: int
    claim: Claim


class BlockKind(StrEnum):
    """The shapes that a reader tells apart; extractors decide what they mean."""

    __hash__ = str.__hash__

    URL = "url"  # an address on line 1
    TITLE = "title"  # `Faction – Unit`
    TABLE_HEADER = "table-header"  # `RANGED WEAPONS | RANGE | A | …`
    ROW = "row"  # cells between pipes
    RUIN = "ruin"  # `|`, `| |||||`: what is left of a table
    SECTION = "section"  # a heading of a datasheet, `UNIT COMPOSITION`
    HEADING = "heading"  # a short line that may be a title; the page's own lists and the vocabulary decide
    RULE = "rule"  # a rule's numbered title: `STEALTH24.33`, `06.03 Hazard Rolls`
    COMMAND_POINTS = "command-points"  # `1CP`
    STRATAGEM_TYPE = "stratagem-type"  # `Core Stratagem`, `Kauyon – Battle Tactic Stratagem`
    LABELLED = "labelled"  # `WHEN: Your Shooting phase.`
    BULLET = "bullet"  # `- 1 plasma gun`
    INDEX = "index"  # `The FLY keyword is used in the following … datasheets:`
    SEE_ALSO = "see-also"
    EXAMPLE = "example"
    NOTE = "note"  # a designer's note
    FURNITURE = "furniture"
    BLANK = "blank"
    TEXT = "text"


def _plain_members(*enums: type[StrEnum]) -> None:
    """Makes `BlockKind.TEXT` a plain attribute, as Python 3.12 does; in 3.11 it is a slow descriptor, and is looked up everywhere."""
    for enum in enums:
        for name, member in enum.__members__.items():
            type.__setattr__(enum, name, member)


_plain_members(BlockKind, Claim)


class Block(msgspec.Struct, frozen=True, gc=False):
    """A run of characters of one shape. `glued` tells that it began in the middle of a line."""

    kind: BlockKind
    start: int
    end: int  # with the line break behind it
    text: str  # as printed, without the line break and outer white space
    glued: bool = False
    depth: int = 0  # of a bullet in a list inside a list: how many lists it is in, less one
    detail: tuple[str, ...] = ()  # what the page's markup says of it beyond its text; the first word says what that is
    element: str | None = None  # where the page has elements: the one that it is the text of, `p.legend2`
    line: int = 0  # of the file, where that element begins; the parser counts 65,535 lines below a title at most
    within: str | None = None  # the name of the tooltip that it stands in

    @property
    def place(self) -> str | None:
        """Line of the file and element, where the page has elements: `line 20, #tooltip_content00004: p.legend2`."""
        if self.element is None:
            return None
        return (
            f"line {self.line}, #{self.within}: {self.element}" if self.within else f"line {self.line}: {self.element}"
        )


def spans_of(blocks: Iterable[Block]) -> tuple[Span, ...]:
    """Where blocks stand; those that follow each other are one stretch."""
    made: list[Span] = []
    start = end = -1
    for block in blocks:
        if block.start != end:
            if end >= 0:
                made.append(Span(start, end))
            start = block.start
        end = block.end
    if end >= 0:
        made.append(Span(start, end))
    return tuple(made)


class Part(msgspec.Struct, frozen=True):
    """Blocks that belong together because the page's own markup says so. `facts`: what the markup says of them as a whole."""

    kind: str
    blocks: list[Block]
    title: Block | None = None
    facts: tuple[tuple[str, str], ...] = ()


_Data = bytes  # `Document.bytes` is their number


@dataclass(slots=True)
class Document:
    """One raw file, decoded, with all that is known of it before its content is understood."""

    document_id: str
    path: str
    member: str | None
    format: str
    sha256: str
    bytes: int
    text: str
    data: _Data | None = None  # until it is read: the file, where that is the text in UTF-8 to the letter
    url: str | None = None
    captured_at: str | None = None
    sidecar_name: str | None = None
    sidecar_faction: str | None = None
    blocks: list[Block] = field(default_factory=list)
    parts: list[Part] | None = (
        None  # where a reader knows what belongs together; None: found by the shapes of the blocks
    )
    diagnostics: list[Diagnostic] = field(default_factory=list)  # of its bytes, and of what its reader could not read
    starts: list[int] = field(default_factory=list)  # of its lines, once they are known

    def line_starts(self) -> list[int]:
        """Offsets at which the lines start."""
        if not self.starts:
            self.starts = line_starts(self.text)
        return self.starts

    def line_of(self, position: int) -> int:
        """Line number, counted from 1, of a character offset."""
        return line_at(self.line_starts(), position)
