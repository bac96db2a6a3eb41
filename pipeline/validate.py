"""The gate: tables in, `Validated` or `Findings` out. `publish` takes nothing but `Validated`, and only this module
makes it.

In: the records of every table, and what was found upstream. First the structure (types, nulls, keys, foreign keys), in
plain Python; tables that pass are framed and held against the suites of `expectations`, by great-expectations. Each
failure names its record and, through `observations`, the place in the raw text.

    >>> outcome = validate(tables, diagnostics, edition="11e")  # doctest: +SKIP
    >>> match outcome:  # doctest: +SKIP
    ...     case Validated(): publish(outcome, Path("output/release"))
    ...     case Findings(): print(*outcome.stopping)

This is the only module that imports great-expectations, and only when it validates.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import msgspec

from pipeline import evidence, expectations, migrations, schema, store
from pipeline.diagnostics import CODES, Diagnostic, excerpt
from pipeline.expectations import Expectation
from pipeline.link import diagnostic_row
from pipeline.records import TABLES, AnyRecord, DiagnosticRow, Record

if TYPE_CHECKING:
    import pandas as pd

_SEAL = object()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one expectation: rows looked at, and the failures as (id of the record, value or complaint)."""

    expectation: Expectation
    rows: int
    failures: tuple[tuple[str, Any], ...] = ()


@final
class Validated:
    """Tables that passed. Only `validate` can make one; the tables are complete and sorted by key.

    `columns` are the same values column by column, the warnings of the validation in `diagnostics` among them;
    `results` has one entry per expectation.
    """

    __slots__ = ("columns", "edition", "results", "tables")

    def __init__(
        self,
        seal: object,
        *,
        edition: str,
        tables: Mapping[str, Sequence[Record]],
        columns: Mapping[str, store.Columns],
        results: tuple[Result, ...],
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("only validate() makes Validated")
        self.edition = edition
        self.tables = tables
        self.columns = columns
        self.results = results


@dataclass(frozen=True, slots=True)
class Findings:
    """Why nothing can be published: the diagnostics that stop it, and what else validation found."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def stopping(self) -> tuple[Diagnostic, ...]:
        """The ones that stop the release."""
        return tuple(one for one in self.diagnostics if CODES[one.code].stops_release)


def validate(
    tables: Mapping[str, Sequence[Record]], diagnostics: Iterable[Diagnostic] = (), *, edition: str
) -> Validated | Findings:
    """Hold all tables against their schemas and the expectations.

    A table that is not given is empty. Rows of `diagnostics` may stand in `tables`, or come as `diagnostics`, or both;
    the findings of the validation that do not stop the release are added to them. The declared migrations of the
    edition become the `migrations` table.
    """
    complete: dict[str, Sequence[Record]] = {name: tables.get(name, ()) for name in TABLES}
    complete["migrations"] = migrations.declared(edition)
    reported = _rows([*complete["diagnostics"], *map(diagnostic_row, diagnostics)])
    complete["diagnostics"] = reported
    stopping = [_from_row(row) for row in reported if _stops(row.code)]
    columns = {name: _columns(name, records) for name, records in complete.items()}
    faults = [fault for name, values in columns.items() for fault in _faults(name, values, complete[name])]
    if unknown := sorted(set(tables) - set(TABLES)):
        raise ValueError(f"no such tables: {', '.join(unknown)}")
    if faults:
        return Findings((*stopping, *_located(faults, columns)))
    complete, columns = _sorted(complete, columns)
    found = [*stopping, *_located(_broken_links(columns), columns)]
    if _any_stops(found):
        return Findings(tuple(found))
    results = run_suites(evidence.Evidence(columns, edition))
    found += _unreported(_located(_findings(results), columns), reported)
    if _any_stops(found):
        return Findings(tuple(found))
    complete["diagnostics"] = _rows([*reported, *map(diagnostic_row, found)])
    columns["diagnostics"] = store.checked(schema.table("diagnostics"), complete["diagnostics"])
    return Validated(_SEAL, edition=edition, tables=complete, columns=columns, results=results)


def _stops(code: str) -> bool:
    return CODES[code].stops_release


def _any_stops(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(_stops(one.code) for one in diagnostics)


# Diagnostics and their rows


def _from_row(row: DiagnosticRow) -> Diagnostic:
    return Diagnostic(**{name: getattr(row, name) for name in Diagnostic.__struct_fields__})


def _rows(rows: Iterable[Any]) -> list[Any]:
    return store.by_key({row.diagnostic_id: row for row in rows}.values())


def _unreported(found: Iterable[Diagnostic], known: Iterable[DiagnosticRow]) -> Iterator[Diagnostic]:
    """What was not said of the same record by an extractor, which sees more of the place."""
    said = {(row.code, row.table, row.record_id) for row in known}
    return (one for one in found if (one.code, one.table, one.record_id) not in said)


# The structure, in plain Python: without it there are no frames


def _columns(table: str, records: Sequence[Record]) -> store.Columns:
    strangers = [type(record).__name__ for record in records if type(record) is not TABLES[table]]
    if strangers:
        raise TypeError(f"table {table} holds {', '.join(sorted(set(strangers)))}")
    return store.columns(schema.table(table), records)


def _faults(table: str, values: store.Columns, records: Sequence[Record]) -> Iterator[Diagnostic]:
    for fault in schema.faults(schema.table(table), values):
        record_id = records[fault.row].identity if records else None
        yield Diagnostic(code=fault.code, message=fault.message, table=table, record_id=record_id)


def _sorted(
    tables: Mapping[str, Sequence[Record]], columns: Mapping[str, store.Columns]
) -> tuple[dict[str, Sequence[Record]], dict[str, store.Columns]]:
    records: dict[str, Sequence[Record]] = {}
    values: dict[str, store.Columns] = {}
    for name, unsorted in columns.items():
        keys = _keys(name, unsorted)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        records[name] = [tables[name][row] for row in order]
        values[name] = {column: [cells[row] for row in order] for column, cells in unsorted.items()}
    return records, values


def _keys(table: str, values: store.Columns) -> list[tuple[Any, ...]]:
    return list(zip(*(values[column] for column in schema.table(table).key), strict=True))


def _broken_links(columns: Mapping[str, store.Columns]) -> Iterator[Diagnostic]:
    """Repeated keys, foreign keys and record references that lead nowhere, codes that are none, and a run of
    nothing.
    """
    identities = {name: _identities(name, values) for name, values in columns.items()}
    for name in columns:
        for row, message, code in (
            *_repeated(identities[name]),
            *_dangling(name, columns),
            *_dangling_records(name, columns, identities),
        ):
            yield Diagnostic(code=code, message=message, table=name, record_id=identities[name][row])
    yield from _untraced(identities, columns["observations"])
    if not any(status != "rejected" for status in columns["documents"]["status"]):
        yield Diagnostic(code="empty-release", message="no document was read")


def _identities(table: str, values: store.Columns) -> list[str]:
    """What `Record.identity` gives, for all rows at once."""
    key = schema.table(table).key
    if len(key) == 1:
        return values[key[0]]
    return ["#".join(map(str, parts)) for parts in _keys(table, values)]


_Broken = Iterator[tuple[int, str, str]]


def _repeated(identities: Sequence[str]) -> _Broken:
    for row in schema.duplicates(identities):
        yield row, f"another record has the id {identities[row]}", "duplicate-id"


def _dangling(table: str, columns: Mapping[str, store.Columns]) -> _Broken:
    definition = schema.table(table)
    for key in definition.foreign_keys:
        target, column = key.reference.resource, key.reference.fields[0]
        known = {None, *columns[target][column]}
        for row, value in enumerate(columns[table][key.column]):
            if value not in known:
                yield row, f"{key.column} = {value!r} is no {target}.{column}", "dangling-key"
    for field in definition.fields:
        if field.item_reference is not None:
            target, column = field.item_reference.resource, field.item_reference.field
            items = set(columns[target][column])
            for row, values in enumerate(columns[table][field.name]):
                for value in values:
                    if value not in items:
                        yield row, f"{field.name} has {value!r}, which is no {target}.{column}", "dangling-key"


def _dangling_records(
    table: str, columns: Mapping[str, store.Columns], identities: Mapping[str, Sequence[str]]
) -> _Broken:
    for reference in schema.table(table).record_references:
        known = {name: {None, *ids} for name, ids in identities.items()} | {None: {None}}
        pairs = zip(columns[table][reference.table], columns[table][reference.id], strict=True)
        for row, (target, record) in enumerate(pairs):
            if record not in known.get(target, ()):
                yield row, f"{reference.id} = {record!r} is no record of {target}", "dangling-key"


_NOT_TRACED = {"cross_references", "keyword_index", "crosswalk"}  # made of other tables, or about them


def _untraced(identities: Mapping[str, Sequence[str]], observations: store.Columns) -> Iterator[Diagnostic]:
    traced: dict[str, set[str]] = defaultdict(set)
    for table, record in zip(observations["table"], observations["record_id"], strict=True):
        traced[table].add(record)
    for sighted in AnyRecord.__args__:
        table = sighted.table_name()
        untraced = [one for one in identities[table] if one not in traced[table]]
        if untraced and table not in _NOT_TRACED:
            message = f"{len(untraced)} of {len(identities[table])} {table} without an observation, {untraced[0]} first"
            yield Diagnostic(code="untraced-records", message=message, table=table)


# Places in the raw text


def _located(found: Iterable[Diagnostic], columns: Mapping[str, store.Columns]) -> Iterator[Diagnostic]:
    """The diagnostics, with the place where their records were first seen, where the tables say it."""
    listed = list(found)
    wanted = {(one.table, one.record_id) for one in listed}
    places: dict[tuple[Any, Any], dict[str, Any]] = {}
    names = ("document_id", "start", "end", "line")
    rows = zip(*(columns["observations"].get(name, ()) for name in ("table", "record_id", *names)), strict=False)
    for table, record, *place in rows:
        if (table, record) in wanted and (table, record) not in places:
            places[table, record] = dict(zip(names, place, strict=True))
    places |= {
        ("documents", document): {"document_id": document} for document in columns["documents"].get("document_id", ())
    }
    for one in listed:
        yield msgspec.structs.replace(one, **places.get((one.table, one.record_id), {}))


# The suites


def run_suites(given: evidence.Evidence, tables: Iterable[str] = TABLES) -> tuple[Result, ...]:
    """Hold tables against their suites. Tables without rows are not sent: they would pass everything.

    Raises RuntimeError when great-expectations did not answer, or could not evaluate, an expectation.
    """
    validator = _Validator()
    found: list[Result] = []
    for table in tables:
        suite = expectations.suite(table)
        frame = _frame(table, given)
        found += validator.run(frame, suite) if len(frame) else [Result(one, 0) for one in suite]
    return tuple(found)


_RECORD = "record#"  # the column that names a row; no table has one of this name


def _frame(table: str, given: evidence.Evidence) -> pd.DataFrame:
    import pyarrow as pa

    from pipeline import frames

    values, definition = given.tables[table], schema.table(table)
    plain = [field for field in definition.arrow() if definition.field(field.name).array_item is None]
    arrays = {field.name: pa.array(values[field.name], field.type) for field in plain}
    for column, cells in evidence.derive(table, given).items():
        arrays[column] = pa.array(cells, pa.int64() if column in evidence.NUMBERS else pa.string())
    arrays[_RECORD] = pa.array(_identities(table, values), pa.string())
    return frames.frame(pa.table(arrays))


class _Validator:
    """great-expectations, without its files, its network and its progress bars."""

    def __init__(self) -> None:
        os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
        import great_expectations
        from great_expectations.data_context.types.base import ProgressBarsConfig

        context = great_expectations.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        source = context.data_sources.add_pandas("tables")
        self._definition = source.add_dataframe_asset("table").add_batch_definition_whole_dataframe("all")

    def run(self, frame: pd.DataFrame, suite: Sequence[Expectation]) -> list[Result]:
        """One result per expectation. What fails is run once more to learn the rows; that costs too much for the
        rest.
        """
        batch = self._definition.get_batch({"dataframe": frame})
        answers = self._ask(batch, suite, "BASIC")
        failed = [one for one, answer in zip(suite, answers, strict=True) if not answer.success]
        details = iter(self._ask(batch, failed, "COMPLETE")) if failed else iter(())
        return [
            Result(
                one,
                rows=int(answer.result["element_count"]),
                failures=() if answer.success else tuple(_failures(one, next(details))),
            )
            for one, answer in zip(suite, answers, strict=True)
        ]

    def _ask(self, batch: Any, suite: Sequence[Expectation], detail: str) -> list[Any]:
        from great_expectations.core.expectation_suite import ExpectationSuite

        numbered = [one.configuration() | {"meta": {"number": number}} for number, one in enumerate(suite)]
        sent = ExpectationSuite(name="suite", expectations=numbered)
        form = {"result_format": detail, "return_unexpected_index_query": False}
        if detail == "COMPLETE":
            form["unexpected_index_column_names"] = [_RECORD]
        answers = {
            answer.expectation_config.meta["number"]: answer
            for answer in batch.validate(sent, result_format=form).results
        }
        # an unknown type is dropped without a word, and a missing column is a failure like any other
        unanswered = [one for number, one in enumerate(suite) if number not in answers]
        raised = [one for number, one in enumerate(suite) if number in answers and _raised(answers[number])]
        if unanswered or raised:
            raise RuntimeError(f"not evaluated: {', '.join(f'{one.table}: {one.says}' for one in unanswered + raised)}")
        return [answers[number] for number in range(len(suite))]


def _raised(answer: Any) -> bool:
    info = answer.exception_info
    parts = [info] if "raised_exception" in info else list(info.values())
    return any(part["raised_exception"] for part in parts)


def _failures(expectation: Expectation, answer: Any) -> Iterator[tuple[str, Any]]:
    for row in answer.result["unexpected_index_list"]:
        values = {name: value for name, value in row.items() if name != _RECORD}
        yield str(row[_RECORD]), values.get(expectation.subject)


def _findings(results: Iterable[Result]) -> Iterator[Diagnostic]:
    for result in results:
        one = result.expectation
        for record, value in dict(result.failures).items():
            table, record_id = (one.table, record) if one.about is None else (one.about, record.rpartition("#")[0])
            yield Diagnostic(code=one.code, message=_message(one, value), table=table, record_id=record_id)


def _message(expectation: Expectation, value: Any) -> str:
    if expectation.is_complaint:
        return str(value)
    return f"Expected: {expectation.says}; {expectation.subject} is {_shown(value)}"


def _shown(value: Any) -> str:
    text = str(value)  # numbers are numpy's, missing values NaN, NA or None
    return "null" if text in ("nan", "<NA>", "None") else excerpt(text)
