"""The tables folded into one document per faction: what a list builder loads.

In: checked columns of the tables. Out: per faction a document with its datasheets, each with its models, weapons →
profiles → abilities, abilities, options, composition, costs, keywords and leaders; its detachments and enhancements.

`FACTION` says what hangs under what; the documents and their published JSON Schema are both made from it. A row leaves
out the column that repeats its parent's id. Children stand in printed order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from pipeline import store
from pipeline.schema import Table

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Nest:
    """Rows of `table` under the property `name`: those whose column `by` has the value of the parent's column `of`.

    With `grouped`, rows that agree in these columns are joined first: an object with the columns, and the rows as its
    property `members`.
    """

    name: str
    table: str
    by: str
    of: str
    children: tuple[Nest, ...] = ()
    grouped: tuple[str, ...] = ()
    members: str = ""

    def own_columns(self, definition: Table) -> list[str]:
        """The row's columns that are kept: not the parent's id, and not what a child or the group tells better."""
        told = {self.by, *self.grouped, *(child.name for child in self.children)}
        return [column for column in definition.columns if column not in told]


FACTION = Nest(
    name="factions",
    table="factions",
    by="",
    of="",
    children=(
        Nest(
            name="datasheets",
            table="datasheets",
            by="faction_id",
            of="faction_id",
            children=(
                Nest("models", "models", "datasheet_id", "datasheet_id"),
                Nest(
                    name="weapons",
                    table="weapon_profiles",
                    by="datasheet_id",
                    of="datasheet_id",
                    children=(Nest("abilities", "weapon_abilities", "profile_id", "profile_id"),),
                    grouped=("kind", "weapon_name"),
                    members="profiles",
                ),
                Nest("abilities", "abilities", "datasheet_id", "datasheet_id"),
                Nest("options", "wargear_options", "datasheet_id", "datasheet_id"),
                Nest("composition", "unit_composition", "datasheet_id", "datasheet_id"),
                Nest("costs", "unit_costs", "datasheet_id", "datasheet_id"),
                Nest("keywords", "keywords", "datasheet_id", "datasheet_id"),
                Nest("leads", "leaders", "leader_id", "datasheet_id"),
                Nest("led_by", "leaders", "led_id", "datasheet_id"),
            ),
        ),
        Nest("detachments", "detachments", "faction_id", "faction_id"),
        Nest("enhancements", "enhancements", "faction_id", "faction_id"),
    ),
)


def faction_documents(
    definitions: Mapping[str, Table], tables: Mapping[str, store.Columns], edition: str
) -> Iterator[tuple[str, Row]]:
    """Each faction's id and document, in the order of the `factions` table."""
    children = _index(FACTION, tables)
    for row in store.row_dicts(tables["factions"]):
        yield row["faction_id"], {"edition": edition, **_fold(FACTION, row, definitions, children)}


def _index(nest: Nest, tables: Mapping[str, store.Columns]) -> dict[tuple[str, str], dict[Any, list[Row]]]:
    """For each nest below this one, by table and column: the rows by the value that joins them to their parent."""
    found: dict[tuple[str, str], dict[Any, list[Row]]] = {}
    for child in nest.children:
        rows: dict[Any, list[Row]] = defaultdict(list)
        for row in store.row_dicts(tables[child.table]):
            rows[row[child.by]].append(row)
        found[child.table, child.by] = rows
        found |= _index(child, tables)
    return found


def _fold(
    nest: Nest,
    row: Row,
    definitions: Mapping[str, Table],
    index: Mapping[tuple[str, str], Mapping[Any, Sequence[Row]]],
) -> Row:
    folded = {column: row[column] for column in nest.own_columns(definitions[nest.table])}
    for child in nest.children:
        rows = sorted(index[child.table, child.by].get(row[child.of], ()), key=lambda one: one.get("position", 0))
        folded[child.name] = _group(child, rows, definitions, index)
    return folded


def _group(
    nest: Nest,
    rows: Sequence[Row],
    definitions: Mapping[str, Table],
    index: Mapping[tuple[str, str], Mapping[Any, Sequence[Row]]],
) -> list[Row]:
    if not nest.grouped:
        return [_fold(nest, row, definitions, index) for row in rows]
    values = itemgetter(*nest.grouped)
    first = {values(row): place for place, row in reversed(list(enumerate(rows)))}
    ordered = sorted(rows, key=lambda row: first[values(row)])
    return [
        {
            **dict(zip(nest.grouped, group, strict=True)),
            nest.members: [_fold(nest, row, definitions, index) for row in members],
        }
        for group, members in groupby(ordered, key=values)
    ]
