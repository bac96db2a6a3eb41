"""Whole tables of demo dumps, as they were when somebody last looked at them: `golden/*.json`.

A change that is meant is written with `pytest --rewrite-golden tests/test_golden.py`, which fails, and is looked at as a difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline import run

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).parent / "golden"
DUMPS = {path.stem: path for path in sorted((ROOT / "raw" / "demo").glob("1*e/*.txt"))}
CHOSEN = ("dra-veth-tidehold__Brine_Lancers", "dra-veth-tidehold__faction-page", "lantern-wardens__Beacon_Matriarch")


def printed(stem: str) -> str:
    """The linked tables of one dump with its side-car, one row a line."""
    read = run.read([DUMPS[stem].parent], workers=1)
    alone = [made for made in read.extracts if Path(made.document.path).stem == stem]
    (edition,) = run.link_editions(run.Read(alone, []))
    parts = []
    for table, rows in sorted(edition.tables.tables.items()):
        lines = ",\n".join(json.dumps(msgspec.to_builtins(row.row()), ensure_ascii=False) for row in rows)
        parts.append(f"{json.dumps(table)}: [\n{lines}\n]" if rows else f"{json.dumps(table)}: []")
    return "{\n" + ",\n".join(parts) + "\n}\n"


@pytest.mark.parametrize("stem", CHOSEN)
def test_tables_are_as_they_were(stem: str, request: pytest.FixtureRequest) -> None:
    path = GOLDEN / f"{stem}.json"
    now = printed(stem)
    if request.config.getoption("--rewrite-golden"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(now, encoding="utf-8")
        pytest.fail(f"{path.name} was written anew; look at the difference, and run without the flag.")
    then: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    tables: dict[str, list[Any]] = json.loads(now)
    assert tables.keys() == then.keys()
    for table in tables:
        assert tables[table] == then[table], table
    assert now == path.read_text(encoding="utf-8")


def test_nothing_lies_there_that_nobody_looks_at() -> None:
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(CHOSEN)
