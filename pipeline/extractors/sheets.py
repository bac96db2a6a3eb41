"""A datasheet while it is read: `Sheet`, to which the extractors of its sections add what they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipeline.document import Block, BlockKind, Claim, Claimed, Span
from pipeline.extractors.pages import Fault
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import unfold
from pipeline.records import AnyRecord, Datasheet, HeadedText, Sighting

RecaseFunction = Callable[[str], str]
"""Gives a name in capitals as it is printed elsewhere on the page, or as it is."""


@dataclass(slots=True)
class Sheet:
    """What the sections of a page say of its datasheet."""

    datasheet_id: str
    faction_id: str
    name: str
    sightings: list[Sighting] = field(default_factory=list)
    claims: list[Claimed] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    columns: dict[str, object] = field(default_factory=dict)  # of the datasheet's own row
    spans: list[Span] = field(default_factory=list)  # of the same
    other: list[HeadedText] = field(default_factory=list)
    loadout: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)  # rows of each table so far
    seen_abilities: set[str] = field(default_factory=set)

    def position(self, what: str) -> int:
        """The next position in a table, from 1."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    def add(self, record: AnyRecord, *blocks: Block) -> None:
        """A record, and the blocks that it was read from."""
        self.sightings.append(Sighting(record, tuple(Span(b.start, b.end) for b in blocks)))

    def claim(self, claim: Claim, *blocks: Block) -> None:
        """Says what blocks were read as."""
        self.claims.extend(Claimed(b.start, b.end, claim) for b in blocks)

    def fault(
        self, code: str, message: str, block: Block, table: str | None = None, record_id: str | None = None
    ) -> None:
        """Something to be said of a block."""
        self.faults.append(Fault(code, message, Span(block.start, block.end), table, record_id))

    def set(self, column: str, value: object, *blocks: Block) -> None:
        """A column of the datasheet's own row."""
        if column in self.columns and self.columns[column] != value:
            message = f"{column} stands twice with different content; the first stands."
            self.fault("duplicate-section", message, blocks[0], "datasheets", self.datasheet_id)
            return
        self.columns[column] = value
        self.spans.extend(Span(b.start, b.end) for b in blocks)

    def datasheet(self) -> Sighting:
        """The datasheet's own row."""
        if self.loadout:
            self.columns["loadout_text"] = "\n".join(self.loadout)
        record = Datasheet(
            datasheet_id=self.datasheet_id, faction_id=self.faction_id, name=self.name, other_sections=tuple(self.other),
            **self.columns,  # type: ignore[arg-type]
        )  # fmt: skip
        return Sighting(record, tuple(self.spans))


def content(section: Section, sheet: Sheet) -> list[Block]:
    """Blocks of a section behind its heading; blank ones and ruins claimed as furniture, repeats as echoes."""
    blocks = []
    for block in section.blocks:
        if block.kind in (BlockKind.BLANK, BlockKind.RUIN):
            sheet.claim(Claim.FURNITURE, block)
        else:
            blocks.append(block)
    if section.title is not None and blocks and blocks[0] == section.title:
        sheet.claim(Claim.VALUE, blocks[0])
        blocks = blocks[1:]
    if len(blocks) > 1:
        unfolded = unfold(blocks, lists=False)
        sheet.claim(Claim.ECHO, *unfolded.echoes)
        blocks = unfolded.kept
    return blocks
