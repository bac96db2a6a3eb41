"""Elements of a saved page, in the order of the page → lines and parts: whatever is no datasheet's card.

A frame (`div`, `span`) says nothing; what an element is, its tag or its class tells. A heading that the vocabulary knows tells what
the text below it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from pipeline.document import BlockKind
from pipeline.readers import dom
from pipeline.readers.dom import Element, classes, has, words
from pipeline.readers.text import is_furniture, shape
from pipeline.readers.writing import Writer
from pipeline.vocabulary import vocabulary

_HEADINGS: dict[str, str] = vocabulary("page")["page_headings"]
_GENERIC = frozenset(vocabulary("rules")["generic_headings"])
_SHAPES = frozenset({BlockKind.LABELLED, BlockKind.EXAMPLE, BlockKind.NOTE, BlockKind.SEE_ALSO})
_LONGEST_LABEL = 40  # characters, with its colon
_TITLE_SHAPES = frozenset({BlockKind.RULE, BlockKind.SECTION})
_INDEXES = re.compile(r"keywords? (?:is|are) used in the following|can be found in the following Factions")
_PARTS_OF_RULES = frozenset({"impact18", "impact20"})
ABILITY_NAME = "ability"
"""Tag under which a reader keeps what is printed like an ability's name, with its colon, until it is known to begin a line."""
_HEADING_TAGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_TAG_ROLES = {
    **dict.fromkeys(_HEADING_TAGS, "heading"), "li": "item", "ul": "list", "ol": "list", "tr": "row",
    "members": "members", "source": "source", "br": "break", ABILITY_NAME: "ability-name", **dict.fromkeys(dom.DROPPED, "nothing"),
}  # fmt: skip
_BETWEEN = frozenset({"break", "nothing", "ability-name"})  # roles of what begins no block
_CLASS_ROLES = {
    **dict.fromkeys(
        (*_PARTS_OF_RULES, "tooltip_header", "abName", "stratName_CS", "stratName_CR", "cruMissionHeader"), "heading"
    ),
    "str10Wrap": "card", "EnhancementsPts": "enhancement", "detachName": "detachment", "ShowFluff": "flavour",
    "dsCharWrap": "characteristic",
}  # fmt: skip
_CARD_ROLES = {
    "str10Name": "name", "str10CP": "points", "str10Type": "type", "str10Legend": "text", "str10Text": "text",
    "str10Any": "any", "str10Command": "command", "str10Movement": "movement", "str10Shooting": "shooting",
    "str10Charge": "charge", "str10Fight": "fight",
}  # fmt: skip
_TURN = {"Your": "yours", "Enemy": "opponents", "Either": "either"}
_DIE_FACE = re.compile(r"cruD[1-6]")
_DIE_ROLL = re.compile(r"^([1-6]) \+$")  # a picture of a die beside a `+`


class Flow:
    """Walks elements in the order of the page and cuts what it meets into lines and parts."""

    def __init__(self, writer: Writer, *, tooltip: bool = False) -> None:
        self.writer = writer
        self.tooltip = tooltip
        self.buffer: list[str] = []
        self.lists = 0  # how many lists the walk is in
        self.items: list[bool] = []  # of each list item the walk is in: whether its first line is still to come
        self.flavour = False
        self.ability: str | None = None  # the name at the beginning of what was gathered
        self.tables: dict[Element, str] = {}
        self.group: str | None = None  # the outline heading above, mostly a detachment
        self.role: str | None = None  # what the known heading above says its content is
        self.role_level = 0  # its rank: 2 for h2
        self.parent: str | None = None  # title of the rule whose parts have titles of their own

    def behind(self, title: Element) -> None:
        """Reads what stands below a page's title."""
        self.buffer.append(title.tail or "")
        self._children(title.itersiblings(), title, 0)
        self._flush(title)

    def walk(self, element: Element) -> None:
        """Reads one block element with all that is in it, whatever stands around it."""
        role = _role(str(element.tag), element.get("class"))
        self._block(element, None if role in _BETWEEN else role, 0)
        self._flush(element)

    def _inside(self, element: Element, depth: int) -> None:
        if text := element.text:
            self.buffer.append(text)
        if depth > dom.MAXIMUM_DEPTH:
            self.buffer.append(dom.deep_words(element))
            return
        self._children(element, element, depth)

    def _children(self, children: Iterable[Element], element: Element, depth: int) -> None:
        """Reads elements and the text behind each; `element` is what text between them belongs to."""
        buffer = self.buffer
        for child in children:
            role = _role(str(child.tag), child.get("class"))
            if role not in _BETWEEN:
                if buffer:
                    self._flush(element)
                if role is None:
                    self._inside(child, depth + 1)
                else:
                    self._block(child, role, depth)
                if buffer:
                    self._flush(child)
            elif role == "ability-name":
                self._ability_name(child, depth)
            elif role == "break" and buffer:
                self._flush(element)
            tail = child.tail
            if tail and (buffer or not tail.isspace()):
                buffer.append(tail)

    def _ability_name(self, element: Element, depth: int) -> None:
        """Text like any other, unless it begins a line outside of lists, or below the rule that ends a list which was left open."""
        above = element.getprevious()
        is_outside = not self.items or (above is not None and has(above, "dsLineHor"))
        if is_outside and not "".join(self.buffer).strip():
            self.ability = words(element)
        self._inside(element, depth + 1)

    def _block(self, element: Element, role: str | None, depth: int) -> None:
        if role is None:
            self._inside(element, depth + 1)
        elif role == "item":
            self.items.append(True)
            self._inside(element, depth + 1)
            self._flush(element)
            self.items.pop()
        elif role == "list":
            if has(element, "EnhancementsPts"):
                self._enhancement(element)
                return
            self.lists += 1
            self._inside(element, depth + 1)
            self.lists -= 1
        elif role == "flavour":
            self.flavour = True
            self._inside(element, depth + 1)
            self._flush(element)
            self.flavour = False
        else:
            self._titled(element, role, depth)

    def _titled(self, element: Element, role: str, depth: int) -> None:
        if role == "heading":
            self._heading(element, str(element.tag), dom.classes(element))
        elif role == "members":
            self._members(element)
        elif role == "source":
            self.writer.facts["href"] = element.get("href") or ""
        elif role == "row":
            self._row(element, depth)
        elif role == "card":
            self._card(element)
        elif role == "enhancement":
            self._enhancement(element)
        elif role == "detachment":
            text = words(element)
            self.writer.line(text, element, BlockKind.TEXT)
            self.writer.facts["detachment"] = text.removesuffix(" Detachment")
        else:
            self.writer.line(words(element), element, BlockKind.TEXT)

    def _flush(self, element: Element) -> None:
        """Writes the text that was gathered as a line of an element."""
        text = " ".join("".join(self.buffer).split())
        ability, self.ability = self.ability, None
        self.buffer.clear()
        if not text:
            return
        depth = max(self.lists - 1, 0)
        if self.items and self.items[-1]:
            self.items[-1] = False
            self.writer.line(f"- {text}", element, BlockKind.BULLET, depth=depth)
            return
        kind = BlockKind.TEXT
        if (":" in text[:_LONGEST_LABEL] or text == "SEE ALSO") and (found := shape(text)) in _SHAPES:
            kind = found
        elif self.writer.title is None:
            if is_furniture(text):
                kind = BlockKind.FURNITURE
            elif self.tooltip and _INDEXES.search(text):
                self.writer.kind = "index"
                kind = BlockKind.INDEX
        detail = ("named", ability) if ability and text.startswith(ability) else ()
        self.writer.line(text, element, kind, detail=("flavour",) if self.flavour else detail)

    def _heading(self, element: Element, tag: str, tokens: frozenset[str]) -> None:
        text = words(element)
        if not text:
            return
        price = next((_price(e) for e in element.iter("points")), None) if len(element) else None
        if price:
            text = words(next(element.iter("name")))
        kind = shape(text)
        kind = kind if kind in _TITLE_SHAPES else BlockKind.HEADING
        if self.tooltip:
            self._tooltip_heading(element, text, kind, tokens)
        elif tag == "h6":
            self.writer.line(text, element, kind)
        else:
            self._page_heading(element, text, kind, tokens, int(tag[1]) if tag in _HEADING_TAGS else 9)
        if price:
            self.writer.line(price, element, BlockKind.TEXT, detail=("price",))

    def _tooltip_heading(self, element: Element, text: str, kind: BlockKind, tokens: frozenset[str]) -> None:
        writer = self.writer
        if writer.title is None and writer.kind == "text":
            writer.kind = "core-ability" if "abName" in tokens else "titled"
            if "impact18" in tokens:
                writer.facts["within"] = "yes"
            self.parent = text
            writer.line(text, element, kind, title=True)
        elif not _PARTS_OF_RULES.isdisjoint(tokens):
            facts = {k: v for k, v in writer.facts.items() if k in ("detachment", "href")}
            writer.open("sub-rule", parent=self.parent or "", **facts)
            writer.line(text, element, kind, title=True)
        else:
            writer.line(text, element, kind)

    def _page_heading(self, element: Element, text: str, kind: BlockKind, tokens: frozenset[str], level: int) -> None:
        """A heading below the page's title: the outline (`outline_header`), a known heading that says what follows, or a title."""
        writer = self.writer
        known = _HEADINGS.get(text)
        if self.role and not known and level <= self.role_level:
            self.role = None
        if known:
            self.role_level = level
        if text.upper() in _GENERIC and writer.title is not None:
            writer.line(text, element, kind)
            return
        if not _PARTS_OF_RULES.isdisjoint(tokens) and self.parent and self.role in ("detachment-rule", "army-rule"):
            facts = {"detachment": self.group} if self.group else {}
            writer.open("sub-rule", parent=self.parent, **facts)
            writer.line(text, element, kind, title=True)
            return
        self.parent = text if self.role in ("detachment-rule", "army-rule") and not known else None
        if "outline_header" in tokens:
            self.role = known
            self.group = None if known else text
            writer.open(known if known in ("books", "faq") else "heading" if known else "named-rule")
        elif known:
            self.role = known
            writer.open("heading")
        elif self.role == "detachment-rule" and self.group:
            writer.open("detachment-rule", detachment=self.group)
        elif self.role == "army-rule":
            writer.open("army-rule")
        elif self.role in ("books", "faq"):
            writer.open(self.role)
        else:
            writer.open("named-rule")
        following = writer.kind if writer.kind in ("books", "faq") else None
        if following:
            writer.kind = "heading"
        writer.line(text, element, kind, title=True)
        if following:
            writer.open(following)

    def _enhancement(self, element: Element) -> None:
        name = next((words(e) for e in element.iter("name")), None)
        points = next((words(e) for e in element.iter("points") if words(e)), None)
        text = name or words(element)
        facts = {"detachment": self.group} if self.group and not self.tooltip else {}
        self.writer.open("enhancement", name=text, **({"points": points} if points else {}), **facts)
        self.writer.line(
            f"- {text} {points}" if points else text,
            element,
            BlockKind.BULLET if points else BlockKind.HEADING,
            title=True,
        )

    def _members(self, element: Element) -> None:
        """The role headings of a keyword index and the datasheets below each: one block for a heading, one for its datasheets."""
        if self.writer.kind != "index":
            self._inside(element, 1)
            return
        units: list[Element] = []

        def write() -> None:
            if units:
                names = "\n".join([" ".join((u.text or "").split()) for u in units])
                self.writer.line(names, units[0], BlockKind.TEXT, detail=("datasheets",))
                units.clear()

        for child in element.iter("div", "unit", "br"):
            tag = child.tag
            if tag == "unit":
                units.append(child)
            elif tag == "div" and "BatRole" in (child.get("class") or ""):
                write()
                self.writer.line(words(child), child, BlockKind.HEADING)
            elif rest := ((child.tail if tag == "br" else child.text) or "").strip():  # `and others...`
                write()
                self.writer.line(" ".join(rest.split()), child, BlockKind.TEXT)
        write()

    def _row(self, element: Element, depth: int) -> None:
        """A row of a table with several columns is one line; a table with one column only lays the page out."""
        cells = [child for child in element if child.tag in ("td", "th")]
        if (len(cells) < 2 and not (cells and _in_data_table(element))) or any(True for _ in element.iter("table")):
            self._inside(element, depth + 1)
            return
        texts = [_DIE_ROLL.sub(r"\1+", words(cell)) for cell in cells]
        if any(texts):
            table = next((a for a in element.iterancestors("table")), element)
            detail = (
                ("table", self._number_of(table), table.get("data-header") or "") if has(table, "customTable") else ()
            )
            self.writer.line(
                f"| {' | '.join(texts)} |", element, BlockKind.ROW, detail=(*detail, *texts) if detail else ()
            )

    def _number_of(self, table: Element) -> str:
        """What tells a table from others of its part: the place of its first row in it."""
        return self.tables.setdefault(table, str(len(self.writer.blocks) - self.writer.first))

    def _card(self, element: Element) -> None:
        """A stratagem's card; the icons before its points tell its phases, the colour whose turn."""
        turn = next((_TURN.get(token[10:], "") for token in classes(element) if token.startswith("str10Color")), "")
        icons: list[str] = []
        self.writer.open("stratagem")
        for part in element.iter("div"):
            found = part.get("class")
            role = _card_role(found) if found else None
            if role is None:
                continue
            if role == "name":
                text = words(part)
                kind = shape(text)
                self.writer.line(text, part, kind if kind is BlockKind.RULE else BlockKind.HEADING, title=True)
            elif role == "points":
                detail = ("timing", turn, *dict.fromkeys(icons))
                self.writer.line(words(part), part, BlockKind.COMMAND_POINTS, detail=detail)
            elif role == "type":
                self.writer.line(words(part), part, BlockKind.STRATAGEM_TYPE)
            elif role == "text":
                self.walk(part)
            else:
                icons.append(role)


@lru_cache(maxsize=8192)
def _card_role(found: str) -> str | None:
    """What an element with these classes is on a stratagem's card; an icon's role is its phase."""
    return next((_CARD_ROLES[token] for token in sorted(dom.tokens(found)) if token in _CARD_ROLES), None)


@lru_cache(maxsize=8192)
def _role(tag: str, found: str | None) -> str | None:
    """What an element with this tag and these classes is on a page; None: nothing but a frame around what it holds."""
    tokens = dom.tokens(found or "")
    if not dom.LEFT_OUT.isdisjoint(tokens):
        return "nothing"
    return _TAG_ROLES.get(tag) or next((_CLASS_ROLES[token] for token in sorted(tokens) if token in _CLASS_ROLES), None)


def _price(element: Element) -> str:
    """What stands beside a title: a price, or the results of a die for which it counts, shown as pictures (`1-2`)."""
    dice = [token[-1] for e in element.iter("div") for token in sorted(classes(e)) if _DIE_FACE.fullmatch(token)]
    return "-".join(dice) or words(element)


def _in_data_table(element: Element) -> bool:
    return any(has(table, "customTable") for table in element.iterancestors("table"))
