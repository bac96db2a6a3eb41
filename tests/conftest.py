"""Options and fixtures of all tests."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="Write tests/golden/ anew, and fail.")
    parser.addoption(
        "--rewrite", action="store_true", help="Write what the code in README.md and docs/ prints into it, and fail."
    )


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with raw/demo, and in output/ the releases that `make data` makes of it; made once for all workers."""
    shared = tmp_path_factory.getbasetemp()
    folder = (shared if worker_id == "master" else shared.parent) / "demo"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = folder.with_suffix(".making")
            made.mkdir()
            (made / "raw").mkdir()
            (made / "raw" / "demo").symlink_to(ROOT / "raw" / "demo")
            subprocess.run(
                [sys.executable, "-m", "pipeline", "run", "raw/demo", "--output", "output"], cwd=made, check=True
            )
            made.rename(folder)
    return folder
