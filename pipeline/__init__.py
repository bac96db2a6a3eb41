"""Datasheets: raw dumps of datasheet and rules pages in, a validated, traceable data set out.

raw/ ─read→ documents ─extract→ records ─merge→ one record per id ─link→ tables ─validate→ Validated ─publish→ output/release/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.frames import Release


def load(release: str | Path) -> Release:
    """The tables of a release as pandas frames, each read when first asked for: `load("output/release/11e")["models"]`.

    Raises FileNotFoundError where there is no release.
    """
    # pandas takes a second to import, and the pipeline itself does without
    from pipeline import frames

    return frames.load(release)
