"""Structured exports: one module per export, bytes → records. Columns and fields have names: nothing is guessed.

The files of an export refer to each other, so an export is read as a set of files: those of one format in one folder or archive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipeline.exports import datacards, price_yaml, wahapedia_csv
from pipeline.exports.reading import ExportReading

EXPORTS: dict[str, Callable[[Mapping[str, bytes], str | None], dict[str, ExportReading]]] = {
    "datacards-json": datacards.read,
    "price-yaml": price_yaml.read,
    "wahapedia-csv": wahapedia_csv.read,
}
"""The reader of each export that `raw.recognise` tells."""
