"""What only faction pages print: source books, FAQs, enhancements.

| Necrons | ||||                                          a book's name alone: an echo
| Necrons | Faction Pack | 10 | 1.1 | October 2025 |
| Q: | May a unit …? |
| A: | No. |
- Veil of Dusk 20 pts
Flavour and rule in one cell. |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline import ids
from pipeline.document import Block, BlockKind, Claim, Claimed, Span
from pipeline.extractors.texts import clean, paragraphs
from pipeline.records import Book, Enhancement, Faq

_ENHANCEMENT = re.compile(r"- (?P<name>.+?) (?P<points>\d{1,6}) pts$")
BOOK_CELLS = 5


class Books(NamedTuple):
    """Books with their places."""

    records: list[tuple[Book, tuple[Span, ...]]]
    claims: list[Claimed]
    rest: list[Block]


def cells(row: Block) -> list[str]:
    """Cells of a row with or without a leading pipe."""
    text = row.text
    if text.startswith("|"):
        text = text[1:]
    return [clean(cell.strip()) for cell in text.removesuffix("|").split("|")]


def read_books(blocks: Sequence[Block]) -> Books:
    """The table Book | Kind | Edition | Version | Last update. A cell that is missing in the middle (version) is null."""
    made: list[tuple[Book, tuple[Span, ...]]] = []
    claims: list[Claimed] = []
    rest: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.BLANK:
            claims.append(Claimed(block.start, block.end, Claim.FURNITURE))
            continue
        if block.kind is not BlockKind.ROW:
            rest.append(block)
            continue
        row = [cell or None for cell in cells(block)]
        if row[0] == "Book":
            claims.append(Claimed(block.start, block.end, Claim.VALUE))
            continue
        if row[0] is None or not any(row[1:]):
            claims.append(Claimed(block.start, block.end, Claim.ECHO))
            continue
        kind, edition, *later = (*row[1:BOOK_CELLS], None, None, None, None)[:4]
        version, updated = later
        if updated is None and version is not None and not version[0].isdigit():
            version, updated = None, version
        book = Book(
            book_id=ids.book(row[0], kind, version),
            name=row[0],
            kind=kind,
            edition=edition,
            version=version,
            updated=updated,
        )
        made.append((book, (Span(block.start, block.end),)))
        claims.append(Claimed(block.start, block.end, Claim.VALUE))
    return Books(made, claims, rest)


class Faqs(NamedTuple):
    """Questions with their answers and places; `unanswered`: questions below which no answer stands."""

    records: list[tuple[Faq, tuple[Span, ...]]]
    claims: list[Claimed]
    unanswered: list[Block]
    rest: list[Block]


def read_faqs(blocks: Sequence[Block], faction_id: str | None) -> Faqs:
    """Rows `Q:` and `A:`; text below an answer belongs to it."""
    made: list[tuple[Faq, tuple[Span, ...]]] = []
    claims: list[Claimed] = []
    unanswered: list[Block] = []
    rest: list[Block] = []
    question: Block | None = None
    answer: list[Block] = []

    def close() -> None:
        nonlocal question, answer
        if question is None:
            return
        if not answer:
            unanswered.append(question)
        else:
            asked = _cell(question, "Q:")
            text = "\n".join(filter(None, (_cell(b, "A:") for b in answer)))
            faq = Faq(faq_id=ids.faq(faction_id, asked), faction_id=faction_id, question=asked, answer=text)
            made.append((faq, tuple(Span(b.start, b.end) for b in (question, *answer))))
            claims.extend(Claimed(b.start, b.end, Claim.VALUE) for b in (question, *answer))
        question, answer = None, []

    for block in blocks:
        text = block.text.lstrip("| ")
        if block.kind is BlockKind.BLANK or block.kind is BlockKind.RUIN:
            claims.append(Claimed(block.start, block.end, Claim.FURNITURE))
        elif text.startswith("Q:"):
            close()
            question = block
        elif text.startswith("A:") or (answer and block.kind in (BlockKind.BULLET, BlockKind.ROW)):
            answer.append(block)
        else:
            rest.append(block)
    close()
    return Faqs(made, claims, unanswered, rest)


def _cell(block: Block, mark: str) -> str:
    text = block.text.strip("| ").removeprefix(mark).strip("| ")
    return clean(f"- {text}" if block.kind is BlockKind.BULLET else text)


class ReadEnhancement(NamedTuple):
    """An enhancement, its blocks, and the text below it that is none of it."""

    record: Enhancement
    blocks: list[Block]
    behind: list[Block]


def read_enhancement(blocks: Sequence[Block], faction_id: str, detachment_id: str | None) -> ReadEnhancement | None:
    """`- Veil of Dusk 20 pts` and its cell, which ends with the cell's border."""
    content = [b for b in blocks if b.kind is not BlockKind.BLANK]
    found = _ENHANCEMENT.match(content[0].text)
    if found is None:
        return None
    end = next((i for i, b in enumerate(content, 1) if b.text.endswith(" |")), len(content))
    name = clean(found["name"])
    made = Enhancement(
        enhancement_id=ids.enhancement(faction_id, detachment_id, name), faction_id=faction_id, detachment_id=detachment_id,
        name=name, points=int(found["points"]), text=paragraphs(content[1:end]),
    )  # fmt: skip
    return ReadEnhancement(made, content[:end], content[end:])
