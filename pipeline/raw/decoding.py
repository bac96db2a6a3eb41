r"""Bytes → text, once: what `decode` returns is the text that offsets count, but for saved pages, whose reader makes another of it.

In: bytes, and the character set of a HTTP header where there was one. Out: text, encoding, diagnostics.

- Encoding: byte-order mark; else strict UTF-8; else the character set that header, `<meta charset>` or XML declaration
  name; else UTF-16, if nothing else explains the zero bytes; else Windows-1252 with a diagnostic. Strict UTF-8 goes
  before the declaration: text that is no UTF-8 almost never passes for it, and pages are often saved anew as UTF-8
  under their old declaration.
- Bytes that break UTF-8 in a text that else is UTF-8 become U+FFFD with a diagnostic: read as Windows-1252 they
  would ruin every other character.
- Line ends: CR LF and a lone CR become LF, for readers split at LF alone. U+FEFF, which prints nothing, is taken out.
- All other characters stay, also control characters (with a diagnostic). No normalisation: extractors do it by value.

    >>> decode("Ka’lor\r\n".encode("cp1252"))[:2]
    ('Ka’lor\n', 'cp1252')
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import msgspec

from pipeline.diagnostics import Diagnostic

_MARKS = (  # the longer first: UTF-32 begins with the mark of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Only what pages are written in: Python also knows "encodings" that unpack or unescape (zlib, idna, utf-7).
_DECLARABLE = frozenset(
    (
        *("utf-8", "koi8-r", "koi8-u", "mac-roman", "gbk", "gb18030", "big5", "euc_jp", "shift_jis", "euc_kr", "cp866"),
        *(f"iso8859-{part}" for part in range(2, 17)),
        *(f"cp{page}" for page in range(1250, 1259)),
    )
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})|^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{2,40})""",
    re.I,
)
_DECLARED_WITHIN = 4096
_SIGNATURES = (
    *(b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"wOFF", b"wOF2"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"Rar!", b"7z\xbc\xaf"),
)
_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")  # tab, line feeds and U+0085 are white space
_NO_CONTROL = bytes(byte for byte in range(256) if not _CONTROL.match(chr(byte)) or byte > 0x7F)
_UPPER_CONTROL = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]")  # in UTF-8
_SURROGATE = re.compile("[\ud800-\udfff]")
BINARY_ABOVE = 0.02  # share of control characters
UPPER_FROM = 0.7  # share of zeros among the upper bytes, from which text counts as UTF-16
MIXED_FROM = 4  # whole characters of several bytes for each broken one, from which the text counts as damaged UTF-8


class Decoded(NamedTuple):
    """Text and the name of its encoding. No encoding: rejected, the text is empty and the last diagnostic says why."""

    text: str
    encoding: str | None
    diagnostics: tuple[Diagnostic, ...] = ()
    verbatim: bool = False  # whether the bytes are this text in UTF-8 to the letter


def decode(data: bytes, charset: str | None = None, document_id: str | None = None) -> Decoded:
    """The text of any bytes. `charset` is what a HTTP header said. Never raises."""
    found = _by_mark(data) or _by_content(data, charset)
    if found.encoding is None:
        return found._replace(diagnostics=_addressed(found.diagnostics, document_id))
    text = found.text
    told = list(found.diagnostics)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\ufeff" in text:
        inside = text.count("\ufeff") - text.startswith("\ufeff")
        text = text.replace("\ufeff", "")
        if inside:
            told.append(_tell("control-characters", f"{inside} byte-order marks inside the text were taken out."))
    utf8 = found.encoding == "utf-8"
    if not utf8 and "\x00" in text:
        return _reject("binary-file", "The text holds zero characters.", document_id)
    if not text.strip():
        return _reject("empty-file", "The file holds no text.", document_id)
    if not (utf8 and _is_plain(data)) and (first := _CONTROL.search(text)) is not None:
        count = _CONTROL.subn("", text)[1]
        if count > BINARY_ABOVE * len(text):
            message = f"{count} of {len(text)} characters are control characters."
            return _reject("binary-file", message, document_id)
        message = f"{count} control characters stay in the text; the first is U+{ord(first[0]):04X}."
        told.append(_at(text, "control-characters", message, first.start()))
    if utf8 and "\ufffd" in text:
        told.append(_damaged(text))
    verbatim = utf8 and text is found.text and not told
    return Decoded(text, found.encoding, _addressed(tuple(told), document_id), verbatim)


def _is_plain(data: bytes) -> bool:
    """Whether UTF-8 holds no control character. It looks at bytes, in C: a search of the text takes longer than all else here."""
    first = data.find(b"\xc2")
    return not data.translate(None, _NO_CONTROL) and (first < 0 or not _UPPER_CONTROL.search(data, first))


def _tell(code: str, message: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, line=1, start=0, end=0)


_CUT = _tell("truncated-page", "The file ends in the middle of a character.")


def _reject(code: str, message: str, document_id: str | None = None) -> Decoded:
    return Decoded("", None, _addressed((_tell(code, message),), document_id))


def _addressed(told: tuple[Diagnostic, ...], document_id: str | None) -> tuple[Diagnostic, ...]:
    return tuple(msgspec.structs.replace(one, document_id=document_id) for one in told)


def _at(text: str, code: str, message: str, start: int) -> Diagnostic:
    return Diagnostic(code=code, message=message, line=text.count("\n", 0, start) + 1, start=start, end=start + 1)


def _damaged(text: str) -> Diagnostic:
    message = f"{text.count('�')} characters were lost; each is U+FFFD in the text."
    return _at(text, "damaged-characters", message, text.index("�"))


def _by_mark(data: bytes) -> Decoded | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            if encoding == "utf-8":
                return None  # `_by_content` knows what to do where it breaks
            return _marked(data[len(mark) :], encoding)
    return None


def _marked(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError as fault:
        if _is_cut(fault, data):
            return Decoded(data[: fault.start].decode(encoding), encoding, (_CUT,))
        message = f"The file begins like {encoding} and breaks it at byte {fault.start} behind its mark."
        return _reject("undecodable-text", message)


def _is_cut(fault: UnicodeDecodeError, data: bytes) -> bool:
    return fault.reason in ("unexpected end of data", "truncated data") and len(data) - fault.start < 4


def _by_content(data: bytes, charset: str | None) -> Decoded:
    if data.startswith(_SIGNATURES):
        return _reject("binary-file", "The file is of a binary kind.")
    if b"\x00" in data:
        return _without_mark(data)
    declared = _declared(data, charset)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return _not_utf8(data, declared, fault)
    if declared and declared != "utf-8" and not text.isascii():
        message = f"The file declares {declared} and is UTF-8; read as UTF-8."
        return Decoded(text, "utf-8", (_tell("guessed-encoding", message),))
    return Decoded(text, "utf-8")


def _declared(data: bytes, charset: str | None) -> str | None:
    found = _DECLARED.search(data[:_DECLARED_WITHIN])
    label = charset or (next(g for g in found.groups() if g).decode("ascii", "replace") if found else "")
    try:
        name = codecs.lookup(label.strip()).name if label.strip() else ""
    except (LookupError, ValueError):  # a ValueError for a name with a NUL
        return None
    if name in ("iso8859-1", "ascii"):
        return "cp1252"  # as every browser reads it
    return name if name in _DECLARABLE else None


def _not_utf8(data: bytes, declared: str | None, fault: UnicodeDecodeError) -> Decoded:
    if _is_cut(fault, data):
        return Decoded(data[: fault.start].decode("utf-8"), "utf-8", (_CUT,))
    if declared and declared != "utf-8" and (text := _strictly(data, declared)) is not None:
        return Decoded(text, declared)
    replaced = data.decode("utf-8", "replace")
    broken = replaced.count("\ufffd")
    whole = len(replaced) - len(replaced.encode("ascii", "ignore")) - broken
    if whole >= MIXED_FROM * broken:
        return Decoded(replaced, "utf-8")
    if (text := _strictly(data, "cp1252")) is not None:
        said = f"declares {declared}, which it is not" if declared else "is not UTF-8 and declares nothing"
        return Decoded(text, "cp1252", (_tell("guessed-encoding", f"The file {said}; read as Windows-1252."),))
    return _reject("undecodable-text", f"Byte {fault.start} is not UTF-8, and the file is no Windows-1252 either.")


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _SURROGATE.search(text) else text


def _without_mark(data: bytes) -> Decoded:
    """Zero bytes: UTF-16 whose mark was lost, if they stand where the upper bytes of Latin letters do; else no text."""
    even, odd = data[::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    for encoding, upper, lower in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if lower or upper <= UPPER_FROM * half:
            continue
        text = _strictly(data[: half * 2], encoding)
        if text is not None and not _CONTROL.search(text):
            return Decoded(
                text, encoding, (_tell("guessed-encoding", f"The file has no byte-order mark; read as {encoding}."),)
            )
    return _reject("binary-file", "The file holds zero bytes.")
