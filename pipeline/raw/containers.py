"""What lies in archives: members listed in the order of the archive, and opened by their place, a member at a time.

    old.tar.gz                  Step("gzip", 0), Step("tar", 1536)
    crawl.warc.gz               Step("gzip", 0), Step("warc", 80211)    what a server answered, with address and date
    page.mhtml                  Step("mhtml", 1)                        a page as a browser saves it

A place in a compressed stream is reached by reading on, never by starting anew, as long as places are asked for in
their order. No name in an archive is ever used as a path on this machine.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import ExitStack
from typing import BinaryIO, cast

from pipeline.raw.file_archives import Bzip2, Gzip, Tar, Xz, Zip, is_tar_header
from pipeline.raw.page_archives import Mhtml, Warc
from pipeline.raw.streams import SEGMENT, Budget, Container, TooMuchError

HEAD = 2_048  # bytes that tell a container
_SPOOLED = 16 << 20  # bytes of an archive in an archive that are held in memory; the rest goes into a nameless file


def container_of(name: str, head: bytes) -> str | None:
    """What kind of archive begins like this, if any: told by content, and by name where content does not tell."""
    if _OFFICE.match(head):
        return None
    for kind, magic in _MAGIC:
        if magic.match(head):
            return kind
    name = name.lower()
    if name.endswith(".tar") and is_tar_header(head):
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
    while part := stream.read(SEGMENT):
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


_CONTAINERS: dict[str, type[Container]] = {
    "zip": Zip,
    "tar": Tar,
    "warc": Warc,
    "mhtml": Mhtml,
    "gzip": Gzip,
    "bzip2": Bzip2,
    "xz": Xz,
}
