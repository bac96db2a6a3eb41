"""Names of which no id can be made, `…` or one in another script: their records are left out, so that one does not stop a release."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import ids
from pipeline.diagnostics import excerpt
from pipeline.extractors.pages import Fault
from pipeline.records import TABLES, AnyRecord, Sighting

_MADE_OF_NAMES = {
    record: tuple(column for column in ("stratagem_id", "detachment_id") if column in record.__struct_fields__)
    for record in TABLES.values()
}


def dropped(sightings: Sequence[Sighting]) -> tuple[list[Sighting], list[Fault]]:
    """Sightings of records that have an id, and what is to be said of those that have none."""
    kept: list[Sighting] = []
    faults: list[Fault] = []
    for sighting in sightings:
        record = sighting.record
        if ids.is_whole(record.identity) and _names_whole(record):
            kept.append(sighting)
        else:
            message = f"A name in {record.table_name()} is none of which an id can be made: {excerpt(record.identity)}"
            faults.append(Fault("unreadable-value", message, sighting.spans[0]))
    return kept, faults


def _names_whole(record: AnyRecord) -> bool:
    for column in _MADE_OF_NAMES[type(record)]:
        identity = getattr(record, column)
        if identity is not None and not ids.is_whole(identity):
            return False
    return True
