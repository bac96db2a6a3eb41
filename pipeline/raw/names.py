"""Names of files and members: which are skipped, and how the others are published."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress

from pipeline.diagnostics import Diagnostic

_NOTES = ("readme", "license", "licence", "copying", "notice", "authors", "changelog")
_NOTE_SUFFIXES = ("", ".md", ".txt", ".rst")
_LEFT_BEHIND = frozenset(("thumbs.db", "desktop.ini", "__macosx"))


def is_skipped(name: str) -> bool:
    """Whether a file or folder of this name is none of the user's documents.

    >>> [name for name in (".gitkeep", "README.md", "a.html~", "README.html", "notes.txt") if is_skipped(name)]
    ['.gitkeep', 'README.md', 'a.html~']
    """
    name = name.lower()
    stem, dot, suffix = name.partition(".")
    return (
        name.startswith(".")
        or name.endswith("~")
        or name in _LEFT_BEHIND
        or (stem in _NOTES and dot + suffix in _NOTE_SUFFIXES)
    )


def place(path: str, member: str | None) -> str:
    """A document's name in messages."""
    return path if member is None else f"{path}, {member}"


def refusal(code: str, path: str, member: str | None, message: str) -> Diagnostic:
    """A diagnostic about bytes that were not read, and so are no document: the message names file and member."""
    return Diagnostic(code=code, message=f"{place(path, member)}: {message}")


LONGEST = 1_000  # characters of a name; a path may have 4,096, a name in an archive any number
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")


def published(name: str) -> str:
    r"""A file or member name as it is published: NFC, and no character that a table or a terminal cannot show.

    Names are bytes on most systems. What is not UTF-8 comes as lone surrogates, and would break every writer.

    >>> published("caf\udce9.txt"), published("a\nb"), published("e\u0301")
    ('caf\\xe9.txt', 'a\\nb', 'é')
    """
    if not name.isascii():
        with suppress(UnicodeEncodeError):  # a surrogate that stands for no byte
            name = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        name = unicodedata.normalize("NFC", name)
    name = _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], name)
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


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
