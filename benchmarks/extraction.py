"""Extraction on one core, as a ratio to the floor that the same process measures; what it takes of memory, and what is claimed.

Extraction is what a worker does with the bytes of a document: text, blocks, `Extract`. Loading them and encoding the extracts for
another process are measured apart. Times are processor time of the process, so that a busy machine counts less; every round is a
process of its own, so that nothing is known from the round before.
"""

from __future__ import annotations

import resource
import tracemalloc
from collections import Counter
from pathlib import Path
from time import process_time

import msgspec

from benchmarks import floor
from pipeline import raw, run
from pipeline.extract import Extract, extract
from pipeline.raw import RawFile, RawReference

TRACED = 200
"""Documents whose memory is traced: tracing makes everything some times slower."""
CLAIMED = 0.999
"""The share of the characters that has to be claimed, else the figures are of a reader that reads past its text."""


class Round(msgspec.Struct):
    """What one process measured; seconds and megabytes."""

    documents: int
    megabytes: float
    floor: float
    load: float = 0.0
    read: float = 0.0
    extract: float = 0.0
    encode: float = 0.0
    encoded: float = 0.0
    start_memory: float = 0.0
    peak_memory: float = 0.0
    characters: int = 0
    claimed: int = 0
    rejected: int = 0
    diagnostics: dict[str, int] = {}

    @property
    def extraction(self) -> float:
        """From bytes to extracts."""
        return self.read + self.extract


def measure(folder: Path) -> Round:
    """One round over all documents of a folder."""
    references = list(raw.RawFiles([folder]))
    made = Round(len(references), sum(r.size or 0 for r in references) / 1e6, _floor(references), start_memory=_peak())
    codes: Counter[str] = Counter()
    for batch in run.batches(references):
        _batch(batch, made, codes)
    made.peak_memory = _peak()
    made.diagnostics = dict(sorted(codes.items()))
    return made


def _floor(references: list[RawReference]) -> float:
    """By batches, so that the bytes of all documents are never held at once."""
    return sum(floor.seconds([_loaded(r).data for r in batch]) for batch in run.batches(references))


def _batch(references: list[RawReference], made: Round, codes: Counter[str]) -> None:
    started = process_time()
    loaded = [_loaded(reference) for reference in references]
    made.load += process_time() - started
    batch = run.Batch()
    with run.no_collection():
        for reference, file in zip(references, loaded, strict=True):
            started = process_time()
            document = run.understood(reference, file)
            made.read += process_time() - started
            if isinstance(document, Extract):
                made.rejected += 1
                batch.extracts.append(document)
                continue
            started = process_time()
            batch.extracts.append(extract(document))
            made.extract += process_time() - started
        started = process_time()
        made.encoded += len(run.encode(batch)) / 1e6
        made.encode += process_time() - started
    for one in batch.extracts:
        made.characters += one.document.characters
        made.claimed += one.document.characters_claimed
        made.rejected += one.document.status == "rejected"
        codes.update(d.code for d in one.diagnostics)


def _loaded(reference: RawReference) -> RawFile:
    loaded = raw.load(reference)
    assert isinstance(loaded, RawFile), loaded
    return loaded


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Traced(msgspec.Struct):
    """Memory that Python allocated for some documents, megabytes: at most, and kept at the end for what may come again."""

    documents: int
    peak: float
    kept: float


def trace(folder: Path) -> Traced:
    """Traces the allocations of the first documents of a folder, one batch after the other."""
    references = list(raw.RawFiles([folder]))[:TRACED]
    tracemalloc.start()
    for batch in run.batches(references):
        run.extract_batch(batch, None)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Traced(len(references), peak / 1e6, kept / 1e6)
