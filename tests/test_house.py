"""The house: rooms in an order, as the docstring of the package lists them, and what may happen in which of them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pipeline

PACKAGE = Path(pipeline.__file__).resolve().parent
ROOMS_OF_A_LINE = re.compile(r"    (?P<rooms>\w+(?:, \w+)*) {2,}\S")
HEAVY = ("pandas", "pyarrow", "great_expectations", "duckdb")


def modules() -> dict[str, Path]:
    """Name below the package (`raw.names`; a package by its own name) → file."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        if name:
            found[name] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    return module.partition(".")[0]


def rooms() -> list[str]:
    listed = (pipeline.__doc__ or "").partition("The rooms")[2].splitlines()
    return [name for line in listed if (found := ROOMS_OF_A_LINE.match(line)) for name in found["rooms"].split(", ")]


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imported(node: ast.AST) -> Iterator[str]:
    """Dotted names that an import statement may mean."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(module: str) -> set[str]:
    """Modules of the package that a module imports, wherever in it. A package whose module is imported is not meant itself."""
    found = {
        name.removeprefix("pipeline.") for node in ast.walk(tree(module)) for name in imported(node)
    } & MODULES.keys()
    packages = {room(name) for name in found if "." in name}
    return {name for name in found if name not in packages} - {module}


def outside_imports(module: str, *, at_once: bool = False) -> set[str]:
    """Packages of others that a module imports; `at_once`: when it is imported itself."""
    nodes = tree(module).body if at_once else ast.walk(tree(module))
    return {name.partition(".")[0] for node in nodes for name in imported(node)}


def test_every_module_is_in_a_room_that_the_package_lists() -> None:
    assert len(rooms()) == len(set(rooms()))
    assert set(rooms()) == {room(module) for module in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_rooms_before_it(module: str) -> None:
    order = rooms()
    place = order.index(room(module))
    assert {name for name in own_imports(module) if order.index(room(name)) > place} == set()


def test_no_modules_import_each_other_in_a_circle() -> None:
    order = TopologicalSorter({module: own_imports(module) for module in MODULES}).static_order()
    assert set(order) == MODULES.keys()


def test_only_the_gate_knows_great_expectations() -> None:
    assert {module for module in MODULES if "great_expectations" in outside_imports(module)} == {"validate"}


def test_only_frames_imports_pandas_at_once() -> None:
    assert {module for module in MODULES if "pandas" in outside_imports(module, at_once=True)} == {"frames"}


def test_only_the_command_line_prints_exits_or_reads_arguments() -> None:
    def says(module: str) -> bool:
        names = {node.id for node in ast.walk(tree(module)) if isinstance(node, ast.Name)}
        sys_names = {
            node.attr
            for node in ast.walk(tree(module))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sys"
        }
        return bool(
            names & {"print", "exit", "quit", "SystemExit", "input"}
            or sys_names & {"exit", "argv", "stdout", "stderr", "stdin"}
            or outside_imports(module) & {"click", "rich", "argparse", "logging"}
        )

    assert {module for module in MODULES if says(module)} == {"__main__"}


@pytest.mark.parametrize("names", ["pipeline", "pipeline.run, pipeline.__main__, pipeline.publish, pipeline.validate"])
def test_importing_loads_nothing_heavy(names: str) -> None:
    code = f"import sys, {names}; print(*sorted(sys.modules.keys() & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
