"""Blocks → sections: which blocks belong together, and under which title.

A datasheet's sections begin with a heading that the vocabulary names and may stand in any order. Behind them a page holds the
rules it refers to, one after the other, without a mark between them. What begins a rule there is a rule number, a stratagem's
command points, a keyword index' sentence, or a title that is *expected*: one that the page itself lists (abilities,
stratagems, detachment abilities) or that the vocabulary knows. A capital letter alone begins nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from pipeline import values
from pipeline.document import Block, BlockKind
from pipeline.extractors.texts import is_clause
from pipeline.ids import fold
from pipeline.vocabulary import vocabulary

_PAGE = vocabulary("page")
_RULES = vocabulary("rules")
_SECTIONS: dict[str, str] = _PAGE["sections"]
_GROUP_WORDS = frozenset(_PAGE["group_words"])
_GENERIC = frozenset(_RULES["generic_headings"])

STEP_TITLES: dict[str, str] = {fold(title): "core-rule" for title in _RULES["unnumbered_steps"]}
"""Titles without a number on pages whose rules are numbered."""

VOCABULARY_TITLES: dict[str, str] = {
    **{fold(title): "core-rule" for title in (*_RULES["core_rules"], *_RULES["unnumbered_steps"])},
    **{fold(title): "core-ability" for title in _RULES["core_abilities"]},
    **{fold(ability["name"]): "weapon-ability" for ability in vocabulary("weapon_abilities")},
}

DATASHEET_KINDS = frozenset(
    [
        "weapons",
        "options",
        "abilities",
        "wargear-abilities",
        "composition",
        "transport",
        "leader",
        "led-by",
        "damaged",
        "keywords",
        "faction-keywords",
        "named",
    ]
)

_BEFORE_ABILITIES = DATASHEET_KINDS - {"abilities", "wargear-abilities", "keywords", "faction-keywords"} | {"costs"}
_LISTS = frozenset(["composition", "costs", "options", "transport", "leader", "led-by", "damaged"])
"""Sections in which nothing but the section's own content stands, so that a title there begins one of its own."""
_CLOSED = _LISTS | {"named"}
_OF_ABILITIES = frozenset({"abilities", "wargear-abilities"})
_BEFORE_PRICES = DATASHEET_KINDS - {"composition", "abilities", "wargear-abilities"}
_COUNTED = re.compile(r"- [0-9]{1,3}(?:-[0-9]{1,3})? [A-Z]")  # `- 4-9 Lamplighters`
_SURE_PRICE = re.compile(
    r"\| ?(?:YOUR .*COSTS? ?\|[ |]*|[0-9]{1,3} models? ?\| ?[0-9]{1,6} ?\|?)$"
)  # also below abilities
_PRICE = re.compile(
    r"\| ?(?:YOUR .*COSTS? ?\|[ |]*|[^|]+\| ?[0-9]+ ?\|?)$"
)  # `| YOUR UNIT COSTS | |`, `| 1 model | 75 |`

_DETACHMENT = re.compile(r"(?P<name>[^.]{2,70}) Detachment$")
_ABILITY_LABELS = ("CORE:", "FACTION:")
_NUMBER_ONLY = re.compile(r"\+?[0-9]+$")
_TAG = re.compile(r"[A-Z]{1,3}$")
_CELL_TITLE = re.compile(
    r"(?P<title>[A-Z][\w’'‑!-]*(?:,? (?:[A-Z][\w’'‑!-]*|of|the|and|to|in|for|a))*?) (?=[A-Z][\w’]*(?: [a-z(]|’s ))"
)
_STARTERS = frozenset(
    [
        "The",
        "While",
        "Each",
        "Until",
        "If",
        "At",
        "In",
        "Once",
        "When",
        "This",
        "These",
        "That",
        "Select",
        "Add",
        "Subtract",
        "Improve",
        "Your",
        "Even",
        "By",
        "As",
        "Some",
        "Models",
        "Units",
        "Enemy",
        "Weapons",
        "One",
        "Choose",
        "Roll",
        "Every",
        "After",
        "Before",
        "During",
        "You",
        "For",
    ]
)
_ATTACHES = re.compile(
    r"(?:This|These|The|You) .{0,60}attach|This unit can (?:be led|lead)|This model can (?:lead|be )"
)
_TITLE = re.compile(r"[A-Z][\w’'‑!-]*(?:,? (?:[A-Z][\w’'‑!-]*|of|the|and|to|in|for|a))*,? [A-Z][\w’'‑!-]*$")
"""A heading of two words or more, capitalised like a name: `Rite of Passage`."""
_REMNANTS = ("and", ",")  # of an index' sentence whose keyword is lost
_ALLIANCE = re.compile(r"[A-Z][\w’ -]{2,40}: [A-Z]")

ENHANCEMENT = re.compile(r"- (?P<name>[^:]+?) (?P<points>[0-9]{1,6}) pts$")
"""The first line of an enhancement on a faction page, `- Veil of Dusk 20 pts`; not `- Skirmish: Up to 500 pts`, a rule's bullet."""
WEAPON_PIPES = 6  # a row of a weapon table has at least as many
PRICE_PIPES = 3  # a row of a price table at most


class Section(NamedTuple):
    """Blocks of one kind of content; `title` is the block that names it, if one does."""

    kind: str
    blocks: Sequence[Block]
    title: Block | None = None
    facts: tuple[tuple[str, str], ...] = ()  # what the page's markup says of it


@dataclass(slots=True)
class Expected:
    """What a page's own lists and tables announce.

    `titles`: folded, with the kind of rule that they name. `cells`: text of a table's cell → the title at its start.
    `parents`: folded title of a sub-rule → title of its rule → words of the cells of that rule that have this title.
    `numbered`: the page's core rules have numbers, so that a title without one is none of theirs.
    """

    titles: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)
    parents: dict[str, dict[str | None, set[str]]] = field(default_factory=dict)
    numbered: bool = False

    def kind_of(self, printed: str) -> str | None:
        """Kind of the rule that has this title, if the page or the vocabulary expects it."""
        key = fold(printed)
        return self.titles.get(key) or (STEP_TITLES if self.numbered else VOCABULARY_TITLES).get(key)


def cell_title(text: str, headings: frozenset[str] = frozenset()) -> str | None:
    """The name at the start of a table's cell whose text runs on behind it: `Furor Tactics The warriors …` → `Furor Tactics`.

    A heading of the page that says the same decides; else the name ends before the first word that begins a sentence, or with
    the last capitalised word but one.
    """
    words = text.split(" ")
    told = _title_of_words(text, words)
    for end in range(min(len(words) - 1, 8), 0, -1):
        heading = " ".join(words[:end])
        if fold(heading) in headings:
            # `Quern` elsewhere on the page is none of `Quern Spur While it rains, …`
            longer = told is not None and told.startswith(f"{heading} ") and words[end] not in _STARTERS
            return told if longer else heading
    return told


def _title_of_words(text: str, words: list[str]) -> str | None:
    """The name at the start of a cell, by its words alone."""
    for end, (word, after) in enumerate(pairwise(words[1:10]), 1):
        if words[end - 1][-1:] in ".,;:!?":
            break
        if (word in _STARTERS and after[:1].islower()) or (
            len(word) > 2 and word.isupper()
        ):  # a sentence; a keyword begins one
            return " ".join(words[:end])
    found = _CELL_TITLE.match(text)
    return found["title"] if found else None


def is_group(text: str) -> bool:
    """Whether a line is a role heading of a keyword index, `Vehicle Epic Hero`."""
    return all(word in _GROUP_WORDS for word in text.split())


def is_prose(block: Block) -> bool:
    """Whether a block is text that can follow a title."""
    return block.kind in (
        BlockKind.TEXT,
        BlockKind.LABELLED,
        BlockKind.BULLET,
        BlockKind.RUIN,
        BlockKind.EXAMPLE,
        BlockKind.NOTE,
    )


def detachment_of(text: str) -> str | None:
    """`Kauyon Detachment` → `Kauyon`."""
    found = _DETACHMENT.match(text) if text.endswith(" Detachment") else None
    return found["name"] if found else None


def expected_titles(blocks: Sequence[Block]) -> Expected:
    """What the page's lists and tables announce."""
    titles: dict[str, str] = {}
    cells: dict[str, str] = {}
    parents: dict[str, dict[str | None, set[str]]] = {}
    listing = numbered = False
    headings: frozenset[str] | None = None
    parent: str | None = None
    previous: Block | None = None
    for index, block in enumerate(blocks):
        kind = block.kind
        text = block.text
        if not listing and (kind in _SAYS_NOTHING or kind is BlockKind.TEXT):
            previous = block
            if kind is not BlockKind.TEXT or not text.endswith(" |"):
                continue
        elif kind is BlockKind.RULE:
            numbered = True
            parent = None
        elif kind is BlockKind.HEADING:
            if previous is not None and previous.kind is BlockKind.HEADING and detachment_of(text):
                parent = previous.text
            previous = block
        elif kind is not BlockKind.BLANK:
            previous = block
        if kind is BlockKind.SECTION:
            listing = _SECTIONS.get(text) == "detachment-list"
        elif kind is BlockKind.LABELLED:
            if text.startswith(_ABILITY_LABELS):
                label, _, names = text.partition(":")
                rule = "core-ability" if label == "CORE" else "army-rule"
                for printed in names.split(","):  # a core ability's title stands without its value
                    titles.setdefault(fold(values.with_value(" ".join(printed.split()))[0]), rule)
        elif listing:
            following = next((b for b in blocks[index + 1 : index + 9] if b.kind is not BlockKind.BLANK), None)
            if kind is BlockKind.HEADING and not (
                following is not None and is_prose(following)
            ):  # a name; with text below it, a title
                titles.setdefault(fold(text), "detachment-rule")
            elif kind is not BlockKind.BLANK:
                listing = False
        elif kind is BlockKind.TEXT and text.endswith(" |"):
            if headings is None:
                headings = frozenset(fold(b.text) for b in blocks if b.kind is BlockKind.HEADING) - _no_cell_titles(
                    blocks
                )
            if title := cell_title(text, headings):
                cells[text] = title
                key = fold(title)
                titles.setdefault(key, "sub-rule")
                words = " ".join(text.removesuffix(" |").split())
                parents.setdefault(key, {}).setdefault(parent, set()).add(words)
    titles.pop("", None)
    if numbered:
        titles = {key: rule for key, rule in titles.items() if rule != "core-ability"}
    return Expected(titles, cells, parents, numbered)


_SAYS_NOTHING = frozenset(
    [
        BlockKind.BULLET,
        BlockKind.COMMAND_POINTS,
        BlockKind.STRATAGEM_TYPE,
        BlockKind.INDEX,
        BlockKind.EXAMPLE,
        BlockKind.ROW,
    ]
)
"""Blocks that announce no title."""


def _no_cell_titles(blocks: Sequence[Block]) -> frozenset[str]:
    """Folded lines that look like titles and are none of a cell: below `FACTION KEYWORDS:`, above `Kauyon Detachment`."""
    above = {BlockKind.HEADING, BlockKind.SECTION}
    found: set[str] = set()
    for place in [i for i, b in enumerate(blocks[:-1]) if b.kind in above]:
        block, below = blocks[place], blocks[place + 1]
        if block.kind is BlockKind.SECTION:
            if block.text.startswith("FACTION KEYWORDS"):
                found.add(fold(below.text))
        elif below.text.endswith(" Detachment") and detachment_of(below.text):
            found.add(fold(block.text))
    return frozenset(found)


def sections(blocks: Sequence[Block], expected: Expected) -> list[Section]:
    """Sections that hold every block of the page once, in order."""
    return _Cutter(list(blocks), expected).cut()


_NAMES = frozenset([BlockKind.HEADING, BlockKind.RULE, BlockKind.SECTION, BlockKind.TEXT])
_ENDED_BY_TEXT = frozenset(["furniture", "index"])
_ENDED_BY_TITLES = frozenset(
    [
        *("furniture", "index", "text", "enhancement", "stratagem", "faq", "books"),
        *("detachment-list", "enhancement-list", "stratagem-list"),
    ]
)
_RUNS_ON = frozenset(
    [BlockKind.TEXT, BlockKind.LABELLED, BlockKind.COMMAND_POINTS, BlockKind.EXAMPLE, BlockKind.NOTE, BlockKind.RUIN]
)
"""Blocks that begin no section, but for what `_ENDED_BY_TEXT`."""


class _Cutter:
    """One pass over a page's blocks. Blank ones decide nothing: they stay in the section that they follow."""

    def __init__(self, blocks: list[Block], expected: Expected) -> None:
        self.page = blocks
        self.places = [
            i for i, b in enumerate(blocks) if b.kind is not BlockKind.BLANK
        ]  # on the page, of each of `blocks`
        self.blocks = [blocks[i] for i in self.places] if len(self.places) < len(blocks) else blocks
        self.taken = 0  # blocks of the page that are in a section
        self.expected = expected
        self.made: list[Section] = []
        self.kind = "preamble"
        self.start = 0
        self.title: Block | None = None
        self.in_rules = False
        self.has_weapons = False
        keywords = [i for i, b in enumerate(self.blocks) if b.kind is BlockKind.SECTION and ":" in b.text]
        self.is_datasheet = bool(keywords)
        self.last_keywords = keywords[-1] if keywords else -1

    def cut(self) -> list[Section]:
        """The sections, in order."""
        blocks = self.blocks
        i, n = 0, len(blocks)
        while i < n:
            block = blocks[i]
            kind = block.kind
            if (
                (kind in _RUNS_ON or (kind is BlockKind.BULLET and not block.text.endswith(" pts")))
                and self.kind not in _ENDED_BY_TEXT
                and not (kind is BlockKind.LABELLED and self.kind in _BEFORE_ABILITIES)
                and not (kind is BlockKind.TEXT and self.kind in _CLOSED and _is_capitals(block.text))
            ):
                i += 1
            else:
                i = self._step(i)
        self._close(n)
        return self.made

    def _close(self, end: int) -> None:
        taken = self.places[end] if end < len(self.places) else len(self.page)
        if taken > self.taken:
            self.made.append(Section(self.kind, self.page[self.taken : taken], self.title))
        self.taken = taken
        self.start = end

    def _open(self, kind: str, i: int, title: Block | None = None) -> None:
        self._close(i)
        self.kind, self.title = kind, title
        self.has_weapons = self.has_weapons or kind == "weapons"
        if kind in DATASHEET_KINDS:
            self.in_rules = False
        elif kind not in ("furniture", "stratagem-list", "detachment-list", "enhancement-list", "preamble"):
            self.in_rules = True

    def _at(self, i: int) -> Block | None:
        return self.blocks[i] if i < len(self.blocks) else None

    def _step(self, i: int) -> int:
        """Decides what block i begins, if anything; gives the index of the next undecided block."""
        block = self.blocks[i]
        kind = block.kind
        if kind is BlockKind.TEXT:
            if self.kind in ("furniture", "index") and not self._lists_factions(block) and block.text not in _REMNANTS:
                self._open("text", i)
            elif self.kind in _CLOSED and self._is_own_title(i, block):  # a heading too long to look like one
                self._open("named", i, block)
        elif kind is BlockKind.LABELLED:
            if self.kind in _BEFORE_ABILITIES and block.text.startswith(_ABILITY_LABELS):
                self._open("abilities", i)  # the heading is lost
        elif kind is BlockKind.BULLET:
            if ENHANCEMENT.match(block.text):
                self._open("enhancement", i, block)
            elif self.kind in ("furniture", "index"):
                self._open("text", i)
        elif kind is BlockKind.HEADING:
            return self._heading(i, block)
        elif kind is BlockKind.RULE:
            self._rule(i, block)
        elif kind is BlockKind.INDEX:
            self._open("index", i, block)
        elif kind is BlockKind.SECTION:
            return self._section(i, block)
        elif kind is BlockKind.TABLE_HEADER:
            if not self._is_inner_table():
                self._open("weapons", i, block)
        elif kind is BlockKind.ROW:
            self._row(i, block)
        elif kind is BlockKind.FURNITURE:
            if self.kind not in ("furniture", "preamble"):
                self._open("furniture", i)
        elif kind is BlockKind.STRATAGEM_TYPE and self.kind in ("furniture", "index", "text"):
            self._open("text", i)
        return i + 1

    def _is_inner_table(self) -> bool:
        """Whether a weapon table stands inside a rule or an enhancement: the page's own weapons stand before its rules."""
        return self.in_rules and self.kind not in ("index", "furniture") and (self.has_weapons or not self.is_datasheet)

    def _lists_factions(self, block: Block) -> bool:
        """`Chaos: Death Guard, World Eaters.` below an index of factions."""
        return (
            self.kind == "index"
            and self.title is not None
            and self.title.text.endswith("Factions:")
            and bool(_ALLIANCE.match(block.text))
        )

    def _rule(self, i: int, block: Block) -> None:
        points = self._at(i + 1)
        if points is not None and points.kind is BlockKind.COMMAND_POINTS:
            self._open("stratagem", i, block)
        else:
            self._open("rule", i, block)

    def _row(self, i: int, block: Block) -> None:
        if block.text.startswith(("| Q:", "Q:")):
            self._open("faq", i)
        elif block.text.startswith(("| A:", "A:")) and self.kind == "faq":
            return
        elif block.text.startswith(("| Book |", "Book |")):
            self._open("books", i)
        elif self.kind in ("preamble", "furniture", "text") and block.text.count("|") >= WEAPON_PIPES:
            self._open("weapons", i)
        elif (self.kind in ("weapons", "preamble", "furniture") and block.text.count("|") <= PRICE_PIPES) or (
            self.kind in _BEFORE_PRICES and _PRICE.match(block.text)
        ):
            self._open("costs", i)
        elif self.kind in _OF_ABILITIES and _SURE_PRICE.match(block.text):  # the heading of the composition is lost
            start = i
            while start > self.start + 1 and _COUNTED.match(self.blocks[start - 1].text):
                start -= 1
            self._open("composition", start)

    def _section(self, i: int, block: Block) -> int:
        text = block.text
        kind = _SECTIONS.get(text)
        j = i + 1
        following = self._at(j)
        if kind is None:
            if text.startswith("DAMAGED"):
                self._open("damaged", i, block)
            elif ":" in text:
                self._open("faction-keywords" if text.startswith("FACTION") else "keywords", i, block)
            else:  # `KEYWORDS` alone heads a part of a detachment's rule
                return self._heading(i, block)
            return i + 1
        if kind == "stratagem-list":
            if following is not None and (self._is_stratagem(j) or self.kind in DATASHEET_KINDS):
                self._open(kind, i, block)
                return self._stratagem_list(j)
            return self._heading(i, block)
        if kind in ("detachment-list", "enhancement-list"):
            if following is not None and following.kind is BlockKind.HEADING:
                self._open(kind, i, block)
                return self._name_list(j)
            return self._heading(i, block)
        if (
            kind in ("leader", "led-by", "transport")
            and self.in_rules
            and not (following and _is_of_datasheet(kind, following))
        ):
            return self._heading(i, block)
        self._open(kind, i, block)
        return i + 1

    def _is_stratagem(self, i: int) -> bool:
        """Whether block i is a name with command points below it."""
        points = self._at(i + 1)
        return points is not None and points.kind is BlockKind.COMMAND_POINTS and self.blocks[i].kind in _NAMES

    def _is_flavour(self, i: int) -> bool:
        """Whether block i, which looks like a title, stands between a card's type and its first label: `For the Lamp!`."""
        within = any(b.kind is BlockKind.LABELLED for b in self.blocks[self.start : i])
        return not within and self._leads_to_label(i)

    def _leads_to_label(self, i: int) -> bool:
        """Whether block i, or what stands below it and might be a wrapped flavour text, is a label: `WHEN: …`."""
        lines = self.blocks[i : i + 4]
        place = next((k for k, b in enumerate(lines) if b.kind is BlockKind.LABELLED), None)
        return place is not None and all(b.kind in (BlockKind.TEXT, BlockKind.HEADING) for b in lines[:place])

    def _stratagem_list(self, i: int) -> int:
        """Passes over the entries (name / points / type / tag) from block i; a card, with text below its type, ends the list."""
        while self._is_stratagem(i):
            type_at = i + 2
            after = type_at + 1
            type_block = self._at(type_at)
            if type_block is None or type_block.kind not in (
                BlockKind.HEADING,
                BlockKind.STRATAGEM_TYPE,
                BlockKind.TEXT,
            ):
                return type_at
            if self._is_stratagem(type_at):  # the type is missing
                i = type_at
                continue
            tag = self._at(after)
            if (
                tag is not None
                and tag.kind in (BlockKind.HEADING, BlockKind.TEXT)
                and _TAG.match(tag.text)
                and not self._is_stratagem(after)
            ):
                i = after + 1
                continue
            if tag is not None and (self._leads_to_label(after) or (tag.kind is BlockKind.TEXT and len(tag.text) > 3)):
                return i
            i = after
        return i

    def _name_list(self, i: int) -> int:
        """Passes over names, with or without points below them, until a name has text below it: that one is a title."""
        while (block := self._at(i)) is not None:
            if block.kind is BlockKind.TEXT and _NUMBER_ONLY.match(block.text):
                i = i + 1
                continue
            following = self._at(i + 1)
            if block.kind is not BlockKind.HEADING or self._is_stratagem(i):
                return i
            if following is not None and (
                (is_prose(following) and not _NUMBER_ONLY.match(following.text))
                or (detachment_of(following.text) and following.kind is BlockKind.HEADING)
            ):
                return i
            if (
                following is not None
                and following.kind is BlockKind.HEADING
                and fold(following.text) == fold(block.text)
            ):
                title = i + 1
                after = self._at(title + 1)
                return title if after is not None and detachment_of(after.text) else i
            i = i + 1
        return i

    def _heading(self, i: int, block: Block) -> int:
        text = block.text
        j = i + 1
        following = self._at(j)
        if self._is_stratagem(i):
            self._open("stratagem", i, block)
            return i + 1
        if self.kind == "stratagem" and self._is_flavour(i):
            return i + 1
        if text == "The" and following is not None and following.kind is BlockKind.INDEX:  # its keyword is lost
            self._open("index", i, block)
            return j + 1
        if self.kind == "faction-keywords" and not (
            following is not None and (is_prose(following) or detachment_of(following.text))
        ):
            return i + 1
        if (self.kind in ("index", "furniture")) and is_group(text):
            return i + 1
        if (
            following is not None
            and following.kind in (BlockKind.HEADING, BlockKind.TEXT)
            and detachment_of(following.text)
            and not detachment_of(text)
        ):
            self._open("detachment-rule", i, block)
            return j + 1
        if detachment_of(text):
            self._open("untitled", i, block)
            return i + 1
        if self.kind in _CLOSED and self._is_own_title(i, block):
            self._open("named", i, block)
            return i + 1
        expected = self.expected.kind_of(text)
        if expected and following is not None:
            same = following.kind is BlockKind.HEADING and fold(following.text) == fold(text)
            titled = same or is_prose(following) or following.kind is BlockKind.ROW
            if titled and not (expected == "sub-rule" and self.kind == "detachment-rule"):
                self._open(expected, i, block)
                return j + 1 if same else i + 1
        if (
            self.kind in DATASHEET_KINDS | {"costs", "preamble"}
            and _is_capitals(text)
            and following is not None
            and is_prose(following)
            and not (self.kind == "preamble" and " " not in following.text)  # the name of a stat line, values below it
        ):
            self._open("named", i, block)
            return i + 1
        if self.kind in _ENDED_BY_TITLES or (
            self.kind == "unknown"
            and text not in _GENERIC
            and (text.isupper() or (following is not None and is_prose(following)))
        ):
            self._open("unknown", i, block)
        return i + 1

    def _is_own_title(self, i: int, block: Block) -> bool:
        """Whether block i heads a section that only this datasheet has: in capitals, or like a name with a sentence below it."""
        following = self._at(i + 1)
        if following is None or i > self.last_keywords or not (is_prose(following) or is_clause(following.text)):
            return False
        return _is_capitals(block.text) or (
            self.kind in _LISTS
            and bool(_TITLE.match(block.text))
            and "equipped with" not in following.text
            and not _ATTACHES.match(following.text)
        )


def _is_capitals(text: str) -> bool:
    """Whether a line is a heading in capitals; `D3` and `N/A` are values."""
    return text.isupper() and sum(c.isalpha() for c in text) > 3


def _is_of_datasheet(kind: str, following: Block) -> bool:
    if kind == "transport":
        return "transport capacity of" in following.text
    return bool(_ATTACHES.match(following.text))
