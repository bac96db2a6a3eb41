"""What lies in archives: members listed in the order of the archive, and opened by their place, a member at a time.

    old.tar.gz                  Step("gzip", 0), Step("tar", 1536)
    crawl.warc.gz               Step("gzip", 0), Step("warc", 80211)    what a server answered, with address and date
    page.mhtml                  Step("mhtml", 1)                        a page as a browser saves it

A place in a compressed stream is reached by reading on, never by starting anew, as long as places are asked for in
their order. Tar headers and the bounds of WARC records are read here and not by a library, for a library reads a
header of any length into memory. No name in an archive is ever used as a path on this machine.
"""

from __future__ import annotations

import bz2
import email
import gzip
import io
import lzma
import re
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import Message
from typing import BinaryIO, NamedTuple, Protocol, cast

from warcio.bufferedreaders import BufferedReader, ChunkedDataException
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from pipeline.raw.names import LONGEST
from pipeline.raw.references import LIMITS, Hints, Limits, Step
from pipeline.raw.sidecars import iso_date

# What parsers of the standard library and warcio raise on damaged bytes: RuntimeError for a password, a method that is not
# known and deep nesting, the others from reading numbers and names out of headers.
FAULTS = (
    *(OSError, EOFError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError),
    *(struct.error, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zipfile.LargeZipFile),
    *(ChunkedDataException, StatusAndHeadersParserException),
)
HEAD = 2_048  # bytes that tell a container
_HEADERS = 131_072  # bytes of a record's or member's headers
_SPOOLED = 16 << 20  # bytes of an archive in an archive that are held in memory; the rest goes into a nameless file
_BLOCK = 512
_ZEROS = 2_048  # empty blocks of a tar behind which nothing is sought
_SEGMENT = 65_536


class TooMuchError(Exception):
    """An archive, or a member, breaks a limit; nothing behind it is read."""


class Budget:
    """How much may still come out of one archive file."""

    def __init__(self, archive_bytes: int, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self._bytes = max(limits.free_bytes, limits.ratio * archive_bytes)
        self._members = limits.members

    def member(self, size: int) -> None:
        """Count a member, before it is read."""
        self._members -= 1
        if self._members < 0:
            raise TooMuchError(f"The archive has more than {self.limits.members} members.")
        self.bytes(size)

    def bytes(self, size: int) -> None:
        """Count bytes that come out, before they are read."""
        self._bytes -= size
        if self._bytes < 0:
            raise TooMuchError(f"The archive expands to more than {self.limits.ratio} times its size.")


class Member(NamedTuple):
    """What an archive says of one of its members. `refused` is a code and a message, `skipped` a reason that is counted."""

    name: str
    step: Step
    hints: Hints = Hints()
    refused: tuple[str, str] | None = None
    skipped: str | None = None


class Container(Protocol):
    """An opened archive. All raises `FAULTS` and `TooMuchError`; members from before stay valid."""

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None: ...

    def members(self) -> Iterator[Member]:
        """All members, in the order of the archive; ask for the next one after the last was read."""
        ...

    def open(self, step: Step) -> BinaryIO:
        """The bytes of a member, from its start; seekable."""
        ...


def container_of(name: str, head: bytes) -> str | None:
    """What kind of archive begins like this, if any: told by content, and by name where content does not tell."""
    if _OFFICE.match(head):
        return None
    for kind, magic in _MAGIC:
        if magic.match(head):
            return kind
    name = name.lower()
    if name.endswith(".tar") and _is_tar_header(head[:_BLOCK]):
        return "tar"
    if _MIME.match(head) and (name.endswith((".mht", ".mhtml")) or b"multipart/related" in head.lower()):
        return "mhtml"
    return None


_MAGIC = (
    ("zip", re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)")),
    ("gzip", re.compile(rb"\x1f\x8b")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("tar", re.compile(rb".{257}ustar", re.S)),
    ("warc", re.compile(rb"WARC/\d")),
)
_OFFICE = re.compile(rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|mimetype)", re.S)  # a document that is a zip inside
_MIME = re.compile(rb"(?:[A-Za-z][A-Za-z-]*:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*)+", re.S)
_ARCHIVE_NAMES = re.compile(r"\.(?:zip|tar|tgz|tbz2?|txz|gz|bz2|xz|warc)$", re.I)


def is_named_archive(name: str) -> bool:
    """Whether a file of this name should have been an archive."""
    return bool(_ARCHIVE_NAMES.search(name))


def opened(kind: str, stream: BinaryIO, name: str, budget: Budget) -> Container:
    """Open a stream as an archive of this kind. Raises `FAULTS`, `TooMuchError`."""
    return _CONTAINERS[kind](stream, name, budget)


def held(kind: str, stream: BinaryIO, budget: Budget, stack: ExitStack) -> BinaryIO:
    """A member as a stream in which an archive of this kind can be opened: a copy, where one is read back and forth."""
    if kind not in ("zip", "mhtml"):
        return stream
    copy = stack.enter_context(cast(BinaryIO, tempfile.SpooledTemporaryFile(_SPOOLED)))  # noqa: SIM115 - the stack closes it
    total = 0
    while part := stream.read(_SEGMENT):
        budget.bytes(len(part))
        total += len(part)
        if total > budget.limits.nested_bytes:
            raise TooMuchError(f"The archive in the archive has more than {budget.limits.nested_bytes} bytes.")
        copy.write(part)
    copy.seek(0)
    return copy


def unsafe(name: str) -> str | None:
    r"""Why a member's name would leave its folder, if it would.

    >>> unsafe("pages/../../etc/passwd"), unsafe("C:\\pages"), unsafe("pages/a..b.html")
    ('Its name leads out of the archive.', 'Its name starts at a drive.', None)
    """
    parts = name.replace("\\", "/").split("/")
    if ".." in parts:
        return "Its name leads out of the archive."
    if not parts[0] and len(parts) > 1:
        return "Its name starts at the root."
    if re.match(r"[A-Za-z]:", name):
        return "Its name starts at a drive."
    return None if any(part not in ("", ".") for part in parts) else "It has no name."


def tidy(name: str) -> str:
    """A safe member name with `/`, without `./`."""
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))


def read_most(stream: BinaryIO, most: int) -> bytes:
    """The rest of a stream, but at most so many bytes; in parts, for `read` takes memory for what it is asked for."""
    parts = []
    while most > 0 and (part := stream.read(min(most, _SEGMENT))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


class _Window(io.RawIOBase):
    """A stretch of a stream, as a stream. Raises EOFError where the stream ends before the stretch does."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._stream, self._start, self._size, self._at = stream, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        _go(self._stream, self._start + self._at)
        part = self._stream.read(wanted)
        if not part:
            raise EOFError("The archive ends in the middle of this member.")
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def _window(stream: BinaryIO, start: int, size: int) -> BinaryIO:
    return io.BufferedReader(_Window(stream, start, size))


def _go(stream: BinaryIO, position: int) -> None:
    if stream.tell() != position:
        stream.seek(position)


def _pass(stream: BinaryIO, end: int) -> None:
    """Go to `end`, and make sure that the stream reaches so far: files can be sought beyond their end."""
    if stream.tell() >= end:
        return
    _go(stream, end - 1)
    if not stream.read(1):
        raise EOFError("The archive ends in the middle of a member.")


class _Zip:
    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._budget = budget
        self._check_directory(stream)
        self._zip = zipfile.ZipFile(stream)

    def _check_directory(self, stream: BinaryIO) -> None:
        """The list of members is read as a whole; its size stands at the end of the file."""
        end = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, end - 65_557))
        tail = stream.read()
        sizes = [int.from_bytes(tail[at + 12 : at + 16], "little") for at in (tail.rfind(b"PK\x05\x06"),) if at >= 0]
        if sizes == [0xFFFFFFFF] and (at := tail.rfind(b"PK\x06\x06")) >= 0:
            sizes = [int.from_bytes(tail[at + 40 : at + 48], "little")]
        if sizes and sizes[0] > 256 * self._budget.limits.members:
            raise TooMuchError("The archive's list of members is too long.")
        stream.seek(0)

    def members(self) -> Iterator[Member]:
        for at, info in enumerate(self._zip.infolist()):
            if info.is_dir():
                continue
            self._budget.member(info.file_size)
            yield Member(self._name(info), Step("zip", at, info.file_size), refused=self._refused(info))

    def _name(self, info: zipfile.ZipInfo) -> str:
        if info.flag_bits & 0x800 or info.filename.isascii():
            return info.filename
        try:  # many programs write UTF-8 and do not say so
            return info.filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            return info.filename

    def _refused(self, info: zipfile.ZipInfo) -> tuple[str, str] | None:
        if stat.S_ISLNK(info.external_attr >> 16):
            return "unsafe-path", "It is a link."
        if info.flag_bits & 0x1:
            return "encrypted-member", "It is encrypted."
        return None

    def open(self, step: Step) -> BinaryIO:
        return cast(BinaryIO, self._zip.open(self._zip.infolist()[step.at]))


def _is_tar_header(header: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


class _Tar:
    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def members(self) -> Iterator[Member]:
        at, zeros = 0, 0
        told: dict[str, str] = {}
        while zeros < _ZEROS:
            _go(self._stream, at)
            header = self._stream.read(_BLOCK)
            if not header.strip(b"\x00"):
                if len(header) < _BLOCK and not zeros:
                    raise EOFError("The archive ends without its end mark.")
                if len(header) < _BLOCK:
                    return
                at, zeros = at + _BLOCK, zeros + 1
                continue
            zeros = 0
            info = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
            start = at + _BLOCK
            if info.type in _TAR_EXTENSIONS:
                told |= self._extension(info, start)
                at = start + -(-info.size // _BLOCK) * _BLOCK
                continue
            size = int(told.get("size", info.size)) if _has_data(info) else 0
            if size < 0:
                raise ValueError("A member has a negative size.")
            self._budget.member(size + _BLOCK)
            if not info.isdir():
                yield Member(told.get("path", info.name), Step("tar", start, size), refused=_tar_refused(info, told))
            _pass(self._stream, start + size)
            at, told = start + -(-size // _BLOCK) * _BLOCK, {}

    def _extension(self, info: tarfile.TarInfo, start: int) -> dict[str, str]:
        """What stands in front of a member: a long name, or fields that do not fit into a header."""
        if not 0 <= info.size <= _HEADERS:
            raise TooMuchError(f"A header has {info.size} bytes.")
        data = self._stream.read(info.size)
        if len(data) < info.size:
            raise EOFError("The archive ends in the middle of a header.")
        if info.type == tarfile.GNUTYPE_LONGNAME:
            return {"path": data.rstrip(b"\x00").decode("utf-8", "surrogateescape")}
        return _pax(data) if info.type != tarfile.GNUTYPE_LONGLINK else {}

    def open(self, step: Step) -> BinaryIO:
        return _window(self._stream, step.at, step.size)


_TAR_EXTENSIONS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)


def _has_data(info: tarfile.TarInfo) -> bool:
    return info.isreg() or info.type not in tarfile.SUPPORTED_TYPES


def _tar_refused(info: tarfile.TarInfo, told: dict[str, str]) -> tuple[str, str] | None:
    if info.issym() or info.islnk():
        return "unsafe-path", "It is a link."
    if info.type == tarfile.GNUTYPE_SPARSE or any(field.startswith("GNU.sparse") for field in told):
        return "unreadable-archive", "It is a sparse file."
    if not info.isreg():
        return "unsafe-path", "It is a device, or of a kind that is not known."
    return None


def _pax(data: bytes) -> dict[str, str]:
    r"""Records `27 path=pages/Tidecaller.html\n`, each with its own length in front."""
    told, at = {}, 0
    while at < len(data) and data[at : at + 1] != b"\x00":
        digits = data[at : at + 12].partition(b" ")[0]
        length = int(digits)
        if length <= len(digits):
            raise ValueError("A header holds a record without length.")
        field, _, value = data[at + len(digits) + 1 : at + length - 1].partition(b"=")
        told[field.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at += length
    return told


class _Warc:
    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def members(self) -> Iterator[Member]:
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
            _pass(self._stream, at)

    def _next(self, at: int) -> int | None:
        """Where the next record starts: behind empty lines."""
        _go(self._stream, at)
        for _ in range(_ZEROS):
            line = self._stream.readline(_HEADERS)
            if not line:
                return None
            if line.strip():
                if not line.startswith(b"WARC/"):
                    break
                return self._stream.tell() - len(line)
        raise ValueError(f"There is no record at byte {at}.")

    def _fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        left = _HEADERS
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
        if step.size > self._budget.limits.document_bytes + _HEADERS:
            return member._replace(refused=("too-large", f"The record has {step.size} bytes."))
        if "warc-segment-number" in fields:
            return member._replace(refused=("unreadable-archive", "The record is cut into segments."))
        status, mime = None, fields.get("content-type", "")
        if kind == "response":
            http = _answer(io.BytesIO(self._record(step).read(_HEADERS)))
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
        return _window(self._stream, step.at, step.size)

    def open(self, step: Step) -> BinaryIO:
        """The record's content as the server meant it, without its transfer and content encodings."""
        limit = self._budget.limits.document_bytes
        stream = io.BytesIO(read_most(self._record(step), limit + _HEADERS))
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


class _Mhtml:
    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        data = read_most(stream, budget.limits.document_bytes + 1)
        if len(data) > budget.limits.document_bytes:
            raise TooMuchError(f"The saved page has more than {budget.limits.document_bytes} bytes.")
        self._budget = budget
        self._message = email.message_from_bytes(data)

    def members(self) -> Iterator[Member]:
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
        part = list(self._message.walk())[step.at]
        data = part.get_payload(decode=True)
        return io.BytesIO(data if isinstance(data, bytes) else b"")


def _is_page(part: Message) -> bool:
    return part.get_content_type() in ("text/html", "application/xhtml+xml")


class _Compressed:
    """One compressed file: an archive of one member that is named after it."""

    kind: str

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._name, self._budget = name, budget
        self._content = self._expanded(stream)

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        raise NotImplementedError

    def members(self) -> Iterator[Member]:
        self._budget.member(0)
        yield Member(_expanded_name(self._name), Step(self.kind, 0, -1))

    def open(self, step: Step) -> BinaryIO:
        self._content.seek(0)
        return self._content


class _Gzip(_Compressed):
    kind = "gzip"

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb"))


class _Bzip2(_Compressed):
    kind = "bzip2"

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, bz2.BZ2File(stream))


class _Xz(_Compressed):
    kind = "xz"

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, lzma.LZMAFile(stream))


def _expanded_name(name: str) -> str:
    """The name of what is in a compressed file.

    >>> _expanded_name("pages/Tidecaller.html.gz"), _expanded_name("old.tgz")
    ('Tidecaller.html', 'old.tar')
    """
    stem, _, suffix = name.rpartition("/")[2].rpartition(".")
    if suffix.lower() in ("tgz", "tbz", "tbz2", "txz"):
        return f"{stem}.tar"
    return stem if stem and suffix.lower() in ("gz", "bz2", "xz") else name.rpartition("/")[2]


_CONTAINERS: dict[str, type[Container]] = {
    "zip": _Zip,
    "tar": _Tar,
    "warc": _Warc,
    "mhtml": _Mhtml,
    "gzip": _Gzip,
    "bzip2": _Bzip2,
    "xz": _Xz,
}
