"""What only faction pages print beside enhancements: source books and FAQs.

| Necrons | ||||                                          a book's name alone: an echo
| Necrons | Faction Pack | 10 | 1.1 | October 2025 |
| Q: | May a unit …? |
| A: | No. |
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import ids
from pipeline.diagnostics import excerpt
from pipeline.document import Block, BlockKind, Claim, Span
from pipeline.extractors import rule_sections
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import cells, clean
from pipeline.records import Book, Faq

_BOOK_CELLS = 5


def books(section: Section, page: Page) -> None:
    """The table Book | Kind | Edition | Version | Last update."""
    rest: list[Block] = []
    for block in section.blocks:
        if block.kind is BlockKind.BLANK:
            page.claim(Claim.FURNITURE, [block])
        elif block.kind is not BlockKind.ROW:
            rest.append(block)
        else:
            _book(block, page)
    if rest:
        rule_sections.take_text(rest, page)


def _book(block: Block, page: Page) -> None:
    """A row of the table. A cell that is missing in the middle (version) is null."""
    name, *row = [cell or None for cell in cells(block)]
    if name != "Book" and (name is None or not any(row)):
        page.claim(Claim.ECHO, [block])
        return
    page.claim(Claim.VALUE, [block])
    if name == "Book":
        return
    kind, edition, version, updated = (*row[: _BOOK_CELLS - 1], None, None, None, None)[:4]
    if updated is None and version is not None and not version[0].isdigit():
        version, updated = None, version
    book_id = ids.book(name, kind, version)
    page.add(Book(book_id=book_id, name=name, kind=kind, edition=edition, version=version, updated=updated), block)


def faqs(section: Section, page: Page) -> None:
    """Rows `Q:` and `A:`; text below an answer belongs to it."""
    rest: list[Block] = []
    question: Block | None = None
    answer: list[Block] = []
    for block in section.blocks:
        text = block.text.lstrip("| ")
        if block.kind in (BlockKind.BLANK, BlockKind.RUIN):
            page.claim(Claim.FURNITURE, [block])
        elif text.startswith("Q:"):
            _faq(question, answer, page)
            question, answer = block, []
        elif text.startswith("A:") or (answer and block.kind in (BlockKind.BULLET, BlockKind.ROW)):
            answer.append(block)
        else:
            rest.append(block)
    _faq(question, answer, page)
    if rest:
        rule_sections.take_text(rest, page)


def _faq(question: Block | None, answer: Sequence[Block], page: Page) -> None:
    if question is None:
        return
    if not answer:
        message = f"A question without an answer: {excerpt(question.text)}"
        page.say("unreadable-row", message, Span(question.start, question.end), "faqs")
        return
    asked = _cell(question, "Q:")
    text = "\n".join(filter(None, (_cell(b, "A:") for b in answer)))
    identity = ids.faq(page.faction, asked)
    page.add(Faq(faq_id=identity, faction_id=page.faction, question=asked, answer=text), question, *answer)
    page.claim(Claim.VALUE, [question, *answer])


def _cell(block: Block, mark: str) -> str:
    text = block.text.strip("| ").removeprefix(mark).strip("| ")
    return clean(f"- {text}" if block.kind is BlockKind.BULLET else text)
