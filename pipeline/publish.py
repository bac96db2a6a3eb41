"""The last step: `Validated` in, a release in its place out. Takes nothing else, so the gate cannot be forgotten.

In: what `validate` returns. Out: `<output>/<edition>/`, whole or not at all (docs/releases.md tells of it to those who use it):

    tables/<table>.parquet, .json     the rows, sorted by key
    factions/<faction_id>.json        nested documents
    schemas/                          JSON Schema of both, and TypeScript types
    dataset.sqlite, dataset.duckdb    all tables with keys and foreign keys
    CHANGES.md, changes.json          against the release that was there before
    validation/                       what was expected and found: results.json and index.html
    datapackage.json                  every file with its hash; sources, scope, counts of diagnostics

The same input gives the same bytes: no clock, no absolute path, no machine name. A rebuild of unchanged tables keeps
the changes that the published release tells of.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pipeline import changelog, contracts, forms, guards, nested, page, schema, store, swap
from pipeline.compare import Changes, Release, Shape, compare
from pipeline.diagnostics import Diagnostic
from pipeline.guards import Guard
from pipeline.migrations import Successors
from pipeline.validate import Validated


@dataclass(frozen=True, slots=True)
class Published:
    """A release that is in its place. `waived` are the objections that a flag overruled."""

    folder: Path
    content_hash: str
    rows: Mapping[str, int]
    waived: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Stopped:
    """A guard objected: the published release is as it was."""

    diagnostics: tuple[Diagnostic, ...]


def publish(
    validated: Validated, output: Path, *, allow: Collection[Guard] = (), prose: bool = True
) -> Published | Stopped:
    """Put a release in place of the one of the same edition in `output`, in one step.

    `allow` waives guards. Without `prose`, every column that holds sentences of rules or flavour is left out. Raises
    OSError when the disk does not take it; the published release is then as it was.
    """
    with swap.locked(output):
        swap.recover(output, validated.edition)
        published = output / validated.edition
        release = _Release(validated, prose, published if (published / "datapackage.json").is_file() else None)
        objections = release.objections()
        if any(one.code not in allow for one in objections):
            return Stopped(tuple(one for one in objections if one.code not in allow))
        swap.replace(output, validated.edition, release.build)
        return Published(published, release.content_hash, release.rows, objections)


class _Release:
    """A release in the making."""

    def __init__(self, validated: Validated, prose: bool, previous: Path | None) -> None:
        self.validated = validated
        self.prose = prose
        self.previous = previous
        self.definitions = {name: table if prose else table.without_prose() for name, table in schema.tables().items()}
        self.columns = {name: self._published(name) for name in self.definitions}
        self.rows = {name: len(next(iter(columns.values()))) for name, columns in self.columns.items()}
        self.content_hash = content_hash(self.columns)

    def _published(self, table: str) -> store.Columns:
        columns = self.validated.columns[table]
        if table == "conflicts" and not self.prose:
            columns = _without_prose_conflicts(columns)
        return {name: columns[name] for name in self.definitions[table].columns}

    def objections(self) -> tuple[Diagnostic, ...]:
        """What the guards say."""
        if self.previous is None:
            return ()
        successors = Successors(self.validated.tables["migrations"])  # type: ignore[arg-type]
        return tuple(guards.objections(self.previous, self.columns, successors))

    def build(self, folder: Path) -> None:
        """Write everything into an empty folder."""
        for part in ("tables", "factions", "schemas/tables", "validation"):
            (folder / part).mkdir(parents=True)
        self._tables(folder)
        for name, text in contracts.machine_readable(self.definitions).items():
            (folder / "schemas" / name).write_text(text, encoding="utf-8")
        forms.write(folder, self.definitions)
        self._validation(folder, self._changes(folder))
        store.write_document(self._package(folder), folder / "datapackage.json")

    def _tables(self, folder: Path) -> None:
        for name, definition in self.definitions.items():
            store.write_parquet(definition, self.columns[name], folder / "tables" / f"{name}.parquet")
            store.write_json(self.columns[name], folder / "tables" / f"{name}.json")
        edition = self.validated.edition
        for faction, document in nested.faction_documents(self.definitions, self.columns, edition):
            store.write_document(document, folder / "factions" / f"{faction}.json")

    def _changes(self, folder: Path) -> Mapping[str, int]:
        """Write what changed; returns the rows per table of the release that the changes are told against."""
        changes = self._told_already()
        if changes is None:
            previous = None if self.previous is None else Release.of(self.previous)
            changes = compare(previous, self._comparable(folder))
        (folder / "CHANGES.md").write_text(changelog.markdown(changes), encoding="utf-8")
        store.write_document(changes, folder / "changes.json")
        return {name: one.before for name, one in changes.tables.items() if one.before is not None}

    def _told_already(self) -> Changes | None:
        """What the published release tells, where it has the very same tables."""
        if self.previous is None or _content_hash_of(self.previous) != self.content_hash:
            return None
        try:
            return msgspec.json.decode((self.previous / "changes.json").read_bytes(), type=Changes)
        except (FileNotFoundError, msgspec.DecodeError):
            return None  # an earlier version of this program told it in another form

    def _comparable(self, folder: Path) -> Release:
        """What is being built, which has no datapackage.json yet."""
        shapes = {
            name: Shape(definition.columns, definition.key, self.rows[name])
            for name, definition in self.definitions.items()
        }
        return Release(folder, self.validated.edition, shapes)

    def _validation(self, folder: Path, rows_before: Mapping[str, int]) -> None:
        results = [
            {
                "table": result.expectation.table,
                "code": result.expectation.code,
                "says": result.expectation.says,
                **result.expectation.configuration(),
                "rows": result.rows,
                "failures": len(result.failures),
            }
            for result in self.validated.results
        ]
        store.write_document({"expectations": results}, folder / "validation" / "results.json")
        text = page.render(self.validated.edition, self.columns, self.rows, rows_before, results)
        (folder / "validation" / "index.html").write_text(text, encoding="utf-8")

    def _package(self, folder: Path) -> dict[str, Any]:
        documents = self.columns["documents"]
        return {
            "name": f"datasheets-{self.validated.edition}",
            "title": f"Datasheets, {self.validated.edition}",
            "edition": self.validated.edition,
            "prose": self.prose,
            "contentHash": self.content_hash,
            "scope": self._scope(),
            "diagnostics": self._diagnostic_counts(),
            "sources": [_source(row) for row in store.row_dicts(documents)],
            "resources": list(self._resources(folder)),
        }

    def _scope(self) -> dict[str, Any]:
        documents, sheets = self.columns["documents"], self.columns["datasheets"]
        legends = Counter({True: "yes", False: "no", None: "unknown"}[one] for one in sheets["is_legends"])
        return {
            "factions": self.columns["factions"]["faction_id"],
            "documents": _sorted_counts(zip(documents["kind"], documents["status"], strict=True)),
            "legends": dict(sorted(legends.items())),
        }

    def _diagnostic_counts(self) -> dict[str, dict[str, int]]:
        found = self.columns["diagnostics"]
        return _sorted_counts(zip(found["severity"], found["code"], strict=True))

    def _resources(self, folder: Path) -> Iterator[dict[str, Any]]:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            yield {**self._resource(name), "bytes": path.stat().st_size, "hash": f"sha256:{_sha256(path)}"}

    def _resource(self, path: str) -> dict[str, Any]:
        folder, _, file = path.rpartition("/")
        stem, _, form = file.rpartition(".")
        if folder == "tables":
            return {
                "name": stem if form == "parquet" else f"{stem}.json",
                "type": "table",
                "title": self.definitions[stem].title,
                "description": self.definitions[stem].description,
                "path": path,
                "format": form,
                "rows": self.rows[stem],
                "schema": _descriptor(self.definitions[stem], "" if form == "parquet" else ".json"),
            }
        found: dict[str, Any] = {"name": path.lower(), "path": path, "format": form}
        if folder == "factions":
            found["jsonSchema"] = "schemas/faction.schema.json"
        if form in forms.FORMATS:
            found["rows"] = sum(self.rows.values())
        return found


def _without_prose_conflicts(columns: store.Columns) -> store.Columns:
    """A conflict on a prose column quotes both texts."""
    kept = [
        row
        for row, (table, column) in enumerate(zip(columns["table"], columns["column"], strict=True))
        if column in schema.table(table).without_prose().columns
    ]
    return {name: [values[row] for row in kept] for name, values in columns.items()}


def _sorted_counts(pairs: Any) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for (group, name), count in sorted(Counter(pairs).items()):
        counts.setdefault(group, {})[name] = count
    return counts


def _source(row: Mapping[str, Any]) -> dict[str, Any]:
    title = row["path"] if row["member"] is None else f"{row['path']}!{row['member']}"
    found = {
        "title": title,
        "path": row["url"],
        "sha256": row["sha256"],
        "captured_at": row["captured_at"],
        "status": row["status"],
    }
    return {name: value for name, value in found.items() if value is not None}


def _descriptor(definition: schema.Table, suffix: str) -> dict[str, Any]:
    """The Table Schema, with its foreign keys pointing to resources of the same form."""
    found = definition.descriptor()
    for key in found.get("foreignKeys", ()):
        key["reference"]["resource"] += suffix
    return found


def content_hash(columns: Mapping[str, store.Columns]) -> str:
    """A hash of the rows alone, whatever files they are written to.

    SHA-256 over, for each table in alphabetical order, its name on a line and then each row on a line, as compact JSON
    with sorted keys in UTF-8.
    """
    digest = hashlib.sha256()
    encode = msgspec.json.Encoder(order="sorted").encode
    for table in sorted(columns):
        digest.update(table.encode() + b"\n")
        for row in store.row_dicts(columns[table]):
            digest.update(encode(row) + b"\n")
    return f"sha256:{digest.hexdigest()}"


def _content_hash_of(release: Path) -> str | None:
    found = store.read_package(release).get("contentHash")
    return None if found is None else str(found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
