"""The schemas against the record classes, and the checks of rows."""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Iterator
from typing import Any

import pytest

from pipeline import records, schema
from pipeline.vocabulary import SCHEMAS


def every_field(fields: tuple[schema.Field, ...]) -> Iterator[schema.Field]:
    for field in fields:
        yield field
        if field.array_item is not None:
            yield from every_field(field.array_item.fields)


def python_type(annotation: Any) -> tuple[str, bool]:
    """Type of a schema, and whether null is allowed, for the annotation of a record."""
    alternatives = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    plain = next(one for one in alternatives if one is not type(None))
    name = {str: "string", int: "integer", float: "number", bool: "boolean"}.get(plain, "array")
    return name, type(None) in alternatives


def test_every_schema_file_is_a_table_and_every_table_has_one() -> None:
    files = {path.stem for path in SCHEMAS.glob("*.json")} - {"renamed_ids"}
    assert files == set(records.TABLES) == {definition.name for definition in schema.tables().values()}


@pytest.mark.parametrize("name", records.TABLES)
def test_columns_types_and_key_are_those_of_the_record(name: str) -> None:
    definition, record = schema.table(name), records.TABLES[name]
    annotations = typing.get_type_hints(record)
    assert definition.columns == record.__struct_fields__
    assert definition.key == record.key
    for field in definition.fields:
        assert (field.type, not field.required) == python_type(annotations[field.name]), field.name


@pytest.mark.parametrize("name", records.TABLES)
def test_every_column_is_described_and_its_example_is_sound(name: str) -> None:
    definition = schema.table(name)
    assert definition.title
    assert definition.description
    for field in every_field(definition.fields):
        assert len(field.description) > 5, field.name
        assert field.description.endswith("."), field.name
        assert field.example is not None, field.name
        assert field.required or "Null:" in field.description, f"{field.name} does not say what null means"
        pattern, enum = field.constraints.pattern, field.constraints.enum
        assert pattern is None or re.match(schema.whole(pattern), field.example), field.name
        assert enum is None or field.example in enum, field.name
    example = {field.name: [field.example] for field in definition.fields}
    assert list(schema.faults(definition, example)) == []


@pytest.mark.parametrize("name", records.TABLES)
def test_references_point_to_tables_and_columns_that_exist(name: str) -> None:
    definition = schema.table(name)
    for key in definition.foreign_keys:
        assert key.column in definition.columns
        assert schema.table(key.reference.resource).field(key.reference.fields[0]).required
    for reference in definition.record_references:
        assert {reference.table, reference.id} <= set(definition.columns)
    for field in definition.fields:
        if field.item_reference is not None:
            assert field.item_reference.field in schema.table(field.item_reference.resource).key


@pytest.mark.parametrize("name", records.TABLES)
def test_keys_are_required_and_never_prose(name: str) -> None:
    definition = schema.table(name)
    for column in definition.key:
        assert definition.field(column).required
    assert set(definition.key) <= set(definition.without_prose().columns)


def test_a_typing_error_in_a_schema_is_no_silent_loss(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    descriptor = json.loads((SCHEMAS / "leaders.json").read_text(encoding="utf-8"))
    descriptor["fields"][0]["constraints"]["minimun"] = 1
    (tmp_path / "leaders.json").write_text(json.dumps(descriptor), encoding="utf-8")
    monkeypatch.setattr(schema, "SCHEMAS", tmp_path)
    with pytest.raises(Exception, match="minimun"):
        schema.table.__wrapped__("leaders")


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(KeyError, match="no table 'leader'"):
        schema.table("leader")


COSTS: dict[str, list[Any]] = {
    "datasheet_id": ["ash-compact/brindle-hauler"],
    "position": [1],
    "kind": ["unit"],
    "from_unit": [None],
    "to_unit": [None],
    "models": [1],
    "description": ["1 model"],
    "points": [85],
}


@pytest.mark.parametrize(
    ("column", "values", "code"),
    [
        ("points", [1.5], "wrong-type"),
        ("points", [True], "wrong-type"),
        ("points", ["85"], "wrong-type"),
        ("description", [None], "missing-value"),
        ("position", [None], "missing-value"),
        ("colour", ["red"], "wrong-type"),
    ],
)
def test_a_value_that_arrow_would_repair_is_a_fault(column: str, values: list[Any], code: str) -> None:
    found = list(schema.faults(schema.table("unit_costs"), COSTS | {column: values}))
    assert [(fault.code, fault.row, fault.column) for fault in found] == [(code, 0, column)]


def test_a_missing_column_is_a_fault() -> None:
    columns = {column: values for column, values in COSTS.items() if column != "points"}
    assert [fault.column for fault in schema.faults(schema.table("unit_costs"), columns)] == ["points"]


@pytest.mark.parametrize("value", [None, "STR", ["a", None], [1], [["a"]]])
def test_lists_and_their_items_are_checked(value: Any) -> None:
    aliases = {"faction_id": ["a", "b"], "name": ["A", "B"], "aliases": [("x",), value]}
    (found,) = schema.faults(schema.table("factions"), aliases)
    assert (found.row, found.column) == (1, "aliases")


def test_no_number_is_nan() -> None:
    field = schema.table("weapon_profiles").field("attacks_mean")
    definition = schema.Table(
        name="t", title="", description="", stable_ids=False, loss_guard=False, primary_key=(), fields=(field,)
    )
    assert [fault.row for fault in schema.faults(definition, {"attacks_mean": [2.0, float("nan"), None]})] == [1]


def test_patterns_match_the_whole_text() -> None:
    matches = re.compile(schema.whole("^a|b$")).match
    assert matches("a")
    assert matches("b")
    assert not matches("ab")
    assert not matches("a\n")
