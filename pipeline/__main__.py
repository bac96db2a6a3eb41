"""The command line: the only module that prints, exits or reads arguments.

Exit codes: 0 all good · 1 published, but some document was rejected · 2 wrong usage · 3 findings: nothing published, the old
release stands.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline import run as way
from pipeline.diagnostics import CODES, Diagnostic
from pipeline.editions import READ as EDITIONS
from pipeline.extract import Extract

if TYPE_CHECKING:
    from collections.abc import Callable

ALL_GOOD, SOME_REJECTED, WRONG_USAGE, FINDINGS = 0, 1, 2, 3
SHOWN = 20  # messages of one kind that are printed in full
GUARDS = ("rows-lost", "older-sources", "ids-dropped")

RAW = click.Path(exists=True, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
# what one stage hands to the next, below the folder of what is made
EXTRACTS = Path("stages", "extracts.msgpack")
TABLES = Path("stages", "tables")
REPORT = Path("stages", "validation.json")

output_option = click.option("--output", metavar="FOLDER", type=FOLDER, default=Path("output"), show_default=True,
                             help="Folder of what is made: release/<edition>/ for releases, stages/ for what they hand on.")  # fmt: skip
edition_option = click.option(
    "--edition",
    type=click.Choice(EDITIONS),
    help="Edition of all documents.  [default: what each page, its side-car or its address says]",
)
workers_option = click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(min=1),
    help="Processes that read documents; the result does not depend on it.  [default: all cores]",
)


class _InOrder(click.Group):
    """Lists the commands in the order in which they stand here, which is that of the data's way."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def _allow_options(function: Any) -> Any:
    for guard, help_text in zip(GUARDS, ("lost more than 5 % of a table's rows", "has older sources than the published one",
                                         "drops ids without a declared rename or retirement"), strict=True):  # fmt: skip
        function = click.option(
            f"--allow-{guard}",
            "allow",
            multiple=True,
            flag_value=guard,
            help=f"Publish although the release {help_text}.",
        )(function)
    return click.option("--without-prose", is_flag=True, help="Leave out every sentence of rules and flavour text.")(
        function
    )


@click.group(cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Turns raw pages of datasheets and rules into a validated data set: Parquet and JSON tables in which each value leads back to
    the characters it came from.

    \b
      datasheets run                          everything in raw/ → output/release/<edition>/
      datasheets run dumps/ --output out      other folders
      datasheets read page.txt                how one page is understood, line by line
      datasheets explain 24.33                a record and the raw lines behind it
      datasheets diff old/11e new/11e         what changed between two releases

    `run` does all of it; extract, link, validate and publish are its steps one at a time, as `dvc repro` takes them.
    `datasheets COMMAND --help` tells more of each.

    \b
    Exit codes:
      0  all good
      1  published, but some document was rejected, and is named
      2  wrong usage
      3  findings: nothing was published, the old release stands
    """  # noqa: D301 - click wants the character itself


@cli.command("run")
@click.argument("raw", nargs=-1, type=RAW)
@output_option
@edition_option
@workers_option
@_allow_options
def run_command(
    raw: tuple[Path, ...],
    output: Path,
    edition: str | None,
    workers: int | None,
    allow: tuple[str, ...],
    without_prose: bool,
) -> None:
    """Read RAW, all the way to a release: the command to begin with.

    RAW are files, folders and archives of text dumps, saved HTML pages and exports, as many as you like; without any it is the
    folder raw/. Each edition of the game found in them becomes a release of its own, OUTPUT/release/<edition>. It takes the
    place of the one before in one step, or, when something is wrong with it, not at all.

    \b
      datasheets run                                raw/ → output/release/
      datasheets run dumps/ prices.zip --output out
      datasheets run dumps/ --edition 11e           pages that do not tell their edition

    A document that cannot be read is named and left out (exit code 1). Tables that break a rule, or a release that lost rows
    or ids, stop everything (exit code 3): --allow-… waives one such guard after you have looked.
    """  # noqa: D301
    given = _read(_raw(raw), edition, workers)
    _say_rejected(given)
    editions = way.link_editions(given)
    if not editions:
        click.echo("Nothing to publish: no document could be read.", err=True)
        sys.exit(FINDINGS)
    codes = [
        _publish(e.name, e.tables.tables, e.tables.diagnostics, output, allow, prose=not without_prose)
        for e in editions
    ]
    sys.exit(max([*codes, SOME_REJECTED if _rejections(given) else ALL_GOOD]))


@cli.command("read")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def read_command(file: Path) -> None:
    """Show how one page is cut into blocks: line, kind, text.

    A `+` marks a block that the page ran into the line before it without a break. Where a value is missing from a release,
    begin here: does its line have the kind that you expect? FILE may be an archive; then all its pages are shown.
    """
    from pipeline import raw as rooms

    faults: list[str] = []
    files = rooms.RawFiles([file])
    for reference in files:
        with ThreadPoolExecutor(1) as alone:
            read = alone.submit(way.read_document, reference)
        if fault := read.exception():
            faults.append(f"{reference.place}: {': '.join(way.failure(fault))}")
            continue
        document = read.result()
        if isinstance(document, Diagnostic):
            faults.append(document.message)
        elif isinstance(document, Extract):
            faults += [f"{reference.place}: {told.code}: {told.message}" for told in document.diagnostics]
        else:
            if reference.member is not None:
                click.echo(f"{reference.place}:")
            for block in document.blocks:
                mark = "+" if block.glued else " "
                click.echo(f"{document.line_of(block.start):5d} {block.kind.value:>15}{mark} {block.text}")
    for message in [*(f"{told.code}: {told.message}" for told in files.diagnostics), *faults]:
        click.echo(message, err=True)
    sys.exit(SOME_REJECTED if faults or files.diagnostics else ALL_GOOD)


@cli.command("extract")
@click.argument("raw", nargs=-1, type=RAW)
@output_option
@edition_option
@workers_option
def extract_command(raw: tuple[Path, ...], output: Path, edition: str | None, workers: int | None) -> None:
    """Step 1: read what each document says by itself.

    RAW, as for `run`, → OUTPUT/stages/extracts.msgpack.
    """
    given = _read(_raw(raw), edition, workers)
    _say_rejected(given)
    target = output / EXTRACTS
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(way.encode(way.Batch(given.extracts, given.diagnostics)))
    click.echo(f"{len(given.extracts)} documents → {target}")
    sys.exit(SOME_REJECTED if _rejections(given) else ALL_GOOD)


@cli.command("link")
@output_option
def link_command(output: Path) -> None:
    """Step 2: make one record per id, and resolve references.

    OUTPUT/stages/extracts.msgpack → OUTPUT/stages/tables/<edition>.msgpack.
    """
    batch = _stage_input(output / EXTRACTS, "extract", way.decode)
    folder = output / TABLES
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.msgpack"):
        old.unlink()
    for edition in way.link_editions(way.Read(batch.extracts, batch.diagnostics)):
        (folder / f"{edition.name}.msgpack").write_bytes(way.encode_linked(edition))
        click.echo(
            f"{edition.name}: {sum(map(len, edition.tables.tables.values())):,} rows → {folder / edition.name}.msgpack"
        )


@cli.command("validate")
@output_option
def validate_command(output: Path) -> None:
    """Step 3: hold the tables against schemas and expectations.

    Exit code 3 when something stops the release. What was found is counted by code in OUTPUT/stages/validation.json;
    docs/expectations.md lists what is expected.
    """
    from pipeline.store import write_document
    from pipeline.validate import Findings, validate

    worst = ALL_GOOD
    report = {}
    for linked in _linked(output):
        outcome = validate(linked.records(), linked.diagnostics, edition=linked.edition)
        if isinstance(outcome, Findings):
            _say_findings(linked.edition, outcome.stopping, linked.records()["documents"])
            worst = FINDINGS
            codes = Counter(d.code for d in outcome.stopping)
        else:
            click.echo(f"{linked.edition}: sound, {len(outcome.results)} expectations met or warned of")
            codes = Counter({r.expectation.code: len(r.failures) for r in outcome.results if r.failures})
        report[linked.edition] = {"sound": not isinstance(outcome, Findings), "findings": dict(sorted(codes.items()))}
    write_document(report, output / REPORT)
    sys.exit(worst)


@cli.command("publish")
@output_option
@_allow_options
def publish_command(output: Path, allow: tuple[str, ...], without_prose: bool) -> None:
    """Step 4: put the releases in their place.

    OUTPUT/stages/tables/<edition>.msgpack → OUTPUT/release/<edition>. The tables are validated once more: nothing is published that did not
    just pass.
    """
    sys.exit(
        max(
            (
                _publish(one.edition, one.records(), one.diagnostics, output, allow, prose=not without_prose)
                for one in _linked(output)
            ),
            default=FINDINGS,
        )
    )


@cli.command("measure")
@output_option
@click.option("--to", "folder", metavar="FOLDER", type=FOLDER, default=Path("metrics"), show_default=True,
              help="Folder for releases.json (the numbers) and rows.json, diagnostics.json, coverage.json (for plots).")  # fmt: skip
def measure_command(output: Path, folder: Path) -> None:
    """Step 5: count what the releases hold, for `dvc metrics`.

    Rows, diagnostics, and how much of the raw text was understood.
    """
    from pipeline.measure import measure, plots
    from pipeline.store import write_document

    releases = _releases(output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"releases": measure(releases), **plots(releases)}.items():
        write_document(content, folder / f"{name}.json")
    click.echo(f"{', '.join(one.name for one in releases)} → {folder}")


@cli.command("explain")
@click.argument("identity", metavar="ID")
@output_option
@click.option("--raw", "raw_paths", multiple=True, type=RAW, help="Where the raw files are.  [default: raw/]")
def explain_command(identity: str, output: Path, raw_paths: tuple[Path, ...]) -> None:
    """Show a record and the raw lines behind each part of it.

    ID is the key of a row of any table: a unit, a weapon profile, a rule number. The values of a key of several columns are
    joined by `#`; the id of a unit gives its prices and keywords too. Part of an id lists those that have it.

    \b
      datasheets explain lantern-wardens/gloamwing-dropship
      datasheets explain 06.03
      datasheets explain lantern-wardens/gloamwing-dropship#1 --raw raw/demo
    """  # noqa: D301
    from pipeline.explain import explain, near

    releases = _releases(output)
    shown = 0
    for release in releases:
        for found in explain(release, identity, _raw(raw_paths)):
            shown += 1
            click.secho(f"{release.name} {found.table} {found.record.identity}", bold=True)
            for column, value in found.record.row().items():
                if value not in (None, [], ()):
                    click.echo(
                        f"  {column}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
                    )
            for piece in found.evidence:
                element = f"  ({piece.place})" if piece.place else ""
                click.secho(f"  {piece.document}:{piece.line}{element}", fg="cyan")
                click.echo(
                    "    | "
                    + (
                        piece.text.replace("\n", "\n    | ")
                        if piece.text is not None
                        else "(the raw file is not at hand; give --raw)"
                    )
                )
    if not shown:
        similar = [i for r in releases for i in near(r, identity)][:SHOWN]
        hint = "\nIds like it:\n  " + "\n  ".join(similar) if similar else ""
        raise click.UsageError(f"No release has a record {identity}.{hint}")


@cli.command("diff")
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Machine-readable and complete, as changes.json.")
@click.option(
    "--table", metavar="TABLE", help="Only the changes of this table, be it one whose rows are else only counted."
)
@click.option(
    "--across-editions", is_flag=True, help="Compare releases of two editions; what the new one lacks is retired."
)
def diff_command(old: Path, new: Path, as_json: bool, table: str | None, across_editions: bool) -> None:
    """Tell what changed between two releases.

    OLD and NEW are folders with a datapackage.json, such as output/release/11e. Rows that came, went or have another id, and
    changed ones column by column. What follows from another change, as a mean does from the dice, is counted but not listed.
    Each release tells in its CHANGES.md what changed against the one that it replaced; docs/releases.md says how to read it.

    \b
      datasheets diff old/11e output/release/11e
      datasheets diff old/11e output/release/11e --table unit_costs
      datasheets diff old/11e output/release/11e --json > changes.json
    """  # noqa: D301
    from pipeline import changelog
    from pipeline.compare import Release, compare
    from pipeline.store import document_bytes

    releases = []
    for folder in (old, new):
        if not (folder / "datapackage.json").is_file():
            raise click.UsageError(f"{folder} is no release: it has no datapackage.json.")
        releases.append(Release.of(folder))
    before, now = releases
    if before.edition != now.edition and not across_editions:
        raise click.UsageError(
            f"{old} is of edition {before.edition}, {new} of {now.edition}: almost nothing is the same in both. "
            "--across-editions compares them all the same."
        )
    if table is not None and table not in {**before.shapes, **now.shapes}:
        raise click.UsageError(f"Neither release has a table {table}; they have {', '.join(now.shapes)}.")
    changes = compare(before, now, also=table)
    if table is not None:
        changes = changes.of(table)
    click.echo(document_bytes(changes) if as_json else changelog.markdown(changes), nl=False)


# What the commands share


def _raw(paths: Sequence[Path]) -> list[Path]:
    if paths:
        return list(paths)
    if not Path("raw").is_dir():
        raise click.UsageError("No RAW given, and there is no folder raw/ here.")
    return [Path("raw")]


def _releases(output: Path) -> list[Path]:
    """Folders of the releases, by edition. Raises a usage error when there is none."""
    found = sorted(package.parent for package in (output / "release").glob("*/datapackage.json"))
    if not found:
        raise click.UsageError(f"There is no release in {output / 'release'}; `datasheets run` makes one.")
    return found


def _read(paths: Sequence[Path], edition: str | None, workers: int | None) -> way.Read:
    with _progress() as tell:
        return way.read(paths, edition=edition, workers=workers, progress=tell)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading documents", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _rejections(given: way.Read) -> list[Diagnostic]:
    """Why documents were rejected, and files that could not be had."""
    found = [
        d
        for e in given.extracts
        if e.document.status == "rejected"
        for d in e.diagnostics
        if CODES[d.code].severity == "error"
    ]
    return found + [d for d in given.diagnostics if CODES[d.code].severity == "error"]


def _say_rejected(given: way.Read) -> None:
    for made in given.extracts:
        if made.document.status == "rejected":
            place = (
                made.document.path if made.document.member is None else f"{made.document.path}, {made.document.member}"
            )
            for d in made.diagnostics:
                click.echo(f"rejected {place}: {d.code}: {d.message}", err=True)
    for d in given.diagnostics:
        click.echo(f"{d.code}: {d.message}", err=True)
    for reason, count in sorted(given.skipped.items()):
        click.echo(f"skipped {count}: {reason}", err=True)


def _place(d: Diagnostic, documents: Iterable[Any]) -> str:
    """File, member and line of a finding."""
    found = next((row for row in documents if row.document_id == d.document_id), None)
    file = f"document {d.document_id}" if found is None else found.path
    member = "" if found is None or found.member is None else f", {found.member}"
    return f"{file}{member}" + ("" if d.line is None else f":{d.line}")


def _say_findings(edition: str, stopping: Sequence[Diagnostic], documents: Sequence[Any] = ()) -> None:
    click.echo(f"{edition}: {len(stopping)} findings stop the release; what was published before stands.", err=True)
    for d in stopping[:SHOWN]:
        place = f" ({_place(d, documents)})" if d.document_id else ""
        about = " ".join(filter(None, (d.table, d.record_id)))
        click.echo(f"  {d.code}: {about}{': ' if about else ''}{d.message}{place}", err=True)
    if len(stopping) > SHOWN:
        click.echo(f"  … and {len(stopping) - SHOWN} more", err=True)


def _publish(
    edition: str, tables: Any, diagnostics: Sequence[Diagnostic], output: Path, allow: Sequence[str], *, prose: bool
) -> int:
    from pipeline.guards import Guard
    from pipeline.publish import Stopped, publish
    from pipeline.validate import Findings, validate

    outcome = validate(tables, diagnostics, edition=edition)
    if isinstance(outcome, Findings):
        _say_findings(edition, outcome.stopping, tables["documents"])
        return FINDINGS
    done = publish(outcome, output / "release", allow=[Guard(name) for name in allow], prose=prose)
    if isinstance(done, Stopped):
        _say_findings(edition, done.diagnostics)
        for code in sorted({d.code for d in done.diagnostics}):
            click.echo(f"  --allow-{code} publishes all the same", err=True)
        return FINDINGS
    _summary(edition, done.folder, tables, outcome.tables["diagnostics"])
    return ALL_GOOD


def _summary(edition: str, folder: Path, tables: Any, diagnostics: Sequence[Any]) -> None:
    documents = [d for d in tables["documents"] if d.status != "rejected"]
    characters = sum(d.characters for d in documents)
    claimed = sum(d.characters_claimed for d in documents)
    share = f"{claimed / characters:.2%}" if characters else "none"
    click.echo(f"{edition}: {len(documents)} documents, {share} of their characters claimed → {folder}")
    counts = {
        name: len(rows)
        for name, rows in tables.items()
        if rows and name not in ("observations", "diagnostics", "documents")
    }
    click.echo("  " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items()))
    codes = Counter(d.code for d in diagnostics)
    if codes:
        click.echo("  diagnostics: " + ", ".join(f"{count} {code}" for code, count in codes.most_common()))


def _stage_input(path: Path, stage: str, decode: Callable[[bytes], Any]) -> Any:
    """A file of the stage before. Raises a usage error when it is missing or no longer what this version writes."""
    import msgspec

    if not path.is_file():
        raise click.UsageError(f"{path} is missing; `datasheets {stage}` makes it.")
    try:
        return decode(path.read_bytes())
    except msgspec.DecodeError as fault:
        raise click.UsageError(f"{path} cannot be read ({fault}); `datasheets {stage}` makes it anew.") from fault


def _linked(output: Path) -> list[way.Linked]:
    paths = sorted((output / TABLES).glob("*.msgpack"))
    if not paths:
        raise click.UsageError(f"There are no tables in {output / TABLES}; `datasheets link` makes them.")
    return [_stage_input(path, "link", way.decode_linked) for path in paths]


def main() -> None:
    """Entry point of `datasheets` and `python -m pipeline`."""
    from pipeline.store import DamagedRelease

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that no worker is left behind
    try:
        sys.exit(cli.main(prog_name="datasheets", standalone_mode=False))
    except click.ClickException as fault:
        fault.show()
        sys.exit(fault.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("datasheets: interrupted; what was published before stands.", err=True)
        sys.exit(FINDINGS)
    except DamagedRelease as fault:
        click.echo(f"datasheets: {fault}", err=True)
        sys.exit(FINDINGS)
    except OSError as fault:
        place = f"{fault.filename}: " if fault.filename else ""
        click.echo(f"datasheets: {place}{fault.strerror or fault}", err=True)
        sys.exit(FINDINGS)


if __name__ == "__main__":
    main()
