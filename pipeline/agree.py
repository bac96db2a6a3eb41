r"""When two sources say the same, and how often each pair of sources does.

Typography is no disagreement: hyphens, apostrophes, capitals, white space and list marks do not count in texts, the order does not
count among a weapon's abilities, and a labelled section that one source lacks is not printed there, not denied.

    >>> same("damaged_text", "While it has 1-5 wounds", "while it  has 1\N{HYPHEN}5 wounds")
    True
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import msgspec

from pipeline.ids import fold
from pipeline.records import Agreement, LabelledText, SourcePair, TitledText
from pipeline.sightings import Seen

OF_THE_READING = frozenset({"position", "complete", "members_known", "printed_name", "split_certain"})
"""Columns that say something of a reading, not of the game."""

UNITED = frozenset({"aliases", "printed_groups"})
"""Columns whose lists are united instead of compared."""

_WORD = re.compile(r"[^\W_]+|[+-][0-9]")
CONFIRMED = ("models", "unit_costs", "weapon_profiles")
"""Tables whose rows say how many sources confirm them."""


def is_empty(value: Any) -> bool:
    """Whether a source does not print a value."""
    return value is None or value == ()


def same(column: str, one: Any, other: Any) -> bool:
    """Whether two printed values of a column say the same."""
    if one == other:
        return True
    if isinstance(one, str) and isinstance(other, str):
        return _words(one) == _words(other)
    if column in ("abilities", "phases"):
        return sorted(map(fold, one)) == sorted(map(fold, other))
    if isinstance(one, tuple) and one and isinstance(one[0], LabelledText | TitledText):
        mine, theirs = _by_heading(one), _by_heading(other)
        return all(mine[heading] == theirs[heading] for heading in mine.keys() & theirs.keys())
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _by_heading(parts: Sequence[LabelledText | TitledText]) -> dict[str, list[str]]:
    return {fold(p.label if isinstance(p, LabelledText) else p.title): _words(p.text) for p in parts}


class Tally:
    """Counts, per pair of source formats and table, rows that both have and values on which they agree."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self.agreements: list[Agreement] = []

    def add(self, table: str, identity: str, found: Sequence[Seen]) -> None:
        """Counts the sightings of one id."""
        first: dict[str, Seen] = {}
        for seen in found:
            first.setdefault(seen.document.format, seen)
        confirmed = table in CONFIRMED
        if len(first) == 1 and not confirmed:
            return
        differing: set[str] = set()
        for a, b in combinations(sorted(first), 2):
            values, agreeing = _compared(first[a].record, first[b].record)
            counts = self._counts[table, a, b]
            counts[0] += 1
            counts[1] += values == agreeing
            counts[2] += values
            counts[3] += agreeing
            if values != agreeing:
                differing |= {a, b}
        if confirmed:
            self.agreements.append(
                Agreement(
                    datasheet_id=found[0].record.datasheet_id,
                    table=table,
                    record_id=identity,
                    sources=tuple(sorted(first)),
                    differing=tuple(sorted(differing)),
                )
            )

    def pairs(self) -> Iterator[SourcePair]:
        """The counts as rows."""
        for (table, a, b), (rows, agreeing_rows, values, agreeing) in sorted(self._counts.items()):
            yield SourcePair(
                table=table,
                source=a,
                other_source=b,
                rows=rows,
                rows_agreeing=agreeing_rows,
                values=values,
                values_agreeing=agreeing,
            )


def _compared(one: Any, other: Any) -> tuple[int, int]:
    """How many columns both print, and on how many of them they agree."""
    values = agreeing = 0
    for column in one.__struct_fields__:
        if column in OF_THE_READING or column in UNITED or column in one.key:
            continue
        mine, theirs = getattr(one, column), getattr(other, column)
        if is_empty(mine) or is_empty(theirs):
            continue
        values += 1
        agreeing += same(column, mine, theirs)
    return values, agreeing


def canonical(value: Any) -> str:
    """A value as `conflicts` holds it: JSON, the same for the same value."""
    return json.dumps(
        msgspec.to_builtins(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
