"""`dvc.yaml`: its stages are commands that there are, and in a fresh clone they make releases, once, with numbers to compare."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from pipeline.__main__ import cli

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("extract", "link", "validate", "publish", "measure")

PRICE = "| 1 model | 75 |"
PRICED = Path("raw/demo/11e/dra-veth-tidehold__Tidecaller.txt")  # a unit that no saved page tells of


def described() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def params() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_the_stages_are_the_commands_on_the_datas_way() -> None:
    assert tuple(described()["stages"]) == STAGES
    assert [name for name in cli.commands if name in STAGES] == list(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_gives_its_command_options_that_it_knows(stage: str) -> None:
    known = {option for one in cli.commands[stage].params for option in one.opts}
    words = shlex.split(described()["stages"][stage]["cmd"])
    assert words[:2] == ["datasheets", stage]
    assert {word for word in words if word.startswith("--")} <= known
    assert {f"--{name}" for name in params().get(stage, {})} <= known
    assert not isinstance(cli.commands[stage], click.Group)


def test_what_a_stage_takes_is_there_or_made_by_one_before() -> None:
    made: set[str] = set()
    for stage in described()["stages"].values():
        for path in stage["deps"]:
            assert path in made or path == "${raw}" or (ROOT / path).exists(), path
        made |= {path if isinstance(path, str) else next(iter(path)) for path in stage["outs"]}


def test_nothing_asks_the_network_or_leaves_the_folder() -> None:
    settings = (ROOT / ".dvc" / "config").read_text(encoding="utf-8")
    for setting in ("analytics = false", "check_update = false", "site_cache_dir = .dvc/"):
        assert setting in settings


class Clone:
    """A fresh clone, and a shell in it with this environment's commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder),  # the clone's pipeline, not the one that is installed
            # a request would end at a port where nobody listens
            **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
            **{f"GIT_{who}_{what}": f"{what.lower()}@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }  # fmt: skip
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)

    def run(self, command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.environment, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def untracked(self) -> list[str]:
        return self.run("git status --porcelain --untracked-files=all | grep '^??' || true").splitlines()


@pytest.mark.dvc
def test_repro_in_a_fresh_clone(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")

    clone.run("dvc repro")
    for edition in ("10e", "11e"):
        assert (clone.folder / "output" / "release" / edition / "datapackage.json").is_file()
    assert clone.untracked() == []
    drifted = clone.run("dvc metrics diff HEAD")
    assert drifted == "", f"run `make repro`, look at what changed, and commit metrics/ and dvc.lock:\n{drifted}"

    again = clone.run("dvc repro")
    assert again.count("didn't change, skipping") == len(STAGES)

    clone.run("git add dvc.lock metrics && git commit --quiet --allow-empty --message before")
    page = clone.folder / PRICED
    text = page.read_text(encoding="utf-8")
    assert PRICE in text
    page.write_text(text.replace(PRICE, f"{PRICE}\n| 2 models | 145 |"), encoding="utf-8")
    clone.run("dvc repro && git commit --quiet --all --message after")
    changed = json.loads(clone.run("dvc metrics diff --json HEAD~1 HEAD"))["metrics/releases.json"]
    assert changed["11e.rows.unit_costs"]["diff"] == 1
    assert not [name for name in changed if name.startswith("10e")]

    clone.run("dvc plots diff HEAD~1 HEAD --out output/plots")
    assert "11e unit_costs" in (clone.folder / "output" / "plots" / "index.html").read_text(encoding="utf-8")
    assert clone.untracked() == []
