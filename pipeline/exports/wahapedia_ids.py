"""The ids of the pipe-delimited export → our ids, made from all of its tables before any of them is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from pipeline import ids
from pipeline.exports.clean_text import name, plain
from pipeline.exports.pipe_rows import Row
from pipeline.factions import declared_name, detachment_name, faction_id
from pipeline.ids import fold
from pipeline.vocabulary import vocabulary

SOURCE = "wahapedia"
"""Whose ids these are, in the crosswalk."""

BOARDING_ACTIONS = "Boarding Actions"


class Owner(NamedTuple):
    """A faction."""

    faction_id: str
    name: str


class Unit(NamedTuple):
    """A datasheet."""

    datasheet_id: str
    faction_id: str
    name: str
    plain: bool  # its id is the plain one, without the name of a book


class Army(NamedTuple):
    """A detachment. `name` is the one that it goes by, `printed` the export's."""

    detachment_id: str
    faction_id: str
    name: str
    printed: str
    type: str


class Shared(NamedTuple):
    """A core or army rule, which has a row for each faction that it is printed for."""

    name: str
    faction_id: str | None
    rule_id: str


class Ids:
    """What the ids in the export stand for. A table that is missing, or was rejected, leaves its part empty."""

    def __init__(self, tables: Mapping[str, list[Row]]) -> None:
        self._tables = tables

    def _rows(self, table: str) -> Iterable[dict[str, str]]:
        return (row.cells for row in self._tables.get(table, []))

    @cached_property
    def factions(self) -> dict[str, Owner]:
        """Factions by their short id (`TAU`)."""
        found: dict[str, Owner] = {}
        for cells in self._rows("Factions"):
            printed = name(cells["name"])
            if printed:
                identity = faction_id(printed)
                found[cells["id"]] = Owner(identity, declared_name(identity) or printed)
        return found

    @cached_property
    def books(self) -> dict[str, str]:
        """Names of the books."""
        return {cells["id"]: name(cells["name"]) for cells in self._rows("Source")}

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Datasheets. Namesakes within a faction are told apart by their books."""
        namesakes: dict[str, list[dict[str, str]]] = defaultdict(list)
        for cells in self._rows("Datasheets"):
            owner = self.factions.get(cells["faction_id"])
            if owner is not None and ids.slug(cells["name"]):
                namesakes[ids.datasheet(owner.faction_id, cells["name"])].append(cells)
        found: dict[str, Unit] = {}
        for identity, group in namesakes.items():
            for cells in group:
                owner = self.factions[cells["faction_id"]]
                printed, book = name(cells["name"]), self.books.get(cells["source_id"], "")
                own = len(group) == 1 or not book or fold(book) == fold(owner.name)
                unit_id = identity if own else ids.datasheet(owner.faction_id, f"{printed} {book}")
                found[cells["id"]] = Unit(unit_id, owner.faction_id, printed, own)
        return found

    @cached_property
    def detachments(self) -> dict[str, Army]:
        """Detachments. One of Boarding Actions that has the name of another has its type in its id."""
        namesakes: dict[str, list[dict[str, str]]] = defaultdict(list)
        for cells in self._rows("Detachments"):
            owner = self.factions.get(cells["faction_id"])
            if owner is not None and ids.slug(cells["name"]):
                known = detachment_name(owner.faction_id, name(cells["name"]))
                namesakes[ids.detachment(owner.faction_id, known)].append(cells)
        found: dict[str, Army] = {}
        for identity, group in namesakes.items():
            for cells in group:
                owner = self.factions[cells["faction_id"]]
                printed, kind = name(cells["name"]), name(cells["type"])
                known = detachment_name(owner.faction_id, printed)
                own = len(group) == 1 or not kind
                army_id = identity if own else ids.detachment(owner.faction_id, f"{known} {kind}")
                found[cells["id"]] = Army(army_id, owner.faction_id, known, printed, kind)
        return found

    @cached_property
    def detachment_rules(self) -> dict[str, str]:
        """Detachment rules. Namesakes within a faction are told apart by their detachments."""
        namesakes: dict[str, list[dict[str, str]]] = defaultdict(list)
        for cells in self._rows("Detachment_abilities"):
            owner = self.factions.get(cells["faction_id"])
            if owner is not None and ids.slug(cells["name"]):
                namesakes[ids.detachment_rule(owner.faction_id, cells["name"])].append(cells)
        found: dict[str, str] = {}
        for identity, group in namesakes.items():
            for cells in group:
                owner, title = self.factions[cells["faction_id"]], f"{cells['name']} {cells['detachment']}"
                found[cells["id"]] = identity if len(group) == 1 else ids.detachment_rule(owner.faction_id, title)
        return found

    @cached_property
    def enhancements(self) -> dict[str, str]:
        """Enhancements."""
        found: dict[str, str] = {}
        for cells in self._rows("Enhancements"):
            owner, army = self.factions.get(cells["faction_id"]), self.detachments.get(cells["detachment_id"])
            if owner is not None and ids.slug(cells["name"]):
                army_id = army.detachment_id if army else None
                found[cells["id"]] = ids.enhancement(owner.faction_id, army_id, cells["name"])
        return found

    @cached_property
    def stratagems(self) -> dict[str, str]:
        """Stratagems."""
        return {
            cells["id"]: ids.stratagem(self.stratagem_owner(cells), cells["name"])
            for cells in self._rows("Stratagems")
            if ids.slug(cells["name"]) and (not cells["faction_id"] or cells["faction_id"] in self.factions)
        }

    def stratagem_owner(self, cells: Mapping[str, str]) -> str:
        """What the id of a stratagem begins with: its detachment's id, or the rule set that prints it."""
        army = self.detachments.get(cells["detachment_id"])
        if army is not None:
            return army.detachment_id
        owner, rule_set = self.factions.get(cells["faction_id"]), self.rule_set(cells)
        return f"{owner.faction_id}/{rule_set}" if owner else rule_set

    def rule_set(self, cells: Mapping[str, str]) -> str:
        """Rule set of a stratagem of no known detachment, as a slug: `core`, `boarding-actions`, `army-rules`."""
        printed = name(cells["detachment"]) or stratagem_type(cells["type"])[0]
        known: dict[str, str] = vocabulary("page")["rule_sets"]
        return known.get(printed) or ids.slug(printed) or "unknown"

    @cached_property
    def shared_rules(self) -> dict[str, list[Shared]]:
        """Core and army rules; those of several factions have several."""
        found: dict[str, list[Shared]] = defaultdict(list)
        for cells in self._rows("Abilities"):
            title, owner = name(cells["name"]), self.factions.get(cells["faction_id"])
            if not ids.slug(title) or (cells["faction_id"] and owner is None):
                continue
            rule_id = ids.army_rule(owner.faction_id, title) if owner else ids.core_rule(title)
            found[cells["id"]].append(Shared(title, owner.faction_id if owner else None, rule_id))
        return found

    @cached_property
    def datasheet_cells(self) -> dict[str, dict[str, str]]:
        """The datasheets' own rows."""
        return {cells["id"]: cells for cells in reversed(list(self._rows("Datasheets")))}

    @cached_property
    def model_cells(self) -> dict[str, list[dict[str, str]]]:
        """Rows of stat lines, by datasheet."""
        return self._by_datasheet(self._rows("Datasheets_models"))

    @cached_property
    def section_cells(self) -> dict[str, list[dict[str, str]]]:
        """Rows that a datasheet prints as sections of its own, by datasheet."""
        types: dict[str, str] = vocabulary("wahapedia")["ability_types"]
        rows = self._rows("Datasheets_abilities")
        return self._by_datasheet(cells for cells in rows if types.get(cells["type"], "section") == "section")

    @staticmethod
    def _by_datasheet(rows: Iterable[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
        found: dict[str, list[dict[str, str]]] = defaultdict(list)
        for cells in rows:
            found[cells["datasheet_id"]].append(cells)
        return found

    @cached_property
    def footnotes(self) -> dict[tuple[str, str], str]:
        """Footnotes below weapon tables, by datasheet and folded name of the ability that they explain."""
        types: dict[str, str] = vocabulary("wahapedia")["ability_types"]
        return {
            (cells["datasheet_id"], fold(cells["name"])): plain(cells["description"])
            for cells in self._rows("Datasheets_abilities")
            if types.get(cells["type"]) == "footnote"
        }


def stratagem_type(printed: str) -> tuple[str, str | None]:
    """What stands before and behind the dash: `Kauyon – Battle Tactic Stratagem` → `Kauyon`, `Battle Tactic`."""
    before, dash, behind = name(printed).partition(" – ")
    if not dash:
        return before.removesuffix("Stratagem").strip(), None
    return before.removesuffix("Stratagem").strip(), behind.removesuffix("Stratagem").strip() or None
