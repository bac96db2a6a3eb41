"""What stands beside a page instead of in it: `<name>.json` side-cars and `manifest.csv`.

    Tidecaller.txt
    Tidecaller.json     {"name": "Tidecaller", "url": "https://…", "scrapedAt": "2026-07-02T09:14:48.904Z"}
    manifest.csv        path,url,date,edition,faction,name

A side-car is a JSON object beside a page of the same name. A `.json` with lists of objects in it is an export, and
stays a document whatever stands beside it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from pipeline.raw.decoding import decode
from pipeline.raw.references import Hints

_FIELDS: dict[str, tuple[str, ...]] = {  # our name: theirs, the first that has a value counts
    "name": ("name", "title"),
    "url": ("url", "link", "source_url", "address"),
    "faction": ("faction", "faction_id"),
    "edition": ("edition",),
    "captured_at": ("captured_at", "capturedat", "scraped_at", "scrapedat", "fetched_at", "fetchedat", "date"),
}
_LONGEST = 2_000
# as schemas/documents.json
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?$")
_COMPACT = re.compile(r"([0-9]{4})([0-9][0-9])([0-9][0-9])([0-9][0-9])([0-9][0-9])([0-9][0-9])$")  # 20260702091448, as web archives write it
_EDITION = re.compile(r"([0-9]{1,2})(?:e|ed|th)?$", re.IGNORECASE)
_PAGES = (".txt", ".text", ".html", ".htm", ".xhtml", ".mhtml", ".mht", ".md")
_PRESSED = (".gz", ".bz2", ".xz")
MANIFEST = "manifest.csv"


class Sidecar(NamedTuple):
    """What a side-car says, and what of it could not be understood."""

    hints: Hints
    faults: tuple[str, ...] = ()


def sidecar(data: bytes) -> Sidecar | None:
    """Read what lies in the place of a side-car: hints, and faults where it is broken. None: it is no side-car."""
    decoded = decode(data)
    if decoded.encoding is None:
        return Sidecar(Hints(), (decoded.diagnostics[0].message,))
    try:
        value = json.loads(decoded.text)
    except (ValueError, RecursionError) as fault:  # a number of 5,000 digits is a ValueError too
        return Sidecar(Hints(), (f"No JSON: {fault}",))
    if not isinstance(value, dict) or _holds_records(value):
        return None
    fields = {key.lower(): str(v) for key, v in value.items() if isinstance(v, str | int | float)}
    return _read(fields) if any(name in fields for names in _FIELDS.values() for name in names) else None


def _holds_records(value: object) -> bool:
    """Whether there is a list of objects anywhere, as in every export."""
    if isinstance(value, dict):
        return any(_holds_records(v) for v in value.values())
    return isinstance(value, list) and any(isinstance(v, dict | list) for v in value)


def _read(fields: Mapping[str, str]) -> Sidecar:
    found: dict[str, Any] = {}
    faults = []
    for ours, theirs in _FIELDS.items():
        value = next((fields[key].strip() for key in theirs if fields.get(key, "").strip()), None)
        if value is None:
            continue
        if len(value) > _LONGEST or not all(c.isprintable() for c in value):
            faults.append(f"{ours} is longer than {_LONGEST} characters, or holds some that cannot be printed.")
        elif ours == "captured_at":
            if (date := iso_date(value)) is None:
                faults.append(f"“{value[:60]}” is no date.")
            else:
                found[ours] = date
        elif ours == "edition":
            if (edition := _EDITION.match(value)) is None:
                faults.append(f"“{value[:60]}” is no edition.")
            else:
                found[ours] = f"{int(edition[1])}e"
        else:
            found[ours] = unicodedata.normalize("NFC", value)
    return Sidecar(Hints(**found), tuple(faults))


def iso_date(printed: str) -> str | None:
    """A date as `documents.captured_at` holds it; None where it is none.

    >>> iso_date("2026-07-02T09:14:48.904Z"), iso_date("Thu, 02 Jul 2026 09:14:48 +0200")
    ('2026-07-02T09:14:48.904Z', '2026-07-02T07:14:48Z')
    >>> iso_date("20260702091448"), iso_date("soon")
    ('2026-07-02T09:14:48Z', None)
    """
    if compact := _COMPACT.match(printed):
        printed = "{}-{}-{}T{}:{}:{}Z".format(*compact.groups())
    if _ISO.match(printed):
        return printed if moment(printed) else None
    try:
        parsed = parsedate_to_datetime(printed)
        return parsed.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if parsed.tzinfo else f"{parsed:%Y-%m-%dT%H:%M:%S}"
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def moment(iso: str) -> datetime | None:
    """The moment that a date means, in UTC where it names no zone; None: a date that no calendar has (`2026-02-30`)."""
    try:
        parsed = datetime.fromisoformat(iso)
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def page_stems(name: str) -> tuple[str, ...]:
    """Side-car names, without `.json`, that may belong to the page `name`; empty: no kind of file that has side-cars.

    >>> page_stems("Tidecaller.html.gz"), page_stems("orks.yaml")
    (('Tidecaller.html.gz', 'Tidecaller.html', 'Tidecaller'), ())
    """
    pressed = next((name[: -len(p)] for p in _PRESSED if name.lower().endswith(p)), None)
    page = pressed or name
    suffix = next((s for s in _PAGES if page.lower().endswith(s)), None)
    if suffix is None:
        return ()
    return (*((name,) if pressed else ()), page, page[: -len(suffix)])


class Manifest(NamedTuple):
    """Path, relative to the manifest's folder → hints; and what could not be understood."""

    hints: dict[str, Hints]
    faults: tuple[str, ...] = ()


def manifest(data: bytes) -> Manifest | None:
    """Read `manifest.csv`. None: a table without a column `path`, so no manifest."""
    decoded = decode(data)
    if decoded.encoding is None:
        return Manifest({}, (decoded.diagnostics[0].message,))
    rows = csv.reader(io.StringIO(decoded.text, newline=""))
    hints: dict[str, Hints] = {}
    faults: list[str] = []
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if "path" not in header:
            return None
        for row in rows:
            fields = dict(zip(header, row, strict=False))
            path = unicodedata.normalize("NFC", fields.get("path", "").strip().replace("\\", "/").removeprefix("./"))
            if not path:
                if any(row):
                    faults.append(f"Line {rows.line_num} names no path.")
                continue
            if path in hints:
                faults.append(f"Line {rows.line_num} names {path} again; the first line counts.")
                continue
            read = _read(fields)
            hints[path] = read.hints
            faults += [f"Line {rows.line_num}: {fault}" for fault in read.faults]
    except csv.Error as fault:
        faults.append(f"Line {rows.line_num}: {fault}; nothing behind it is read.")
    return Manifest(hints, tuple(faults))


class Beside:
    """Which names of a folder or an archive are side-cars and manifests, and what they say of the others."""

    def __init__(
        self, names: Iterable[str], sidecar_of: Callable[[str], Sidecar | None], manifests: Mapping[str, Manifest]
    ) -> None:
        """`names` with `/`; `sidecar_of` reads a name that ends in `.json`; `manifests` by their own name."""
        present = set(names)
        self._cars: dict[str, list[str]] = {}
        self.sidecars: dict[str, Sidecar] = {}
        for page in present:
            folder, slash, name = page.rpartition("/")
            for car in (f"{folder}{slash}{stem}.json" for stem in page_stems(name)):
                if car not in present:
                    continue
                if car not in self.sidecars and (read := sidecar_of(car)) is not None:
                    self.sidecars[car] = read
                if car in self.sidecars:
                    self._cars.setdefault(page, []).append(car)
        self.manifests = manifests
        self._listed: dict[str, Hints] = {}
        for manifest_name in sorted(manifests):
            folder = manifest_name.rpartition("/")[0]
            for path, hints in manifests[manifest_name].hints.items():
                self._listed.setdefault(f"{folder}/{path}" if folder else path, hints)
        self._unseen = dict.fromkeys(self._listed)

    def consumed(self, name: str) -> bool:
        """Whether this is a side-car or a manifest, and so no document."""
        return name in self.sidecars or name in self.manifests

    def hints(self, name: str, member: str | None = None) -> Hints:
        """All that is said of a name; with `member`, what is said of that member of the archive of this name alone."""
        found = Hints()
        for car in () if member is not None else self._cars.get(name, ()):
            found = found.or_else(self.sidecars[car].hints)
        listed = name if member is None else f"{name}/{member}"
        if listed in self._listed:
            self._unseen.pop(listed, None)
            found = found.or_else(self._listed[listed])
        return found

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Name, code and message of all that was not understood; asked last, when the hints of all names were."""
        for name in sorted(self.sidecars):
            for fault in self.sidecars[name].faults:
                yield name, "damaged-sidecar", fault
        for name in sorted(self.manifests):
            for fault in self.manifests[name].faults:
                yield name, "damaged-sidecar", fault
        for name in self._unseen:
            yield name, "missing-page", "A manifest lists it, and it is not there."
