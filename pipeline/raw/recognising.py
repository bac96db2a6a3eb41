"""What a raw file is, told from its text first and its name second: a format that is read, or a capture of no page.

Pages that are read have classes of their own (`dsOuterFrame`, `wTable`, `str10Wrap` …). One of them, and a page is
`html` whatever its title says; without any, title and address say what it is: a redirect, an error, a consent page,
a search, a page of another site. Dumps of such pages are told by their first line.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from pipeline.diagnostics import Diagnostic
from pipeline.raw.references import RawFile

_HEAD = 4_096
_HTML = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|div|table|center|script|p|h[1-6]|span|a|ul|main|article)\b", re.I
)
_XML = re.compile(r"<(?:\?xml|[a-z][\w:.-]*[\s>/])", re.I)
_JSON = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*(?:[\[{\"0-9\]-]|$)")  # not `[PISTOL]24.26`
_PIPE_HEADER = re.compile(
    r"(?:[A-Za-z]\w*\|)+(?:[A-Za-z]\w*)?$"
)  # `id|name|faction_id|`; a dump's rows have spaces around the pipe
_CSV_HEADER = re.compile(r"\"?\w+\"?(?:[,;\t]\"?\w[\w ]*\"?){2,}$")
_CARDS = re.compile(r"\"(?:compatibleDataVersion|cardType|datasheets|faction_keyword)\"\s*:")
_CARDS_WITHIN = 65_536
_TITLED_WITHIN = 262_144
_YAML_LINE = re.compile(r"(?:---|[A-Za-z_]\w*:(?: .*)?)$")
_PRICE_KEYS = re.compile(r"^(?:detachments|units|datasheets|enhancements|points|lastUpdated):", re.M)
_YAML_NAMES = (".yaml", ".yml")

# DOM facts of SOURCES.md, as little of them as tells a page of the site
_MARKS = (
    *("dsOuterFrame", "page_header2", "outline_header", "tooltip_content", "dsProfile", "dsH2Header", "dsAbility", "wTable"),
    *("str10Wrap", "s10Wrap", "tooltip_templates", "EnhancementsPts", "kwbw", "ds2col", "ShowFluff"),
)
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,500}?)</title", re.I | re.S)
_HEADING = re.compile(r"<h1[^>]{0,200}>(.{0,500}?)</h1", re.I | re.S)
_TAG = re.compile(r"<[^>]*>")
_ADDRESS = re.compile(r"""<link[^>]{0,200}?rel=["']?canonical["']?[^>]{0,200}?href=["']?([^"'\s>]{1,2000})""", re.I)
_REFRESH = re.compile(r"""<meta[^>]{0,200}?http-equiv\s*=\s*["']?refresh["']?[^>]{0,200}?url\s*=""", re.I)
_SENT_ON = re.compile(r"(?:window|document|top|self)?\.?location(?:\.href)?\s*=\s*[\"']|location\.replace\(")
_REDIRECT = re.compile(
    r"30[1-8]\b|(?:Document |Object |Page )?(?:Moved|Has Moved)(?: Permanently| Temporarily)?$|Redirecting\b|Found$",
    re.I,
)
_ERROR = re.compile(
    r"(?:Error )?[45][0-9][0-9](?=$| ?[:|–-]| (?:Not|Forbidden|Unauthorized|Bad|Internal|Service|Gateway|Too|Gone|Method|Error)\b)"
    r"|(?:Page |File )?Not Found\b|Forbidden$"
    r"|Access Denied\b|Unauthorized$|Bad (?:Gateway|Request)\b|Service (?:Temporarily )?Unavailable\b"
    r"|Internal Server Error\b|Gateway Time-?out\b|Too Many Requests\b|Just a moment\b|Attention Required!"
    r"|Checking your browser\b|Are you (?:a )?(?:human|robot)\b|Verify(?:ing)? you are (?:a )?human\b"
    r"|Please enable (?:JavaScript|cookies)\b|Enable JavaScript and cookies\b|Under Maintenance\b|DDoS protection\b"
    r"|Robot Check\b",
    re.I,
)
_CONSENT = re.compile(
    r"Before you continue\b|(?:Cookie|Privacy|Your) (?:consent|settings|preferences|choices)\b"
    r"|.{0,40}\bconsent\b.{0,40}$|We value your privacy\b",
    re.I,
)
_SEARCH = re.compile(
    r"Search(?: results)?(?:$|\b.{0,3}(?:for\b|[-–—:|]))|.{1,200} [-–—|] (?:.{0,40} )?Search$|Results for\b", re.I
)
_SEARCHED = re.compile(r"/search(?:[/?]|$)|[?&](?:q|query|search|s)=", re.I)
_KINDS = (("redirect-page", _REDIRECT), ("error-page", _ERROR), ("consent-page", _CONSENT), ("search-page", _SEARCH))
SHORT = 2_000  # characters of a dump that may be an error page; the shortest datasheet has 3,000
SMALL = 3_000  # characters of a page that does nothing but send on


class Recognised(NamedTuple):
    """`format` names a reader or an export, or is what the file seems to be. With a problem, it is not to be read."""

    format: str
    problem: Diagnostic | None = None


def recognise(raw: RawFile, text: str) -> Recognised:
    """What a file with this decoded text is.

    Formats that are read: `text`, `html`, `wahapedia-csv`, `datacards-json`, `price-yaml`; others come with
    `unknown-format`: `json`, `csv`, `yaml`, `xml`. Captures that are no pages come with `redirect-page`, `error-page`,
    `consent-page`, `search-page` or `foreign-page`. Never raises.
    """
    head = text[:_HEAD].lstrip()
    kind = _format(raw.reference.name.lower(), head, text)
    found = _no_page(raw, kind, head, text)
    if found is None and kind in _UNREAD:
        found = "unknown-format", f"No reader for this kind of file, {_UNREAD[kind]}."
    if found is None:
        return Recognised(kind)
    code, message = found
    return Recognised(kind, Diagnostic(code=code, message=message, document_id=raw.document_id, line=1, start=0, end=0))


_UNREAD = {
    "json": "JSON that is no export of datacards",
    "csv": "a table that is not divided by pipes",
    "yaml": "YAML that is no price list",
    "xml": "XML",
}


def _format(name: str, head: str, text: str) -> str:
    first = head.partition("\n")[0].rstrip()
    if head.startswith("<"):
        return "html" if _HTML.search(head) else "xml" if _XML.match(head) else "text"
    if _JSON.match(head):
        return "datacards-json" if _CARDS.search(text[:_CARDS_WITHIN]) else "json"
    if _PIPE_HEADER.match(first):
        return "wahapedia-csv"
    if _YAML_LINE.match(first) and (name.endswith(_YAML_NAMES) or _PRICE_KEYS.search(text[:_CARDS_WITHIN])):
        return "price-yaml" if _PRICE_KEYS.search(text) else "yaml"
    if _CSV_HEADER.match(first) and name.endswith((".csv", ".tsv")):
        return "csv"
    return "text"


def _no_page(raw: RawFile, kind: str, head: str, text: str) -> tuple[str, str] | None:
    if kind == "html":
        return None if any(mark in text for mark in _MARKS) else _page_without_marks(raw, text)
    if kind == "text" and len(text) < SHORT:
        line = next((line for line in head.splitlines() if line.strip() and "://" not in line), "").strip()
        if "|" not in line:
            return _by_title(line)
    return None


def _by_title(title: str) -> tuple[str, str] | None:
    return next(((code, f"“{title[:80]}”") for code, pattern in _KINDS if pattern.match(title)), None)


def _page_without_marks(raw: RawFile, page: str) -> tuple[str, str]:
    text = page[:_TITLED_WITHIN]
    titles = [
        " ".join(html.unescape(_TAG.sub(" ", found[1])).split())
        for p in (_TITLE, _HEADING)
        if (found := p.search(text))
    ]
    if told := next(filter(None, map(_by_title, titles)), None):
        return told
    if len(page) < SMALL and (_REFRESH.search(text) or _SENT_ON.search(text)):
        return "redirect-page", "The page does nothing but send on to another one."
    canonical = _ADDRESS.search(text)
    address = raw.hints.url or (canonical[1] if canonical else "")
    if _SEARCHED.search(address):
        return "search-page", f"Its address is a search: {address[:200]}"
    named = f" “{titles[0][:80]}”" if titles and titles[0] else ""
    return "foreign-page", f"The page{named}{_host(address)} has none of the marks of the pages that are read."


def _host(address: str) -> str:
    try:
        host = urlsplit(address).hostname
    except ValueError:  # `https://[`
        return ""
    return f" of {host}" if host else ""
