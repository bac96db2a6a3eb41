"""The whole way through the command line: the same bytes each time, exit codes, nothing lost, nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from multiprocessing import get_context
from pathlib import Path

import pytest

from pipeline import run
from pipeline.document import Document
from pipeline.readers import READERS, text

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "raw" / "demo"


def datasheets(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the 11e demo dumps, made by one worker."""
    output = tmp_path_factory.mktemp("one")
    done = datasheets("run", DEMO / "11e", "--output", output, "--workers", "1")
    assert done.returncode == 0, done.stderr
    return output


def test_same_bytes_in_another_place_order_and_number_of_workers(release: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "11e"
    copy.mkdir(parents=True)
    for path in sorted(DEMO.joinpath("11e").iterdir(), reverse=True):
        shutil.copyfile(path, copy / path.name)
    done = datasheets("run", copy, "--output", tmp_path / "two", "--workers", "2")
    assert done.returncode == 0, done.stderr
    first, second = tree(release / "release"), tree(tmp_path / "two" / "release")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_stages_one_by_one_make_the_release_that_run_makes(release: Path, tmp_path: Path) -> None:
    for stage in (["extract", DEMO / "11e"], ["link"], ["validate"], ["publish"]):
        done = datasheets(*stage, "--output", tmp_path)
        assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "release") == tree(release / "release")


def test_a_broken_file_is_named_and_the_rest_is_unharmed(release: Path, tmp_path: Path) -> None:
    raw = tmp_path / "11e"
    shutil.copytree(DEMO / "11e", raw)
    (raw / "empty.txt").write_bytes(b"")
    (raw / "binary.txt").write_bytes(bytes(range(256)) * 40)
    (raw / "shopping.txt").write_text("Milk\nBread\nSomething for the cat.\n", encoding="utf-8")
    done = datasheets("run", raw, "--output", tmp_path / "out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for name in ("empty.txt", "binary.txt", "shopping.txt"):
        assert name in done.stderr
    for table in ("datasheets", "weapon_profiles", "rules", "stratagems"):
        name = f"release/11e/tables/{table}.json"
        assert (tmp_path / "out" / name).read_bytes() == (release / name).read_bytes()
    documents = json.loads((tmp_path / "out/release/11e/tables/documents.json").read_text(encoding="utf-8"))
    status = {d["path"].rpartition("/")[2]: d["status"] for d in documents}
    assert [status[n] for n in ("empty.txt", "binary.txt", "shopping.txt")] == ["rejected"] * 3


def test_nothing_to_publish_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    done = datasheets("run", tmp_path / "empty.txt", "--output", tmp_path / "out")
    assert done.returncode == 3
    assert "empty.txt" in done.stderr
    assert not list((tmp_path / "out").rglob("*.parquet"))


def test_a_finding_stops_the_release_and_the_old_one_stands(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "out")
    before = tree(tmp_path / "out")
    raw = tmp_path / "11e"
    shutil.copytree(DEMO / "11e", raw)
    page = next(raw.glob("*Wickfather*.txt"))
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("WARDENS OF THE LAST LANTERN", "KEEPERS OF ANOTHER LAMP"), encoding="utf-8")
    done = datasheets("run", raw, "--output", tmp_path / "out")
    assert done.returncode == 3
    assert "unknown-faction-alias" in done.stderr
    now = tree(tmp_path / "out")
    assert {k: v for k, v in now.items() if k.startswith("release")} == {
        k: v for k, v in before.items() if k.startswith("release")
    }


def test_a_release_of_fewer_pages_is_stopped_and_names_the_tables(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "out")
    page = next((DEMO / "11e").glob("*Wickfather*.txt"))
    done = datasheets("run", page, "--output", tmp_path / "out", "--edition", "11e")
    assert done.returncode == 3
    assert "  rows-lost: datasheets: " in done.stderr
    assert "None" not in done.stderr
    assert tree(tmp_path / "out" / "release") == tree(release / "release")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "no/such/folder"],
        ["run", "--workers", "0"],
        ["run", "raw/demo", "--edition", "../12e"],
        ["explain", "x", "--output", "no/such"],
        ["diff", "tests", "tests"],
        ["fly"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = datasheets(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_read_shows_blocks() -> None:
    done = datasheets("read", next(DEMO.joinpath("11e").glob("*Skiff*.txt")))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["1", "title", "Dra’veth", "Tidehold", "–", "Undertow", "Skiff"]
    assert any(" table-header" in line for line in lines)


def test_read_shows_what_can_be_read_of_an_archive(tmp_path: Path) -> None:
    page = next((DEMO / "11e").glob("*Skiff*.txt")).read_bytes()
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name, data in (("a.txt", page), ("b.txt", b"\x00\x01"), ("c.txt", page)):
            archive.writestr(name, data)
    done = datasheets("read", tmp_path / "x.zip")
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.startswith("x.zip")] == ["x.zip, a.txt:", "x.zip, c.txt:"]
    assert done.stderr.startswith("x.zip, b.txt: binary-file: ")
    (tmp_path / "cut.zip").write_bytes((tmp_path / "x.zip").read_bytes()[:-30])
    done = datasheets("read", tmp_path / "cut.zip")
    assert (done.returncode, done.stderr.partition(":")[0]) == (1, "unreadable-archive")


def test_a_manifest_gives_the_edition_of_pages_and_of_exports(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_bytes(next((DEMO / "11e").glob("*Skiff*.txt")).read_bytes())
    (tmp_path / "Factions.csv").write_text("id|name|\nASH|Ash Compact|\n")
    (tmp_path / "manifest.csv").write_text("path,edition\nold.txt,9\nFactions.csv,10\n")
    extracts = {e.document.path: e for e in run.read([tmp_path]).extracts}
    assert (extracts["Factions.csv"].document.edition, extracts["Factions.csv"].document.status) == ("10e", "read")
    assert extracts["old.txt"].document.status == "rejected"
    assert [d.code for d in extracts["old.txt"].diagnostics] == ["other-game"]


def test_explain_shows_the_raw_lines(release: Path) -> None:
    sheets = json.loads((release / "release/11e/tables/weapon_profiles.json").read_text(encoding="utf-8"))
    profile = sheets[0]
    done = datasheets("explain", profile["profile_id"], "--output", release, "--raw", DEMO)
    assert done.returncode == 0, done.stderr
    assert profile["printed_name"] in done.stdout
    assert f"weapon_name: {profile['weapon_name']}" in done.stdout
    unknown = datasheets("explain", "undertow", "--output", release)
    assert unknown.returncode == 2
    assert "draveth-tidehold/undertow-skiff" in unknown.stderr


def test_a_worker_that_dies_is_named_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool is broken by a killed worker: what was not done is done again, and what killed it is found."""

    def deadly(document: Document) -> Document:
        if document.path == "b.txt":
            os._exit(9)
        return text.read(document)

    page = next((DEMO / "11e").glob("*Skiff*.txt")).read_text(encoding="utf-8")
    for name in "abcd":
        (tmp_path / f"{name}.txt").write_text(f"{page}\n{name}", encoding="utf-8")
    monkeypatch.setitem(READERS, "text", deadly)
    monkeypatch.setattr(
        run, "get_context", lambda _: get_context("fork")
    )  # a worker that is spawned knows nothing of it
    made = run.read([tmp_path], workers=2)
    told = {e.document.path: [d.code for d in e.diagnostics] for e in made.extracts if e.document.status == "rejected"}
    assert told == {"b.txt": ["worker-died"]}
    assert len(made.extracts) == 4


def test_two_workers_read_what_one_reads() -> None:
    given = run.read([DEMO / "11e"], workers=2)
    alone = run.read([DEMO / "11e"], workers=1)
    assert sorted(e.document.document_id for e in given.extracts) == sorted(
        e.document.document_id for e in alone.extracts
    )
    assert run.encode(run.Batch(sorted(given.extracts, key=lambda e: e.document.document_id))) == run.encode(
        run.Batch(sorted(alone.extracts, key=lambda e: e.document.document_id))
    )


def test_a_run_that_is_ended_leaves_no_worker_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pipeline", "run", str(DEMO), "--output", str(tmp_path), "--workers", "2"]
    started = subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while started.poll() is None and len(processes_of(started.pid)) < 3:
        time.sleep(0.02)
    started.terminate()
    started.wait(timeout=60)
    until = time.monotonic() + 30
    while processes_of(started.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert processes_of(started.pid) == []


def processes_of(session: int) -> list[int]:
    """Processes of a session that are not ended, as Linux lists them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of_session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(of_session) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


def test_an_interrupted_run_leaves_the_published_release(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "out")
    before = tree(tmp_path / "out")
    (tmp_path / "never.txt").write_text("…")
    code = (
        "import sys, os, signal\n"
        "from pipeline import __main__, run\n"
        "run.read = lambda *given, **more: os.kill(os.getpid(), signal.SIGINT)\n"
        "__main__.main()\n"
    )
    command = [sys.executable, "-c", code, "run", str(tmp_path / "never.txt"), "--output", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.strip() == "datasheets: interrupted; what was published before stands."
    assert tree(tmp_path / "out") == before


@pytest.mark.parametrize(
    "damage", ["{", "{}", "[]", "\ufeff", '{"edition": "11e", "resources": [{"format": "parquet"}]}']
)
def test_a_damaged_release_is_named(release: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(release, tmp_path / "out")
    package = tmp_path / "out/release/11e/datapackage.json"
    package.write_text(damage, encoding="utf-8")
    commands: list[list[str | Path]] = [
        ["diff", package.parent, release / "release/11e"],
        ["diff", release / "release/11e", package.parent],
        ["run", DEMO / "11e", "--output", tmp_path / "out"],
    ]
    for arguments in commands:
        done = datasheets(*arguments)
        assert done.returncode == 3
        assert f"{package} is damaged" in done.stderr
        assert "Traceback" not in done.stderr
    assert package.read_text(encoding="utf-8") == damage


def test_a_damaged_table_of_a_release_is_named(release: Path, tmp_path: Path) -> None:
    shutil.copytree(release, tmp_path / "out")
    table = tmp_path / "out/release/11e/tables/weapon_profiles.json"
    table.write_text("[{", encoding="utf-8")
    commands: list[list[str | Path]] = [
        ["diff", table.parent.parent, release / "release/11e"],
        ["explain", "06.03", "--output", tmp_path / "out"],
        ["measure", "--output", tmp_path / "out", "--to", tmp_path / "metrics"],
    ]
    for arguments in commands:
        done = datasheets(*arguments)
        assert done.returncode == 3
        assert f"{table} is damaged" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_finding_tells_file_and_line(tmp_path: Path) -> None:
    shutil.copytree(DEMO / "11e", tmp_path / "11e")
    page = next((tmp_path / "11e").glob("*Fusiliers*.txt"))
    lines = page.read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if "| -1 |" in line)
    lines[at] = lines[at].replace("| -1 |", "| 1 |")
    page.write_text("\n".join(lines), encoding="utf-8")
    done = datasheets("run", tmp_path / "11e", "--output", tmp_path / "out")
    assert done.returncode == 3
    assert f"({page.name}:{at + 1})" in done.stderr
