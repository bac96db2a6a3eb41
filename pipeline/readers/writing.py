"""Lines of a saved page, one after the other → its text, blocks with their places, and parts."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.document import Block, BlockKind, Part
from pipeline.readers import dom
from pipeline.readers.dom import Element


class Page(NamedTuple):
    """A page as it is seen, and the address that its head gives."""

    text: str
    blocks: list[Block]
    parts: list[Part]
    url: str | None
    too_deep: bool  # whether elements were nested so deep that their text is lost


class Fragment(NamedTuple):
    """What a cut-out tooltip says: positions from 0, places without their lines, which stand apart, relative as well."""

    text: str
    blocks: list[Block]
    lines: list[int]
    parts: list[Part]


class Writer:
    """Puts the lines of a page together: text, blocks with their places, parts. `line`: how many lines are above its source, None
    where that is not known yet.
    """

    def __init__(self, line: int | None) -> None:
        self.above = line
        self.pieces: list[str] = []
        self.at = 0
        self.blocks: list[Block] = []
        self.lines: list[int] = []
        self.parts: list[Part] = []
        self.kind = "text"
        self.first = 0
        self.title: Block | None = None
        self.facts: dict[str, str] = {}
        self.within: str | None = None

    def open(self, kind: str, **facts: str) -> None:
        """Ends the part that was written to and begins another."""
        self.close()
        self.kind = kind
        self.facts = facts

    def close(self) -> None:
        """Ends the part that was written to."""
        if len(self.blocks) > self.first:
            facts = tuple(sorted(self.facts.items()))
            self.parts.append(Part(self.kind, self.blocks[self.first :], self.title, facts))
        self.first = len(self.blocks)
        self.title = None
        self.kind = "text"
        self.facts = {}

    def line(
        self,
        text: str,
        element: Element,
        kind: BlockKind,
        *,
        depth: int = 0,
        detail: tuple[str, ...] = (),
        title: bool = False,
    ) -> Block:
        """One block; its text ends with a line break. `title`: it names the part."""
        indent = "  " * depth
        end = self.at + len(indent) + len(text) + 1
        name = dom.named(str(element.tag), element.get("class"))
        line = element.sourceline or 0
        place = f", #{self.within}: {name}" if self.within else f": {name}"
        if self.above is not None:
            place = f"line {self.above + line}{place}"
        block = Block(kind, self.at, end, text, False, place, depth, detail)
        self.pieces.append(f"{indent}{text}\n")
        self.at = end
        self.blocks.append(block)
        self.lines.append(line)
        if title:
            self.title = block
        return block

    def add(self, fragment: Fragment, above: int) -> None:
        """What a tooltip says, behind what was written, with its places."""
        self.close()
        at, first = self.at, len(self.blocks)
        self.blocks += [
            Block(b.kind, b.start + at, b.end + at, b.text, False, f"line {above + line}{b.place}", b.depth, b.detail)
            for b, line in zip(fragment.blocks, fragment.lines, strict=True)
        ]
        for part in fragment.parts:
            blocks = self.blocks[first : first + len(part.blocks)]
            title = blocks[part.blocks.index(part.title)] if part.title is not None else None
            self.parts.append(Part(part.kind, blocks, title, part.facts))
            first += len(blocks)
        self.pieces.append(fragment.text)
        self.at += len(fragment.text)
        self.first = len(self.blocks)

    def page(self, url: str | None, *, too_deep: bool) -> Page:
        """All that was written."""
        self.close()
        return Page("".join(self.pieces), self.blocks, self.parts, url, too_deep)

    def fragment(self, first: int) -> Fragment:
        """All that was written of a tooltip that begins on line `first` of what was parsed."""
        self.close()
        return Fragment("".join(self.pieces), self.blocks, [line - first for line in self.lines], self.parts)
