"""What is known of a raw file before and after its bytes are read: `RawReference` and `RawFile`."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from typing import NamedTuple

from pipeline.diagnostics import Diagnostic

_MEBIBYTE = 1 << 20


class Limits(NamedTuple):
    """What is refused as too much. The largest page seen has 4 MB, a whole game 1 GB; an archive of it 20 MB."""

    document_bytes: int = 64 * _MEBIBYTE  # a document: a file, or a member of an archive
    nested_bytes: int = 1024 * _MEBIBYTE  # an archive inside an archive, which is held while it is read
    ratio: int = 250  # expanded bytes per byte of the archive …
    free_bytes: int = 256 * _MEBIBYTE  # … as soon as it expands to more than this
    members: int = 200_000  # members of one archive file, those of archives in it included
    levels: int = 4  # containers around a document: `page.html.gz` in a zip in a `.tar.gz` has four
    sidecar_bytes: int = 65_536  # a `.json` that is larger is a document of its own


LIMITS = Limits()


class Step(NamedTuple):
    """One container on the way to a document: open the bytes as `container`, take what starts at `at`.

    `at` counts bytes of the container's content (tar, warc) or members (zip, mhtml); `size` is in bytes, -1: not known.
    """

    container: str
    at: int
    size: int


class Hints(NamedTuple):
    """What side-cars, manifests and containers say of a document; nothing of it comes from the document itself."""

    name: str | None = None
    url: str | None = None
    category: str | None = None
    faction: str | None = None
    edition: str | None = None
    captured_at: str | None = None  # ISO 8601
    http_status: int | None = None
    charset: str | None = None

    def or_else(self, other: Hints) -> Hints:
        """These hints, and those of `other` where these are silent."""
        return other._replace(**{field: value for field, value in self._asdict().items() if value is not None})


class RawReference(NamedTuple):
    """Where a raw document lies. Small, and picklable: a worker turns it into bytes with `load`.

    `path` and `member` are what is published: NFC, `/`, relative to the raw folder.
    `file` is where this machine finds it.
    """

    file: str
    path: str
    member: str | None = None
    size: int | None = None
    steps: tuple[Step, ...] = ()
    hints: Hints = Hints()

    @property
    def place(self) -> str:
        """The document's name in messages."""
        return place(self.path, self.member)

    @property
    def folder(self) -> tuple[str, str]:
        """What it shares with its siblings: the archive (or nothing) and the folder in it."""
        name = self.path if self.member is None else self.member
        return ("" if self.member is None else self.path), name.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its last name: `Datasheets.csv`."""
        return (self.path if self.member is None else self.member).rpartition("/")[2]


class RawFile(NamedTuple):
    """A raw document with its bytes."""

    reference: RawReference
    data: bytes
    sha256: str

    @classmethod
    def of(cls, reference: RawReference, data: bytes) -> RawFile:
        """The document that has these bytes."""
        return cls(reference, data, hashlib.sha256(data).hexdigest())

    @property
    def document_id(self) -> str:
        """First 16 hexadecimal digits of the sha256."""
        return self.sha256[:16]

    @property
    def path(self) -> str:
        """Path relative to the raw folder."""
        return self.reference.path

    @property
    def member(self) -> str | None:
        """Name inside the archive at `path`."""
        return self.reference.member

    @property
    def hints(self) -> Hints:
        """What side-cars, manifests and containers say of it."""
        return self.reference.hints


def place(path: str, member: str | None) -> str:
    """A document's name in messages."""
    return path if member is None else f"{path}, {member}"


def refusal(code: str, path: str, member: str | None, message: str) -> Diagnostic:
    """A diagnostic about bytes that were not read, and so are no document: the message names file and member."""
    return Diagnostic(code=code, message=f"{place(path, member)}: {message}")


_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")


def published(name: str) -> str:
    r"""A file or member name as it is published: NFC, and no character that a table or a terminal cannot show.

    Names are bytes on most systems. What is not UTF-8 comes as lone surrogates, and would break every writer.

    >>> published("caf\udce9.txt"), published("a\nb"), published("e\u0301")
    ('caf\\xe9.txt', 'a\\nb', 'é')
    """
    if not name.isascii():
        name = os.fsencode(name).decode("utf-8", "backslashreplace") if _encodable(name) else ascii(name)[1:-1]
        name = unicodedata.normalize("NFC", name)
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], name)


def _encodable(name: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xDC80 or 0xDD00 <= ord(c) < 0xE000 for c in name)


class Names:
    """Gives every name once: the second `page.html` of a zip is `page.html#2`."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def give(self, name: str) -> str:
        """The name, or the first of `name#2`, `name#3` … that is free."""
        count, given = self._given.get(name, 0), name
        while given in self._given:
            count += 1
            given = f"{name}#{count + 1}" if count else name
        self._given[name] = max(count, self._given.get(name, 0))
        self._given.setdefault(given, 0)
        return given
