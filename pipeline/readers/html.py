r"""Reader for saved pages: markup → the page's visible text, blocks that tile it, and parts that the markup holds together.

The visible text of a page is: its title, then what stands below it (a datasheet's card, a faction's rules), then every tooltip
once, in the order of the file, without what `dom.LEFT_OUT` names. One paragraph, list item, table row or line of a card is one
line. List items begin with `- ` (in lists inside lists two spaces further in), the cells of a row stand between ` | `. White
space is single. That is the form of a text dump, so that the same extractors read both.

    >>> page = read('<h1 class="page_header2">Ash – Hauler</h1><div class="dsAbility">CORE: <b>Hover</b></div>')
    >>> page.text
    'Ash – Hauler\nCORE: Hover\n'

Each block's `place` is the line in the file and the element, `line 20, #tooltip_content00004: p.legend2`. What the markup says
beyond the text goes into `Block.detail` and `Part.facts`: the abilities of a weapon, link targets, flavour, phases.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pipeline.diagnostics import Diagnostic
from pipeline.document import Block, BlockKind, Document, Part
from pipeline.readers import card, dom
from pipeline.readers.dom import Element, classes, has, words
from pipeline.readers.text import shape
from pipeline.vocabulary import vocabulary

_HEADINGS: dict[str, str] = vocabulary("page")["page_headings"]
_GENERIC = frozenset(vocabulary("rules")["generic_headings"])
_SHAPES = frozenset({BlockKind.LABELLED, BlockKind.EXAMPLE, BlockKind.NOTE, BlockKind.SEE_ALSO})
_MAY_HAVE_SHAPE = re.compile(r"[A-Z][\w’'/ -]{1,30}:|SEE ALSO$").match
_TITLE_SHAPES = frozenset({BlockKind.RULE, BlockKind.SECTION})
_INDEXES = re.compile(r"keywords? (?:is|are) used in the following|can be found in the following Factions")
_PARTS_OF_RULES = frozenset({"impact18", "impact20"})
_HEADING_TAGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_TAG_ROLES = {
    **dict.fromkeys(_HEADING_TAGS, "heading"), "li": "item", "ul": "list", "ol": "list", "tr": "row",
    "members": "members", "source": "source",
}  # fmt: skip
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
_TOOLTIP = '<div class="tooltip_templates"'
_TITLE = re.compile(r"<h1[\s>]")
_MENUS = ("contents_header", "altModelsA")
_HOLDER = "section"  # what cut-out tooltips are wrapped in, to be parsed together
_DIE_FACE = re.compile(r"cruD[1-6]")
_DIE_ROLL = re.compile(r"^([1-6]) \+$")  # a picture of a die beside a `+`
_PAGE_END = ("</html>", "</body>")
_LINE_BREAK = re.compile(r"\n")
_DIV = re.compile(r"<(/?)div\b[^>]*>")
_OWN_ADDRESS = re.compile(
    r'<base [^>]*href="(https?://[^"]+)"|<link (?=[^>]*rel="canonical")[^>]*href="(https?://[^"]+)"'
    r'|<meta (?=[^>]*property="og:url")[^>]*content="(https?://[^"]+)"'
)


class Page(NamedTuple):
    """A page as it is seen, and the address that its head gives."""

    text: str
    blocks: list[Block]
    parts: list[Part]
    url: str | None
    too_deep: bool  # whether elements were nested so deep that their text is lost


def read(text: str) -> Page:
    """Reads the decoded text of a saved page.

    Most of it is tooltips that other pages have as well. They are cut out as they stand in the file, and one that is the same to
    the letter is read once; what stands before the title, menus and scripts, is not parsed at all.
    """
    rest, tooltips = _cut(dom.without_copies(text))
    writer = Writer(rest.line)
    root, too_deep = dom.parse(rest.text)
    title = next(iter(root.iter("h1")), None)
    if title is not None:
        shown = words(title)
        of_unit = " – " in shown
        writer.open("preamble" if of_unit else "named-rule")
        writer.line(
            shown, title, BlockKind.TITLE if of_unit else BlockKind.HEADING, detail=("title",), title=not of_unit
        )
    found_in = dom.with_classes(root, "datasheet", "tooltip_templates")
    for found in found_in["datasheet"]:
        card.read(found, writer, Flow(writer))
    shown_tooltips = [t for holder in found_in["tooltip_templates"] for t in holder if not _is_menu(t)]
    for tooltip in shown_tooltips:
        tooltip.tag = "div"
    if title is not None and (around := title.getparent()) is not None:
        dom.melt(around)
        Flow(writer).behind(title)
    for tooltip in shown_tooltips:
        dom.melt(tooltip)
        _tooltip(tooltip, writer)
    _read_fragments([cut.text for cut in tooltips])
    for cut in tooltips:
        writer.add(_fragments[cut.text], cut.line + 1)
    if (
        not writer.blocks and not tooltips and (body := root.find("body")) is not None
    ):  # no page of this kind: whatever it says
        dom.melt(body)
        Flow(writer).walk(body)
    return writer.page(_address(text[: rest.start]), too_deep=too_deep)


def read_document(document: Document) -> Document:
    """The document with the visible text of its page, blocks and parts; its own address where nothing else gives one."""
    page = read(document.text)
    document.text, document.blocks, document.parts = page.text, page.blocks, page.parts
    document.url = document.url or page.url
    if page.too_deep:
        message = "Elements are nested deeper than 2,048; what is in the innermost is lost."
        document.diagnostics.append(
            Diagnostic(code="truncated-page", message=message, document_id=document.document_id)
        )
    return document


class _Cut(NamedTuple):
    """A stretch of the file: its characters, where it starts, and the number of lines before it."""

    text: str
    start: int
    line: int


def _cut(text: str) -> tuple[_Cut, list[_Cut]]:
    """The page from its title on, without its tooltips, and the tooltips.

    A tooltip whose elements do not close before the next one begins stays where it is, and so does one before the title.
    """
    starts = []
    at = text.find(_TOOLTIP)
    while at >= 0:
        starts.append(at)
        at = text.find(_TOOLTIP, at + 1)
    title = _TITLE.search(text)
    first = title.start() if title else 0
    above = text.count("\n", 0, first)
    breaks = [found.start() for found in _LINE_BREAK.finditer(text, first)]
    made: list[_Cut] = []
    kept: list[str] = []
    done = first
    for start, following in pairwise((*starts, len(text))):
        source = text[start:following]
        if start < first:
            continue
        if source not in _fragments and not _is_closed(source):
            end = _closed(source)
            if end is None:
                continue
            source = source[:end]
        end = start + len(source)
        line = bisect_left(breaks, start)
        made.append(_Cut(source, start, above + line))
        kept += (text[done:start], "\n" * (bisect_left(breaks, end) - line))
        done = end
    kept.append(text[done:])
    return _Cut("".join(kept), first, above), made


def _is_closed(source: str) -> bool:
    return source.count("<div") == source.count("</div") and not source.endswith(_PAGE_END)


def _closed(source: str) -> int | None:
    """Where the element that a stretch of the file begins with ends, by counting its `div`s."""
    depth = 0
    for found in _DIV.finditer(source):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return None


def _read_fragments(sources: list[str]) -> None:
    """Reads the cut-out tooltips that are not known yet, in one parse: each says something, and so may what stands behind it."""
    unknown = list(dict.fromkeys(source for source in sources if source not in _fragments))
    if len(_fragments) + len(unknown) > MAXIMUM_FRAGMENTS:
        _fragments.clear()
        unknown = list(dict.fromkeys(sources))
    if not unknown:
        return
    tree, _ = dom.parse("".join(f"<{_HOLDER}>{source}</{_HOLDER}>" for source in unknown))
    body = tree.find("body")
    holders = [e for e in body if e.tag == _HOLDER] if body is not None else []
    if len(holders) != len(unknown) and len(unknown) > 1:  # one of them closes less than it opens
        for source in unknown:
            _read_fragments([source])
        return
    tooltips = [[t for e in holder if has(e, "tooltip_templates") for t in e] for holder in holders]
    menus = [any(mark in source for mark in _MENUS) for source in unknown]
    shown = {
        id(t)
        for found, may_be in zip(tooltips, menus, strict=False)
        for t in found if not _begins_menu(t) and not (may_be and _is_menu(t))
    }  # fmt: skip
    for found in tooltips:
        for tooltip in found:
            tooltip.tag = "div"
    if body is not None:
        dom.melt(body)
    for source, holder in zip(unknown, holders, strict=False):
        _fragments[source] = _read_fragment(holder, shown)


def _read_fragment(holder: Element, shown: set[int]) -> _Fragment:
    writer = Writer(None)
    first = holder.sourceline or 0
    for element in holder:
        if has(element, "tooltip_templates"):
            for tooltip in element:
                if id(tooltip) in shown:
                    _tooltip(tooltip, writer)
        elif element.tag not in dom.DROPPED and not dom.is_left_out(element):
            writer.open("text")
            Flow(writer).walk(element)
    writer.close()
    return _Fragment("".join(writer.pieces), writer.blocks, [line - first for line in writer.lines], writer.parts)


def _tooltip(tooltip: Element, writer: Writer) -> None:
    writer.within = tooltip.get("id")
    writer.open("text")
    Flow(writer, tooltip=True).walk(tooltip)
    writer.close()
    writer.within = None


def _address(head: str) -> str | None:
    """The page's own address, from what stands before its title: `base`, the canonical link, or `og:url`."""
    found = _OWN_ADDRESS.search(head)
    return next((part for part in found.groups() if part), None) if found else None


def _begins_menu(tooltip: Element) -> bool:
    first = next((e for e in tooltip if isinstance(e.tag, str)), None)
    if first is None:
        return not (tooltip.text or "").strip()
    return first.tag == "form" or (first.tag == "span" and has(first, "contents"))


def _is_menu(tooltip: Element) -> bool:
    """Whether a tooltip is a menu, a form or an advertisement."""
    return _begins_menu(tooltip) or any(has(e, mark) for e in tooltip.iter("div") for mark in _MENUS)


class _Fragment(NamedTuple):
    """What a cut-out tooltip says: positions from 0, places without their lines, which stand apart, relative as well."""

    text: str
    blocks: list[Block]
    lines: list[int]
    parts: list[Part]


_fragments: dict[str, _Fragment] = {}
MAXIMUM_FRAGMENTS = 4096  # of about 15 kB each


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

    def add(self, fragment: _Fragment, above: int) -> None:
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
        self._block(element, str(element.tag), depth)
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
        found = element.get("class")
        role = _TAG_ROLES.get(tag) or (_role(found) if found else None)
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
            self._titled(element, role, tag, depth)

    def _titled(self, element: Element, role: str, tag: str, depth: int) -> None:
        if role == "heading":
            self._heading(element, tag, dom.classes(element))
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
        kind = BlockKind.TEXT
        if _MAY_HAVE_SHAPE(text) and (found := shape(text)) in _SHAPES:
            kind = found
        elif self.writer.title is None:
            if shape(text) is BlockKind.FURNITURE:
                kind = BlockKind.FURNITURE
            elif self.tooltip and _INDEXES.search(text):
                self.writer.kind = "index"
                kind = BlockKind.INDEX
        self.writer.line(text, element, kind, detail=("flavour",) if self.flavour else ())

    def _heading(self, element: Element, tag: str, tokens: frozenset[str]) -> None:
        text = words(element)
        if not text:
            return
        price = next((_price(e) for e in element.iter("points")), None)
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
                names = [" ".join((u.text or "").split()) for u in units]
                self.writer.line(
                    "\n".join(names),
                    units[0],
                    BlockKind.TEXT,
                    detail=("datasheets", *(u.get("href") or "" for u in units)),
                )
                units.clear()

        for child in element.iter("div", "unit", "br"):
            if child.tag == "unit":
                units.append(child)
            elif has(child, "BatRole"):
                write()
                self.writer.line(words(child), child, BlockKind.HEADING)
            elif rest := ((child.tail if child.tag == "br" else child.text) or "").strip():  # `and others...`
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
                ("table", str(table.sourceline), table.get("data-header") or "") if has(table, "customTable") else ()
            )
            self.writer.line(
                f"| {' | '.join(texts)} |", element, BlockKind.ROW, detail=(*detail, *texts) if detail else ()
            )

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
def _role(found: str) -> str | None:
    """What an element with these classes is on a page; None: nothing but a frame around what it holds."""
    return next((_CLASS_ROLES[token] for token in sorted(dom.tokens(found)) if token in _CLASS_ROLES), None)


def _price(element: Element) -> str:
    """What stands beside a title: a price, or the results of a die for which it counts, shown as pictures (`1-2`)."""
    dice = [token[-1] for e in element.iter("div") for token in sorted(classes(e)) if _DIE_FACE.fullmatch(token)]
    return "-".join(dice) or words(element)


def _in_data_table(element: Element) -> bool:
    return any(has(table, "customTable") for table in element.iterancestors("table"))
