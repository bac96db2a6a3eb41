"""The cases of `cases/*.toml`: raw text in, exactly these records and codes out. `cases/README.md` says how to write one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import pages
from tests.pages import Page, Release

FOLDER = Path(__file__).parent / "cases"
NULL = "∅"


class Case(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A case, as `cases/README.md` has it."""

    name: str
    fault: list[int] = []
    code: str | None = None
    edition: str | None = None
    expect: dict[str, list[dict[str, Any]]] = {}
    codes: list[str] = []
    page: list[Page] = []


def cases() -> dict[str, Case]:
    """All cases, by the file they stand in and their name."""
    found: dict[str, Case] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        for written in tomllib.loads(path.read_text(encoding="utf-8")).get("case", []):
            of_page = {key: written.pop(key) for key in list(written) if key in Page.__struct_fields__}
            if of_page or "page" not in written:
                written.setdefault("page", []).append(of_page)
            case = msgspec.convert(written, Case)
            identity = f"{path.stem}: {case.name}"
            assert identity not in found, f"two cases are called {identity}"
            found[identity] = case
    return found


CASES = cases()


def read(case: Case) -> Release:
    return pages.read(case.page, case.edition)


@pytest.mark.parametrize("identity", CASES)
def test_case(identity: str) -> None:
    case = CASES[identity]
    release = read(case)
    for table, expected in case.expect.items():
        rows = release.rows(table)
        found = [{column: row.row()[column] for column in wanted} for row, wanted in zip(rows, expected, strict=False)]
        more = [row.row() for row in rows[len(expected) :]]
        assert _plain(found + more) == [{c: None if v == NULL else v for c, v in row.items()} for row in expected], (
            table
        )
    assert release.codes() == case.codes, [f"{row.code}: {row.message}" for row in release.diagnostics()]


def _plain(value: Any) -> Any:
    """Tuples as lists, as TOML has them."""
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize("identity", CASES)
def test_what_no_claim_holds_is_said(identity: str) -> None:
    """Every character but white space is claimed, or stands in the place of an `unclaimed-text`."""
    case = CASES[identity]
    for page, made in zip(case.page, read(case).extracts, strict=True):
        if made.document.status == "rejected":
            assert made.diagnostics
            continue
        open_places = list(page.printed())
        said = [(d.start or 0, d.end or 0) for d in made.diagnostics if d.code == "unclaimed-text"]
        for start, end in [*((claim.start, claim.end) for claim in made.claims), *said]:
            open_places[start:end] = " " * (end - start)
        assert not "".join(open_places).strip()
