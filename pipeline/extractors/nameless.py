"""Names of which no id can be made, `…` or one in another script: their records are left out, so that one does not stop a release."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline import ids
from pipeline.diagnostics import excerpt
from pipeline.extractors.pages import Fault
from pipeline.records import TABLES, Sighting

_IDS = {
    record: (
        record.key[0] if len(record.key) == 1 else "identity",
        *(column for column in ("stratagem_id", "detachment_id") if column in record.__struct_fields__),
    )
    for record in TABLES.values()
}
"""Where a record has ids that are made of names."""


def dropped(sightings: Sequence[Sighting]) -> tuple[list[Sighting], list[Fault]]:
    """Sightings of records whose ids are whole, and what is to be said of the others."""
    kept: list[Sighting] = []
    faults: list[Fault] = []
    for sighting in sightings:
        record = sighting.record
        for column in _IDS[type(record)]:
            identity = getattr(record, column)
            if identity is not None and not ids.is_whole(identity):
                message = (
                    f"A name in {record.table_name()} is none of which an id can be made: {excerpt(record.identity)}"
                )
                faults.append(Fault("unreadable-value", message, sighting.spans[0]))
                break
        else:
            kept.append(sighting)
    return kept, faults
