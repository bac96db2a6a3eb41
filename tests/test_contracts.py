"""What is made from the schemas is fresh, valid, and says the same as the data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pipeline import contracts, expectations, nested, schema, store
from pipeline.records import TABLES
from tests import invented

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_files_in_docs_are_fresh() -> None:
    stale = [name for name, text in contracts.documentation().items() if not contracts.is_fresh(DOCS / name, text)]
    assert stale == [], "run `make schemas`"
    left_over = {path.relative_to(DOCS).as_posix() for path in (DOCS / "contracts").rglob("*.*")}
    assert left_over <= set(contracts.documentation()), "no schema makes these any more"


def test_writing_touches_only_what_is_stale(tmp_path: Path) -> None:
    assert len(contracts.write(tmp_path)) == len(contracts.documentation())
    (tmp_path / "tables.md").write_text("old")
    assert contracts.write(tmp_path) == [tmp_path / "tables.md"]


def rows(table: str) -> list[dict[str, Any]]:
    # through JSON, as a consumer reads them
    records = store.by_key(invented.game()[table])
    plain = list(store.row_dicts(store.checked(schema.table(table), records)))
    return json.loads(json.dumps(plain))  # type: ignore[no-any-return]


@pytest.mark.parametrize("table", TABLES)
def test_rows_hold_to_the_json_schema_and_broken_ones_do_not(table: str) -> None:
    made = contracts.table_schema(schema.table(table))
    jsonschema.Draft202012Validator.check_schema(made)
    validator = jsonschema.Draft202012Validator(made)
    sound = rows(table)
    validator.validate(sound)
    for row in sound[:1]:
        for column in row:
            assert not validator.is_valid([{key: value for key, value in row.items() if key != column}])
            assert not validator.is_valid([row | {column: {"an": "object"}}])
        assert not validator.is_valid([row | {"colour": "red"}])


def test_faction_documents_hold_to_their_json_schema() -> None:
    tables = {name: store.checked(schema.table(name), store.by_key(rows)) for name, rows in invented.game().items()}
    made = contracts.faction_schema(schema.tables())
    jsonschema.Draft202012Validator.check_schema(made)
    for _, document in nested.faction_documents(schema.tables(), tables, "11e"):
        jsonschema.validate(json.loads(json.dumps(document)), made)


def test_the_reference_names_every_table_and_column() -> None:
    text = contracts.reference(schema.tables())
    for name, definition in schema.tables().items():
        assert f"\n## {name}\n" in text
        for column in definition.columns:
            assert f"| {column} |" in text or f"| **{column}** |" in text


def test_the_expectations_are_listed_and_none_is_lost() -> None:
    text = contracts.expected(schema.tables())
    assert text.count("| `") >= sum(len(expectations.suite(table)) for table in TABLES)


def test_typescript_has_a_type_per_table() -> None:
    text = contracts.typescript(schema.tables())
    for record in TABLES.values():
        assert f"export interface {record.__name__} {{" in text
