r"""Fields of an export with HTML or Markdown marks → plain text.

In: a field as the export holds it. Out: its text as printed: paragraphs divided by one newline, bullets as `- ` lines,
nested ones indented by two spaces, cells of a table's row divided by ` | `; NFC; entities decoded once; marks of style
dropped.

    >>> plain('Pick one:<ul><li><b>1 coil lance</b></li><li>1 ember pistol</li></ul>')
    'Pick one:\n- 1 coil lance\n- 1 ember pistol'
"""

from __future__ import annotations

import html
import re
import unicodedata

_TAG = re.compile(r"<!--.*?-->|<(/?)([A-Za-z][A-Za-z0-9]*)\b([^<>]*?)(/?)>", re.DOTALL)  # `Range < 12"` has none
_SPACES = re.compile(r"[^\S\n]+")
_NEWLINES = re.compile(r"\r\n?|\n")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # `1.\b START OF PHASE`
_SPLIT_BULLETS = re.compile(r"[^\S\n]*([■▪•◦▫])[^\S\n]*")  # `one of the following: ◦ 1 coil lance ◦ 1 ember pistol`
_OUTER_BULLETS = "■▪•"
_STARS = re.compile(r"\*{2,}")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")  # `*As if …*`, and not the `*` of a footnote
_LINES = frozenset(
    {"blockquote", "br", "caption", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p"}
    | {"section", "table", "tbody", "tfoot", "thead", "tr", "ul"}
)
_LISTS = frozenset({"ul", "ol"})
_CELLS = frozenset({"td", "th"})
_BULLET = "- "
_INDENT = "  "


def name(field: str) -> str:
    """A name as printed, NFC, without the white space around it and without doubled spaces within."""
    return " ".join(unicodedata.normalize("NFC", field).split())


def is_name(text: str) -> bool:
    """Whether a text can name something: it has a letter."""
    return any(character.isalpha() for character in text)


def plain(field: str) -> str:
    """Text of an HTML field; a bare line feed divides paragraphs, too."""
    return _lines(_without_tags(field) if "<" in field or "&" in field else field)


def plain_markdown(field: str) -> str:
    """Text of a field that has Markdown's stars, HTML tags, or both."""
    text = _without_tags(field) if "<" in field or "&" in field else field
    return _lines(_EMPHASIS.sub(r"\1", _STARS.sub("", text)))


def optional(text: str) -> str | None:
    """None where nothing is printed."""
    return text or None


def bullets(text: str) -> tuple[str, ...]:
    """The bullets of a plain text, without their marks, whatever their depth."""
    return tuple(line.lstrip()[len(_BULLET) :] for line in text.split("\n") if line.lstrip().startswith(_BULLET))


def but_bullets(text: str) -> str:
    """A plain text without its bullets: what is said above and below the list."""
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(_BULLET))


def _without_tags(field: str) -> str:
    parts: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(field):
        parts.append(html.unescape(field[at : tag.start()]))
        at = tag.end()
        element = (tag[2] or "").lower()
        if tag[3] and tag[3].strip() and "=" not in tag[3]:
            parts.append(
                tag[2] + tag[3]
            )  # `a stated <move type> of up to X"`: words, no element has attributes like that
            continue
        if element in _LISTS:
            depth = max(0, depth - 1) if tag[1] else depth + 1
        if element in _LINES:
            parts.append("\n")
        if element == "li" and not tag[1] and not tag[4]:
            parts.append(_INDENT * max(0, depth - 1) + _BULLET)
        elif element in _CELLS and not tag[1] and parts and _row_has_begun(parts):
            parts.append(" | ")
    parts.append(html.unescape(field[at:]))
    return "".join(parts)


def _row_has_begun(parts: list[str]) -> bool:
    for part in reversed(parts):
        if part.endswith("\n"):
            return False
        if part.strip():
            return True
    return False


def _lines(text: str) -> str:
    text = _CONTROLS.sub("", unicodedata.normalize("NFC", text))
    lines: list[str] = []
    listed = False
    for raw in _NEWLINES.split(_bulleted(text)):
        line = _SPACES.sub(" ", raw).strip()
        if not line or line == "-":
            continue
        if line.startswith(_BULLET):
            listed = listed or not raw.startswith(_INDENT)
            indent = raw[: len(raw) - len(raw.lstrip(" "))] if listed else ""  # hollow bullets alone are not nested
            line = indent + _BULLET + line[len(_BULLET) :].lstrip()
        lines.append(line)
    return "\n".join(lines)


def _bulleted(text: str) -> str:
    """Marks of bullets → `- ` at the beginning of a line; hollow ones are nested."""
    return _SPLIT_BULLETS.sub(lambda mark: f"\n{'' if mark[1] in _OUTER_BULLETS else _INDENT}{_BULLET}", text)
