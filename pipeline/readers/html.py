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
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pipeline.diagnostics import Diagnostic
from pipeline.document import BlockKind, Document, line_starts_of
from pipeline.readers import card, dom
from pipeline.readers.dom import Element, has, words
from pipeline.readers.flow import Flow
from pipeline.readers.writing import OWN_NAME, Fragment, Page, Writer

_TOOLTIP = b'<div class="tooltip_templates"'
_NUMBERED = (
    b'<div class="tooltip_templates"><span id="'  # how tooltips begin whose names are numbers, others on each page
)
_TITLE = re.compile(rb"<h1[\s>]")
_MENUS = ("contents_header", "altModelsA")
_HOLDER = b"section"  # what cut-out tooltips are wrapped in, to be parsed together
_PAGE_END = (b"</html>", b"</body>")
_CARD = b"dsOuterFrame"  # a class of cards; one that stands behind a tooltip is none of it
_DIV = re.compile(rb"<(/?)div\b[^<>]*>")
_OWN_ADDRESS = re.compile(
    rb'<base [^<>]*href="(https?://[^"<>]+)"|<link (?=[^<>]*rel="canonical")[^<>]*href="(https?://[^"<>]+)"'
    rb'|<meta (?=[^<>]*property="og:url")[^<>]*content="(https?://[^"<>]+)"'
)


class _Unseen(NamedTuple):
    """How a stretch of markup begins and ends of which nothing is seen."""

    begin: bytes
    end: bytes


_SCRIPT = _Unseen(b"<script", b"</script")
_COMMENT = _Unseen(b"<!--", b"-->")
_fragments: dict[bytes, Fragment] = {}  # by the markup of the tooltip, from its name on
MAXIMUM_FRAGMENTS = 4096  # of about 15 kB each


def read(text: str, data: bytes | None = None) -> Page:
    """Reads the decoded text of a saved page; `data`: the same in UTF-8, where it is at hand.

    Most of it is tooltips that other pages have as well. They are cut out as they stand in the file, and one that is the same to
    the letter is read once; what stands before the title, menus and scripts, is not parsed at all.
    """
    markup = text.encode("utf-8", "replace").replace(b"\x00", b"") if data is None else data
    start = _title_start(markup)
    above = markup.count(b"\n", 0, start)
    rest, tooltips = _cut(markup, start, above)
    writer = Writer(above)
    root, too_deep = dom.parse(dom.without_copies(rest))
    title = next(iter(root.iter("h1")), None)
    if title is not None:
        shown = words(title)
        of_unit = " – " in shown
        writer.open("preamble" if of_unit else "named-rule")
        writer.line(
            shown, title, BlockKind.TITLE if of_unit else BlockKind.HEADING, detail=("title",), title=not of_unit
        )
    has_card = False
    shown_tooltips: list[Element] = []
    for name, found in list(dom.with_classes(root, "datasheet", "tooltip_templates")):
        if name == "datasheet" and not has_card:
            has_card = True
            card.read(found, writer, Flow(writer))
        elif name == "datasheet":
            card.unread(found, writer)
        else:
            shown_tooltips += [t for t in found if not _is_menu(t)]
    for tooltip in shown_tooltips:
        tooltip.tag = "div"
    if title is not None and (around := title.getparent()) is not None:
        dom.melt(around)
        Flow(writer).behind(title)
    for tooltip in shown_tooltips:
        dom.melt(tooltip)
        _tooltip(tooltip, writer)
    fragments = _fragments_of([cut.markup for cut in tooltips])
    for cut in tooltips:
        fragment = fragments[cut.markup]
        too_deep |= fragment.too_deep
        writer.add(fragment, cut.line + 1, cut.name)
    if (
        not writer.blocks and not tooltips and (body := root.find("body")) is not None
    ):  # no page of this kind: whatever it says
        dom.melt(body)
        Flow(writer).walk(body)
    return writer.page(_address(markup[:start]), too_deep=too_deep)


def read_document(document: Document) -> Document:
    """The document with the visible text of its page, blocks and parts; its own address where nothing else gives one."""
    page = read(document.text, document.data)
    document.diagnostics = [_of_file(told) for told in document.diagnostics]
    document.text, document.blocks, document.parts = page.text, page.blocks, page.parts
    document.starts = line_starts_of(page.blocks, page.text)
    document.url = document.url or page.url
    if page.too_deep:
        message = "Elements are nested deeper than 2,048; what is in the innermost is lost."
        document.diagnostics.append(
            Diagnostic(code="truncated-page", message=message, document_id=document.document_id)
        )
    return document


def _of_file(told: Diagnostic) -> Diagnostic:
    """What was said of the bytes, without its place, which is none in the visible text."""
    if not told.start:
        return told
    message = f"{told.message} (line {told.line} of the file)"
    return msgspec.structs.replace(told, message=message, line=1, start=0, end=0)


def _title_start(markup: bytes) -> int:
    """Where the page's title begins: the first `h1` outside scripts and comments; 0 where there is none."""
    since = 0  # nothing is open there
    while (at := markup.find(b"<h1", since)) >= 0:
        around = _opened(markup, _SCRIPT, _COMMENT, since, at) or _opened(markup, _COMMENT, _SCRIPT, since, at)
        if around is None:
            if _TITLE.match(markup, at):
                return at
            since = at + 1
        elif (since := markup.find(around.end, at)) < 0:
            return 0
    return 0


def _opened(markup: bytes, one: _Unseen, other: _Unseen, since: int, at: int) -> _Unseen | None:
    """`one`, if a place stands inside one that began behind `since`, and not inside the other as plain text."""
    start = _start(markup, one, since, at)
    return one if start >= 0 and _start(markup, other, since, start) < 0 else None


def _start(markup: bytes, unseen: _Unseen, since: int, at: int) -> int:
    start = markup.rfind(unseen.begin, since, at)
    return start if start >= 0 and markup.find(unseen.end, start, at) < 0 else -1


class _Cut(NamedTuple):
    """A tooltip: its markup, from its name on where it begins with `_NUMBERED`; the name; how many lines are above."""

    markup: bytes
    name: str
    line: int


def _cut(page: bytes, first: int, above: int) -> tuple[bytes, list[_Cut]]:
    """The page from byte `first` on, below so many lines, without its tooltips; and the tooltips.

    A tooltip whose elements do not close before the next one begins stays where it is, and so does one inside a comment.
    """
    starts = []
    at = page.find(_TOOLTIP, first)
    while at >= 0:
        starts.append(at)
        at = page.find(_TOOLTIP, at + 1)
    line = above  # how many lines are above `done`
    made: list[_Cut] = []
    kept: list[bytes] = []
    done = first
    seen_from = _comment_end(page, first, starts[0]) if starts else first  # nothing before is seen
    for start, end in pairwise((*starts, len(page))):
        if start < seen_from:
            continue
        begin, name = start, ""
        if page.startswith(_NUMBERED, start):
            quote = page.find(b'"', start + len(_NUMBERED), end)
            if quote > 0:
                begin, name = quote, page[start + len(_NUMBERED) : quote].decode()
        source = page[begin:end]
        if (fragment := _fragments.get(source)) is None:
            seen_from = _comment_end(page, start, end)
            if not _is_closed(source, int(begin > start)) or seen_from > end:
                closed = _closed(page, start, end)
                if closed is None:
                    continue
                end = closed
                source = page[begin:end]
        line += page.count(b"\n", done, start)
        made.append(_Cut(source, name, line))
        breaks = page.count(b"\n", start, end) if fragment is None else fragment.breaks
        kept += (page[done:start], b"\n" * breaks)
        line += breaks
        done = end
    kept.append(page[done:])
    return b"".join(kept), made


def _comment_end(page: bytes, start: int, end: int) -> int:
    """Where the last comment of a stretch of the page ends, which may be behind the stretch; the start where it has none."""
    at = page.rfind(_COMMENT.begin, start, end)
    if at < 0:
        return start
    closed = page.find(_COMMENT.end, at)
    return closed + 3 if closed >= 0 else len(page)


def _is_closed(source: bytes, opened: int) -> bool:
    return (
        opened + source.count(b"<div") == source.count(b"</div")
        and not source.endswith(_PAGE_END)
        and _CARD not in source
    )


def _closed(page: bytes, start: int, end: int) -> int | None:
    """Where the element that a stretch of the page begins with ends, by counting its `div`s."""
    depth = 0
    for found in _DIV.finditer(page, start, end):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return None


def _fragments_of(sources: list[bytes]) -> dict[bytes, Fragment]:
    """What cut-out tooltips say: each says something, and so may what stands behind it. Those that are not known yet are read."""
    known = {source: fragment for source in sources if (fragment := _fragments.get(source))}
    made = _read_fragments([source for source in dict.fromkeys(sources) if source not in known])
    if len(_fragments) + len(made) > MAXIMUM_FRAGMENTS:
        _fragments.clear()
    _fragments.update(made)
    return known | made


def _read_fragments(unknown: list[bytes]) -> dict[bytes, Fragment]:
    """Reads tooltips, all in one parse."""
    if not unknown:
        return {}
    tree, too_deep = dom.parse(dom.without_copies(b"".join(map(_wrapped, unknown))))
    body = tree.find("body")
    holders = [e for e in body if e.tag == _HOLDER.decode()] if body is not None else []
    if (too_deep or len(holders) != len(unknown)) and len(unknown) > 1:  # one of them closes less than it opens, say
        return {source: fragment for alone in unknown for source, fragment in _read_fragments([alone]).items()}
    tooltips = [[t for e in holder if has(e, "tooltip_templates") for t in e] for holder in holders]
    menus = [any(mark.encode() in source for mark in _MENUS) for source in unknown]
    shown = {
        id(t)
        for found, may_be in zip(tooltips, menus, strict=False)
        for t in found if not _begins_menu(t) and not (may_be and _is_menu(t))
    }  # fmt: skip
    for found in tooltips:
        for tooltip in found:
            tooltip.tag = "div"
            if id(tooltip) not in shown:
                tooltip.clear(keep_tail=True)  # menus hold half of all elements
    if body is not None:
        dom.melt(body)
    return {
        source: _read_fragment(holder, shown, too_deep=too_deep, breaks=source.count(b"\n"))
        for source, holder in zip(unknown, holders, strict=False)
    }


def _wrapped(source: bytes) -> bytes:
    start = b"" if source.startswith(b"<") else _NUMBERED + OWN_NAME.encode()
    for end in _PAGE_END:  # inside a tooltip it ends nothing, as browsers read it
        source = source.replace(end, b"")
    return b"<%s>%s%s</%s>" % (_HOLDER, start, source, _HOLDER)


def _read_fragment(holder: Element, shown: set[int], *, too_deep: bool, breaks: int) -> Fragment:
    writer = Writer(-(holder.sourceline or 0))
    for element in holder:
        if has(element, "tooltip_templates"):
            for tooltip in element:
                if id(tooltip) in shown:
                    _tooltip(tooltip, writer)
                if tail := " ".join((tooltip.tail or "").split()):
                    writer.open("text")
                    writer.line(tail, element, BlockKind.TEXT)
        elif element.tag not in dom.DROPPED and not dom.is_left_out(element):
            writer.open("text")
            Flow(writer).walk(element)
    return writer.fragment(too_deep=too_deep, breaks=breaks)


def _tooltip(tooltip: Element, writer: Writer) -> None:
    writer.within = tooltip.get("id")
    writer.open("text")
    Flow(writer, tooltip=True).walk(tooltip)
    writer.close()
    writer.within = None


def _address(head: bytes) -> str | None:
    """The page's own address, from what stands before its title: `base`, the canonical link, or `og:url`."""
    found = _OWN_ADDRESS.search(head)
    return next((part.decode() for part in found.groups() if part), None) if found else None


def _begins_menu(tooltip: Element) -> bool:
    first = next((e for e in tooltip if isinstance(e.tag, str)), None)
    if first is None:
        return not (tooltip.text or "").strip()
    return first.tag == "form" or (first.tag == "span" and has(first, "contents"))


def _is_menu(tooltip: Element) -> bool:
    """Whether a tooltip is a menu, a form or an advertisement."""
    return _begins_menu(tooltip) or any(has(e, mark) for e in tooltip.iter("div") for mark in _MENUS)
