"""What is made from the schemas for those who use the tables: JSON Schema, TypeScript types, the references for people.

In: the tables' definitions. Out: texts by file name, the same for every run. `docs/` holds them in the repository,
where a test fails when one is stale; a release carries the machine-readable ones, made from its own tables.

    >>> sorted(machine_readable(schema.tables()))[:2]
    ['changes.schema.json', 'datasheets.ts']
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pipeline import expectations, nested, schema
from pipeline.compare import Changes
from pipeline.diagnostics import CODES
from pipeline.records import TABLES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MADE_FROM = "Made from schemas/*.json by `make schemas`: change those, not this."

_TYPESCRIPT = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}

Tables = Mapping[str, schema.Table]


def documentation() -> dict[str, str]:
    """Everything in `docs/` that is made from the schemas, by path below it."""
    tables = schema.tables()
    written = {f"contracts/{name}": text for name, text in machine_readable(tables).items()}
    return written | {"tables.md": reference(tables), "expectations.md": expected(tables)}


def machine_readable(tables: Tables) -> dict[str, str]:
    """JSON Schema of each table, of the faction documents and of `changes.json`, and the TypeScript types, by path."""
    files = {f"tables/{name}.schema.json": _json(table_schema(table)) for name, table in tables.items()}
    return files | {
        "changes.schema.json": _json({"$schema": DIALECT, **msgspec.json.schema(Changes)}),
        "faction.schema.json": _json(faction_schema(tables)),
        "datasheets.ts": typescript(tables),
    }


def write(docs: Path) -> list[Path]:
    """Write what is stale of `documentation()` below `docs`; returns the paths that were written."""
    stale = [(docs / name, text) for name, text in documentation().items() if not is_fresh(docs / name, text)]
    for path, text in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [path for path, _ in stale]


def is_fresh(path: Path, text: str) -> bool:
    """Whether the file has just this text."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


# JSON Schema


def table_schema(table: schema.Table) -> dict[str, Any]:
    """JSON Schema of `tables/<table>.json`."""
    return {
        "$schema": DIALECT,
        "title": table.title,
        "description": table.description,
        "type": "array",
        "items": _object({field.name: _property(field) for field in table.fields}),
    }


def faction_schema(tables: Tables) -> dict[str, Any]:
    """JSON Schema of `factions/<faction_id>.json`."""
    edition = {"type": "string", "description": "Edition of the release.", "examples": ["11e"]}
    folded = _folded(nested.FACTION, tables)
    return {
        "$schema": DIALECT,
        "title": "Faction",
        "description": "A faction with all its datasheets.",
        **_object({"edition": edition, **folded["properties"]}),
    }


def _folded(nest: nested.Nest, tables: Tables) -> dict[str, Any]:
    table = tables[nest.table]
    own = {column: _property(table.field(column)) for column in nest.own_columns(table)}
    own |= {
        child.name: {"type": "array", "description": tables[child.table].description, "items": _folded(child, tables)}
        for child in nest.children
    }
    if not nest.grouped:
        return _object(own)
    group = {column: _property(table.field(column)) for column in nest.grouped}
    return _object(group | {nest.members: {"type": "array", "minItems": 1, "items": _object(own)}})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(field: schema.Field) -> dict[str, Any]:
    found: dict[str, Any] = {"type": field.type if field.required else [field.type, "null"]}
    if field.description:
        found["description"] = f"{field.description} Unit: {field.unit}." if field.unit else field.description
    if field.example is not None:
        found["examples"] = [field.example]
    if field.array_item is not None:
        found["items"] = _property(field.array_item)
    if field.type == "object":
        found |= _object({part.name: _property(part) for part in field.fields})
    return found | _limits(field)


def _limits(field: schema.Field) -> dict[str, Any]:
    limits = field.constraints
    named = {
        "enum": None if limits.enum is None else [*limits.enum, *(() if field.required else (None,))],
        "pattern": limits.pattern,
        "minimum": limits.minimum,
        "maximum": limits.maximum,
        "minLength": limits.min_length,
    }
    return {name: limit for name, limit in named.items() if limit is not None}


# TypeScript


def typescript(tables: Tables) -> str:
    """Types of a row of each table and of a faction document."""
    parts = [f"// {MADE_FROM}\n"]
    parts += [_interface(table) for table in tables.values()]
    parts.append(
        "/** A faction with all its datasheets: `factions/<faction_id>.json`. */\n"
        f"export type FactionDocument = {{ edition: string }} & {_folded_type(nested.FACTION, tables, '')};\n"
    )
    return "\n".join(parts)


def _interface(table: schema.Table) -> str:
    lines = [f"/** {table.description} */", f"export interface {_type_name(table.name)} {{"]
    for field in table.fields:
        unit = f" Unit: {field.unit}." if field.unit else ""
        lines += [f"  /** {field.description}{unit} */", f"  {field.name}: {_typescript_type(field)};"]
    return "\n".join([*lines, "}", ""])


def _type_name(table: str) -> str:
    return TABLES[table].__name__


def _typescript_type(field: schema.Field) -> str:
    if field.array_item is not None:
        found = f"Array<{_typescript_type(field.array_item)}>"
    elif field.type == "object":
        found = "{ " + "; ".join(f"{part.name}: {_typescript_type(part)}" for part in field.fields) + " }"
    elif field.constraints.enum:
        found = " | ".join(f'"{value}"' for value in field.constraints.enum)
    else:
        found = _TYPESCRIPT[field.type]
    return found if field.required else f"{found} | null"


def _folded_type(nest: nested.Nest, tables: Tables, indent: str) -> str:
    table = tables[nest.table]
    kept = nest.own_columns(table)
    left_out = " | ".join(f'"{column}"' for column in table.columns if column not in kept)
    row = f"Omit<{_type_name(nest.table)}, {left_out}>" if left_out else _type_name(nest.table)
    deeper = indent + "  "
    children = "".join(
        f"{deeper}{child.name}: Array<{_folded_type(child, tables, deeper)}>;\n" for child in nest.children
    )
    own = f"{row} & {{\n{children}{indent}}}" if children else row
    if not nest.grouped:
        return own
    group = " | ".join(f'"{column}"' for column in nest.grouped)
    return f"Pick<{_type_name(nest.table)}, {group}> & {{ {nest.members}: Array<{own}> }}"


# Markdown


def reference(tables: Tables) -> str:
    """The table reference, for people."""
    contents = "\n".join(f"- [{name}](#{name}): {table.title}" for name, table in tables.items())
    parts = ["# Tables", f"<!-- {MADE_FROM} -->", _PREFACE, contents]
    parts += ["\n".join(_table_reference(table)) for table in tables.values()]
    return "\n\n".join(parts) + "\n"


_PREFACE = """Every release holds these tables as Parquet and as JSON. Columns in **bold** are the key. A column marked
with `?` can be null: what null means stands in its description; it never means 0 or no. Lists are never null."""


def _table_reference(table: schema.Table) -> Iterator[str]:
    yield f"## {table.name}\n"
    yield f"{table.description}\n"
    targets = {key.column: f"{key.reference.resource}.{key.reference.fields[0]}" for key in table.foreign_keys}
    targets |= {
        field.name: f"{field.item_reference.resource}.{field.item_reference.field}"
        for field in table.fields
        if field.item_reference is not None
    }
    yield "| column | type | what it says | example |"
    yield "|---|---|---|---|"
    for field in table.fields:
        name = f"**{field.name}**" if field.name in table.key else field.name
        points = f" → `{targets[field.name]}`" if field.name in targets else ""
        unit = f" Unit: {field.unit}." if field.unit else ""
        example = _cell(json.dumps(field.example, ensure_ascii=False))
        yield f"| {name} | {_markdown_type(field)} | {_cell(field.description)}{unit}{points} | `{example}` |"


def _markdown_type(field: schema.Field) -> str:
    if field.array_item is not None:
        inner = field.array_item
        parts = ", ".join(part.name for part in inner.fields)
        return f"list of {{{parts}}}" if inner.fields else f"list of {inner.type}s"
    return field.type if field.required else f"{field.type}?"


def expected(tables: Tables) -> str:
    """What every release is held against, for people."""
    parts = ["# Expectations", f"<!-- {MADE_FROM} -->", _EXPECTATIONS_PREFACE]
    for name in tables:
        lines = ["| what is expected | of which rows | code | where it fails |", "|---|---|---|---|"]
        for one in expectations.suite(name):
            rows = f"`{_cell(one.where)}`" if one.where else "all"
            lines.append(f"| {_cell(one.says)} | {rows} | `{one.code}` | {_consequence(one.code)} |")
        parts += [f"## {name}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


_EXPECTATIONS_PREFACE = """Before a release is published, great-expectations holds its tables against these suites. They
are made from the constraints in `schemas/` and from `ACROSS_COLUMNS` in `pipeline/expectations.py`. Before that come
the checks of structure: types, nulls, unique keys, foreign keys."""


def _consequence(code: str) -> str:
    return "the release is stopped" if CODES[code].stops_release else f"{CODES[code].severity}, published"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
