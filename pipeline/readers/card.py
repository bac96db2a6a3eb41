"""A datasheet's card in a saved page → parts: stat lines, weapons, abilities, options, composition, keywords, stratagem list.

The blocks of a card are flat siblings: a header (`div.dsHeader`, whose text alone says what follows) and what stands until the
next one. Classes that name a faction, and those of columns, are never looked at.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pipeline.document import BlockKind
from pipeline.readers import dom
from pipeline.readers.dom import Element, classes, has, words
from pipeline.readers.flow import ABILITY_NAME, Flow
from pipeline.readers.writing import Writer
from pipeline.vocabulary import vocabulary

_PAGE = vocabulary("page")
_SECTIONS: dict[str, str] = _PAGE["sections"]
_WEAPON_SECTIONS = frozenset(_PAGE["weapon_sections"])
_COLUMNS: list[str] = _PAGE["characteristics"]
_OF_ABILITIES = frozenset({"abilities", "wargear-abilities", "named"})  # kinds of sections in which abilities stand
_LEGENDS = re.compile(r"\bLegends\b")
_COMMA = re.compile(r"\s*[,;]\s*")


def read(card: Element, writer: Writer, flow: Flow) -> None:
    """Writes the parts of one card. `flow` reads what is plain text in it."""
    found = list(dom.with_classes(card, "dsBannerWrap", "ds2col", "ds2colKW", "dsHeader"))
    _head(card, next((e for name, e in found if name == "dsBannerWrap"), None), writer)
    around_headers = {around for name, e in found if name == "dsHeader" for around in e.iterancestors("div")}
    for name, element in found:
        if name == "ds2col":
            for column in element:
                _column(column, writer, flow, around_headers)
        elif name == "ds2colKW":
            for side in element:
                _keywords(side, writer)
    _rest(card, {element for name, element in found if name != "dsHeader"}, writer)


def unread(card: Element, writer: Writer) -> None:
    """Writes a card that is not read, the second of a page, as text that nobody understands."""
    writer.open("unread")
    writer.line(words(card), card, BlockKind.TEXT)


def _rest(card: Element, read_apart: set[Element], writer: Writer) -> None:
    """Writes what stands in a card outside the elements that are read as text that nobody understands."""
    writer.open("unread")
    around = {above for element in read_apart for above in element.iterancestors("div")}
    left = [card]
    while left:
        for element in left.pop():
            if element in around:
                left.append(element)
            elif element in read_apart or element.tag in dom.DROPPED or dom.is_left_out(element):
                continue
            elif shown := words(element):
                writer.line(shown, element, BlockKind.TEXT)


def _head(card: Element, head: Element | None, writer: Writer) -> None:
    facts = {}
    source = next((e.get("title") for e in card.iter("img") if has(e, "logo3") and e.get("title")), None)
    if source:
        facts["source"] = source
    if has(card, "sLegendary") or (source and _LEGENDS.search(source)):
        facts["legends"] = "yes"
    writer.open("stat-lines", **facts)
    for element in head.iter("div", "span") if head is not None else ():
        found = classes(element)
        if "dsH2Header" in found:
            name = next((e for e in element if e.tag == "div" and not dom.is_left_out(e)), None)
            if name is not None and words(name):
                writer.line(words(name), name, BlockKind.HEADING, detail=("unit",))
        elif "dsModelBase2" in found or "dsModelBase" in found:
            if text := words(element):
                writer.line(text, element, BlockKind.TEXT, detail=("base",))
        elif "dsProfileBaseWrap" in found:
            _stat_line(element, writer)
        elif "dsModelName" in found:
            writer.line(words(element), element, BlockKind.HEADING, detail=("model",))
        elif "dsInvulWrap" in found:
            _invulnerable(element, writer)


def _stat_line(wrap: Element, writer: Writer) -> None:
    """`M` / `6"` and so on; below the first profile the labels are not repeated, and the values keep their order.

    A label without its value, and a value that neither label nor place names, are text that nobody understands.
    """
    writer.line("", wrap, BlockKind.BLANK, detail=("profile",))
    cells = [e for e in wrap.iter("div") if has(e, "dsCharName") or has(e, "dsCharValue")]
    if len(cells) == len(_COLUMNS) and not any(has(e, "dsCharName") for e in cells):
        for name, value in zip(_COLUMNS, cells, strict=True):
            writer.line(words(value), value, BlockKind.TEXT, detail=("stat", name))
        return
    label: Element | None = None
    for cell in cells:
        if has(cell, "dsCharName"):
            if label is not None:
                writer.line(words(label), label, BlockKind.HEADING)
            label = cell
        elif label is None:
            writer.line(words(cell), cell, BlockKind.TEXT)
        else:
            writer.line(words(label), label, BlockKind.HEADING, detail=("label",))
            writer.line(words(cell), cell, BlockKind.TEXT, detail=("stat", words(label)))
            label = None
    if label is not None:
        writer.line(words(label), label, BlockKind.HEADING)


def _invulnerable(wrap: Element, writer: Writer) -> None:
    for element in wrap.iter("div", "span"):
        found = classes(element)
        if "dsCharInvulText" in found:
            writer.line(words(element), element, BlockKind.HEADING, detail=("label",))
        elif "dsCharInvulValue" in found:
            writer.line(words(element), element, BlockKind.TEXT, detail=("invulnerable",))
        elif (
            element.getparent() is wrap
            and not any(has(e, "dsCharInvulValue") for e in element.iter("div"))
            and (text := words(element))
        ):
            writer.line(text, element, BlockKind.TEXT, detail=("invulnerable-note",))


def _column(column: Element, writer: Writer, flow: Flow, around_headers: set[Element], depth: int = 0) -> None:
    """Headers and what stands below each; a column may hold its header some elements further in."""
    for element in column:
        if not isinstance(element.tag, str) or element.tag in dom.DROPPED or dom.is_left_out(element):
            continue
        if element.tag == "table" and has(element, "wTable"):
            _weapons(element, writer)
        elif has(element, "dsHeader"):
            _header(element, writer)
        elif element in around_headers and depth < dom.MAXIMUM_DEPTH:
            _column(element, writer, flow, around_headers, depth + 1)
        elif writer.kind == "stratagem-list":
            _stratagems(element, writer)
        elif writer.kind in ("detachment-list", "enhancement-list"):
            _names(element, writer)
        else:
            if writer.kind in _OF_ABILITIES:
                _keep_names(element)
            _text(element, flow)


def _keep_names(element: Element) -> None:
    """Keeps what is printed like an ability's name, `<b>Long Watch:</b>`, apart from the text around it."""
    for bold in element.iter("b"):
        if words(bold).endswith(":"):
            bold.tag = ABILITY_NAME


def _text(element: Element, flow: Flow) -> None:
    dom.melt(element)
    flow.walk(element)


def _header(element: Element, writer: Writer) -> None:
    text = words(element)
    kind = _SECTIONS.get(text) or ("damaged" if text.startswith("DAMAGED") else "named")
    writer.open(kind)
    writer.line(text, element, BlockKind.SECTION, title=True)


def _weapons(table: Element, writer: Writer) -> None:
    """A header row opens a section; a row has seven cells, its name cell is the name and one `span.kwbw` for each ability."""
    for row in table.iter("tr"):
        if dom.is_left_out(row):
            continue
        cells = [child for child in row if child.tag in ("td", "th")]
        name = next((cell for cell in cells if has(cell, "wTable2_short")), None)
        texts = [words(cell) for cell in cells]
        if name is None:
            shown = [text for text in texts if text]
            if shown and (len(shown) > 4 or shown[0] in _WEAPON_SECTIONS):
                writer.open("weapons")
                writer.line(f"{' | '.join(shown)} |", row, BlockKind.TABLE_HEADER, title=True)
            elif shown:
                writer.line(" ".join(shown), row, BlockKind.TEXT)
            continue
        if writer.kind != "weapons":
            writer.open("weapons")
        abilities = [a for e in name.iter("span") if has(e, "kwbw") for a in _COMMA.split(words(e).strip("[] ")) if a]
        at = cells.index(name)
        text = f"| {' | '.join(texts[at:])} |"
        writer.line(text, row, BlockKind.ROW, detail=("weapon", dom.words_without(name, "kwbw"), *abilities))


def _keywords(side: Element, writer: Writer) -> None:
    """`KEYWORDS – ALL MODELS: A, B`, then one line for each group with a model of its own; or the faction keywords."""
    groups: list[tuple[str, list[str]]] = []

    def text(found: str | None) -> None:
        label = " ".join((found or "").split()).removesuffix(":")
        if label:
            groups.append((label, []))

    text(side.text)
    for child in side:
        if child.tag not in dom.DROPPED and (shown := words(child)):
            if not groups:
                groups.append(("", []))
            groups[-1][1].extend(k for k in _COMMA.split(shown) if k)
        text(child.tail)
    if not groups:
        return
    is_faction = groups[0][0].startswith("FACTION")
    writer.open("faction-keywords" if is_faction else "keyword-groups")
    for index, (label, found) in enumerate(groups):
        if is_faction:
            writer.line(f"{label}:", side, BlockKind.SECTION, title=index == 0)
            writer.line(", ".join(found), side, BlockKind.TEXT)
            continue
        kind = BlockKind.SECTION if index == 0 else BlockKind.LABELLED
        writer.line(
            f"{label}: {', '.join(found)}" if label else ", ".join(found),
            side,
            kind,
            detail=("keywords", label, *found),
            title=index == 0,
        )


def _stratagems(wrap: Element, writer: Writer) -> None:
    """The datasheet's list: name, points, detachment and type, tag."""
    for element in wrap.iter("div"):
        found = element.get("class")
        role = _entry_role(found) if found else None
        if role == "name":
            writer.line(words(element), element, BlockKind.HEADING)
            points = next((e for e in element.itersiblings("div")), None)
            if points is not None:
                writer.line(words(points), points, BlockKind.COMMAND_POINTS)
        elif role == "type":
            writer.line(words(element), element, BlockKind.TEXT)
        elif role == "tag":
            writer.line(words(element), element, BlockKind.HEADING)


@lru_cache(maxsize=1024)
def _entry_role(found: str) -> str | None:
    """What an element with these classes is in an entry of the list of stratagems."""
    tokens = dom.tokens(found)
    if "s10Name" in tokens:
        return "name"
    if "s10Type" in tokens:
        return "type"
    return "tag" if any(token.startswith("s10Core") for token in tokens) else None


def _names(wrap: Element, writer: Writer) -> None:
    """Detachment abilities and enhancements: a name in each entry, and a price where there is one."""
    for entry in wrap.iter("div"):
        if not has(entry, "s10EnhWrap"):
            continue
        for element in entry:
            if element.tag == "div" and (text := words(element)):
                is_price = has(element, "PriceTag")
                writer.line(text, element, BlockKind.TEXT if is_price else BlockKind.HEADING)
