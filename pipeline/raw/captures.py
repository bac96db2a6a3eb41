"""Which of several copies of a page is read: decided here alone, and so that no order of files or workers changes it.

- The same bytes: the one whose path, then member, comes first; but a copy that was read before one that was rejected, for what
  lies around the bytes (their name, their server's character set) can make the difference.
- The same address in the same format on different dates: the newest. Without a date, or of one date, all are read, and what they
  disagree on becomes a conflict.

What is not read is listed with the document that is: `duplicate-document`, `older-capture`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlsplit

from pipeline.diagnostics import Diagnostic
from pipeline.raw.names import place
from pipeline.raw.sidecars import moment
from pipeline.records import DocumentRow

Captured = TypeVar("Captured")


def read_once(
    captured: Iterable[Captured], row_of: Callable[[Captured], DocumentRow]
) -> tuple[list[Captured], list[Diagnostic]]:
    """What is read of all that was captured, by path and member; and a diagnostic for each of the others."""
    said: list[Diagnostic] = []
    kept: dict[str, Captured] = {}
    for one in sorted(captured, key=lambda each: _rank(row_of(each))):
        row = row_of(one)
        first = row_of(kept.setdefault(row.sha256, one))
        if kept[row.sha256] is not one:
            said.append(_listed("duplicate-document", row, first, "holds the same bytes as"))
    pages: dict[tuple[str, str], list[tuple[datetime, Captured]]] = defaultdict(list)
    for one in kept.values():
        row = row_of(one)
        if row.status != "rejected" and row.url and (date := moment(row.captured_at or "")):
            pages[row.format, same_page(row.url)].append((date, one))
    for captures in pages.values():
        newest, newer = max(captures, key=lambda each: each[0])
        for date, one in captures:
            if date < newest:
                del kept[row_of(one).sha256]
                said.append(_listed("older-capture", row_of(one), row_of(newer), "is an older capture of"))
    return sorted(kept.values(), key=lambda each: _rank(row_of(each))[1:]), sorted(said)


def _rank(row: DocumentRow) -> tuple[bool, str, str]:
    return row.status == "rejected", row.path, row.member or ""


def _listed(code: str, other: DocumentRow, read: DocumentRow, what: str) -> Diagnostic:
    message = f"{place(other.path, other.member)} {what} {place(read.path, read.member)}."
    return Diagnostic(code=code, message=message, document_id=read.document_id)


def same_page(url: str) -> str:
    """An address without what does not change the page: scheme, `www.`, the fragment, a slash at the end.

    >>> same_page("http://www.Rules.example/orks/#top") == same_page("https://rules.example/orks")
    True
    """
    try:
        parts = urlsplit(url)
    except ValueError:  # `https://[`
        return url
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}?{parts.query}"
