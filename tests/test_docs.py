"""Documents that are followed: their code is run, their links lead somewhere, and they leave no command or table out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import click
import pytest

from pipeline import schema
from pipeline.__main__ import GUARDS, cli
from tests import markdown
from tests.conftest import ROOT

WRITTEN = ("README.md", "docs/cookbook.md")
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
IMAGE = re.compile(r"!\[[^\]]*\]\((?P<path>[^)]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WRITTEN)
def test_code_prints_what_the_document_says(
    name: str, demo: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    shutil.copytree(demo / "output", tmp_path / "output")
    (tmp_path / "raw").symlink_to(ROOT / "raw")
    document = text(name)
    code = list(markdown.blocks(document))
    assert code
    reader = markdown.Reader(tmp_path)
    printed = [reader.run(block, str(ROOT / name)) for block in code]
    images = [Path(found["path"]) for found in IMAGE.finditer(document)]
    for image in images:
        assert (tmp_path / image.name).stat().st_size > 5_000, f"nothing draws {image}"
    if request.config.getoption("--rewrite"):
        (ROOT / name).write_text(markdown.with_printed(document, printed), encoding="utf-8")
        for image in images:
            shutil.copyfile(tmp_path / image.name, (ROOT / name).parent / image)
        pytest.fail(f"{name} was rewritten: look at the difference, and run the tests without --rewrite.")
    for block, now in zip(code, printed, strict=True):
        assert block.printed in (None, now), (
            f"{name}, line {block.line}; `pytest tests/test_docs.py --rewrite` writes it anew"
        )


def anchors(document: str) -> set[str]:
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in HEADING.findall(document)}


@pytest.mark.parametrize("name", [*WRITTEN, *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_links_lead_somewhere(name: str) -> None:
    for link in LINK.finditer(text(name)):
        target = (ROOT / name).parent / link["path"] if link["path"] else ROOT / name
        assert target.exists(), link[0]
        if link["anchor"]:
            assert link["anchor"] in anchors(target.read_text(encoding="utf-8")), link[0]


def test_the_readme_names_every_table() -> None:
    assert [table for table in schema.tables() if f"[{table}](docs/tables.md#{table})" not in text("README.md")] == []


def test_the_readme_names_every_command_and_exit_code() -> None:
    readme = text("README.md")
    assert [name for name in cli.commands if f"`datasheets {name}" not in readme] == []
    assert [guard for guard in GUARDS if f"--allow-{guard}" not in readme] == []
    assert [code for code in range(4) if f"| {code} |" not in readme] == []


def test_the_readme_names_nothing_that_there_is_not() -> None:
    readme = text("README.md")
    assert set(re.findall(r"(?:`|^    )datasheets ([a-z]+)", readme, re.MULTILINE)) <= set(cli.commands)
    options = {option for command in cli.commands.values() for one in command.params for option in one.opts}
    named = [quoted for quoted in re.findall(r"`[^`\n]*`", readme) if "datasheets" in quoted]
    assert set(re.findall(r"--[a-z-]+", " ".join(named))) <= options | {"--help"}
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z]+)\b", readme, re.MULTILINE)) <= targets


@pytest.mark.parametrize("command", ["", *cli.commands])
def test_help_says_what_each_command_and_option_is_for(command: str) -> None:
    one = cli.commands[command] if command else cli
    assert one.help
    with click.Context(one, info_name=command, terminal_width=80) as context:
        shown = one.get_help(context)
    assert "..." not in shown.replace("]...", ""), "a summary that does not fit on its line"
    assert [option.name for option in one.params if isinstance(option, click.Option) and not option.help] == []
