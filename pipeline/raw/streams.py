"""What all containers share: members, limits while they are read, and streams that are read forward."""

from __future__ import annotations

import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from warcio.bufferedreaders import ChunkedDataException
from warcio.statusandheaders import StatusAndHeadersParserException

from pipeline.raw.references import LIMITS, Hints, Limits, Step

# What parsers of the standard library and warcio raise on damaged bytes: RuntimeError for a password, a method that is not
# known and deep nesting, the others from reading numbers and names out of headers.
FAULTS = (
    *(OSError, EOFError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError),
    *(struct.error, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zipfile.LargeZipFile),
    *(ChunkedDataException, StatusAndHeadersParserException),
)
HEADERS = 131_072  # bytes of a record's or member's headers
EMPTY = 2_048  # empty blocks or lines behind which nothing is sought
SEGMENT = 65_536


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
    """An opened archive. All it does raises `FAULTS` and `TooMuchError`; members from before stay valid."""

    def __init__(self, stream: BinaryIO, name: str, budget: Budget) -> None: ...

    def members(self) -> Iterator[Member]:
        """All members, in the order of the archive; ask for the next one after the last was read."""
        ...

    def open(self, step: Step) -> BinaryIO:
        """The bytes of a member, from its start; seekable."""
        ...


def read_most(stream: BinaryIO, most: int) -> bytes:
    """The rest of a stream, but at most so many bytes; in parts, for `read` takes memory for what it is asked for."""
    parts = []
    while most > 0 and (part := stream.read(min(most, SEGMENT))):
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
        go(self._stream, self._start + self._at)
        part = self._stream.read(wanted)
        if not part:
            raise EOFError("The archive ends in the middle of this member.")
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def window(stream: BinaryIO, start: int, size: int) -> BinaryIO:
    """`size` bytes of a stream from `start` on, as a stream. Raises EOFError where there are fewer."""
    return io.BufferedReader(_Window(stream, start, size))


def go(stream: BinaryIO, position: int) -> None:
    """Go to a position; a compressed stream reads on to it, or starts anew where it lies behind."""
    if stream.tell() != position:
        stream.seek(position)


def skip_to(stream: BinaryIO, end: int) -> None:
    """Go to `end`, and make sure that the stream reaches so far: files can be sought beyond their end."""
    if stream.tell() >= end:
        return
    go(stream, end - 1)
    if not stream.read(1):
        raise EOFError("The archive ends in the middle of a member.")
