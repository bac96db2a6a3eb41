"""The ids of the datacards → our records."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from pipeline.document import Span
from pipeline.exports.reading import ExportReading
from pipeline.records import Crosswalk

SOURCE = "datacards"
"""Whose ids these are, in the crosswalk."""


class Target(NamedTuple):
    """A record that an id of the export stands for."""

    table: str
    record_id: str


class Targets:
    """What the ids of all files read so far stand for. A datasheet of two factions has one id and two records."""

    def __init__(self) -> None:
        self._found: dict[str, list[Target]] = defaultdict(list)

    def add(self, reading: ExportReading, span: Span, source_id: object, target: Target, printed: str | None) -> None:
        """Take down what an id stands for, for the crosswalk and for the FAQs."""
        if not isinstance(source_id, str) or not source_id:
            return
        if target not in self._found[source_id]:
            self._found[source_id].append(target)
        crosswalk = Crosswalk(
            table=target.table, record_id=target.record_id, source=SOURCE, source_id=source_id, name=printed
        )
        reading.see(crosswalk, span)

    def of(self, source_id: object) -> list[Target]:
        """The records that an id stands for."""
        return self._found.get(source_id, []) if isinstance(source_id, str) else []
