"""What of a release is worth watching from commit to commit: rows, doubts, and how much of the raw text was understood.

In: folders of releases. Out: numbers as plain values, for `dvc metrics` and `dvc plots`.

    >>> measure([Path("output/release/11e")])["11e"]["characters_claimed"]  # doctest: +SKIP
    0.9998
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import schema, store

Row = dict[str, Any]

DIGITS = 6  # of shares


def measure(releases: Sequence[Path]) -> dict[str, Any]:
    """The numbers of each release, by edition: shares between 0 and 1, rows per table, diagnostics per code."""
    return {release.name: _of_release(release) for release in releases}


def _of_release(release: Path) -> Row:
    documents = store.read_rows(release, "documents")
    return {
        "documents": dict(sorted(Counter(row["status"] for row in documents).items())),
        "characters_claimed": _share(documents, "characters_claimed", "characters"),
        "characters_furniture": _share(documents, "characters_furniture", "characters"),
        "divisions_certain": _certain(release),
        "rows": _rows(release),
        "diagnostics": _diagnostics(release),
    }


def plots(releases: Sequence[Path]) -> dict[str, list[Row]]:
    """The same as bars, by the name of the plot: what is counted, and how often."""
    return {
        "rows": [bar for one in releases for bar in _bars(one, _rows(one))],
        "diagnostics": [bar for one in releases for bar in _bars(one, _diagnostics(one))],
        "coverage": [bar for one in releases for bar in _bars(one, _coverage(one))],
    }


def _bars(release: Path, counts: Mapping[str, int]) -> Iterator[Row]:
    return ({"what": f"{release.name} {name}", "count": count} for name, count in counts.items() if count)


def _coverage(release: Path) -> dict[str, int]:
    """What became of the characters of all documents of a kind."""
    counts: Counter[str] = Counter()
    for row in store.read_rows(release, "documents"):
        if row["status"] != "rejected":
            kind = f"{row['kind']} {row['format']}"
            aside = row["characters_echo"] + row["characters_furniture"]
            counts[f"{kind}: values"] += row["characters_claimed"] - aside
            counts[f"{kind}: echoes"] += row["characters_echo"]
            counts[f"{kind}: furniture"] += row["characters_furniture"]
            counts[f"{kind}: unclaimed"] += row["characters"] - row["characters_claimed"]
    return dict(sorted(counts.items()))


def _share(rows: Iterable[Row], part: str, whole: str) -> float | None:
    counted = [row for row in rows if row["status"] != "rejected"]
    total = sum(row[whole] for row in counted)
    return round(sum(row[part] for row in counted) / total, DIGITS) if total else None


def _certain(release: Path) -> float | None:
    """Share of weapon profiles whose name and abilities could be divided in one way only."""
    certain = [row["split_certain"] for row in store.read_rows(release, "weapon_profiles")]
    return round(sum(certain) / len(certain), DIGITS) if certain else None


def _rows(release: Path) -> dict[str, int]:
    return {table: len(store.read_rows(release, table)) for table in schema.tables()}


def _diagnostics(release: Path) -> dict[str, int]:
    return dict(sorted(Counter(row["code"] for row in store.read_rows(release, "diagnostics")).items()))
