"""Archives of pages: WARC, as crawlers write it, and MHTML, as browsers save a page.

The bounds of WARC records are read here and not by warcio, which reads a header of any length into memory, and cannot go to a
record inside a compressed file; what a server answered is read by it.
"""

from __future__ import annotations

import email
import io
import re
from collections.abc import Iterator
from email.message import Message
from typing import BinaryIO

from warcio.bufferedreaders import BufferedReader
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser

from pipeline.raw.names import LONGEST
from pipeline.raw.references import Hints, Step
from pipeline.raw.sidecars import iso_date
from pipeline.raw.streams import EMPTY, HEADERS, Budget, Member, TooMuchError, go, read_most, skip_to, window


class Warc:
    """A web archive, unpacked: one record after the other. Its members are the HTML pages that servers sent."""

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def members(self) -> Iterator[Member]:
        """As `Container` says."""
        at = 0
        while (start := self._next(at)) is not None:
            fields = self._fields()
            size = int(fields.get("content-length", ""))
            if size < 0:
                raise ValueError("A record has a negative size.")
            payload = self._stream.tell()
            self._budget.member(size + payload - start)
            yield self._member(fields, Step("warc", payload, size))
            at = payload + size
            skip_to(self._stream, at)

    def _next(self, at: int) -> int | None:
        """Where the next record starts: behind empty lines."""
        go(self._stream, at)
        for _ in range(EMPTY):
            line = self._stream.readline(HEADERS)
            if not line:
                return None
            if line.strip():
                if not line.startswith(b"WARC/"):
                    break
                return self._stream.tell() - len(line)
        raise ValueError(f"There is no record at byte {at}.")

    def _fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        left = HEADERS
        while (line := self._stream.readline(left)).strip():
            left -= len(line)
            if left <= 0:
                raise TooMuchError("A record's header is too long.")
            name, _, value = line.decode("utf-8", "replace").partition(":")
            fields.setdefault(name.strip().lower(), value.strip())
        if not line:
            raise EOFError("The archive ends in the middle of a header.")
        return fields

    def _member(self, fields: dict[str, str], step: Step) -> Member:
        url = fields.get("warc-target-uri", "").strip("<>")
        member = Member(url or f"record at byte {step.at}", step)
        kind = fields.get("warc-type", "")
        if kind not in ("response", "resource") or not url.startswith(("http:", "https:")):
            return member._replace(skipped="web archive record that is no page")
        if step.size > self._budget.limits.document_bytes + HEADERS:
            return member._replace(refused=("too-large", f"The record has {step.size} bytes."))
        if "warc-segment-number" in fields:
            return member._replace(refused=("unreadable-archive", "The record is cut into segments."))
        status, mime = None, fields.get("content-type", "")
        if kind == "response":
            http = _answer(io.BytesIO(self._record(step).read(HEADERS)))
            if http is None:
                return member._replace(refused=("unreadable-archive", "The record holds no answer of a server."))
            packed = (http.get_header("content-encoding") or "identity").lower()
            if packed not in ("identity", *BufferedReader.get_supported_decompressors()):
                return member._replace(refused=("unreadable-archive", f"It is packed as {packed}, which is not known."))
            printed = http.get_statuscode()
            status = int(printed) if re.fullmatch("[1-5][0-9][0-9]", printed) else None
            mime = http.get_header("content-type") or ""
        if status is not None and status >= 300:
            what = "redirect-page" if status < 400 else "error-page"
            return member._replace(refused=(what, f"The server answered with status {status}."))
        content = mime.partition(";")[0].strip().lower()
        if content not in ("text/html", "application/xhtml+xml", ""):
            return member._replace(skipped="web archive record that is no page")
        charset = _CHARSET.search(mime)
        date = iso_date(fields.get("warc-date", ""))
        return member._replace(
            hints=Hints(url=_address(url), captured_at=date, charset=charset[1] if charset else None)
        )

    def _record(self, step: Step) -> BinaryIO:
        return window(self._stream, step.at, step.size)

    def open(self, step: Step) -> BinaryIO:
        """The record's content as the server meant it, without its transfer and content encodings."""
        limit = self._budget.limits.document_bytes
        stream = io.BytesIO(read_most(self._record(step), limit + HEADERS))
        http = _answer(stream)
        record = ArcWarcRecord("warc", "response" if http else "resource", None, stream, http, None, None)
        return io.BytesIO(read_most(record.content_stream(), limit + 1))


def _answer(stream: BinaryIO) -> StatusAndHeaders | None:
    """Status and headers of a server, after which its content follows; None: the stream, from its start, is all content."""
    if stream.read(5) != b"HTTP/":
        stream.seek(0)
        return None
    stream.seek(0)
    return StatusAndHeadersParser(["HTTP/0.9", "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "HTTP/2", "HTTP/3"]).parse(stream)


def _address(printed: str) -> str | None:
    """An address that can be published; header lines can hold anything."""
    return printed if _WEB.match(printed) and printed.isprintable() and len(printed) <= LONGEST else None


_WEB = re.compile(r"https?://\S+$", re.I)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.I)


class Mhtml:
    """A saved page: a mail whose parts are the page and what it shows. Its only member is the page."""

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        data = read_most(stream, budget.limits.document_bytes + 1)
        if len(data) > budget.limits.document_bytes:
            raise TooMuchError(f"The saved page has more than {budget.limits.document_bytes} bytes.")
        self._budget = budget
        self._message = email.message_from_bytes(data)

    def members(self) -> Iterator[Member]:
        """As `Container` says."""
        root = self._root()
        for at, part in enumerate(self._message.walk()):
            if part.is_multipart():
                continue
            self._budget.member(0)
            url = str(part.get("Content-Location", "")).strip()
            member = Member(url or f"part {at}", Step("mhtml", at, -1))
            if at != root:
                yield member._replace(skipped="part of a saved page")
                continue
            address = str(self._message.get("Snapshot-Content-Location", url)).strip()
            hints = Hints(
                url=_address(address),
                captured_at=iso_date(str(self._message.get("Date", ""))),
                charset=part.get_content_charset(),
            )
            yield member._replace(name=address or "page.html", hints=hints)
        if root is None:
            raise ValueError("The saved page holds no HTML.")

    def _root(self) -> int | None:
        """The page itself; other HTML parts are frames in it."""
        start = self._message.get_param("start")
        pages = [(at, p) for at, p in enumerate(self._message.walk()) if _is_page(p)]
        return next((at for at, p in pages if start and p.get("Content-ID") == start), pages[0][0] if pages else None)

    def open(self, step: Step) -> BinaryIO:
        """As `Container` says."""
        part = list(self._message.walk())[step.at]
        data = part.get_payload(decode=True)
        return io.BytesIO(data if isinstance(data, bytes) else b"")


def _is_page(part: Message) -> bool:
    return part.get_content_type() in ("text/html", "application/xhtml+xml")
