"""Cells of an export → typed values beside the printed form; what cannot be read is null, and reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pipeline.document import Span
from pipeline.exports.reading import ExportReading
from pipeline.values import Dice, dice, is_absent


class Place(NamedTuple):
    """Where a cell stands, and what it belongs to."""

    reading: ExportReading
    span: Span
    table: str
    record_id: str


def number(
    place: Place, column: str, printed: str, read: Callable[[str], int | None], least: int = 0, most: int = 1000
) -> int | None:
    """A whole number, as `read` understands it: null without a word where the cell prints none, and reported elsewhere.

    The bounds are those of the game: a 0 where none can be is a value that the source has ground down.
    """
    value = read(printed)
    if value is None:
        if not is_absent(printed):
            _unreadable(place, column, printed)
        return None
    if not least <= value <= most:
        _unreadable(place, column, printed)
        return None
    return value


def rolled(place: Place, column: str, printed: str) -> tuple[str | None, Dice | None]:
    """Attacks, strength or damage: the printed form in its one spelling, and its values. Each is at least 1."""
    if is_absent(printed):
        return printed.strip() or None, None
    value = dice(printed)
    if value is None or value.maximum < 1:
        _unreadable(place, column, printed)
        return printed.strip(), None
    return value.printed, value


def as_roll(printed: str) -> str | None:
    """`3` → `3+`: exports leave the sign out that a datasheet prints."""
    cell = printed.strip()
    return f"{cell}+" if cell.isdecimal() else cell or None


def as_inches(printed: str) -> str | None:
    """`24` → `24"`: exports leave the mark out that a datasheet prints."""
    cell = printed.strip()
    return f'{cell}"' if cell.isdecimal() else cell or None


def _unreadable(place: Place, column: str, printed: str) -> None:
    place.reading.tell(
        "unreadable-value",
        f"{column}: {printed.strip()!r}",
        place.span,
        table=place.table,
        record_id=place.record_id,
    )
