"""A saved page as a tree that can be walked fast: parsed without hidden limits, rid of what nobody sees, inline elements melted away.

What a reader of the page sees is kept; `LEFT_OUT` is the one place that names what is not: scripts, menus, filters, narrow-screen
copies, advertisements, decoration.

    >>> tree, _ = parse('<p>Each <b>model</b> counts.</p><script>x()</script>')
    >>> melt(tree); [(e.tag, e.text) for e in tree.iter("p")]
    [('p', 'Each model counts.')]
"""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree

Element = etree._Element

LEFT_OUT = frozenset({
    # narrow-screen copies of what stands beside them
    "wTable2_long", "book_tight", "dsIconsNarrow", "dsPicNarrow",
    # menus, filters, search, links to other pages
    "noprint", "contents_header", "NavColumns3", "armylist_header", "datasheetsCollated", "tooltip_link",
    "tooltip_link_inline", "btnContents_AL",
    # advertisements and the page's foot
    "page_breaker_ads", "social_buttons", "altModelsA", "ez-sidebar-wall", "ezoic-videopicker-video",
    # read apart from what they stand in
    "tooltip_templates", "datasheet",
    # decoration: numbers in diamonds, dice beside a title, icons
    "redDiamondLeft", "cruHeaderD6", "cruD6wrap", "cruD6wrap2", "dsIconsWide", "dsPicWide",
})  # fmt: skip
"""Classes of elements that are no part of the visible text."""

DROPPED = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "form",
        "select",
        "option",
        "button",
        "input",
        "img",
        "svg",
        "iframe",
        "ins",
        "link",
        "meta",
        "head",
        "title",
        "label",
    ]
)
"""Elements without text, or whose text is no part of the page's."""

INLINE = (
    "span",
    "a",
    "b",
    "i",
    "u",
    "s",
    "em",
    "strong",
    "font",
    "small",
    "big",
    "sup",
    "sub",
    "nobr",
    "abbr",
    "mark",
    "wbr",
    "img",
)

_DIE = re.compile(r"/d([1-6])\.png$")  # a picture of a die, where a table prints `2+`
_PLAIN = ("kwb", "tt ", "tooltip", "str10Color")
"""How the classes of the many inline elements begin that know nothing beyond their text."""

MAXIMUM_DEPTH = 200  # deeper elements are read as one run of text
_BLANK_PAGE = b"<html><body></body></html>"
_PARSER = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True)


_COPIES = re.compile(
    r'(<span style="display:none;" class="snFl)[^"]*">((?:<span[^>]*>[^<]*</span> *)+)</span>(?=\1[^"]*">\2</span>)'
)


def without_copies(text: str) -> str:
    """A page without the copies of a word of which scripts show one, `melt`'s `span.snFl`, where they stand side by side.

    On some pages they are a third of the file. `melt` finds those that are written otherwise.
    """
    return _COPIES.sub("", text)


def parse(text: str) -> tuple[Element, bool]:
    """The tree of a page's decoded text, and whether it lacks something: libxml2 drops what is nested 2,048 deep.

    The text goes in as UTF-8 bytes with the encoding given: a `str` with an encoding declaration is refused by lxml, and one
    without is read twice as slowly. `huge_tree` lifts the limits behind which lxml gives empty texts without an error.
    """
    data = text.replace("\x00", "").encode("utf-8", "replace")
    try:
        tree = etree.fromstring(data, _PARSER)
    except etree.XMLSyntaxError:  # nothing in it, or comments only
        tree = None
    if tree is None:
        return etree.fromstring(_BLANK_PAGE, _PARSER), False
    return tree, any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in _PARSER.error_log)


@lru_cache(maxsize=8192)
def tokens(found: str) -> frozenset[str]:
    """Class tokens of a `class` attribute; a page has few of them, and asks often."""
    return frozenset(found.split())


def classes(element: Element) -> frozenset[str]:
    """Class tokens of an element."""
    found = element.get("class")
    return frozenset() if found is None else tokens(found)


def has(element: Element, name: str) -> bool:
    """Whether an element has a class."""
    found = element.get("class")
    return found is not None and name in tokens(found)


def with_classes(root: Element, *names: str) -> dict[str, list[Element]]:
    """Elements `div` that have one of these classes, in the order of the page, by class."""
    made: dict[str, list[Element]] = {name: [] for name in names}
    for element in root.iter("div"):
        found = element.get("class")
        if found is not None:
            for name in names:
                if name in found and name in tokens(found):
                    made[name].append(element)
    return made


def words(element: Element) -> str:
    """Visible text of an element on one line, its block children parted by spaces as they are seen."""
    if not len(element):
        return " ".join((element.text or "").split())
    parts: list[str] = []
    _collect(element, parts)
    return " ".join("".join(parts).split())


def _collect(element: Element, parts: list[str]) -> None:
    if element.text:
        parts.append(element.text)
    for child in element:
        tag = child.tag
        if tag not in DROPPED and not is_left_out(child):
            apart = tag not in INLINE
            if apart:
                parts.append(" ")
            _collect(child, parts)
            if apart:
                parts.append(" ")
        if child.tail:
            parts.append(child.tail)


def is_left_out(element: Element) -> bool:
    """Whether an element is one of `LEFT_OUT`."""
    found = element.get("class")
    return found is not None and not LEFT_OUT.isdisjoint(tokens(found))


@lru_cache(maxsize=8192)
def named(tag: str, found: str | None) -> str:
    """An element as a place names it: `p.legend2`, with the last of its classes, the most telling one."""
    words = (found or "").split()
    return f"{tag}.{words[-1]}" if words else tag


def melt(root: Element) -> None:
    """Dissolves inline elements into the text around them, in C, so that a walk meets block elements only.

    Before that, what inline elements alone know is kept under tags of our own: `unit` (a link to a datasheet in an index),
    `source` (the link of a tooltip's title), `name` and `points` (both halves of a priced name), `h6` (a heading inside a text).
    A picture of a die is the number that it shows.
    Of the copies that a detachment filter switches (`span.snFl`, all hidden until a script shows one) the first of a run stays.
    """
    for element in list(root.iter("span", "a", "li", "img")):
        found = element.get("class")
        if element.tag == "span":
            if found is None:
                if (
                    element.getprevious() is None
                    and (parent := element.getparent()) is not None
                    and has(parent, "stratReq")
                ):
                    _name_and_points(parent)
            elif found.startswith(_PLAIN):
                continue
            elif "snFl" in found:
                before = element.getprevious()
                if (
                    before is not None
                    and has(before, "snFl")
                    and not (before.tail or "").strip()
                    and _same(before, element)
                ):
                    _remove(before)
            elif found in ("hi_custom", "h_custom"):
                element.tag = "h6"
            elif found == "contents":
                element.tag = "members"
        elif element.tag == "img":
            if die := _DIE.search(element.get("src") or ""):
                element.tag = "span"
                element.text = die[1]
        elif element.tag == "a":
            if found == "contentColor":
                element.tag = "unit"
            elif len(element) and (element[0].get("class") or "").startswith("tooltip_link"):
                element.tag = "source"
        elif (parent := element.getparent()) is not None and has(parent, "EnhancementsPts"):
            _name_and_points(element)
    etree.strip_tags(root, *INLINE)


def _name_and_points(element: Element) -> None:
    spans = [child for child in element if child.tag == "span"]
    for span, tag in zip(spans, ("name", *["points"] * (len(spans) - 1)), strict=True):
        span.tag = tag


def _same(one: Element, other: Element) -> bool:
    return "".join(one.itertext()) == "".join(other.itertext())


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        before = element.getprevious()
        tail = element.tail or ""
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(element)
