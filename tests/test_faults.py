"""Every row of the catalogue of faults and every diagnostic code has its test: a case, or a test elsewhere that is named here.

`cases/elsewhere.toml` names the tests: `[faults]` by row, `[codes]` by code. A test that is named there exists, and one that is
named for a code speaks of that code.
"""

from __future__ import annotations

import ast
import re
import tomllib
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline import compare, evidence, expectations, run, schema, store
from pipeline.diagnostics import CODES
from pipeline.document import Document
from pipeline.exports import wahapedia_csv
from pipeline.raw import RawReference
from pipeline.readers import READERS, text
from pipeline.records import TABLES
from tests import pages
from tests.pages import Page
from tests.releases import release
from tests.test_cases import CASES

TESTS = Path(__file__).parent
ELSEWHERE = tomllib.loads((TESTS / "cases" / "elsewhere.toml").read_text(encoding="utf-8"))
OF_FAULTS: dict[str, list[str]] = ELSEWHERE["faults"]
OF_CODES: dict[str, str] = ELSEWHERE["codes"]
ROWS = 68


def test_every_row_of_the_catalogue_has_a_case_or_a_test() -> None:
    rows = {row for case in CASES.values() for row in case.fault} | {int(row) for row in OF_FAULTS}
    assert rows == set(range(1, ROWS + 1))


def test_every_code_has_a_case_or_else_a_test() -> None:
    of_cases = {case.code for case in CASES.values() if case.code}
    assert of_cases | set(OF_CODES) == set(CODES)
    assert not of_cases & set(OF_CODES)


@pytest.mark.parametrize("identity", [name for name, case in CASES.items() if case.code])
def test_the_case_of_a_code_raises_it_alone(identity: str) -> None:
    """But for the stretch of text that the fault leaves over."""
    case = CASES[identity]
    assert case.code in case.codes
    assert set(case.codes) <= {case.code, "unclaimed-text"}


@pytest.mark.parametrize("place", sorted({place for places in OF_FAULTS.values() for place in places}))
def test_a_test_that_is_named_exists(place: str) -> None:
    assert function(place) is not None


@pytest.mark.parametrize("code", OF_CODES)
def test_a_test_that_is_named_for_a_code_speaks_of_it(code: str) -> None:
    assert any(word == code or word.startswith(f"{code} ") for word in words(OF_CODES[code]))


def function(place: str) -> ast.FunctionDef | None:
    """The test function of `test_values.py::test_dice`."""
    file, _, name = place.partition("::")
    return next((node for node in module(file).body if isinstance(node, ast.FunctionDef) and node.name == name), None)


@cache
def module(file: str) -> ast.Module:
    return ast.parse((TESTS / file).read_text(encoding="utf-8"))


def words(place: str) -> set[str]:
    """Strings that stand in a test, its decorators, and the constants of its module that these name."""
    found = function(place)
    assert found is not None, place
    named = {node.id for node in ast.walk(found) if isinstance(node, ast.Name)}
    parts: list[ast.AST] = [found]
    for node in module(place.partition("::")[0]).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id in named for target in targets):
            parts.append(node)
    return {
        n.value for part in parts for n in ast.walk(part) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }


# what two dumps of a unit differ in


def changes(folder: Path, before: Page, now: Page) -> list[compare.Change]:
    old, new = (release(pages.read([page]).tables, folder / name) for name, page in (("before", before), ("now", now)))
    return list(compare.compare(old, new).changes)


GUN = """
RANGED WEAPONS | RANGE | A | BS | S | AP | D | |
| Rivet gun | 24" | 1 | 5+ | 4 | 0 | {damage} | |
"""
LOW = """
GO LOW
1CP
Rivet Host – Battle Tactic Stratagem
WHEN: Fight phase.
TARGET: One unit of yours.
EFFECT: It ducks.
TARGET: One unit of yours.
EFFECT: It ducks.
"""


def test_a_number_that_becomes_a_die_is_a_change(tmp_path: Path) -> None:
    told = changes(tmp_path, Page(sheet=GUN.format(damage="3")), Page(sheet=GUN.format(damage="D3")))
    assert [(one.column, one.old, one.new) for one in told] == [("damage", "3", "D3")]


def test_keywords_that_come_and_go_are_rows_of_the_same_unit(tmp_path: Path) -> None:
    before = Page(keywords="KEYWORDS: VEHICLE; AIRCRAFT")
    told = changes(tmp_path, before, Page(keywords="KEYWORDS: VEHICLE; FRAME"))
    assert [(one.table, one.kind, one.id) for one in told] == [
        ("keywords", "removed", "ashen-compact/brindle-hauler#AIRCRAFT#*"),
        ("keywords", "added", "ashen-compact/brindle-hauler#FRAME#*"),
    ]


def test_what_is_not_there_any_more_is_removed_and_not_carried_over(tmp_path: Path) -> None:
    told = changes(tmp_path, Page(rest=LOW), Page())
    assert ("stratagems", "removed", "ashen-compact/rivet-host/go-low") in [
        (one.table, one.kind, one.id) for one in told
    ]
    assert store.read_rows(tmp_path / "now", "stratagems") == []


def test_lists_are_never_null() -> None:
    """Empty says that there is none."""
    lists = {(name, field.name) for name in TABLES for field in schema.table(name).fields if field.type == "array"}
    assert ("stratagems", "phases") in lists
    made = pages.read([Page(sheet=GUN.format(damage="1"), rest=LOW.replace("Fight phase", "One day"))])
    for name, column in lists:
        assert all(row.row()[column] is not None for row in made.rows(name))
    assert [row.phases for row in made.rows("stratagems")] == [()]


# codes that no case can raise and no other test speaks of


class Killed(Executor):
    """A pool whose workers are killed whatever they read."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()

    def submit(self, *_: object, **__: object) -> Future[bytes]:  # type: ignore[override]
        future: Future[bytes] = Future()
        future.set_exception(BrokenProcessPool("killed"))
        return future


def test_a_document_whose_reader_is_killed_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.txt").write_text(Page().printed(), encoding="utf-8")
    monkeypatch.setattr(run, "ProcessPoolExecutor", Killed)
    (made,) = run.read([tmp_path], workers=2).extracts
    assert (made.document.path, made.document.status) == ("page.txt", "rejected")
    assert [one.code for one in made.diagnostics] == ["worker-died"]


def rejections(made: run.Read) -> dict[str, list[str]]:
    """Codes of what is said of documents that were rejected, by path; of the others none."""
    assert made.diagnostics == []
    return {
        e.document.path: [d.code for d in e.diagnostics] if e.document.status == "rejected" else []
        for e in sorted(made.extracts, key=lambda e: e.document.path)
    }


class Fragile(Executor):
    """A pool of processes that one file kills; whatever is given to it afterwards is refused."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__()
        self.broken = False

    def submit(self, fn: Any, /, batch: list[RawReference], edition: str | None) -> Future[bytes]:  # type: ignore[override]
        if self.broken:
            raise BrokenProcessPool("broken")
        future: Future[bytes] = Future()
        if any(reference.name == "killer.txt" for reference in batch):
            self.broken = True
            future.set_exception(BrokenProcessPool("killed"))
        else:
            future.set_result(fn(batch, edition))
        return future


@pytest.mark.parametrize("given", [False, True])
def test_a_document_that_kills_its_reader_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    for number, name in enumerate(("killer", "a", "z")):
        (tmp_path / f"{name}.txt").write_text(Page(sheet=GUN.format(damage=number)).printed(), encoding="utf-8")
    monkeypatch.setattr(run, "ProcessPoolExecutor", Fragile)
    monkeypatch.setattr(run, "BATCH_DOCUMENTS", 1)
    made = run.read([tmp_path], workers=2, executor=Fragile() if given else None)
    assert rejections(made) == {"a.txt": [], "killer.txt": ["worker-died"], "z.txt": []}


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(2)])
def test_a_fault_of_the_program_costs_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: Executor | None
) -> None:
    def faulty(document: Document) -> Document:
        if document.path == "bad.txt":
            raise KeyError("none")
        return text.read(document)

    for number, name in enumerate(("bad", "a", "z")):
        (tmp_path / f"{name}.txt").write_text(Page(sheet=GUN.format(damage=number)).printed(), encoding="utf-8")
    monkeypatch.setitem(READERS, "text", faulty)
    made = run.read([tmp_path], executor=executor)
    assert rejections(made) == {"a.txt": [], "bad.txt": ["reader-failed"], "z.txt": []}
    (told,) = [d for e in made.extracts for d in e.diagnostics if d.code == "reader-failed"]
    assert re.match(r"KeyError: 'none' \(pipeline/run\.py:[0-9]+\)\. A fault of the program", told.message)


def test_a_column_that_an_export_lacks() -> None:
    reading = wahapedia_csv.read({"Factions.csv": b"id|name|\nASH|Ash Compact|\n"}, "11e")["Factions.csv"]
    assert [one.code for one in reading.diagnostics] == ["missing-column"]


@pytest.mark.parametrize(
    ("name", "sound"), [("Rivet gun", True), ("É", True), ("5", False), ("Rivet\ngun", False), ("", False)]
)
def test_a_name_has_a_letter_and_one_line(name: str, sound: bool) -> None:
    (one,) = [
        one
        for one in expectations.suite("weapon_profiles")
        if one.code == "name-without-letter" and one.arguments["column"] == "weapon_name"
    ]
    assert bool(re.search(one.arguments["regex"], name)) is sound


@pytest.mark.parametrize(("text", "sound"), [("It ducks.EFFECT: It rises.", False), ("It has an effect: none.", True)])
def test_a_label_that_was_left_in_a_text(text: str, sound: bool) -> None:
    tables = pages.read([Page(rest=LOW)]).tables
    columns = {name: store.columns(schema.table(name), tables[name]) for name in TABLES}
    columns["stratagems"]["effect_text"] = [text]
    (complaint,) = evidence.derive("stratagems", evidence.Evidence(columns, "11e"))["label_left"]
    assert (complaint is None) is sound
    assert evidence.TEXT_FAULTS["label_left"][0] == "label-left"
