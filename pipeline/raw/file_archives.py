"""Archives of files: zip and tar, and single files that are compressed.

Tar headers are read here and not by the standard library, which reads a header of any length into memory, and cannot say where
a member of a compressed archive lies.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, cast

from pipeline.raw.references import Step
from pipeline.raw.streams import EMPTY, HEADERS, Budget, Member, TooMuchError, go, skip_to, window

_BLOCK = 512


class Zip:
    """A zip: members are found at its end, and can be read in any order."""

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
        """As `Container` says."""
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
        """As `Container` says."""
        return cast(BinaryIO, self._zip.open(self._zip.infolist()[step.at]))


def is_tar_header(head: bytes) -> bool:
    """Whether a tar begins like this; those older than `ustar` are told by the checksum of their first header."""
    try:
        tarfile.TarInfo.frombuf(head[:_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError):
        return False
    return True


class Tar:
    """A tar of any kind (v7, ustar, pax, GNU): a header in front of each member, and two empty blocks at the end."""

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._stream, self._budget = stream, budget

    def members(self) -> Iterator[Member]:
        """As `Container` says."""
        at, zeros = 0, 0
        told: dict[str, str] = {}
        while zeros < EMPTY:
            go(self._stream, at)
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
            skip_to(self._stream, start + size)
            at, told = start + -(-size // _BLOCK) * _BLOCK, {}

    def _extension(self, info: tarfile.TarInfo, start: int) -> dict[str, str]:
        """What stands in front of a member: a long name, or fields that do not fit into a header."""
        if not 0 <= info.size <= HEADERS:
            raise TooMuchError(f"A header has {info.size} bytes.")
        data = self._stream.read(info.size)
        if len(data) < info.size:
            raise EOFError("The archive ends in the middle of a header.")
        if info.type == tarfile.GNUTYPE_LONGNAME:
            return {"path": data.rstrip(b"\x00").decode("utf-8", "surrogateescape")}
        return _pax(data) if info.type != tarfile.GNUTYPE_LONGLINK else {}

    def open(self, step: Step) -> BinaryIO:
        """As `Container` says."""
        return window(self._stream, step.at, step.size)


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


class _Compressed:
    """One compressed file: an archive of one member that is named after it."""

    kind: str

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None:
        self._name, self._budget = name, budget
        self._content = self._expanded(stream)

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        raise NotImplementedError

    def members(self) -> Iterator[Member]:
        """As `Container` says."""
        self._budget.member(0)
        yield Member(_expanded_name(self._name), Step(self.kind, 0, -1))

    def open(self, step: Step) -> BinaryIO:
        """As `Container` says."""
        self._content.seek(0)
        return self._content


class Gzip(_Compressed):
    """`.gz`."""

    kind = "gzip"

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb"))


class Bzip2(_Compressed):
    """`.bz2`."""

    kind = "bzip2"

    def _expanded(self, stream: BinaryIO) -> BinaryIO:
        return cast(BinaryIO, bz2.BZ2File(stream))


class Xz(_Compressed):
    """`.xz`."""

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
