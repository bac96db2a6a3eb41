"""Rules: numbered sections, weapon and core abilities, moves, shooting types, army and detachment rules with their sub-rules.

    ADVANCE MOVE09.06
    MAXIMUM DISTANCE: …              a labelled section
    AFTER MOVING:
    - …                              its bullets
    WHAT IS ENGAGEMENT?              a heading inside: a sidebar
    Example: …  Designer’s Note: …   an example; a sidebar
    SEE ALSO                         references
    - Hazard Rolls 06.03
    |                                what is left of a table: the rule is incomplete

A detachment's rule prints `Kauyon Detachment` below its title. Its sub-rules are cells of a table, `Furor Tactics The warriors … |`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline import ids
from pipeline.document import RULE_NUMBER, Block, BlockKind, Span, spans_of
from pipeline.extractors.sections import Section, detachment_of
from pipeline.extractors.stratagems import detachment_record
from pipeline.extractors.texts import clean, heading, paragraphs, unfold
from pipeline.ids import fold
from pipeline.records import Detachment, LabelledText, Rule, Table, TitledText
from pipeline.vocabulary import vocabulary

_RULES = vocabulary("rules")
_WITH_FLAVOUR = frozenset({"weapon-ability", "core-ability", "army-rule", "detachment-rule", "sub-rule"})
_SEE_ALSO = re.compile(rf"- (?P<title>.*?)\s*(?P<number>{RULE_NUMBER})?$")
_ITEM = re.compile(r"- (?P<item>[^:.]{2,40}):")
_FLAVOUR = ("flavour",)
_LONGEST_TITLE = 200
_MOVE_LABELS = ("BEFORE MOVING", "WHILE MOVING")


class Context(NamedTuple):
    """What the rest of the page says of a section: titles of its table cells, title of the rule that its sub-rule belongs to."""

    cells: tuple[tuple[str, str], ...] = ()
    parent: str | None = None
    parent_id: str | None = None  # where the page's markup says which rule this is a part of
    detachment: str | None = None
    foreign: bool = False  # whether the rule belongs to another faction than the page
    marked: bool = False  # whether the markup tells flavour, headings and tables from text


class SeeAlso(NamedTuple):
    """A bullet below SEE ALSO."""

    printed: str
    number: str | None
    span: Span


class Read(NamedTuple):
    """What a rule's section holds."""

    rules: list[tuple[Rule, tuple[Span, ...]]]
    title_spans: tuple[Span, ...]
    detachment: Detachment | None
    detachment_spans: tuple[Span, ...]  # the line below the title, else the title
    see_also: list[tuple[str, SeeAlso]]  # the rule's id, the bullet
    taken: list[Block]  # what the rule was read from
    echoes: list[Block]  # what repeats it
    faults: list[tuple[str, str, Span, str]]  # code, message, place, rule id


def kind_of(title: str, number: str | None, expected: str) -> str:
    """What kind of rule a title names."""
    if title.startswith("["):
        return "weapon-ability"
    if title.isupper():
        if title.endswith(tuple(_RULES["shooting_titles"])):
            return "shooting-type"
        if title.endswith(tuple(_RULES["move_titles"])):
            return "move"
        if number is not None:
            return "core-ability"
    return "core-rule" if expected == "rule" else expected


def rule_id(title: str, kind: str, number: str | None, faction_id: str | None, parent: str | None = None) -> str:
    """The number where there is one, else a path by kind; a sub-rule's path goes through its rule's."""
    if number:
        return number
    owner = faction_id or "any"
    if kind == "army-rule":
        return ids.army_rule(owner, title)
    if kind == "sub-rule" and parent:
        return f"{parent}/{ids.slug(title)}"
    if kind in ("detachment-rule", "sub-rule"):
        return ids.detachment_rule(owner, title)
    if kind == "faction-rule":
        return f"faction-rule/{owner}/{ids.slug(title)}"
    return ids.core_rule(title)


def read(section: Section, faction_id: str | None, context: Context) -> Read:
    """The rule of a section, with its sub-rules."""
    content = [b for b in section.blocks if b.kind is not BlockKind.BLANK]
    title_block, body = content[0], content[1:]
    number, title = heading(title_block)
    kind = kind_of(title, number, section.kind)
    head = [title_block]
    detachment = None
    again = _titles_again(body, title_block.text)
    echoes = body[:again]
    body = body[again:]
    if kind == "detachment-rule" and body and (printed := detachment_of(body[0].text)):
        if faction_id:
            detachment = detachment_record(faction_id, printed)
        head.append(body[0])
        body = body[1:]
    parent_id = (
        ids.detachment_rule(faction_id, context.parent)
        if kind == "sub-rule" and context.parent and faction_id
        else None
    )
    identity = rule_id(title, kind, number, faction_id, context.parent_id or parent_id)
    if kind == "sub-rule":
        parent_id = context.parent_id or parent_id
    if detachment is None and context.detachment and faction_id:
        detachment = detachment_record(faction_id, context.detachment)
    unfolded = unfold(body)
    echoes += unfolded.echoes
    parts = _Parts(identity, kind, dict(context.cells), marked=context.marked)
    for block in unfolded.kept:
        parts.take(block)
    labelled = parts.labelled()
    if not (unfolded.kept or parts.cells):
        parts.lost("nothing stands below its title")
    complete = parts.complete and not unfolded.lossy
    faults = []
    if not complete:
        whole = Span(title_block.start, content[-1].end)
        faults.append(
            (
                "damaged-rule",
                f"{title}: {parts.loss or 'one of its two copies lacks what the other has'}.",
                whole,
                identity,
            )
        )
    flavour, text = parts.flavour_and_text()
    owner = faction_id if kind in ("army-rule", "detachment-rule", "sub-rule", "faction-rule") else None
    detachment_id = detachment.detachment_id if detachment else None
    made = Rule(
        rule_id=identity, number=number, title=title, kind=kind, faction_id=owner, detachment_id=detachment_id,
        parent_id=parent_id, flavour=flavour, text=text, sections=labelled, examples=tuple(parts.examples),
        sidebars=parts.sidebars(), tables=tables(parts.rows), complete=complete,
    )  # fmt: skip
    cells = {b.start for b in parts.cells}
    used = [*head, *(b for b in unfolded.kept if b.start not in cells)]
    rules = [(made, spans_of(used))]
    for cell in parts.cells:
        rules.append((_sub_rule(cell, parts.titles[cell.text], made, faction_id), (Span(cell.start, cell.end),)))
    see_also = [(identity, s) for s in parts.see_also]
    for unsure in parts.unsure:
        faults.append(
            (
                "unknown-heading",
                f"“{unsure.text}” inside {title} is kept as a sidebar.",
                Span(unsure.start, unsure.end),
                identity,
            )
        )
    taken = [*head, *unfolded.kept]
    return Read(rules, spans_of(used[:1]), detachment, spans_of(used[1:2] or used[:1]), see_also, taken, echoes, faults)


def _titles_again(body: Sequence[Block], title: str) -> int:
    """How many blocks at the start of a body print its title again."""
    for i, block in enumerate(body):
        text = block.text
        if block.kind is BlockKind.TEXT and len(text) > _LONGEST_TITLE:
            return i
        if block.kind not in (BlockKind.HEADING, BlockKind.TEXT) or (text != title and fold(text) != fold(title)):
            return i
    return len(body)


def _sub_rule(cell: Block, title: str, parent: Rule, faction_id: str | None) -> Rule:
    rest = clean(cell.text)[len(title) :].strip()
    return Rule(
        rule_id=rule_id(title, "sub-rule", None, faction_id, parent.rule_id), number=None, title=title, kind="sub-rule",
        faction_id=parent.faction_id, detachment_id=parent.detachment_id, parent_id=parent.rule_id, text=rest or None,
    )  # fmt: skip


class _Parts:
    """Blocks of one rule, sorted into text, labelled sections, sidebars, examples and references."""

    def __init__(self, identity: str, kind: str, titles: dict[str, str], *, marked: bool) -> None:
        self.marked = marked
        self.rows: list[Block] = []
        self.titles = titles
        self.identity = identity
        self.kind = kind
        self.text: list[Block] = []
        self.labels: list[tuple[str, list[Block]]] = []
        self.boxes: list[tuple[str, list[Block]]] = []
        self.examples: list[str] = []
        self.see_also: list[SeeAlso] = []
        self.cells: list[Block] = []
        self.unsure: list[Block] = []
        self.complete = True
        self.loss: str | None = None
        self.current: list[Block] = self.text
        self.in_see_also = False

    def take(self, block: Block) -> None:
        """Puts a block where it belongs."""
        kind = block.kind
        if self.in_see_also and kind is BlockKind.BULLET:
            found = _SEE_ALSO.match(block.text)
            if found:
                self.see_also.append(SeeAlso(clean(found[0][2:]), found["number"], Span(block.start, block.end)))
        elif kind is BlockKind.SEE_ALSO:
            self.in_see_also = True
        elif kind is BlockKind.RUIN:
            self.lost("a table of it is gone")
        elif kind is BlockKind.LABELLED:
            self.in_see_also = False
            label, _, _ = block.text.partition(":")
            self.current = []
            self.labels.append((label, self.current))
            self.current.append(block)
        elif block.detail[:1] == ("table",):
            self.rows.append(block)
        elif kind is BlockKind.EXAMPLE:
            self.examples.append(clean(block.text.partition(": ")[2]))
        elif kind is BlockKind.NOTE:
            title, _, _ = block.text.partition(": ")
            self.boxes.append((title, [Block(BlockKind.TEXT, block.start, block.end, block.text[len(title) + 2 :])]))
        elif not self.marked and self._is_flavour(block):
            self.text.append(block)
        elif kind in (BlockKind.HEADING, BlockKind.SECTION):
            self.in_see_also = False
            self.current = []
            self.boxes.append((clean(block.text), self.current))
            if not self.marked and not block.text.isupper() and self.kind not in ("core-rule",):
                self.unsure.append(block)
        elif kind is BlockKind.FURNITURE:
            pass  # claimed as what it is
        elif (
            kind is BlockKind.TEXT
            and block.text.endswith(" |")
            and self.kind in ("detachment-rule", "army-rule")
            and block.text in self.titles
        ):
            self.cells.append(block)
        else:
            self.in_see_also = False
            self.current.append(block)

    def _is_flavour(self, block: Block) -> bool:
        """Whether a block that looks like a title is the first line of a rule that begins with its flavour: `For the Lamp!`."""
        return (
            self.kind in _WITH_FLAVOUR and block.kind is BlockKind.HEADING and block.text[-1] in "!?"
            and not block.text.isupper() and not (self.text or self.labels or self.boxes)
        )  # fmt: skip

    def lost(self, what: str) -> None:
        """Says that the source lost a part of the rule."""
        self.complete = False
        self.loss = self.loss or what

    def flavour_and_text(self) -> tuple[str | None, str | None]:
        """Flavour stands alone in the first line of the kinds that have one; what follows it is the rule."""
        texts = [b for b in self.text if b.kind is not BlockKind.RUIN]
        if self.marked:
            return paragraphs(b for b in texts if b.detail == _FLAVOUR), paragraphs(
                b for b in texts if b.detail != _FLAVOUR
            )
        if (
            self.kind in _WITH_FLAVOUR
            and len(texts) > 1
            and texts[0].kind in (BlockKind.TEXT, BlockKind.HEADING)
            and not texts[1].glued
            and texts[1].kind is not BlockKind.BULLET
        ):
            return clean(texts[0].text), paragraphs(texts[1:])
        if self.kind in _WITH_FLAVOUR and len(texts) == 1 and self.labels and texts[0].kind is BlockKind.TEXT:
            return clean(texts[0].text), None
        return None, paragraphs(texts)

    def labelled(self) -> tuple[LabelledText, ...]:
        """Labelled sections in true order. A list that begins again inside one lost its label."""
        made = []
        for label, blocks in self.labels:
            items = [m["item"] for b in blocks if b.kind is BlockKind.BULLET and (m := _ITEM.match(b.text))]
            if len(items) != len(set(items)):
                self.lost("a label inside a list is gone")
            text = paragraphs(blocks) or ""
            made.append(LabelledText(label, text[len(label) + 1 :].strip()))
        if self.kind in ("move", "shooting-type") and self.labels:
            last, blocks = self.labels[-1]
            if "EFFECT" not in dict(self.labels):
                self.lost("its EFFECT is gone")
            # `WHILE MOVING:` alone, with a list that what came after it may have been run into
            if last in _MOVE_LABELS and blocks[0].text == f"{last}:" and blocks[-1].kind is BlockKind.BULLET:
                self.lost(f"what comes after {last} may be run into its list")
        return tuple(made)

    def sidebars(self) -> tuple[TitledText, ...]:
        """Headings inside the rule, with the text below each."""
        return tuple(TitledText(title, paragraphs(blocks) or "") for title, blocks in self.boxes)


def tables(blocks: Sequence[Block]) -> tuple[Table, ...]:
    """Caption, header and rows of the tables that rows of a rule make up."""
    by_table: dict[str, list[tuple[str, ...]]] = {}
    for block in blocks:
        if block.detail[:1] == ("table",):
            by_table.setdefault(block.detail[1], []).append(block.detail[3:])
    return tuple(_table(rows) for rows in by_table.values())


def _table(rows: list[tuple[str, ...]]) -> Table:
    width = max(len(row) for row in rows)
    caption = None
    if width > 1 and sum(1 for cell in rows[0] if cell) == 1:
        caption = next(cell for cell in rows[0] if cell)
        rows = rows[1:]
    header: tuple[str, ...] = ()
    if rows and all(cell.isupper() for cell in rows[0] if cell):
        header, rows = rows[0], rows[1:]
    return Table(caption, header, tuple(rows))
