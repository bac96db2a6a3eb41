"""A folder in place of another, killed at any moment."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from pipeline import publish, store, swap, validate
from tests import invented
from tests.test_publish import damage, put

FILES = 40
KILLS = int(os.environ.get("DATASHEETS_KILLS", "200"))
KILLS_OF_PUBLISH = KILLS // 8

spawn = multiprocessing.get_context("forkserver")
spawn.set_forkserver_preload(["tests.test_swap", "pyarrow.parquet", "duckdb"])


def fill(folder: Path, text: str) -> None:
    (folder / "tables").mkdir()
    for number in range(FILES):
        (folder / "tables" / f"{number}.txt").write_text(text)


def content(folder: Path) -> set[str]:
    files = sorted((folder / "tables").iterdir())
    assert len(files) == FILES
    return {file.read_text() for file in files}


def replace_for_ever(parent: Path, first: int, can_exchange: bool) -> None:
    if not can_exchange:
        swap._exchange = lambda one, other: False
    for number in range(first, first + 1_000_000):
        with swap.locked(parent):
            swap.replace(parent, "11e", partial(fill, text=f"{number}\n"))


def kill_at_random(process: multiprocessing.process.BaseProcess, seconds: float, ready: Path) -> None:
    process.start()
    assert process.pid is not None
    while not ready.exists():
        time.sleep(0.001)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_killed_exchange_leaves_one_whole_folder(tmp_path: Path, can_exchange: bool) -> None:
    chance = random.Random(11)
    swap.replace(tmp_path, "11e", lambda folder: fill(folder, "old\n"))
    for kill in range(KILLS):
        process = spawn.Process(target=replace_for_ever, args=(tmp_path, 1000 * kill, can_exchange))
        kill_at_random(process, chance.uniform(0, 0.03), tmp_path)
        if not can_exchange:
            # between two renames: the next run, or `recover`, brings the old one back
            swap.recover(tmp_path, "11e")
        (text,) = content(tmp_path / "11e")
        assert text == "old\n" or text.strip().isdigit()
    swap.replace(tmp_path, "11e", lambda folder: fill(folder, "new\n"))
    assert content(tmp_path / "11e") == {"new\n"}
    assert [path.name for path in tmp_path.iterdir()] == ["11e"], "what killed runs left is gone"


def publish_for_ever(output: Path, price: int) -> None:
    validate.run_suites = lambda *_: ()
    for points in range(price, price + 1000):
        game = invented.changed(invented.game(), "unit_costs", f"{invented.SHEET}#1", points=points)
        outcome = validate.validate(game, edition="11e")
        assert isinstance(outcome, validate.Validated)
        (output / "begun").touch()
        publish.publish(outcome, output)
        (output / "done").touch()


def test_a_killed_run_leaves_the_published_release_whole(tmp_path: Path) -> None:
    chance = random.Random(11)
    put(invented.game(), tmp_path)
    seen = set()
    for kill in range(KILLS_OF_PUBLISH):
        for mark in ("begun", "done"):
            (tmp_path / mark).unlink(missing_ok=True)
        process = spawn.Process(target=publish_for_ever, args=(tmp_path, 1 + 1000 * kill))
        # most are killed in their first publication, some after it, however slow the machine is
        kill_at_random(process, chance.uniform(0, 0.6), tmp_path / ("begun" if kill % 5 else "done"))
        assert damage(tmp_path / "11e") == []
        seen.add(store.read_rows(tmp_path / "11e", "unit_costs")[0]["points"])
    assert len(seen) > 1


def test_what_fails_while_it_is_built_leaves_nothing(tmp_path: Path) -> None:
    swap.replace(tmp_path, "11e", lambda folder: fill(folder, "old\n"))

    def full_disk(folder: Path) -> None:
        fill(folder, "new\n")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        swap.replace(tmp_path, "11e", full_disk)
    assert content(tmp_path / "11e") == {"old\n"}
    assert [path.name for path in tmp_path.iterdir()] == ["11e"]


def test_recovery_tells_an_old_folder_from_a_finished_one(tmp_path: Path) -> None:
    (tmp_path / ".11e.old-1").mkdir()
    fill(tmp_path / ".11e.old-1", "old\n")
    (tmp_path / ".11e.new-1").mkdir()
    (tmp_path / ".10e.new-1").mkdir()  # another edition's: not ours to touch
    swap.recover(tmp_path, "11e")
    assert content(tmp_path / "11e") == {"old\n"}
    (tmp_path / ".11e.old-2").mkdir()
    swap.recover(tmp_path, "11e")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".10e.new-1", "11e"]


def test_a_folder_is_readable_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    swap.replace(tmp_path, "11e", lambda folder: fill(folder, "x\n"))
    assert (tmp_path / "11e").stat().st_mode == (tmp_path / "plain").stat().st_mode


def hold(parent: Path, held: Path) -> None:
    with swap.locked(parent):
        held.touch()
        time.sleep(60)


def test_one_at_a_time_and_a_killed_holder_lets_go(tmp_path: Path) -> None:
    output, held = tmp_path / "output", tmp_path / "held"
    output.mkdir()
    holder = spawn.Process(target=hold, args=(output, held))
    waiter = spawn.Process(target=hold, args=(output, tmp_path / "second"))
    holder.start()
    while not held.exists():
        time.sleep(0.01)
    waiter.start()
    time.sleep(0.3)
    assert not (tmp_path / "second").exists()
    holder.kill()
    holder.join()
    for _ in range(500):
        if (tmp_path / "second").exists():
            break
        time.sleep(0.01)
    assert (tmp_path / "second").exists()
    waiter.kill()
    waiter.join()


def test_an_error_of_the_system_is_not_swallowed(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        swap._exchange(tmp_path / "a", tmp_path / "b")
