"""`python -m benchmarks`: writes the dumps, measures, prints a table and writes `benchmarks/results.json`."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec

from benchmarks import extraction, generate, whole

PARTS = ("extraction", "memory", "whole")
RESULTS = Path(__file__).parent / "results.json"
GOAL = 10.0
"""How many times the floor extraction may take on one core."""

_Figures = TypeVar("_Figures")


def main() -> None:
    """Measures what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)}; all if none is named")
    parser.add_argument("--documents", type=int, default=generate.DOCUMENTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--repeated", type=float, default=generate.REPEATED, help="share of a page that other pages print too"
    )
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many is taken")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    with TemporaryDirectory() as folder:
        generate.write(Path(folder), asked.documents, seed=asked.seed, repeated=asked.repeated)
        found: dict[str, Any] = {
            "documents": asked.documents, "seed": asked.seed, "repeated": asked.repeated, "python": platform.python_version(),
        }  # fmt: skip
        for name, part in (("extraction", _extraction), ("memory", _memory), ("whole", _whole)):
            if not asked.parts or name in asked.parts:
                found[name] = part(Path(folder), asked.rounds)
    asked.results.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    print(f"\nwritten to {asked.results}")


def _alone(measure: Callable[..., _Figures], *arguments: object, **options: object) -> _Figures:
    """The figures of a process of its own, which knows nothing from before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *arguments, **options).result()


def _extraction(folder: Path, rounds: int) -> dict[str, Any]:
    measured = [_alone(extraction.measure, folder) for _ in range(rounds)]
    best = min(measured, key=lambda r: r.extraction / r.floor)
    share = best.claimed / max(1, best.characters)
    ratio = best.extraction / best.floor
    _table(
        f"Extraction on one core, {best.documents} documents, {best.megabytes:.1f} MB, best of {rounds}",
        [
            ("floor", f"{best.floor:.2f} s", f"{best.megabytes / best.floor:.0f} MB/s", "1"),
            ("bytes to blocks", f"{best.read:.2f} s", "", f"{best.read / best.floor:.1f}"),
            ("blocks to extracts", f"{best.extract:.2f} s", "", f"{best.extract / best.floor:.1f}"),
            ("extraction", f"{best.extraction:.2f} s", f"{best.megabytes / best.extraction:.1f} MB/s", f"{ratio:.1f}"),
            ("of other rounds", "", "", ", ".join(f"{r.extraction / r.floor:.1f}" for r in measured)),
            ("apart: loading", f"{best.load:.2f} s", "", f"{best.load / best.floor:.1f}"),
            ("apart: encoding", f"{best.encode:.2f} s", f"{best.encoded:.1f} MB", f"{best.encode / best.floor:.1f}"),
            ("peak memory", f"{best.peak_memory:.0f} MB", f"{best.start_memory:.0f} MB at the start", ""),
            ("claimed", f"{share:.4%}", f"{best.rejected} rejected", ""),
        ],
    )
    print(f"  goal: at most {GOAL:.0f} times the floor, {'reached' if ratio <= GOAL else 'NOT REACHED'}")
    if share < extraction.CLAIMED or best.rejected:
        print("  THE FIGURES DO NOT COUNT: not everything was read")
    return {"ratio": ratio, "goal": GOAL, "claimed": share, "rounds": [msgspec.to_builtins(r) for r in measured]}


def _memory(folder: Path, _: int) -> dict[str, Any]:
    traced = _alone(extraction.trace, folder)
    _table(
        f"Memory that Python allocated for {traced.documents} documents",
        [("peak", f"{traced.peak:.1f} MB", "", ""), ("kept for what may come again", f"{traced.kept:.1f} MB", "", "")],
    )
    return dict(msgspec.to_builtins(traced))


def _whole(folder: Path, _: int) -> dict[str, Any]:
    base = _alone(extraction.measure, folder).floor
    one = _alone(whole.measure, folder, 1, link=True)
    two = _alone(whole.measure, folder, 2, link=False)
    _table(
        "The whole way: reading in seconds of the clock, merge and link of the processor",
        [
            ("read, one worker", f"{one.read:.2f} s", "", f"{one.read / base:.1f}"),
            (
                "read, two workers",
                f"{two.read:.2f} s",
                f"{one.read / two.read:.2f} times as fast",
                f"{two.read / base:.1f}",
            ),
            (
                "merge and link",
                f"{one.link or 0:.2f} s",
                f"{sum(one.rows.values())} rows",
                f"{(one.link or 0) / base:.1f}",
            ),
            ("peak memory", f"{one.peak_memory:.0f} MB", "", ""),
        ],
    )
    return {"floor": base, "one": msgspec.to_builtins(one), "two": msgspec.to_builtins(two)}


def _table(title: str, rows: list[tuple[str, str, str, str]]) -> None:
    print(f"\n{title}")
    for line in _aligned([("", "", "", "times the floor"), *rows]):
        print(f"  {line}")


def _aligned(rows: list[tuple[str, str, str, str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


if __name__ == "__main__":
    main()
