"""Saved pages: how long reading them takes, as a multiple of the bare lxml parse of the same bytes, measured in one run.

    DATASHEETS_CORPUS=… python -m benchmarks.html

Reading is what a worker does with the bytes of a file: decode, recognise, blocks; then records. Also how much memory grows when the
same pages are read again and again: what is kept of a page must not add up.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from pathlib import Path
from statistics import median

from lxml import etree

from pipeline import raw, run
from pipeline.document import Document
from pipeline.extract import extract
from pipeline.extractors import rule_sections
from pipeline.raw import RawFile, RawReference
from pipeline.readers import html

ROUNDS = 9

_Pages = list[tuple[RawReference, RawFile]]


def pages(folder: Path) -> _Pages:
    """All pages below a folder, loaded."""
    found = [(r, raw.load(r)) for r in raw.RawFiles([folder]) if r.name.endswith(".html")]
    return [(reference, file) for reference, file in found if isinstance(file, RawFile)]


def parsed(found: _Pages) -> float:
    """Seconds of the bare parse."""
    start = time.process_time()
    for _, file in found:
        etree.fromstring(file.data, etree.HTMLParser(huge_tree=True, encoding="utf-8"))
    return time.process_time() - start


def read(found: _Pages, *, cold: bool) -> tuple[float, float]:
    """Seconds of the readers alone, and of the whole way to records. `cold`: nothing is known from a round before."""
    if cold:
        rule_sections.forget()
        html._fragments.clear()
    reading = whole = 0.0
    for reference, file in found:
        start = time.process_time()
        document = run.understood(reference, file)
        reading += time.process_time() - start
        if isinstance(document, Document):
            extract(document)
        whole += time.process_time() - start
    return reading, whole


def main() -> None:
    """Prints the figures."""
    corpus = os.environ.get("DATASHEETS_CORPUS")
    if not corpus:
        sys.exit("DATASHEETS_CORPUS names the folder with the real pages")
    found = pages(Path(corpus))
    size = sum(len(file.data) for _, file in found) / 1e6
    gc.disable()  # as the pipeline does while it reads a batch
    rounds = [(parsed(found), *read(found, cold=True)) for _ in range(ROUNDS)]
    reading = median(r / bare for bare, r, _ in rounds)
    wholes = sorted(whole / bare for bare, _, whole in rounds)
    print(
        f"{len(found)} pages, {size:.1f} MB, {ROUNDS} rounds of lxml and ours in turn: read {reading:.2f} × lxml; "
        f"read and extracted {median(wholes):.2f} × ({wholes[0]:.2f} to {wholes[-1]:.2f})"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(ROUNDS):
        read(found, cold=False)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{ROUNDS} rounds more: {grown:.0f} MB more memory")


if __name__ == "__main__":
    main()
