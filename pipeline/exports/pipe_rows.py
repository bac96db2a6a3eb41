r"""Pipe-delimited text → rows by the names of their columns.

Knows: `|` between fields and, in most exports, one more at the end of every row; no quotes; a line feed inside a field
now and then, which leaves two short lines; Windows line ends; a header that lost a column.

    id|name|legend|
    0001|Ash Feint|first line
    second line|
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pipeline.diagnostics import excerpt
from pipeline.document import Span
from pipeline.exports.reading import ExportReading

_DELIMITER = "|"
_SAMPLE = 400  # lines that tell how many fields a row has


class Columns(NamedTuple):
    """The columns that a reader knows of a table: those without which it cannot be read, and the others."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


class Row(NamedTuple):
    """A row: cells by column, all that the reader knows, and where it stands."""

    cells: dict[str, str]
    span: Span


class _Line(NamedTuple):
    start: int
    end: int
    delimiters: int


def header(text: str) -> list[str]:
    """Names of the columns."""
    names = [name.strip() for name in text.partition("\n")[0].strip().split(_DELIMITER)]
    return names[:-1] if names[-1] == "" else names


def rows(reading: ExportReading, columns: Columns) -> list[Row]:
    """Rows of a table. A row with too few or too many fields is reported; a header that does not fit, the table too."""
    names = header(reading.text)
    lines = list(_lines(reading.text))
    terminated = _terminated(reading.text, lines)
    delimiters = len(names) if terminated else len(names) - 1
    if not _fits(reading, names, columns, delimiters, lines):
        return []
    absent = {name: "" for name in columns.optional if name not in names}
    found: list[Row] = []
    for span in _records(reading, lines, delimiters):
        record = reading.text[span.start : span.end].removesuffix("\r")
        fields = record.split(_DELIMITER)
        if terminated and fields.pop().strip():
            reading.tell("unreadable-row", f"Text behind the last field: {excerpt(record)}", span)
            continue
        found.append(Row(dict(zip(names, fields, strict=True)) | absent, span))
        reading.claim(span)
    return found


def _lines(text: str) -> Iterator[_Line]:
    start = text.find("\n") + 1
    while 0 < start < len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield _Line(start, end, text.count(_DELIMITER, start, end))
        start = end + 1


def _terminated(text: str, lines: list[_Line]) -> bool:
    sample = [line for line in lines[:_SAMPLE] if line.delimiters]
    ended = sum(text[line.start : line.end].rstrip().endswith(_DELIMITER) for line in sample)
    return 2 * ended >= len(sample)


def _fits(reading: ExportReading, names: list[str], columns: Columns, delimiters: int, lines: list[_Line]) -> bool:
    head = Span(0, len(reading.text.partition("\n")[0]))
    lost = [name for name in columns.required if name not in names]
    if lost:
        reading.tell("damaged-header", f"The header lacks {', '.join(lost)}; the table is not read.", head)
        return False
    if len(set(names)) < len(names):
        reading.tell("damaged-header", "The header names a column twice; the table is not read.", head)
        return False
    counts = Counter(line.delimiters for line in lines[:_SAMPLE] if line.delimiters)
    usual = counts.most_common(1)[0][0] if counts else delimiters
    if usual != delimiters and counts[delimiters] < counts[usual]:
        widths = f"{len(names)} columns, its rows have {len(names) + usual - delimiters}"
        reading.tell("damaged-header", f"The header has {widths}; the table is not read.", head)
        return False
    for name in columns.optional:
        if name not in names:
            reading.tell("missing-column", f"Column {name} is not there.", head)
    for name in names:
        if name not in columns.required and name not in columns.optional:
            reading.tell("unknown-column", f"Column {name} is not known.", head)
    return True


def _records(reading: ExportReading, lines: list[_Line], delimiters: int) -> Iterator[Span]:
    """Spans of whole records: short lines are joined until they have all fields."""
    at = 0
    while at < len(lines):
        first, count = lines[at], lines[at].delimiters
        at += 1
        last = first
        # a line that is a whole record by itself is no continuation
        while count < delimiters and at < len(lines) and lines[at].delimiters != delimiters:
            last = lines[at]
            count += last.delimiters
            at += 1
        span = Span(first.start, last.end)
        if count == delimiters:
            yield span
        elif reading.text[span.start : span.end].strip():
            _unreadable(reading, span, delimiters - count)


def _unreadable(reading: ExportReading, span: Span, lacking: int) -> None:
    text = excerpt(reading.text[span.start : span.end])
    if lacking > 0 and span.end == len(reading.text):
        reading.tell("truncated-page", f"The file ends within a row: {text}", span)
    else:
        fault = f"{lacking} fields too few" if lacking > 0 else f"{-lacking} fields too many"
        reading.tell("unreadable-row", f"{fault}: {text}", span)
