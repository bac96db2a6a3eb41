"""Documents in archives: every container, everything hostile, and any bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pipeline import raw
from pipeline.diagnostics import CODES, Diagnostic
from pipeline.raw import Hints, Limits, RawFile, RawFiles, load
from pipeline.raw.loading import release

PAGES = {"a/Boss.txt": b"Boss", "a/Beast.txt": b"Beast" * 3_000, "z.txt": b"z"}
SIDECAR = json.dumps({"name": "Big Boss", "url": "https://rules.example.invalid/boss", "date": "2026-07-02"}).encode()
BOSS = Hints(name="Big Boss", url="https://rules.example.invalid/boss", captured_at="2026-07-02")


def zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: Mapping[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def warced(*answers: tuple[str, str, str, bytes], kind: str = "response", gzipped: bool = False) -> bytes:
    """A web archive of answers: address, status line, content type, body."""
    made = io.BytesIO()
    writer = WARCWriter(made, gzip=gzipped)
    for url, status, mime, body in answers:
        headers = StatusAndHeaders(status, [("Content-Type", mime)], protocol="HTTP/1.1")
        dated = {"WARC-Date": "2026-07-02T09:14:48Z"}
        writer.write_record(
            writer.create_warc_record(
                url, kind, payload=io.BytesIO(body), http_headers=headers, warc_headers_dict=dated
            )
        )
    return made.getvalue()


def mhtml(*parts: tuple[str, str, bytes]) -> bytes:
    message = EmailMessage()
    message["From"] = "<Saved by a browser>"
    message["Snapshot-Content-Location"] = "https://rules.example.invalid/boss"
    message["Date"] = "Thu, 2 Jul 2026 09:14:48 -0000"
    message["MIME-Version"] = "1.0"
    message.make_related()
    for location, mime, data in parts:
        main, _, sub = mime.partition("/")
        message.add_related(data, main, sub, headers=[f"Content-Location: {location}"])
    return message.as_bytes()


class Seen:
    """All that an archive gives."""

    def __init__(self, folder: Path, name: str, data: bytes, limits: Limits = raw.LIMITS) -> None:
        (folder / name).write_bytes(data)
        files = RawFiles([folder / name], limits)
        self.references = list(files)
        self.skipped = dict(files.skipped)
        self.diagnostics = list(files.diagnostics)
        self.members: dict[str, bytes] = {}
        for reference in self.references:
            read = load(reference, limits)
            if isinstance(read, Diagnostic):
                self.diagnostics.append(read)
            else:
                assert read.path == name and read.member is not None
                assert reference.size in (None, len(read.data)) or name.endswith(("warc", "warc.gz"))
                self.members[read.member] = read.data
        release()
        assert all(one.code in CODES for one in self.diagnostics)
        assert all(one.message.startswith(name) for one in self.diagnostics)

    @property
    def codes(self) -> list[str]:
        return [one.code for one in self.diagnostics]


CONTAINERS = {
    "x.zip": zipped(PAGES),
    "x.tar": tarred(PAGES),
    "gnu.tar": tarred(PAGES, tarfile.GNU_FORMAT),
    "ustar.tar": tarred(PAGES, tarfile.USTAR_FORMAT),
    "x.tar.gz": gzip.compress(tarred(PAGES)),
    "x.tgz": gzip.compress(tarred(PAGES)),
    "x.tar.bz2": bz2.compress(tarred(PAGES)),
    "x.tar.xz": lzma.compress(tarred(PAGES)),
    "no-suffix": gzip.compress(tarred(PAGES)),
    "wrong.txt": zipped(PAGES),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_member_once(tmp_path: Path, name: str) -> None:
    seen = Seen(tmp_path, name, CONTAINERS[name])
    assert seen.members == PAGES
    assert list(seen.members) == list(PAGES)  # in the order of the archive
    assert not seen.codes


@pytest.mark.parametrize(("suffix", "press"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_one_compressed_file_is_named_after_its_archive(
    tmp_path: Path, suffix: str, press: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "Boss.json").write_bytes(SIDECAR)
    seen = Seen(tmp_path, f"Boss.txt.{suffix}", press(b"Boss"))
    assert seen.members == {"Boss.txt": b"Boss"}
    assert seen.references[0].hints == BOSS


def test_references_can_be_loaded_in_any_order(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "x.tar.gz", CONTAINERS["x.tar.gz"])
    for reference in [*seen.references[::-1], *seen.references]:
        read = load(reference)
        assert isinstance(read, RawFile) and reference.member and read.data == PAGES[reference.member]
    release()


def test_long_and_foreign_names(tmp_path: Path) -> None:
    files = {"long/" * 40 + "Größe.txt": b"1", "日本.txt": b"2", "./dot//x.txt": b"3"}
    names = ["long/" * 40 + "Größe.txt", "日本.txt", "dot/x.txt"]
    for name, data in (
        ("x.zip", zipped(files)),
        ("p.tar", tarred(files)),
        ("g.tar", tarred(files, tarfile.GNU_FORMAT)),
    ):
        assert list(Seen(tmp_path, name, data).members) == names


def test_a_name_of_any_length(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "x.tar", tarred({"x" * 5_000: b"1", "x" * 6_000: b"2"}))
    assert [len(name) for name in seen.members] == [1_001, 1_003]


def test_names_in_utf8_that_the_zip_does_not_declare(tmp_path: Path) -> None:
    data = zipped({"Gr____e.txt": b"1"}).replace(b"Gr____e", "Größe".encode())
    assert list(Seen(tmp_path, "x.zip", data).members) == ["Größe.txt"]


def test_two_members_of_one_name_are_both_read(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for data in (b"old", b"new", b"newest"):
            info = tarfile.TarInfo("Boss.txt")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    assert Seen(tmp_path, "x.tar", made.getvalue()).members == {
        "Boss.txt": b"old",
        "Boss.txt#2": b"new",
        "Boss.txt#3": b"newest",
    }


@pytest.mark.parametrize("make", [zipped, tarred])
def test_sidecars_manifests_and_notes_in_archives(tmp_path: Path, make: Callable[[Mapping[str, bytes]], bytes]) -> None:
    files = {
        **{
            "p/manifest.csv": b"path,edition\na/Boss.txt,10\nnone.txt,10\n",
            "p/a/Boss.json": SIDECAR,
            "p/a/Boss.txt": b"Boss",
        },
        **{
            "README.md": b"x",
            "p/.git/config": b"x",
            "p/cards.json": b'{"datasheets": [{}]}',
            "p/a/Beast.json": b"{",
            "p/a/Beast.txt": b"x",
        },
    }
    seen = Seen(tmp_path, "x", make(files))
    assert list(seen.members) == ["p/a/Boss.txt", "p/cards.json", "p/a/Beast.txt"]
    assert seen.references[0].hints == BOSS._replace(edition="10e")
    assert seen.skipped == {"hidden file or note": 2}
    assert seen.codes == ["damaged-sidecar", "missing-page"]


def test_what_is_said_of_an_archive(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "x.zip").write_bytes(zipped(PAGES))
    (tmp_path / "raw" / "manifest.csv").write_text(
        "path,name,edition,faction\nx.zip,Bundle,10,orks\nx.zip/z.txt,Zed,,tau\n"
    )
    hints = {r.member: r.hints for r in RawFiles([tmp_path / "raw"])}
    assert hints["a/Boss.txt"] == Hints(faction="orks", edition="10e")
    assert hints["z.txt"] == Hints(name="Zed", faction="tau", edition="10e")


# --- archives in archives --------------------------------------------------------------------------------------------


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = {
        "b.tar.gz": gzip.compress(tarred({"t.txt": b"t"})),
        "c.zip": zipped({"u.txt": b"u"}),
        "d.txt.gz": gzip.compress(b"d"),
    }
    expected = {"b.tar.gz/t.txt": b"t", "c.zip/u.txt": b"u", "d.txt.gz/d.txt": b"d"}
    for name, data in (("x.zip", zipped(inner)), ("x.tar", tarred(inner)), ("x.tar.xz", lzma.compress(tarred(inner)))):
        seen = Seen(tmp_path, name, data)
        assert (seen.members, seen.codes) == (expected, [])


def test_a_sidecar_beside_a_compressed_page_in_an_archive(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "x.zip", zipped({"Boss.txt.gz": gzip.compress(b"Boss"), "Boss.json": SIDECAR}))
    assert [(r.member, r.hints) for r in seen.references] == [("Boss.txt.gz/Boss.txt", BOSS)]


def test_nesting_ends(tmp_path: Path) -> None:
    data = b"deep"
    for depth in range(6):
        data = zipped({f"{depth}.zip": data, f"{depth}.txt": b"page"})
    seen = Seen(tmp_path, "x.zip", data)
    assert list(seen.members) == ["5.zip/4.zip/3.zip/2.txt", "5.zip/4.zip/3.txt", "5.zip/4.txt", "5.txt"]
    assert seen.codes == ["nested-too-deep"]


def test_an_archive_that_holds_itself(tmp_path: Path) -> None:
    data = b""
    for _ in range(50):
        data = gzip.compress(data, mtime=0)
    assert Seen(tmp_path, "x.gz", data).codes == ["nested-too-deep"]


# --- limits ----------------------------------------------------------------------------------------------------------

SMALL = Limits(document_bytes=10_000, nested_bytes=20_000, ratio=10, free_bytes=50_000, members=100)


def test_a_member_that_is_too_large(tmp_path: Path) -> None:
    files = {"large.txt": b"x" * 10_001, "small.txt": b"x"}
    for name, data in (("x.zip", zipped(files)), ("x.tar", tarred(files)), ("x.tar.gz", gzip.compress(tarred(files)))):
        seen = Seen(tmp_path, name, data, SMALL)
        assert (list(seen.members), seen.codes) == (["small.txt"], ["too-large"])
    assert Seen(tmp_path, "x.txt.gz", gzip.compress(files["large.txt"]), SMALL).codes == ["too-large"]


def test_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    data = zipped({"x.txt": b"x" * 20_000})
    lie = data.replace((20_000).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    seen = Seen(tmp_path, "x.zip", lie, SMALL)
    assert seen.codes == ["unreadable-archive"] and not seen.members


@pytest.mark.parametrize("press", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_is_not_unpacked(tmp_path: Path, press: Callable[[bytes], bytes]) -> None:
    bomb = press(tarred({f"{n}.txt": b"\x00" * 9_000 for n in range(50)}))
    seen = Seen(tmp_path, "x.tar.gz", bomb, SMALL)
    assert 0 < len(seen.members) < 10
    assert seen.codes == ["too-large"]


def test_too_many_members(tmp_path: Path) -> None:
    for make in (zipped, tarred):
        seen = Seen(tmp_path, "x", make({f"{n}.txt": b"" for n in range(101)}), SMALL._replace(free_bytes=1 << 20))
        assert (len(seen.members), seen.codes) == (100, ["too-large"])


def test_a_nested_archive_that_is_too_large(tmp_path: Path) -> None:
    limits = SMALL._replace(free_bytes=1 << 20)
    with_zeros = zipped({"a.txt": b"a"}) + b"\x00" * 20_000
    seen = Seen(tmp_path, "x.zip", zipped({"y.zip": with_zeros, "b.txt": b"b"}), limits)
    assert (list(seen.members), seen.codes) == (["b.txt"], ["too-large"])


def test_memory_does_not_grow_with_what_is_packed(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(tarred({f"{n}.txt": b"\x00" * (2 << 20) for n in range(12)})))
    tracemalloc.start()
    for reference in RawFiles([tmp_path]):
        assert isinstance(load(reference), RawFile)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    release()
    assert peak < 8 << 20


# --- hostile and damaged ---------------------------------------------------------------------------------------------

ESCAPES = ["../x.txt", "a/../../x.txt", "/etc/x.txt", "C:/x.txt", "C:x.txt", "..\\x.txt", "\\\\host\\x.txt", "a/.."]


@pytest.mark.parametrize("name", ESCAPES)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "one" / "two"
    folder.mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    for archive, make in (("x.zip", zipped), ("x.tar", tarred)):
        seen = Seen(folder, archive, make({name: b"evil", "good.txt": b"good"}))
        assert (seen.members, seen.codes) == ({"good.txt": b"good"}, ["unsafe-path"])
        assert name.rpartition("/")[2] in seen.diagnostics[0].message
        (folder / archive).unlink()
    assert sorted(tmp_path.rglob("*")) == before


def test_links_and_devices_in_archives(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"x{kind!r}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert Seen(tmp_path, "x.tar", made.getvalue()).codes == ["unsafe-path"] * 4
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
        packed.mkdir("folder")
    assert Seen(tmp_path, "x.zip", made.getvalue()).codes == ["unsafe-path"]


def test_a_sparse_member(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("x.txt")
        info.pax_headers = {"GNU.sparse.major": "1"}
        archive.addfile(info)
    assert Seen(tmp_path, "x.tar", made.getvalue()).codes == ["unreadable-archive"]


def test_an_encrypted_member(tmp_path: Path) -> None:
    data = bytearray(zipped({"secret.txt": b"secret", "good.txt": b"good"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    seen = Seen(tmp_path, "x.zip", bytes(data))
    assert (seen.members, seen.codes) == ({"good.txt": b"good"}, ["encrypted-member"])
    assert "secret.txt" in seen.diagnostics[0].message


def test_a_member_whose_checksum_is_wrong(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("bad.txt", "bad " * 1_000)
        archive.writestr("good.txt", "good")
    seen = Seen(tmp_path, "x.zip", made.getvalue().replace(b"bad bad", b"bad sad", 1))
    assert (list(seen.members), seen.codes) == (["good.txt"], ["unreadable-archive"])
    assert "bad.txt" in seen.diagnostics[0].message


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tar.bz2", "x.tar.xz", "x.zip"])
def test_a_cut_archive_gives_what_is_left(tmp_path: Path, name: str) -> None:
    files = {f"{n}.txt": bytes((n * n + i * i) % 251 for i in range(3_000)) for n in range(20)}
    presses: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    press = presses.get(name.rpartition(".")[2], bytes)
    data = zipped(files) if name == "x.zip" else press(tarred(files))
    seen = Seen(tmp_path, name, data[: len(data) * 2 // 3])
    assert set(seen.codes) == {"unreadable-archive"}
    assert all(files[member] == read for member, read in seen.members.items())
    if name in ("x.tar", "x.tar.gz"):
        assert 5 < len(seen.members) < 20


def test_a_tar_without_its_end_mark(tmp_path: Path) -> None:
    data = tarred({"a.txt": b"a" * 512})
    seen = Seen(tmp_path, "x.tar", data[:1024])  # cut between two members: nothing else tells
    assert (list(seen.members), seen.codes) == (["a.txt"], ["unreadable-archive"])


def test_two_tars_in_one_file(tmp_path: Path) -> None:
    seen = Seen(tmp_path, "x.tar", tarred({"a.txt": b"a"}) + tarred({"b.txt": b"b"}))
    assert (list(seen.members), seen.codes) == (["a.txt", "b.txt"], [])


def test_archives_in_name_only(tmp_path: Path) -> None:
    assert Seen(tmp_path, "x.zip", b"PK\x03\x04 and nothing else").codes == ["unreadable-archive"]
    files = RawFiles([tmp_path / "page.zip", tmp_path / "zero.zip"])
    (tmp_path / "page.zip").write_text("301 Moved Permanently")
    (tmp_path / "zero.zip").write_bytes(b"\x00" * 100)
    assert [(r.path, r.member) for r in files] == [("page.zip", None)]  # text: what it is, `recognise` says
    assert [d.code for d in files.diagnostics] == ["unreadable-archive"]
    inner = Seen(tmp_path, "y.zip", zipped({"zero.zip": b"\x00" * 100, "page.zip": b"404"}))
    assert (list(inner.members), inner.codes) == (["page.zip"], ["unreadable-archive"])


def test_an_office_document_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "x.docx").write_bytes(zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"}))
    assert [(r.path, r.member) for r in RawFiles([tmp_path])] == [("x.docx", None)]


def test_a_hostile_header_is_not_read_into_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 40
    data = header.tobuf(tarfile.GNU_FORMAT) + b"\x00" * 10_240
    assert Seen(tmp_path, "x.tar", data).codes == ["too-large"]
    warc = b"WARC/1.0\r\nA: " + b"x" * 200_000 + b"\r\n\r\n"
    assert Seen(tmp_path, "x.warc", warc).codes == ["too-large"]


# --- web archives and saved pages ------------------------------------------------------------------------------------

BOSS_URL = "https://rules.example.invalid/orks/boss"
WARC = (
    (BOSS_URL, "200 OK", "text/html; charset=windows-1251", b"<html>boss"),
    ("https://rules.example.invalid/logo.png", "200 OK", "image/png", b"\x89PNG"),
    ("https://rules.example.invalid/old", "301 Moved Permanently", "text/html", b"<html>moved"),
    ("https://rules.example.invalid/none", "404 Not Found", "text/html", b"<html>none"),
    (BOSS_URL, "200 OK", "text/html", b"<html>boss again"),
)


@pytest.mark.parametrize("name", ["x.warc", "x.warc.gz", "whole.warc.gz"])
def test_pages_of_a_web_archive(tmp_path: Path, name: str) -> None:
    data = warced(*WARC, gzipped=name == "x.warc.gz")
    seen = Seen(tmp_path, name, gzip.compress(data) if name.startswith("whole") else data)
    assert seen.members == {BOSS_URL: b"<html>boss", f"{BOSS_URL}#2": b"<html>boss again"}
    first = seen.references[0].hints
    assert first == Hints(url=BOSS_URL, captured_at="2026-07-02T09:14:48Z", charset="windows-1251")
    assert seen.codes == ["redirect-page", "error-page"]
    assert "https://rules.example.invalid/none" in seen.diagnostics[1].message
    assert seen.skipped == {"web archive record that is no page": 1}


def test_encodings_of_a_server_are_undone(tmp_path: Path) -> None:
    made = io.BytesIO()
    writer = WARCWriter(made, gzip=False)
    pressed = gzip.compress(b"<html>boss")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(pressed), pressed)
    fields = [("Content-Type", "text/html"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]
    headers = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
    writer.write_record(
        writer.create_warc_record(BOSS_URL, "response", payload=io.BytesIO(chunked), http_headers=headers)
    )
    assert Seen(tmp_path, "x.warc", made.getvalue()).members == {BOSS_URL: b"<html>boss"}


def test_a_content_encoding_that_is_not_known(tmp_path: Path) -> None:
    data = warced(WARC[0]).replace(b"Content-Type: text/html", b"Content-Encoding: zork", 1)
    assert Seen(tmp_path, "x.warc", data).codes == ["unreadable-archive"]


def test_a_record_that_expands_too_far(tmp_path: Path) -> None:
    made = io.BytesIO()
    writer = WARCWriter(made, gzip=False)
    fields = [("Content-Type", "text/html"), ("Content-Encoding", "gzip")]
    headers = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
    bomb = io.BytesIO(gzip.compress(b"x" * 100_000))
    writer.write_record(writer.create_warc_record(BOSS_URL, "response", payload=bomb, http_headers=headers))
    assert Seen(tmp_path, "x.warc", made.getvalue(), SMALL).codes == ["too-large"]


def test_a_damaged_web_archive_gives_what_came_before(tmp_path: Path) -> None:
    data = warced(*WARC)
    cut = Seen(tmp_path, "cut.warc", data[: data.index(b"boss again")])
    assert (list(cut.members), cut.codes[-1:]) == ([BOSS_URL], ["unreadable-archive"])
    lost = Seen(tmp_path, "lost.warc", data.replace(b"Content-Length: ", b"Content-Length: -", 1))
    assert (lost.members, lost.codes) == ({}, ["unreadable-archive"])
    no_answer = warced(WARC[0]).replace(b"HTTP/1.1 200 OK", b"SMTP/1.1 200 OK")
    assert Seen(tmp_path, "smtp.warc", no_answer).codes == ["unreadable-archive"]


def test_a_saved_page(tmp_path: Path) -> None:
    data = mhtml(
        ("https://rules.example.invalid/style.css", "text/css", b"b {}"),
        (BOSS_URL, "text/html", "<html>b’oss".encode()),
        ("cid:frame", "text/html", b"<html>advertisement"),
    )
    for name in ("boss.mhtml", "boss.mht", "boss"):
        seen = Seen(tmp_path, name, data)
        assert seen.members == {"https://rules.example.invalid/boss": "<html>b’oss".encode()}
        assert seen.references[0].hints[:2] == (None, "https://rules.example.invalid/boss")
        assert seen.references[0].hints.captured_at == "2026-07-02T09:14:48"
        assert (seen.codes, seen.skipped) == ([], {"part of a saved page": 2})
    inside = Seen(tmp_path, "x.zip", zipped({"boss.mhtml": data, "boss.json": SIDECAR}))
    assert list(inside.members) == ["boss.mhtml/https://rules.example.invalid/boss"]
    assert inside.references[0].hints.name == "Big Boss"


def test_a_saved_page_without_a_page(tmp_path: Path) -> None:
    assert Seen(tmp_path, "x.mhtml", mhtml(("x.css", "text/css", b"b {}"))).codes == ["unreadable-archive"]
    assert Seen(tmp_path, "x.mhtml", mhtml(("x", "text/html", b"x" * 20_000)), SMALL).codes == ["too-large"]


# --- anything at all -------------------------------------------------------------------------------------------------

SEEDS = [
    *CONTAINERS.values(),
    *(warced(*WARC), warced(*WARC, gzipped=True)),
    mhtml((BOSS_URL, "text/html", b"<html>boss")),
    zipped({"x.zip": zipped(PAGES), "x.tar.gz": gzip.compress(tarred(PAGES)), "x.warc": warced(*WARC)}),
]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=0, max_size=12)), max_size=6),
    st.floats(0.2, 1),
)
@example(b"", [], 1.0)
@example(b"\x1f\x8b", [], 1.0)
@example(b"WARC/1.0\r\n", [], 1.0)
def test_any_archive_ends_in_members_or_diagnostics(
    tmp_path: Path, seed: bytes, changes: list[tuple[float, bytes]], cut: float
) -> None:
    data = bytearray(seed)
    for place, new in changes:
        at = int(place * len(data))
        data[at : at + len(new)] = new
    (tmp_path / "x").write_bytes(data[: int(cut * len(data)) + 1])
    files = RawFiles([tmp_path / "x"])
    for reference in files:
        read = load(reference)
        assert isinstance(read, RawFile | Diagnostic)
    release()
    for one in files.diagnostics:
        one.message.encode()
