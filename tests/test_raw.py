"""Finding, loading, decoding and recognising raw files; archives have `test_raw_archives`."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pickle
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import raw
from pipeline.diagnostics import CODES, Diagnostic
from pipeline.raw import Hints, Limits, RawFile, RawFiles, RawReference, decode, load, recognise
from pipeline.raw.sidecars import iso_date, manifest, sidecar
from pipeline.records import DocumentRow

DUMP = "Lantern Wardens – Wickfather Oren Dusk\nRANGED WEAPONS | RANGE | A | BS | S | AP | D | |\n"
PAGE = (
    "<!DOCTYPE html><html><head><title>Wickfather</title></head><body><div class='dsOuterFrame'>x</div></body></html>"
)


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def found(*paths: Path | str, limits: Limits = raw.LIMITS) -> tuple[list[RawReference], list[Diagnostic]]:
    files = RawFiles(paths, limits)
    references = list(files)
    return references, files.diagnostics


def named(*paths: Path | str) -> list[str]:
    return [reference.place for reference in found(*paths)[0]]


def codes(diagnostics: list[Diagnostic] | tuple[Diagnostic, ...]) -> list[str]:
    assert all(one.code in CODES for one in diagnostics)
    return [one.code for one in diagnostics]


def loaded(reference: RawReference, limits: Limits = raw.LIMITS) -> RawFile:
    file = load(reference, limits)
    assert isinstance(file, RawFile), file
    return file


@pytest.mark.parametrize("module", ["captures", "containers", "decoding", "file_archives", "names", "sidecars"])
def test_examples_in_the_documentation_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(f"pipeline.raw.{module}")).failed == 0


# --- folders ---------------------------------------------------------------------------------------------------------


def test_all_files_at_any_depth_in_one_order(tmp_path: Path) -> None:
    write(tmp_path, {"b.txt": "b", "a/z.txt": "z", "a/é.txt": "e", "a/b/c/d.txt": "d", "a.txt": "a", "B.txt": "B"})
    assert named(tmp_path) == ["B.txt", "a.txt", "a/b/c/d.txt", "a/z.txt", "a/é.txt", "b.txt"]


def test_path_does_not_depend_on_how_the_folder_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "one" / "text", {"x.txt": "x", "orks/y.txt": "y"})
    monkeypatch.chdir(folder.parent)
    link = tmp_path / "link"
    link.symlink_to(folder)
    ways: list[Path | str] = [folder, "text", "./text/", "text/../text", str(folder) + "/", link]
    assert {tuple(named(way)) for way in ways} == {("orks/y.txt", "x.txt")}
    assert named(folder / "orks" / "y.txt") == named("text/orks/y.txt") == ["y.txt"]


def test_several_arguments_never_collide(tmp_path: Path) -> None:
    write(tmp_path, {"10e/text/x.txt": "1", "11e/text/x.txt": "2", "more/y.txt": "3", "other/y.txt": "4", "z.txt": "5"})
    assert named(tmp_path / "10e/text", tmp_path / "11e/text") == ["10e/text/x.txt", "11e/text/x.txt"]
    assert named(tmp_path / "more/y.txt", tmp_path / "other/y.txt") == ["more/y.txt", "other/y.txt"]
    assert named(tmp_path / "more", tmp_path / "z.txt") == ["more/y.txt", "z.txt"]
    assert named(tmp_path / "z.txt", tmp_path / "more") == ["more/y.txt", "z.txt"]


def test_an_argument_inside_another_adds_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.txt": "1", "b/y.txt": "2"})
    assert named(tmp_path, tmp_path / "a", tmp_path / "b/y.txt", tmp_path) == ["a/x.txt", "b/y.txt"]


def test_a_label_never_lies_in_another(tmp_path: Path) -> None:
    write(tmp_path, {"one/text/x.txt": "1", "two/text/x.txt": "2", "three/x.txt": "3", "four/x.txt": "4"})
    names = named(*(tmp_path / path for path in ("one/text", "two/text/x.txt", "three/x.txt", "four/x.txt")))
    assert names == ["four/x.txt", "one/text/x.txt", "three/x.txt", "two/text/x.txt"]


def test_hidden_files_and_notes_are_skipped_and_counted(tmp_path: Path) -> None:
    skipped = [
        ".gitkeep",
        ".git/config",
        "README.md",
        "LICENSE",
        "a/license.txt",
        "a/Thumbs.db",
        "x.txt~",
        "__MACOSX/y",
    ]
    write(tmp_path, dict.fromkeys(skipped, "x") | {"readme.html": PAGE, "a/x.txt": DUMP})
    files = RawFiles([tmp_path])
    assert [reference.path for reference in files] == ["a/x.txt", "readme.html"]
    assert files.skipped == {"hidden file or note": 8}
    assert named(tmp_path / "README.md") == ["README.md"]  # asked for by name


def test_a_release_of_an_earlier_run_is_not_read(tmp_path: Path) -> None:
    package = '{\n  "name": "datasheets-11e",\n  "title": "Datasheets, 11e",\n'
    write(tmp_path, {"a.txt": DUMP, "out/release/11e/datapackage.json": package, "out/release/11e/tables/x.json": "[]"})
    write(tmp_path, {"other/datapackage.json": '{"name": "another"}', "other/b.txt": DUMP})
    files = RawFiles([tmp_path])
    assert [reference.path for reference in files] == ["a.txt", "other/b.txt", "other/datapackage.json"]
    assert files.skipped == {"release of an earlier run": 1}


def test_links_and_loops(tmp_path: Path) -> None:
    folder = write(tmp_path / "raw", {"z/page.txt": "x"})
    write(tmp_path / "elsewhere", {"far.txt": "y"})
    (folder / "z" / "loop").symlink_to(folder)
    (folder / "a").symlink_to(folder / "z")
    (folder / "a.txt").symlink_to(folder / "z" / "page.txt")
    (folder / "outside").symlink_to(tmp_path / "elsewhere")
    (folder / "nowhere").symlink_to(folder / "missing")
    references, diagnostics = found(folder)
    assert [reference.path for reference in references] == ["outside/far.txt", "z/page.txt"]
    assert codes(diagnostics) == ["unreadable-file"]
    assert "nowhere" in diagnostics[0].message and str(tmp_path) not in diagnostics[0].message


def test_pipes_sockets_and_missing_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        references, diagnostics = found(tmp_path, tmp_path / "missing")
    assert not references
    assert (
        codes(diagnostics) == ["unreadable-file"] * 2
    )  # `missing` lies in the folder, so it is no argument of its own
    assert codes(found(tmp_path / "missing")[1]) == ["unreadable-file"]
    assert isinstance(load(RawReference(str(tmp_path / "pipe"), "pipe")), Diagnostic)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text(DUMP)
    (tmp_path / "line\nbreak.txt").write_text(DUMP)
    (tmp_path / "e\u0301.txt").write_text("decomposed")
    (tmp_path / "é.txt").write_text("composed")
    references, _ = found(tmp_path)
    assert [reference.path for reference in references] == ["caf\\xe9.txt", "line\\nbreak.txt", "é.txt", "é.txt#2"]
    assert all(loaded(reference).data for reference in references)


def test_too_large_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"large.txt": "x" * 101, "small.txt": "x" * 100})
    references, diagnostics = found(tmp_path, limits=Limits(document_bytes=100))
    assert [reference.path for reference in references] == ["small.txt"]
    assert codes(diagnostics) == ["too-large"] and "large.txt" in diagnostics[0].message
    (tmp_path / "small.txt").write_text("x" * 101)  # grown since
    grown = load(references[0], Limits(document_bytes=100))
    assert isinstance(grown, Diagnostic) and grown.code == "too-large"
    (tmp_path / "small.txt").unlink()
    gone = load(references[0])
    assert isinstance(gone, Diagnostic) and gone.code == "unreadable-file"


def test_references_are_small_and_travel(tmp_path: Path) -> None:
    write(tmp_path, {"x.txt": DUMP})
    (reference,) = found(tmp_path)[0]
    assert pickle.loads(pickle.dumps(reference)) == reference
    file = loaded(reference)
    assert (file.data, file.document_id, file.path, file.member) == (DUMP.encode(), file.sha256[:16], "x.txt", None)


def test_siblings(tmp_path: Path) -> None:
    write(tmp_path, {"a/Datasheets.csv": "id|\n", "a/Factions.csv": "id|\n", "b/Factions.csv": "id|\n", "x.txt": DUMP})
    folders = raw.by_folder(found(tmp_path)[0])
    assert {key: [r.name for r in of] for key, of in folders.items()} == {
        ("", "a"): ["Datasheets.csv", "Factions.csv"],
        ("", "b"): ["Factions.csv"],
        ("", ""): ["x.txt"],
    }


# --- side-cars and manifests -----------------------------------------------------------------------------------------

SIDECAR = {
    "name": "Oren Dusk",
    "url": "https://rules.example.invalid/11ed/oren",
    "faction": "lantern-wardens",
    "category": "Infantry",
    "scrapedAt": "2026-07-02T09:15:02.377Z",
    "classification": {"isLegends": False, "signals": []},
}
HINTS = Hints(
    name="Oren Dusk",
    url="https://rules.example.invalid/11ed/oren",
    faction="lantern-wardens",
    captured_at="2026-07-02T09:15:02.377Z",
)


def test_a_sidecar_is_metadata_of_its_page(tmp_path: Path) -> None:
    write(tmp_path, {"a/Oren.txt": DUMP, "a/Oren.html": PAGE, "a/Oren.json": json.dumps(SIDECAR), "b/Oren.txt": DUMP})
    references, diagnostics = found(tmp_path)
    assert {r.path: r.hints for r in references} == {"a/Oren.txt": HINTS, "a/Oren.html": HINTS, "b/Oren.txt": Hints()}
    assert not diagnostics
    assert found(tmp_path / "a" / "Oren.txt")[0][0].hints == HINTS  # also when the page is given alone


def test_a_sidecar_may_carry_the_whole_name(tmp_path: Path) -> None:
    write(tmp_path, {"Oren.html": PAGE, "Oren.html.json": json.dumps(SIDECAR), "Oren.txt": DUMP})
    assert {r.path: r.hints for r in found(tmp_path)[0]} == {"Oren.html": HINTS, "Oren.txt": Hints()}


def test_an_export_beside_a_page_stays_a_document(tmp_path: Path) -> None:
    cards = json.dumps({"name": "Orks", "compatibleDataVersion": 1, "datasheets": [{"name": "Boss"}]})
    write(tmp_path, {"orks.json": cards, "orks.txt": DUMP, "tau.json": json.dumps(SIDECAR), "tau.yaml": "name: Tau"})
    assert named(tmp_path) == ["orks.json", "orks.txt", "tau.json", "tau.yaml"]
    write(tmp_path / "large", {"x.json": json.dumps(SIDECAR | {"note": "x" * 70_000}), "x.txt": DUMP})
    assert named(tmp_path / "large") == ["x.json", "x.txt"]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"name": "Oren',
        b"\x00\x01",
        b"",
        b'{"name": "Oren", "date": "soon"}',
        b'{"name": "O", "url": "a\\u0000b"}',
        b'{"name": "\\ud800"}',
        b'{"name": "x", "edition": "first"}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
    ],
)
def test_a_broken_sidecar_is_said_and_its_page_is_read(tmp_path: Path, broken: bytes) -> None:
    write(tmp_path, {"Oren.txt": DUMP, "Oren.json": broken})
    limits = raw.LIMITS._replace(sidecar_bytes=1 << 20)
    references, diagnostics = found(tmp_path, limits=limits)
    assert [reference.path for reference in references] == ["Oren.txt"]
    assert codes(diagnostics) == ["damaged-sidecar"] and "Oren.json" in diagnostics[0].message


def test_a_manifest_says_it_of_many(tmp_path: Path) -> None:
    listed = (
        "\ufeffPath,URL,Date,edition,faction,name\r\n"
        "a/x.txt,https://e.invalid/x,2026-07-02,11th,orks,Boss\r\n"
        "a\\y.txt,,someday,,,Beast\r\n"
        "gone.txt,,,,,\r\n"
        "a/x.txt,,,,,Twice\r\n"
        ",,,,,Nobody\r\n"
    )
    write(tmp_path, {"manifest.csv": listed, "a/x.txt": "x", "a/y.txt": "y", "a/x.json": '{"name": "Big Boss"}'})
    references, diagnostics = found(tmp_path)
    assert {r.path: r.hints for r in references} == {
        "a/x.txt": Hints("Big Boss", "https://e.invalid/x", "orks", "11e", "2026-07-02"),
        "a/y.txt": Hints(name="Beast"),
    }
    assert codes(diagnostics) == ["damaged-sidecar"] * 3 + ["missing-page"]


def test_a_table_named_manifest_without_paths_is_a_document(tmp_path: Path) -> None:
    write(tmp_path, {"manifest.csv": "id|name|\n1|x|\n"})
    assert named(tmp_path) == ["manifest.csv"]


@pytest.mark.parametrize(
    ("printed", "iso"),
    [
        ("2026-07-02", "2026-07-02"),
        ("2026-07-02T09:14:48.904Z", "2026-07-02T09:14:48.904Z"),
        ("2026-07-02 09:14", "2026-07-02 09:14"),
        ("Thu, 02 Jul 2026 09:14:48 -0000", "2026-07-02T09:14:48"),
        ("2026-02-30", None),
        ("", None),
        ("1" * 50, None),
    ],
)
def test_dates(printed: str, iso: str | None) -> None:
    assert iso_date(printed) == iso


# --- which copy ------------------------------------------------------------------------------------------------------


def row(
    path: str, sha: str, url: str | None = None, date: str | None = None, status: str = "read", kind: str = "html"
) -> DocumentRow:
    return DocumentRow(
        document_id=sha * 16, path=path, member=None, format=kind, kind="datasheet", edition="11e", faction_id=None, title=None, url=url,
        captured_at=date, bytes=1, sha256=sha * 64, characters=1, characters_claimed=1, characters_echo=0, characters_furniture=0,
        status=status,
    )  # fmt: skip


def read_once(*rows: DocumentRow) -> tuple[list[str], list[str]]:
    both = [raw.read_once(order, lambda each: each) for order in (rows, rows[::-1])]
    assert both[0] == both[1]
    return [each.path for each in both[0][0]], [f"{d.code} {d.message}" for d in both[0][1]]


def test_the_same_bytes_are_read_once() -> None:
    kept, said = read_once(row("b.txt", "a"), row("a.txt", "a"), row("c.txt", "c"))
    assert kept == ["a.txt", "c.txt"]
    assert said == ["duplicate-document b.txt holds the same bytes as a.txt."]


def test_a_copy_that_was_read_goes_before_one_that_was_rejected() -> None:
    assert read_once(row("a.csv", "a", status="rejected"), row("b.html", "a"))[0] == ["b.html"]


def test_the_newer_capture_of_a_page_is_read() -> None:
    url = "https://www.rules.example.invalid/orks/boss"
    kept, said = read_once(
        row("new.html", "a", url, "2026-07-02T09:00:00Z"),
        row("old.html", "b", url + "/", "2026-07-02T10:30:00+02:00"),
        row("oldest.html", "c", url.replace("https", "http") + "#top", "2025-01-01"),
    )
    assert kept == ["new.html"]
    assert said == [
        "older-capture old.html is an older capture of new.html.",
        "older-capture oldest.html is an older capture of new.html.",
    ]


def test_captures_that_cannot_be_ordered_are_all_read() -> None:
    url, other = "https://rules.example.invalid/orks/boss", "https://rules.example.invalid/orks/boss?x=1"
    same = [
        row("a", "a", url, "2026-07-02"),
        row("b", "b", url, "2026-07-02"),
        row("c", "c", url),
        row("d", "d", other, "2020-01-01"),
    ]
    assert read_once(*same) == (["a", "b", "c", "d"], [])
    twins = [
        row("a", "a", url, "2026-07-02"),
        row("b", "b", url, "2025-07-02", kind="text"),
    ]  # two readings of one page
    assert read_once(*twins) == (["a", "b"], [])
    error = [
        row("a", "a", url, "2025-07-02"),
        row("b", "b", url, "2026-07-02", status="rejected"),
    ]  # a later error page
    assert read_once(*error) == (["a", "b"], [])


# --- decoding --------------------------------------------------------------------------------------------------------

TEXT = "Dra’veth – Großmütter\nD6″\n"


@pytest.mark.parametrize(
    ("data", "text", "encoding", "said"),
    [
        (TEXT.encode(), TEXT, "utf-8", []),
        (b"\xef\xbb\xbf" + TEXT.encode(), TEXT, "utf-8", []),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), TEXT, "utf-16-le", []),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), TEXT, "utf-16-be", []),
        (TEXT.encode("utf-32"), TEXT, "utf-32-le", []),
        (TEXT.encode("utf-16-le"), TEXT, "utf-16-le", ["guessed-encoding"]),
        (TEXT.encode("utf-16-be"), TEXT, "utf-16-be", ["guessed-encoding"]),
        ("Dra’veth ‑".replace("‑", "–").encode("cp1252"), "Dra’veth –", "cp1252", ["guessed-encoding"]),
        (b'<meta charset="windows-1251">\xe6\xf3\xea', '<meta charset="windows-1251">жук', "cp1251", []),
        (
            b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1",
            "<?xml version='1.0' encoding='iso-8859-2'?>ą",
            "iso8859-2",
            [],
        ),
        (b"<meta charset=iso-8859-1>\x92", "<meta charset=iso-8859-1>’", "cp1252", []),
        (b"<meta charset=iso-8859-1>\xe2\x80\x99", "<meta charset=iso-8859-1>’", "utf-8", ["guessed-encoding"]),
        (b"<meta charset=unicode_escape>\x92", "<meta charset=unicode_escape>’", "cp1252", ["guessed-encoding"]),
        (b"<meta charset=utf-8>\x92", "<meta charset=utf-8>’", "cp1252", ["guessed-encoding"]),
        ("’’’’".encode() + b"\x92x", "’’’’\ufffdx", "utf-8", ["damaged-characters"]),
        ("Dra’".encode()[:-1], "Dra", "utf-8", ["truncated-page"]),
        (b"\xff\xfea\x00b", "a", "utf-16-le", ["truncated-page"]),
        (b"a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd", "utf-8", []),
        ("a\ufeffb".encode(), "ab", "utf-8", ["control-characters"]),
        (("x" * 100 + "\x92\n").encode(), "x" * 100 + "\x92\n", "utf-8", ["control-characters"]),
        ("e\u0301\x0b\x0c\u2028\x85".encode(), "e\u0301\x0b\x0c\u2028\x85", "utf-8", []),
        (b"", "", None, ["empty-file"]),
        (b"\xef\xbb\xbf \r\n\t", "", None, ["empty-file"]),
        (b"abc\x00def", "", None, ["binary-file"]),
        (b"\xff\xfe\x00\x00a\x00\x00\x00\x00\x00\x00\x00", "", None, ["binary-file"]),
        (b"%PDF-1.7 text", "", None, ["binary-file"]),
        (b"\x01\x02\x03abc", "", None, ["binary-file"]),
        (b"\x81\x8d Dra", "", None, ["undecodable-text"]),
        (b"\xff\xfe\x00\xd8a\x00", "", None, ["undecodable-text"]),
    ],
)
def test_decoding(data: bytes, text: str, encoding: str | None, said: list[str]) -> None:
    decoded = decode(data, document_id="0" * 16)
    assert (decoded.text, decoded.encoding, codes(decoded.diagnostics)) == (text, encoding, said)
    assert all(one.document_id == "0" * 16 for one in decoded.diagnostics)


def test_the_character_set_of_the_server_counts() -> None:
    assert decode(b"\xe6\xf3\xea", "windows-1251")[:2] == ("жук", "cp1251")
    assert decode(b"\xe6\xf3\xea", "no-such-set\x00")[1] == "cp1252"


def test_places_count_the_text_that_is_returned() -> None:
    (damage,) = decode("’’’’\r\n’’’’\r\n".encode() + b"x\x92\r\n").diagnostics
    assert (damage.line, damage.start, damage.end) == (3, 11, 12)


# --- recognising -----------------------------------------------------------------------------------------------------


def kind_of(text: str, name: str = "x", url: str | None = None) -> tuple[str, str | None]:
    reference = RawReference(f"/{name}", name, hints=Hints(url=url))
    kind, problem = recognise(RawFile.of(reference, text.encode()), text)
    if problem:
        assert codes([problem])
    return kind, problem.code if problem else None


def page(title: str, body: str = "") -> str:
    return f"<html>\n<head><title>{title}</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.txt", DUMP, ("text", None)),
        ("x.csv", PAGE, ("html", None)),
        ("x", "\n  <!-- saved --><div class='dsOuterFrame'>", ("html", None)),
        ("x.html", DUMP, ("text", None)),
        ("x.txt", "[PISTOL]24.26\nThis weapon can …", ("text", None)),
        ("x.txt", "24.26\n24.27", ("text", None)),
        ("x.txt", "< 12\" away", ("text", None)),
        ("Datasheets.csv", "id|name|faction_id|\n1|Boss|ORK|\n", ("wahapedia-csv", None)),
        ("Last_update.csv", "last_update|\n2026-06-13 12:02:41|\n", ("wahapedia-csv", None)),
        ("x.csv", "id,name,points\n1,Boss,60\n", ("csv", "unknown-format")),
        ("orks.json", '{\n "id": "x", "compatibleDataVersion": 912}', ("datacards-json", None)),
        ("x.json", '{"a": 1}', ("json", "unknown-format")),
        ("x.json", "[[1]]", ("json", "unknown-format")),
        ("orks.yaml", 'name: Orks\nversion: "1.1"\ndetachments:\n  - name: X\n', ("price-yaml", None)),
        ("meta.yaml", 'version: "1.1"\nlastUpdated: 2026-07-22\n', ("price-yaml", None)),
        ("x.yaml", "key: value\n", ("yaml", "unknown-format")),
        ("x.svg", '<?xml version="1.0"?><svg/>', ("xml", "unknown-format")),
    ],
)  # fmt: skip
def test_formats(name: str, text: str, expected: tuple[str, str | None]) -> None:
    assert kind_of(text, name) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (page("301 Moved Permanently", "<center><h1>301 Moved Permanently</h1></center><hr>"), "redirect-page"),
        (page("Redirecting…"), "redirect-page"),
        (page("", '<meta http-equiv="refresh" content="0; url=https://e.invalid/">'), "redirect-page"),
        (page("Boss", "<script>window.location.href = '/x'</script>"), "redirect-page"),
        (page("404 Not Found"), "error-page"),
        (page("Page not found"), "error-page"),
        (page("403 Forbidden"), "error-page"),
        (page("502 Bad Gateway"), "error-page"),
        (page("500"), "error-page"),
        (page("Just a moment..."), "error-page"),
        (page("Attention Required! | Cloudflare"), "error-page"),
        (page("Rules", "<h1>Access\n<b>Denied</b></h1>"), "error-page"),
        (page("Before you continue to the rules"), "consent-page"),
        (page("Cookie preferences"), "consent-page"),
        (page("Search results for boss"), "search-page"),
        (page("boss - Some Search"), "search-page"),
        (page("Prices &amp; more", '<link rel="canonical" href="https://shop.example.invalid/en/">'), "foreign-page"),
        (page("x", '<link rel="canonical" href="https://[">'), "foreign-page"),
    ],
)
def test_captures_that_are_no_pages(text: str, code: str) -> None:
    assert kind_of(text) == ("html", code)
    assert kind_of(text.replace("</body>", "<div class='dsOuterFrame'></div></body>")) == ("html", None)


def test_a_search_is_told_by_its_address() -> None:
    assert kind_of(page("Rules"), url="https://e.invalid/?q=boss") == ("html", "search-page")


def test_dumps_of_pages_that_are_none() -> None:
    assert kind_of("https://e.invalid/x\n\n404 Not Found\nnginx\n") == ("text", "error-page")
    assert kind_of("Just a moment...\nEnable JavaScript and cookies to continue") == ("text", "error-page")
    assert kind_of("301 Moved Permanently\n") == ("text", "redirect-page")
    assert kind_of("500 points of armies\nOne moment") == ("text", None)
    assert kind_of("Not Found\n" + "A rule. " * 500) == ("text", None)  # too long for an error page


# --- anything at all -------------------------------------------------------------------------------------------------

MARKUP = st.sampled_from(
    [
        b"<html>",
        b"<title>",
        b"404",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"charset=",
        b"{",
        b'"a":',
        b"|",
        b"\r",
        b"path,",
        b"\n",
    ]
)
BYTES = st.one_of(
    st.binary(max_size=300), st.lists(st.one_of(MARKUP, st.binary(max_size=8)), max_size=30).map(b"".join)
)


@settings(deadline=None)
@given(BYTES, st.one_of(st.none(), st.text(max_size=20)))
def test_any_bytes_decode_or_are_refused(data: bytes, charset: str | None) -> None:
    decoded = decode(data, charset)
    assert (decoded.encoding is None) == any(CODES[one.code].severity == "error" for one in decoded.diagnostics)
    assert "\r" not in decoded.text and "\x00" not in decoded.text and "\ufeff" not in decoded.text
    decoded.text.encode()
    kind, _ = recognise(RawFile.of(RawReference("/x", "x"), data), decoded.text)
    assert kind
    sidecar(data)
    manifest(data)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_recognised(text: str) -> None:
    assert recognise(RawFile.of(RawReference("/x", "x.yaml"), b""), text).format
