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
from itertools import pairwise
from typing import NamedTuple

from pipeline.diagnostics import Diagnostic
from pipeline.document import BlockKind, Document
from pipeline.readers import card, dom
from pipeline.readers.dom import Element, has, words
from pipeline.readers.flow import Flow
from pipeline.readers.writing import Fragment, Page, Writer

_TOOLTIP = '<div class="tooltip_templates"'
_TITLE = re.compile(r"<h1[\s>]")
_MENUS = ("contents_header", "altModelsA")
_HOLDER = "section"  # what cut-out tooltips are wrapped in, to be parsed together
_PAGE_END = ("</html>", "</body>")
_LINE_BREAK = re.compile(r"\n")
_DIV = re.compile(r"<(/?)div\b[^>]*>")
_OWN_ADDRESS = re.compile(
    r'<base [^>]*href="(https?://[^"]+)"|<link (?=[^>]*rel="canonical")[^>]*href="(https?://[^"]+)"'
    r'|<meta (?=[^>]*property="og:url")[^>]*content="(https?://[^"]+)"'
)

_fragments: dict[str, Fragment] = {}  # by the characters of the tooltip in the file
MAXIMUM_FRAGMENTS = 4096  # of about 15 kB each


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


def _read_fragment(holder: Element, shown: set[int]) -> Fragment:
    writer = Writer(None)
    for element in holder:
        if has(element, "tooltip_templates"):
            for tooltip in element:
                if id(tooltip) in shown:
                    _tooltip(tooltip, writer)
        elif element.tag not in dom.DROPPED and not dom.is_left_out(element):
            writer.open("text")
            Flow(writer).walk(element)
    return writer.fragment(holder.sourceline or 0)


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
