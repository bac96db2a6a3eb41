"""What is known of a raw file before and after its bytes are read: `RawReference` and `RawFile`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.raw.names import place

_MEBIBYTE = 1 << 20


class Limits(NamedTuple):
    """What is refused as too much. Pages have up to 4 MB, a whole game 1 GB; 28 pages of 20 MB were a `.tar.xz` of 0.28."""

    document_bytes: int = 64 * _MEBIBYTE  # a document: a file, or a member of an archive
    nested_bytes: int = 1024 * _MEBIBYTE  # an archive inside an archive, which is held while it is read
    ratio: int = 1000  # expanded bytes per byte of the archive …
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
    faction: str | None = None
    edition: str | None = None
    captured_at: str | None = None  # ISO 8601
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


def by_folder(references: Iterable[RawReference]) -> dict[tuple[str, str], list[RawReference]]:
    """References with their siblings: exports are sets of files of one folder, or of one folder of an archive."""
    folders: dict[tuple[str, str], list[RawReference]] = {}
    for reference in references:
        folders.setdefault(reference.folder, []).append(reference)
    return folders


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
