"""Reader for saved pages: markup → the page's visible text, blocks that tile it, and parts that the markup holds together.

The visible text of a page is: its title, then what stands below it (a datasheet's card, a faction's rules), then every tooltip
once, in the order of the file, without what `dom.LEFT_OUT` names. One paragraph, list item, table row or line of a card is one
line. List items begin with `- ` (in lists inside lists two spaces further in), the cells of a row stand between ` | `. White
space is single. That is the form of a text dump, so that the same extractors read both.

    >>> page = read('<h1 class="page_header2">Ash – Hauler</h1><div class="dsAbility">CORE: <b>Hover</b></div>')
    >>> page.text
    'Ash – Hauler\\nCORE: Hover\\n'

Each block's `place` is the line in the file and the element, `line 20, #tooltip_content00004: p.legend2`. What the markup says
beyond the text goes into `Block.detail` and `Part.facts`: the abilities of a weapon, link targets, flavour, phases.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.document import Block, BlockKind, Document, Part
from pipeline.readers import card, dom
from pipeline.readers.dom import Element, classes, has, words
from pipeline.readers.text import shape
from pipeline.vocabulary import vocabulary

_HEADINGS: dict[str, str] = vocabulary("page")["page_headings"]
_GENERIC = frozenset(vocabulary("rules")["generic_headings"])
_SHAPES = frozenset({BlockKind.LABELLED, BlockKind.EXAMPLE, BlockKind.NOTE, BlockKind.SEE_ALSO, BlockKind.INDEX})
_TITLE_SHAPES = frozenset({BlockKind.RULE, BlockKind.SECTION})
_INDEXES = re.compile(r"keywords? (?:is|are) used in the following|can be found in the following Factions")
_TITLES = frozenset(["tooltip_header", "abName", "impact18", "impact20", "stratName_CS", "stratName_CR", "cruMissionHeader", "hdr"])
_PARTS_OF_RULES = frozenset({"impact18", "impact20"})
_HEADING_TAGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_TIMING = {
    "str10Any": "any", "str10Command": "command", "str10Movement": "movement", "str10Shooting": "shooting",
    "str10Charge": "charge", "str10Fight": "fight",
}  # fmt: skip
_TURN = {"Your": "yours", "Enemy": "opponents", "Either": "either"}
_ADDRESS = re.compile(r"https?://")


class Page(NamedTuple):
    """A page as it is seen, and the address that its head gives."""

    text: str
    blocks: list[Block]
    parts: list[Part]
    url: str | None


def read(text: str) -> Page:
    """Reads the decoded text of a saved page.

    Raises:
        dom.TooLarge: above the cap of `dom`.
    """
    root = dom.parse(text)
    url = _address(root)
    writer = Writer()
    title = next(iter(root.iter("h1")), None)
    if title is not None:
        writer.open("preamble")
        writer.line(words(title), title, BlockKind.TITLE if " – " in words(title) else BlockKind.HEADING, detail=("title",))
    for found in [e for e in root.iter("div") if has(e, "datasheet")]:
        card.read(found, writer, Flow(writer))
    tooltips = [
        tooltip for holder in root.iter("div") if has(holder, "tooltip_templates")
        for tooltip in holder if isinstance(tooltip.tag, str) and not _is_menu(tooltip)
    ]  # fmt: skip
    for tooltip in tooltips:
        tooltip.tag = "div"
    if title is not None and (around := title.getparent()) is not None:
        dom.melt(around)
        Flow(writer).behind(title)
    for tooltip in tooltips:
        writer.within = tooltip.get("id")
        writer.open("text")
        Flow(writer, tooltip=True).walk(tooltip)
    return writer.page(url)


def read_document(document: Document) -> Document:
    """The document with the visible text of its page, blocks and parts; its own address where nothing else gives one."""
    page = read(document.text)
    document.text, document.blocks, document.parts = page.text, page.blocks, page.parts
    document.url = document.url or page.url
    return document


def _address(root: Element) -> str | None:
    """The page's own address: `base`, the canonical link, or `og:url`."""
    head = root.find("head")
    if head is None:
        return None
    for element in head.iter("base", "link", "meta"):
        value = None
        if element.tag == "base" or (element.tag == "link" and element.get("rel") == "canonical"):
            value = element.get("href")
        elif element.get("property") == "og:url":
            value = element.get("content")
        if value and _ADDRESS.match(value):
            return value
    return None


def _is_menu(tooltip: Element) -> bool:
    """Whether a tooltip is a menu, a form or an advertisement: none of them has a line of its own outside of `LEFT_OUT`."""
    first = next((e for e in tooltip if isinstance(e.tag, str)), None)
    if first is None:
        return not (tooltip.text or "").strip()
    return first.tag == "form" or (first.tag == "span" and has(first, "contents")) or any(
        has(e, "contents_header") or has(e, "altModelsA") for e in tooltip.iter("div")
    )  # fmt: skip


class Writer:
    """Puts the lines of a page together: text, blocks with their places, parts."""

    def __init__(self) -> None:
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
            self.parts.append(Part(self.kind, self.blocks[self.first :], self.title, tuple(sorted(self.facts.items()))))
        self.first = len(self.blocks)
        self.title = None
        self.kind = "text"
        self.facts = {}

    def line(self, text: str, element: Element, kind: BlockKind, *, depth: int = 0, detail: tuple[str, ...] = (), title: bool = False) -> Block:
        """One block; its text ends with a line break. `title`: it names the part."""
        indent = "  " * depth
        end = self.at + len(indent) + len(text) + 1
        found = element.get("class")
        name = f"{element.tag!s}.{found.split()[0]}" if found and not found.isspace() else str(element.tag)
        within = f", #{self.within}" if self.within else ""
        place = f"line {element.sourceline}{within}: {name}"
        block = Block(kind, self.at, end, text, False, place, depth, detail)
        self.pieces.append(f"{indent}{text}\n")
        self.at = end
        self.blocks.append(block)
        if title:
            self.title = block
        return block

    def page(self, url: str | None) -> Page:
        """All that was written."""
        self.close()
        return Page("".join(self.pieces), self.blocks, self.parts, url)


class Flow:
    """Walks elements in the order of the page and cuts what it meets into lines and parts."""

    def __init__(self, writer: Writer, *, tooltip: bool = False) -> None:
        self.writer = writer
        self.tooltip = tooltip
        self.buffer: list[str] = []
        self.lists = 0  # how many lists the walk is in
        self.items: list[bool] = []  # of each list item the walk is in: whether its first line is still to come
        self.flavour = False
        self.group: str | None = None  # the outline heading above, mostly a detachment
        self.role: str | None = None  # what the known heading above says its content is
        self.role_level = 0  # its rank: 2 for h2
        self.parent: str | None = None  # title of the rule whose parts have titles of their own

    def behind(self, title: Element) -> None:
        """Reads what stands below a page's title."""
        self.buffer.append(title.tail or "")
        for element in title.itersiblings():
            self._child(element, element, 0)
        self._flush(title)

    def walk(self, element: Element, depth: int = 0) -> None:
        """Reads one block element with all that is in it."""
        self._inside(element, depth)
        self._flush(element)

    def _inside(self, element: Element, depth: int) -> None:
        if depth > dom.MAXIMUM_DEPTH:
            self.buffer.append(" ".join(element.itertext()))
            return
        if element.text:
            self.buffer.append(element.text)
        for child in element:
            self._child(child, element, depth)

    def _child(self, child: Element, element: Element, depth: int) -> None:
        tag = child.tag
        if tag == "br":
            self._flush(element)
        elif tag not in dom.DROPPED and not dom.is_left_out(child):
            self._flush(element)
            self._block(child, str(tag), depth)
            self._flush(child)
        if child.tail:
            self.buffer.append(child.tail)

    def _block(self, element: Element, tag: str, depth: int) -> None:
        found = element.get("class") or ""
        tokens = found.split()
        if tag == "li":
            self.items.append(True)
            self._inside(element, depth + 1)
            self._flush(element)
            self.items.pop()
        elif tag in ("ul", "ol"):
            if "EnhancementsPts" in tokens:
                self._enhancement(element)
                return
            self.lists += 1
            self._inside(element, depth + 1)
            self.lists -= 1
        elif tag in _HEADING_TAGS or not _TITLES.isdisjoint(tokens):
            self._heading(element, tag, tokens)
        elif tag == "members":
            self._members(element)
        elif tag == "source":
            self.writer.facts["href"] = element.get("href") or ""
        elif tag == "tr":
            self._row(element, depth)
        elif "str10Wrap" in tokens:
            self._card(element, tokens)
        elif "EnhancementsPts" in tokens:
            self._enhancement(element)
        elif "detachName" in tokens:
            text = words(element)
            self.writer.line(text, element, BlockKind.TEXT)
            self.writer.facts["detachment"] = text.removesuffix(" Detachment")
        elif "ShowFluff" in tokens:
            self.flavour = True
            self._inside(element, depth + 1)
            self._flush(element)
            self.flavour = False
        elif "dsCharWrap" in tokens:
            self.writer.line(words(element), element, BlockKind.TEXT)
        else:
            self._inside(element, depth + 1)

    def _flush(self, element: Element) -> None:
        if not self.buffer:
            return
        text = " ".join("".join(self.buffer).split())
        self.buffer.clear()
        if not text:
            return
        depth = max(self.lists - 1, 0)
        if self.items and self.items[-1]:
            self.items[-1] = False
            self.writer.line(f"- {text}", element, BlockKind.BULLET, depth=depth)
            return
        kind = shape(text)
        if kind is BlockKind.TEXT or kind not in _SHAPES:
            kind = BlockKind.FURNITURE if kind is BlockKind.FURNITURE else BlockKind.TEXT
        if _INDEXES.search(text) and self.tooltip and not self.writer.title:
            self.writer.kind = "index"
            kind = BlockKind.INDEX
        self.writer.line(text, element, kind, detail=("flavour",) if self.flavour else ())

    def _heading(self, element: Element, tag: str, tokens: list[str]) -> None:
        text = words(element)
        if not text:
            return
        price = next((words(e) for e in element.iter("points")), None)
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

    def _tooltip_heading(self, element: Element, text: str, kind: BlockKind, tokens: list[str]) -> None:
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

    def _page_heading(self, element: Element, text: str, kind: BlockKind, tokens: list[str], level: int) -> None:
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
        self.writer.line(f"- {text} {points}" if points else text, element, BlockKind.BULLET if points else BlockKind.HEADING, title=True)

    def _members(self, element: Element) -> None:
        """The role headings of a keyword index and the datasheets below each: one block for a heading, one for its datasheets."""
        if self.writer.kind != "index":
            self._inside(element, 1)
            return
        units: list[Element] = []

        def write() -> None:
            if units:
                names = [" ".join((u.text or "").split()) for u in units]
                self.writer.line("\n".join(names), units[0], BlockKind.TEXT, detail=("datasheets", *(u.get("href") or "" for u in units)))
                units.clear()

        for child in element.iter("div", "unit"):
            if child.tag == "unit":
                units.append(child)
            elif has(child, "BatRole"):
                write()
                self.writer.line(words(child), child, BlockKind.HEADING)
        write()

    def _row(self, element: Element, depth: int) -> None:
        """A row of a table with several columns is one line; a table with one column only lays the page out."""
        cells = [child for child in element if child.tag in ("td", "th")]
        if (len(cells) < 2 and not (cells and _in_data_table(element))) or any(True for _ in element.iter("table")):
            self._inside(element, depth + 1)
            return
        texts = [words(cell) for cell in cells]
        if any(texts):
            table = next((a for a in element.iterancestors("table")), element)
            detail = ("table", str(table.sourceline), table.get("data-header") or "") if has(table, "customTable") else ()
            self.writer.line(f"| {' | '.join(texts)} |", element, BlockKind.ROW, detail=(*detail, *texts) if detail else ())

    def _card(self, element: Element, tokens: list[str]) -> None:
        """A stratagem's card; the icons tell its phases, the colour whose turn."""
        turn = next((word for token in tokens if token.startswith("str10Color") for word in [_TURN.get(token[10:])] if word), "")
        icons = [_TIMING[token] for e in element.iter("div") for token in classes(e) if token in _TIMING]
        self.writer.open("stratagem")
        for part in element.iter("div"):
            found = classes(part)
            if "str10Name" in found:
                text = words(part)
                kind = shape(text)
                self.writer.line(text, part, kind if kind is BlockKind.RULE else BlockKind.HEADING, detail=("timing", turn, *dict.fromkeys(icons)), title=True)
            elif "str10CP" in found:
                self.writer.line(words(part), part, BlockKind.COMMAND_POINTS)
            elif "str10Type" in found:
                self.writer.line(words(part), part, BlockKind.STRATAGEM_TYPE)
            elif "str10Legend" in found or "str10Text" in found:
                self.flavour = "str10Legend" in found
                self.walk(part)
                self.flavour = False


def _in_data_table(element: Element) -> bool:
    return any(has(table, "customTable") for table in element.iterancestors("table"))
