"""Lines of a saved page, one after the other → its text, blocks with their places, and parts."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.document import Block, BlockKind, Part
from pipeline.readers import dom
from pipeline.readers.dom import Element

OWN_NAME = "\ue000"
"""Stands for the name of a tooltip in its fragment: a character that no page prints."""


class Page(NamedTuple):
    """A page as it is seen, and the address that its head gives."""

    text: str
    blocks: list[Block]
    parts: list[Part]
    url: str | None
    too_deep: bool  # whether elements were nested so deep that their text is lost


class Fragment(NamedTuple):
    """What a cut-out tooltip says, positions and lines from 0, and how many line breaks its markup has."""

    text: str
    blocks: list[Block]
    parts: list[Part]
    too_deep: bool
    breaks: int


class Writer:
    """Puts the lines of a page together: text, blocks with their places, parts. `above`: how many lines are above its source."""

    def __init__(self, above: int) -> None:
        self.above = above
        self.pieces: list[str] = []
        self.at = 0
        self.blocks: list[Block] = []
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
        printed = f"{'  ' * depth}{text}\n" if depth else f"{text}\n"
        start = self.at
        self.at = end = start + len(printed)
        name = dom.named(str(element.tag), element.get("class"))
        line = self.above + (element.sourceline or 0)
        block = Block(kind, start, end, text, False, depth, detail, name, line, self.within)
        self.pieces.append(printed)
        self.blocks.append(block)
        if title:
            self.title = block
        return block

    def add(self, fragment: Fragment, above: int, name: str) -> None:
        """What a tooltip of this name says, behind what was written, with its places."""
        self.close()
        at, first = self.at, len(self.blocks)
        named: dict[str | None, str | None] = {OWN_NAME: name}
        self.blocks += [
            Block(
                b.kind, b.start + at, b.end + at, b.text, False, b.depth, b.detail, b.element, b.line + above,
                named.get(b.within, b.within),
            )
            for b in fragment.blocks
        ]  # fmt: skip
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

    def fragment(self, *, too_deep: bool, breaks: int) -> Fragment:
        """All that was written of a tooltip."""
        self.close()
        return Fragment("".join(self.pieces), self.blocks, self.parts, too_deep, breaks)
