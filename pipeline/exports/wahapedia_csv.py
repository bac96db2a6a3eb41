r"""The pipe-delimited export: twenty tables whose rows point to each other by id, read as one set of files.

In: the files of a folder or archive by name. Out: one reading for each. Columns are found by their names, so that
tables with more columns or another order are read as well; which tables there are stands in `TABLES`.

    >>> files = {
    ...     "Factions.csv": b"id|name|\nASH|Ash Compact|\n",
    ...     "Datasheets.csv": b"id|name|faction_id|\n0042|Brindle Hauler|ASH|\n",
    ... }
    >>> [reading.sightings[0].record.identity for reading in read(files, edition="10e").values()]
    ['ash-compact/brindle-hauler', 'ash-compact']

Two datasheets of one name in one faction (a unit, and its namesake in another book of the same faction) are told apart
by the book that prints them: the one in the faction's own book has the plain id, the id of any other has the book's
name behind its own (`space-marines/impulsor`, `space-marines/impulsor-black-templars`). The same holds for detachments
and their type, and for detachment rules and their detachment. Ids thus depend on what is printed, never on the order
of rows.

Not read, because no table has a place for them: the flavour texts of datasheets, detachments and enhancements, links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from pipeline.editions import of_address
from pipeline.exports import wahapedia_rules, wahapedia_units
from pipeline.exports.pipe_rows import Columns, Row, header, rows
from pipeline.exports.reading import ExportReading, decoded, looks_like_a_page
from pipeline.exports.wahapedia_ids import Ids

TABLES: dict[str, Columns] = {
    "Abilities": Columns(("id", "name", "faction_id"), ("legend", "description")),
    "Datasheets": Columns(
        ("id", "name", "faction_id"),
        (
            "source_id", "legend", "role", "loadout", "transport", "virtual", "leader_head", "leader_footer",
            "damaged_w", "damaged_description", "link",
        ),
    ),
    "Datasheets_abilities": Columns(
        ("datasheet_id", "ability_id", "name", "description", "type"), ("line", "model", "parameter")
    ),
    "Datasheets_detachment_abilities": Columns(("datasheet_id", "detachment_ability_id")),
    "Datasheets_enhancements": Columns(("datasheet_id", "enhancement_id")),
    "Datasheets_keywords": Columns(("datasheet_id", "keyword", "is_faction_keyword"), ("model",)),
    "Datasheets_leader": Columns(("leader_id", "attached_id")),
    "Datasheets_models": Columns(
        ("datasheet_id", "name"),
        ("line", "M", "T", "Sv", "inv_sv", "inv_sv_descr", "W", "Ld", "OC", "base_size", "base_size_descr"),
    ),
    "Datasheets_models_cost": Columns(("datasheet_id", "description", "cost"), ("line",)),
    "Datasheets_options": Columns(("datasheet_id", "description"), ("line", "button")),
    "Datasheets_stratagems": Columns(("datasheet_id", "stratagem_id")),
    "Datasheets_unit_composition": Columns(("datasheet_id", "description"), ("line",)),
    "Datasheets_wargear": Columns(
        ("datasheet_id", "name", "type"),
        ("line", "line_in_wargear", "dice", "description", "range", "A", "BS_WS", "S", "AP", "D"),
    ),
    "Detachment_abilities": Columns(
        ("id", "faction_id", "name"), ("legend", "description", "detachment", "detachment_id")
    ),
    "Detachments": Columns(("id", "faction_id", "name"), ("legend", "type")),
    "Enhancements": Columns(
        ("id", "faction_id", "name"), ("cost", "detachment", "detachment_id", "legend", "description")
    ),
    "Factions": Columns(("id", "name"), ("link",)),
    "Last_update": Columns(("last_update",)),
    "Source": Columns(("id", "name"), ("type", "edition", "version", "errata_date", "errata_link")),
    "Stratagems": Columns(
        ("id", "faction_id", "name", "description"),
        ("type", "cp_cost", "legend", "turn", "phase", "detachment", "detachment_id"),
    ),
}  # fmt: skip
"""The tables of the export: the columns that each must have, and the others that are known."""

_Reader = Callable[[list[Row], Ids, ExportReading], None]
_READERS: dict[str, _Reader] = {
    "Abilities": wahapedia_rules.abilities,
    "Datasheets": wahapedia_units.datasheets,
    "Datasheets_abilities": wahapedia_units.abilities,
    "Datasheets_detachment_abilities": wahapedia_rules.datasheet_detachment_rules,
    "Datasheets_enhancements": wahapedia_rules.datasheet_enhancements,
    "Datasheets_keywords": wahapedia_units.keywords,
    "Datasheets_leader": wahapedia_units.leaders,
    "Datasheets_models": wahapedia_units.models,
    "Datasheets_models_cost": wahapedia_units.costs,
    "Datasheets_options": wahapedia_units.options,
    "Datasheets_stratagems": wahapedia_rules.datasheet_stratagems,
    "Datasheets_unit_composition": wahapedia_units.composition,
    "Datasheets_wargear": wahapedia_units.weapons,
    "Detachment_abilities": wahapedia_rules.detachment_rules,
    "Detachments": wahapedia_rules.detachments,
    "Enhancements": wahapedia_rules.enhancements,
    "Factions": wahapedia_rules.factions,
    "Source": wahapedia_rules.books,
    "Stratagems": wahapedia_rules.stratagems,
}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}:[0-9]{2})?")


def read(files: Mapping[str, bytes], edition: str | None = None) -> dict[str, ExportReading]:
    """Read the files of one export, of which some may be missing or damaged. `edition` overrides what its links say."""
    readings: dict[str, ExportReading] = {}
    found: dict[str, list[Row]] = {}
    places: dict[str, str] = {}
    for name in sorted(files):
        reading = readings[name] = decoded(name, files[name])
        table = _sound_table(reading)
        if table is None:
            continue
        if table in places:
            reading.tell("duplicate-document", f"{places[table]} is the same table; this one is not read.")
            continue
        places[table] = name
        found[table] = rows(reading, TABLES[table])
    ids = Ids(found)
    captured_at = _captured_at(found)
    stated = _edition(found)
    for table, name in places.items():
        reading = readings[name]
        reading.settle_edition(edition, stated)
        reading.captured_at, reading.title = captured_at, table
        if table in _READERS:
            _READERS[table](found[table], ids, reading)
    if edition is None and stated is None and places:
        readings[min(places.values())].tell("uncertain-edition", "No link of the export says which edition it is of.")
    return readings


def _sound_table(reading: ExportReading) -> str | None:
    """The table that a file holds; None, and a diagnostic, where it holds none."""
    if not reading.text:
        return None
    if looks_like_a_page(reading.text):
        reading.tell("redirect-page", "An HTML page under the name of a table.")
        return None
    table = _table(reading.name, reading.text)
    if table is None:
        reading.tell("unknown-format", "Neither its name nor its header is that of a table of this export.")
    return table


def _table(name: str, text: str) -> str | None:
    stem = PurePosixPath(name).stem.casefold()
    by_name = next((table for table in TABLES if table.casefold() == stem), None)
    if by_name is not None:
        return by_name
    names = set(header(text))
    fitting = [table for table, columns in TABLES.items() if names >= {*columns.required, *columns.optional}]
    return fitting[0] if len(fitting) == 1 else None


def _edition(found: dict[str, list[Row]]) -> str | None:
    for table in ("Datasheets", "Factions"):
        for row in found.get(table, []):
            edition, other = of_address(row.cells["link"])
            if edition or other:
                return edition or other
    return None


def _captured_at(found: dict[str, list[Row]]) -> str | None:
    for row in found.get("Last_update", []):
        date = row.cells["last_update"].strip()
        if _DATE.fullmatch(date):
            return date
    return None
