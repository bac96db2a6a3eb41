"""Paths that the user gives → references to raw documents, in one order on every machine.

    raw/orks/Boss.html          orks/Boss.html
    raw/orks/Boss.json          (its side-car: hints, no document)
    raw/old.tar.gz              old.tar.gz, pages/Boss.html

What is published as `path` does not depend on where a folder lies or how it was given: it is relative to the folder,
and a single file is its name. With several arguments it starts with the argument's own name, and where two share
that (`10e/text 11e/text`), with as much of what is in front of it as tells them apart.

Skipped, and counted in `RawFiles.skipped`: hidden files, notes about a folder (README, LICENSE …), what systems leave
behind, releases of earlier runs, and what was found in two ways (links). Everything else is a reference or a diagnostic.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import NamedTuple

from pipeline.diagnostics import Diagnostic
from pipeline.raw.archives import Archive
from pipeline.raw.containers import HEAD, container_of, is_named_archive
from pipeline.raw.names import Names, is_skipped, published, refusal
from pipeline.raw.references import LIMITS, Hints, Limits, RawReference
from pipeline.raw.sidecars import MANIFEST, Beside, Manifest, Sidecar, manifest, page_stems, sidecar


PACKAGE = "datapackage.json"
_RELEASE = re.compile(rb'\{\s*"name": "datasheets-[0-9]+e",\s*"title": "Datasheets, ')


class _Entry(NamedTuple):
    """A file that was found."""

    path: str  # as published
    file: str
    size: int


class RawFiles:
    """The raw documents below some paths. Iterate once, then look at `diagnostics` and `skipped`."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]], limits: Limits = LIMITS) -> None:
        self.paths = [os.fspath(path) for path in paths]
        self.limits = limits
        self.diagnostics: list[Diagnostic] = []
        self.skipped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[RawReference]:
        self.diagnostics.clear()
        self.skipped.clear()
        walk = _Walk(self)
        for label, file in _labelled(self.paths):
            walk.argument(label, file)
        entries = sorted(walk.entries)
        beside = self._beside(entries, walk.companions)
        for entry in entries:
            if not beside.consumed(entry.path):
                yield from self._references(entry, beside)
        self.diagnostics += [refusal(code, name, None, message) for name, code, message in beside.faults()]

    def _references(self, entry: _Entry, beside: Beside) -> Iterator[RawReference]:
        hints = beside.hints(entry.path)
        head = self._bytes(entry.file, HEAD)
        if head is None:
            self._refuse(entry, "unreadable-file", None, "It cannot be opened.")
        elif (kind := container_of(entry.path, head)) is not None:
            archive = Archive(entry.file, entry.path, self.limits, partial(self._refuse, entry), self._skip)
            if not page_stems(entry.path):
                hints = hints._replace(name=None, url=None)  # what is said of a bundle; they differ from page to page
            yield from archive.references(kind, lambda member: beside.hints(entry.path, member).or_else(hints))
        elif is_named_archive(entry.path) and b"\x00" in head:
            self._refuse(entry, "unreadable-archive", None, "Its content is not what its name says.")
        elif entry.size > self.limits.document_bytes:
            self._refuse(entry, "too-large", None, f"It has {entry.size} bytes.")
        else:
            yield RawReference(entry.file, entry.path, None, entry.size, (), hints)

    def _refuse(self, entry: _Entry, code: str, member: str | None, message: str) -> None:
        self.diagnostics.append(refusal(code, entry.path, member, message))

    def _skip(self, reason: str) -> None:
        self.skipped[reason] += 1

    def _beside(self, entries: list[_Entry], companions: dict[str, str]) -> Beside:
        files = {entry.path: entry.file for entry in entries if entry.size <= self.limits.sidecar_bytes} | companions
        manifests: dict[str, Manifest] = {}
        for entry in entries:
            if entry.path.rpartition("/")[2].lower() == MANIFEST and entry.size <= self.limits.document_bytes:
                data = self._bytes(entry.file, entry.size)
                if data is not None and (read := manifest(data)) is not None:
                    manifests[entry.path] = read

        def sidecar_of(name: str) -> Sidecar | None:
            if name not in files:
                return None
            data = self._bytes(files[name], self.limits.sidecar_bytes)
            return Sidecar(Hints(), ("It cannot be opened.",)) if data is None else sidecar(data)

        return Beside([*(entry.path for entry in entries), *companions], sidecar_of, manifests)

    def _bytes(self, file: str, most: int) -> bytes | None:
        try:
            with Path(file).open("rb") as opened:
                return opened.read(most)
        except OSError:
            return None


class _Walk:
    """All files below the arguments, each once: real ones first, then what links add, so that no link renames a file."""

    def __init__(self, found: RawFiles) -> None:
        self.entries: list[_Entry] = []
        self.companions: dict[str, str] = {}  # side-cars that lie beside a file which was given alone
        self._found = found
        self._names = Names()
        self._seen: set[tuple[int, int]] = set()
        self._links: list[tuple[str, str]] = []

    def argument(self, label: str, file: str) -> None:
        """Take a path of the user: a folder with all that is in it, or one file, whatever its name."""
        links_before = self._links
        self._links = []
        if (status := self._status(label or ".", file)) is None:
            return
        if stat.S_ISDIR(status.st_mode):
            self._folder(label, file)
            while self._links:
                links, self._links = sorted(self._links), []
                for path, link in links:
                    self._entry(path, link)
        else:
            self._file(label, file, status)
            self._companions(label, file)
        self._links = links_before

    def _status(self, path: str, file: str) -> os.stat_result | None:
        try:
            return Path(file).stat()
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or "It cannot be opened"
            self._found.diagnostics.append(refusal("unreadable-file", path, None, f"{reason}."))
            return None

    def _folder(self, label: str, folder: str) -> None:
        pending = [(label, folder)]
        while pending:
            path, folder = pending.pop()
            if (status := self._status(path, folder)) is None or not self._first(status):
                continue
            try:
                with os.scandir(folder) as listing:
                    children = sorted(listing, key=lambda child: child.name)
            except OSError as fault:
                self._found.diagnostics.append(refusal("unreadable-file", path or ".", None, f"{fault.strerror}."))
                continue
            if any(child.name == PACKAGE and _is_release(child.path) for child in children):
                self._found._skip("release of an earlier run")
                continue
            for child in children:
                below = f"{path}/{published(child.name)}" if path else published(child.name)
                if is_skipped(child.name):
                    self._found._skip("hidden file or note")
                elif child.is_symlink():
                    self._links.append((below, child.path))
                elif child.is_dir(follow_symlinks=False):
                    pending.append((below, child.path))
                else:
                    self._entry(below, child.path)

    def _entry(self, path: str, file: str) -> None:
        if (status := self._status(path, file)) is None:
            return
        if stat.S_ISDIR(status.st_mode):
            self._folder(path, file)
        else:
            self._file(path, file, status)

    def _file(self, path: str, file: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._found.diagnostics.append(
                refusal("unreadable-file", path, None, "It is a device, a pipe or a socket.")
            )
        elif self._first(status):
            self.entries.append(_Entry(self._names.give(path), file, status.st_size))

    def _first(self, status: os.stat_result) -> bool:
        """Whether this file or folder was not found before; a loop of links ends here."""
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            self._found._skip("found in two ways")
            return False
        self._seen.add(identity)
        return True

    def _companions(self, label: str, file: str) -> None:
        folder, name = os.path.split(file)
        for stem in page_stems(name):
            if (beside := Path(folder, f"{stem}.json")).is_file():
                prefix = label.rpartition("/")
                self.companions[f"{prefix[0]}{prefix[1]}{published(beside.name)}"] = str(beside)


def _is_release(package: str) -> bool:
    try:
        with Path(package).open("rb") as opened:
            return _RELEASE.match(opened.read(HEAD)) is not None
    except OSError:
        return False


def _labelled(paths: list[str]) -> list[tuple[str, str]]:
    """Arguments with the beginning of what is published of them, sorted; those inside another argument are left out."""
    real = sorted({os.path.realpath(path) for path in paths})
    kept = [path for path in real if not any(_covers(other, path) for other in real)]
    if len(kept) == 1:
        alone = kept[0]
        return [("" if Path(alone).is_dir() else published(Path(alone).name), alone)]
    parts = {path: [published(part) for part in PurePath(path).parts[1:]] or ["root"] for path in kept}
    depth = dict.fromkeys(kept, 1)
    while clashing := _clashing({path: "/".join(parts[path][-depth[path] :]) for path in kept}, parts, depth):
        for path in clashing:
            depth[path] += 1
    return sorted(("/".join(parts[path][-depth[path] :]), path) for path in kept)


def _covers(folder: str, path: str) -> bool:
    if folder == path or not Path(path).is_relative_to(folder):
        return False
    return not any(is_skipped(part) for part in Path(path).relative_to(folder).parts)


def _clashing(labels: dict[str, str], parts: dict[str, list[str]], depth: dict[str, int]) -> list[str]:
    """Paths whose label is that of another, or lies in it, and that can be made longer."""
    by_label: dict[str, list[str]] = {}
    for path, label in labels.items():
        by_label.setdefault(label, []).append(path)
    clashing: set[str] = set()
    for label, owners in by_label.items():
        above = [owner for i, c in enumerate(label) if c == "/" for owner in by_label.get(label[:i], ())]
        if len(owners) > 1 or above:
            clashing.update(owners, above)
    return sorted(path for path in clashing if depth[path] < len(parts[path]))
