"""The whole way on a folder: `pipeline.run.read` with some workers, then merge and link.

Reading counts seconds of the clock, for it is about cores; merge and link, which have one, count seconds of the processor.
"""

from __future__ import annotations

import resource
from pathlib import Path
from time import perf_counter, process_time

import msgspec

from pipeline import run


class Whole(msgspec.Struct):
    """What one process measured; seconds and megabytes."""

    workers: int
    read: float
    link: float | None
    peak_memory: float
    rows: dict[str, int] = {}


def measure(folder: Path, workers: int, *, link: bool) -> Whole:
    """Reads all documents with this many workers; merges and links them if asked to."""
    started = perf_counter()
    found = run.read([folder], workers=workers)
    made = Whole(workers, perf_counter() - started, None, 0.0)
    if link:
        started = process_time()
        editions = run.link_editions(found)
        made.link = process_time() - started
        for edition in editions:
            for table, rows in edition.tables.tables.items():
                made.rows[table] = made.rows.get(table, 0) + len(rows)
    made.peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return made
