"""A saved page as a tree that can be walked fast: parsed without hidden limits, rid of what nobody sees, inline elements melted away.

What a reader of the page sees is kept; `LEFT_OUT` is the one place that names what is not: scripts, menus, filters, narrow-screen
copies, advertisements, decoration.

    >>> tree, _ = parse(b'<p>Each <b>model</b> counts.</p><script>x()</script>')
    >>> melt(tree); [(e.tag, e.text) for e in tree.iter("p")]
    [('p', 'Each model counts.')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

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

_RAISED = ("sup", "sub", "s")  # beside a number it is none of its digits
_DIE = re.compile(r"/d([1-6])\.png$")  # a picture of a die, where a table prints `2+`
_KEPT_AS = {"hi_custom": "h6", "h_custom": "h6", "contents": "members"}

MAXIMUM_DEPTH = 200  # deeper elements are read as one run of text
_BLANK_PAGE = b"<html><body></body></html>"
_PARSER = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
_COPY = b'<span style="display:none;" class="snFl'


def without_copies(markup: bytes) -> bytes:
    """Markup without the copies of a word of which scripts show one, `melt`'s `span.snFl`, where they stand side by side.

    On some pages they are a third of the file. `melt` finds those that are written otherwise. No line break is lost with them.
    """
    first, *pieces = markup.split(_COPY)
    kept = [first]
    contents = [*(piece.partition(b'">')[2] for piece in pieces), b""]
    for piece, (content, following) in zip(pieces, pairwise(contents), strict=True):
        if not (following.startswith(content) and _is_whole(content)):
            kept.append(piece)
    return _COPY.join(kept)


def _is_whole(content: bytes) -> bool:
    """Whether a copy's content, with its end, is all that stands before the next copy."""
    return (
        content.endswith(b"</span>")
        and content.count(b"<span") + 1 == content.count(b"</span>")
        and b"\n" not in content
    )


def parse(markup: bytes) -> tuple[Element, bool]:
    """The tree of a page, and whether it lacks something: libxml2 drops what is nested 2,048 deep.

    The markup goes in as UTF-8 with the encoding given: a `str` with an encoding declaration is refused by lxml, and one without
    is read twice as slowly. `huge_tree` lifts the limits behind which lxml gives empty texts without an error.
    """
    try:
        tree = etree.fromstring(markup, _PARSER)
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


def with_classes(root: Element, *names: str) -> Iterator[tuple[str, Element]]:
    """Elements `div` that have one of these classes, with that class, in the order of the page."""
    known: dict[str | None, str | None] = {None: None}
    for element in root.iter("div"):
        found = element.get("class")
        if found not in known:
            known[found] = next((name for name in names if name in tokens(found or "")), None)
        if name := known[found]:
            yield name, element


def words_without(element: Element, name: str) -> str:
    """Visible text of an element on one line, without what has a class."""
    parts = [element.text or ""]
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if inner is element:
            continue
        if event == "end":
            parts.append(inner.tail or "")
        elif has(inner, name) or _around(str(inner.tag), inner.get("class")) is None:
            walk.skip_subtree()
        else:
            parts.append(inner.text or "")
    return " ".join("".join(parts).split())


def words(element: Element) -> str:
    """Visible text of an element on one line, its block children parted by spaces as they are seen."""
    if not len(element):
        return " ".join((element.text or "").split())
    parts: list[str] = []
    _collect(element, parts, 0)
    return " ".join("".join(parts).split())


def _collect(element: Element, parts: list[str], depth: int) -> None:
    if text := element.text:
        parts.append(text)
    if depth > MAXIMUM_DEPTH:
        parts.append(deep_words(element))
        return
    for child in element:
        around = _around(str(child.tag), child.get("class"))
        if around is not None:
            parts.append(around)
            if len(child):
                _collect(child, parts, depth + 1)
            elif text := child.text:
                parts.append(text)
            parts.append(around)
        if text := child.tail:
            parts.append(text)


def deep_words(element: Element) -> str:
    """Visible text of what stands in an element, however deep it is nested: no recursion, each element a word of its own."""
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            if inner is not element:
                parts.append(inner.tail or "")
        elif _around(str(inner.tag), inner.get("class")) is None:
            walk.skip_subtree()
        elif inner is not element:
            parts.append(inner.text or "")
    return " ".join(parts)


@lru_cache(maxsize=8192)
def _around(tag: str, found: str | None) -> str | None:
    """What parts an element from the text beside it: a space, or nothing if it is inline. None: it is not seen."""
    if tag in DROPPED or not LEFT_OUT.isdisjoint(tokens(found or "")):
        return None
    return "" if tag in INLINE and tag not in _RAISED else " "


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
    for span in list(root.iter("span")):
        found = span.get("class")
        if found is None:
            parent = span.getparent() if span.getprevious() is None else None
            if parent is not None and has(parent, "stratReq"):
                _name_and_points(parent)
        elif kept := _kept_as(found):
            span.tag = kept
        elif "snFl" in found:
            before = span.getprevious()
            if before is not None and has(before, "snFl") and not (before.tail or "").strip() and _same(before, span):
                _remove(before)
    for link in root.iter("a"):
        if link.get("class") == "contentColor":
            link.tag = "unit"
        elif len(link) and (link[0].get("class") or "").startswith("tooltip_link"):
            link.tag = "source"
    for image in list(root.iter("img")):
        if die := _DIE.search(image.get("src") or ""):
            image.tag = "span"
            image.text = die[1]
    for item in root.iter("li"):
        parent = item.getparent()
        if parent is not None and has(parent, "EnhancementsPts"):
            _name_and_points(item)
    etree.strip_tags(root, *INLINE)


@lru_cache(maxsize=8192)
def _kept_as(found: str) -> str | None:
    """The tag under which a `span` with these classes is kept, one of `DROPPED` where it is not seen."""
    return _KEPT_AS.get(found) or (None if LEFT_OUT.isdisjoint(tokens(found)) else "template")


def _name_and_points(element: Element) -> None:
    for number, span in enumerate([child for child in element if child.tag == "span"]):
        span.tag = "points" if number else "name"


def _same(one: Element, other: Element) -> bool:
    return "".join(one.itertext()) == "".join(other.itertext())


def _remove(element: Element) -> None:
    """Takes out an element with the white space behind it; of that one space stays."""
    parent = element.getparent()
    if parent is not None:
        before = element.getprevious()
        above = (before.tail if before is not None else parent.text) or ""
        if element.tail and not above[-1:].isspace():
            if before is not None:
                before.tail = f"{above} "
            else:
                parent.text = f"{above} "
        parent.remove(element)
