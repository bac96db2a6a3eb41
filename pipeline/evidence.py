"""Columns that the expectations need and the tables lack: lists as text, what is wrong with a row across tables.

In: checked columns of all tables. Out: derived columns by table and name. Most of them are complaints: what is wrong
with the row, or None; an expectation then says that the column is null, and its finding quotes the complaint.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline import factions, schema, values, weapon_abilities
from pipeline.ids import fold
from pipeline.store import Columns
from pipeline.vocabulary import vocabulary

ITEM_SEPARATOR = "\x1f"

Column = list[Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What derived columns are made from: the tables' columns, and the edition that the release is to be."""

    tables: Mapping[str, Columns]
    edition: str

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Some columns of a table, row by row."""
        return zip(*(self.tables[table][column] for column in columns), strict=True)


def derived_columns(table: str) -> tuple[str, ...]:
    """Names of the columns that `derive` adds to a table, those of flattened lists left out."""
    texts = tuple(column for column in TEXT_FAULTS if _texts_for(table, column))
    return (*(column for owner, column in _DERIVED if owner == table), *texts)


NUMBERS = frozenset({"wounds", "characters_not_value"})
"""The derived columns that hold integers; the others hold texts."""


def derive(table: str, evidence: Evidence) -> dict[str, Column]:
    """The derived columns of a table, its lists as text among them (under the list's own name)."""
    found: dict[str, Column] = {}
    for field in schema.table(table).fields:
        if field.array_item is not None:
            found |= _flattened(field, evidence.tables[table][field.name])
    found |= {column: make(evidence) for (owner, column), make in _DERIVED.items() if owner == table}
    for column in TEXT_FAULTS:
        if _texts_for(table, column):
            found[column] = _text_faults(evidence.tables[table], _texts_for(table, column), _TEXT_FORMS[column]())
    return found


# Lists as text


def flat_columns(field: schema.Field) -> Iterator[tuple[str, schema.Constraints]]:
    """Names of the text columns that stand for a list column, with the constraints on their items.

    Lists within items (the cells of a table) have none: schemas say nothing about them but their type.
    """
    for name, part in _parts(field):
        yield name, part.constraints


def _parts(field: schema.Field) -> Iterator[tuple[str, schema.Field]]:
    item = field.array_item
    if item is not None and item.fields:
        yield from ((f"{field.name}.{part.name}", part) for part in item.fields if part.array_item is None)
    elif item is not None:
        yield field.name, item


def _flattened(field: schema.Field, lists: Sequence[Sequence[Any]]) -> dict[str, Column]:
    return {
        name: [ITEM_SEPARATOR.join(_present(items, part.name)) if items else None for items in lists]
        for name, part in _parts(field)
    }


def _present(items: Iterable[Any], part: str) -> Iterator[str]:
    texts = (item[part] if part else item for item in items)
    return (text for text in texts if text is not None)


# What texts must not hold

TEXT_FAULTS = {
    "markup_left": ("markup-left", "no markup or entity is left in a text"),
    "label_left": ("label-left", "no label of a section is left inside a text"),
}
"""Derived columns that look into texts: the code and meaning of each."""

_MARKUP = re.compile(r"</?[A-Za-z!][^<>\n]*>|&(?:[A-Za-z]{2,8}|#[0-9]{1,6}|#x[0-9A-Fa-f]{1,5});")  # `<l>`, `&nbsp;`
_LABELLED_TABLES = ("stratagems", "rules")
_SHOWN = 40


@cache
def _label_form() -> re.Pattern[str]:
    labels = sorted(
        {label for labels in vocabulary("page")["labels"].values() for label in labels}, key=len, reverse=True
    )
    # `….EFFECT: It turns`; in prose the word is lower case or has no colon
    return re.compile(rf"(?:^|[\n.!?:;{ITEM_SEPARATOR}] ?)(?:{'|'.join(map(re.escape, labels))}):")


_TEXT_FORMS: dict[str, Callable[[], re.Pattern[str]]] = {"markup_left": lambda: _MARKUP, "label_left": _label_form}


@cache
def _texts_for(table: str, fault: str) -> tuple[schema.Field, ...]:
    fields = schema.table(table).fields
    if fault == "label_left":
        return tuple(one for one in fields if one.role == "prose") if table in _LABELLED_TABLES else ()
    # messages of diagnostics and cells of conflicts quote the sources as they are
    return () if table in ("diagnostics", "conflicts") else tuple(one for one in fields if one.role is not None)


def _text_faults(columns: Columns, fields: Iterable[schema.Field], form: re.Pattern[str]) -> Column:
    faults: Column = [None] * len(next(iter(columns.values())))
    for field in fields:
        if field.array_item is None:
            texts = [(row, text) for row, text in enumerate(columns[field.name]) if text]
        else:
            texts = [(row, text) for row, items in enumerate(columns[field.name]) for text in _strings(items)]
        for row, text in texts:
            found = form.search(text)
            if found is not None and faults[row] is None:
                faults[row] = f"{field.name}: {text[max(found.start() - _SHOWN, 0) : found.end() + _SHOWN]}"
    return faults


def _strings(value: Any) -> Iterator[str]:
    """All texts in a list, however deep."""
    if isinstance(value, str):
        yield value
    elif value is not None:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


# Weapons and models

_PRINTED_WEAPON = {
    "range_inches": ("range_printed", values.inches),
    "skill": ("skill_printed", values.skill),
    "armour_penetration": ("armour_penetration_printed", values.armour_penetration),
}
_PRINTED_MODEL = {
    "movement_inches": values.inches,
    "toughness": values.characteristic,
    "save": values.characteristic,
    "invulnerable_save": values.characteristic,
    "wounds": values.characteristic,
    "leadership": values.characteristic,
    "objective_control": values.characteristic,
}


def _complaints(rows: int, found: Iterable[tuple[int, str]]) -> Column:
    """One text per row: its complaints joined, or None."""
    complaints: Column = [None] * rows
    for row, complaint in found:
        complaints[row] = complaint if complaints[row] is None else f"{complaints[row]}; {complaint}"
    return complaints


def _typed_weapons(evidence: Evidence) -> Column:
    columns = evidence.tables["weapon_profiles"]
    found = [
        *_typed_otherwise(columns, _PRINTED_WEAPON),
        *(fault for value in ("attacks", "strength", "damage") for fault in _dice_otherwise(columns, value)),
    ]
    return _complaints(len(columns["profile_id"]), found)


def _typed_models(evidence: Evidence) -> Column:
    columns = evidence.tables["models"]
    printed = {column: (f"{column}_printed", read) for column, read in _PRINTED_MODEL.items()}
    return _complaints(len(columns["model_id"]), _typed_otherwise(columns, printed))


def _typed_otherwise(
    columns: Columns, printed: Mapping[str, tuple[str, Callable[[str], int | None]]]
) -> Iterator[tuple[int, str]]:
    for column, (cell, read) in printed.items():
        for row, (typed, text) in enumerate(zip(columns[column], columns[cell], strict=True)):
            if typed is not None and (text is None or read(text) != typed):
                yield row, f"{column} is {typed}, printed {text}"


def _dice_otherwise(columns: Columns, value: str) -> Iterator[tuple[int, str]]:
    names = (value, f"{value}_min", f"{value}_max", f"{value}_mean")
    for row, (text, *typed) in enumerate(zip(*(columns[name] for name in names), strict=True)):
        read = None if text is None else values.dice(text)
        if typed != ([None] * 3 if read is None else [read.minimum, read.maximum, read.mean]):
            yield row, f"{value} is {typed[0]} to {typed[1]}, mean {typed[2]}, printed {text}"


def _weapon_kinds(evidence: Evidence) -> Column:
    kinds = dict(evidence.rows("weapon_profiles", "profile_id", "kind"))
    return [kinds.get(profile) for profile in evidence.tables["weapon_abilities"]["profile_id"]]


# Datasheets


def _wounds(evidence: Evidence) -> Column:
    most: dict[str, int] = {}
    for sheet, wounds in evidence.rows("models", "datasheet_id", "wounds"):
        if wounds is not None:
            most[sheet] = max(wounds, most.get(sheet, 0))
    return [most.get(sheet) for sheet in evidence.tables["datasheets"]["datasheet_id"]]


def _tier_faults(evidence: Evidence) -> Column:
    names = ("datasheet_id", "kind", "models", "description", "from_unit", "to_unit")
    tiers: dict[tuple[Any, ...], list[tuple[int, int | None, int]]] = defaultdict(list)
    for row, (*group, first, last) in enumerate(evidence.rows("unit_costs", *names)):
        if first is not None:
            tiers[tuple(group)].append((first, last, row))
    found = [fault for group in tiers.values() for fault in _gaps(sorted(group, key=lambda tier: (tier[0], tier[2])))]
    return _complaints(len(evidence.tables["unit_costs"]["kind"]), found)


def _gaps(tiers: Iterable[tuple[int, int | None, int]]) -> Iterator[tuple[int, str]]:
    wanted: int | None = 1
    for first, last, row in tiers:
        if first != wanted:
            yield row, f"begins with unit {first}, {'none' if wanted is None else f'unit {wanted}'} was to come"
        if last is not None and last < first:
            yield row, f"runs from unit {first} to {last}"
        wanted = None if last is None else last + 1


_SHORTEST_KEYWORD = 5  # shorter words are one letter apart by nature: ORK, ARK
_LONGEST_KEYWORD = 100  # letters; what is longer is no keyword with a typing error
_COMMONER = 5  # a typing error is rare beside its right form; `TITAN` and `TITANS` can both be meant


def _commoner_keywords(evidence: Evidence) -> Column:
    sheets: dict[str, set[str]] = defaultdict(set)
    for sheet, keyword in evidence.rows("keywords", "datasheet_id", "keyword"):
        sheets[keyword].add(sheet)
    counts = {keyword: len(users) for keyword, users in sheets.items()}
    near: dict[str, set[str]] = defaultdict(set)
    for keyword in counts:
        if _SHORTEST_KEYWORD <= len(keyword) <= _LONGEST_KEYWORD:
            for form in (keyword, *(keyword[:at] + "\0" + keyword[at + 1 :] for at in range(len(keyword)))):
                near[form].add(keyword)
            for at in range(len(keyword)):
                near[keyword[:at] + keyword[at + 1 :]].add(keyword)
    commoner: dict[str, str] = {}
    for group in near.values():
        best = max(group, key=lambda keyword: (counts[keyword], keyword))
        for keyword in group:
            if counts[keyword] * _COMMONER <= counts[best] and counts[best] > counts.get(commoner.get(keyword, ""), 0):
                commoner[keyword] = best
    return [
        f"{keyword}, on {counts[keyword]}, near {commoner[keyword]}, on {counts[commoner[keyword]]} datasheets"
        if keyword in commoner
        else None
        for keyword in evidence.tables["keywords"]["keyword"]
    ]


def _index_faults(evidence: Evidence) -> Column:
    owner = dict(evidence.rows("datasheets", "datasheet_id", "faction_id"))
    names = ("datasheet_ids", "printed_factions", "faction_id")
    found = []
    for row, (sheets, printed, faction) in enumerate(evidence.rows("keyword_index", *names)):
        allowed = {factions.faction_id(name) for name in printed}
        strangers = sorted({owner[sheet] for sheet in sheets} - allowed) if printed else []
        if strangers:
            found.append((row, f"datasheets of {', '.join(strangers)}, printed are {', '.join(printed)}"))
        if faction is not None and any(owner[sheet] != faction for sheet in sheets):
            found.append((row, f"datasheets of other factions than {faction}"))
    found += _group_faults(evidence)
    return _complaints(len(evidence.tables["keyword_index"]["keywords"]), found)


def _group_faults(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """Datasheets that fit none of the headings of a printed index: `Vehicle Walker` asks for the keywords of both
    words.
    """
    words: dict[str, set[str]] = defaultdict(set)
    for sheet, keyword in evidence.rows("keywords", "datasheet_id", "keyword"):
        words[sheet] |= {_singular(word) for word in fold(keyword).split()}
    for row, (sheets, groups) in enumerate(evidence.rows("keyword_index", "datasheet_ids", "printed_groups")):
        wanted = [{_singular(word) for word in fold(group).split()} for group in groups]
        if any("other" in group or "unit" in group for group in wanted):
            continue  # `Other Datasheets` takes everything
        strangers = [sheet for sheet in sheets if wanted and not any(group <= words[sheet] for group in wanted)]
        if strangers:
            yield row, f"under no printed heading: {', '.join(strangers)}"


def _singular(word: str) -> str:
    return word.removesuffix("es") if word == "heroes" else word.removesuffix("s")


# Rules


_CHAPTER = ".00"  # `01.00` is the chapter of `01.01`, where a source numbers chapters so


def _nesting_faults(evidence: Evidence) -> Column:
    numbers = dict(evidence.rows("rules", "rule_id", "number"))
    known = {number: rule for rule, number in numbers.items() if number is not None}
    found = []
    for row, (number, parent) in enumerate(evidence.rows("rules", "number", "parent_id")):
        above = numbers.get(parent)
        if number is not None and above is not None and not number.startswith(f"{above.removesuffix(_CHAPTER)}."):
            found.append((row, f"{number} is no part of {above}"))
        nearest = _nearest(number, known)
        if nearest is not None and parent is None:
            found.append((row, f"{number} has no parent, and there is a rule {nearest}"))
    return _complaints(len(numbers), found)


def _nearest(number: str | None, known: Mapping[str, str]) -> str | None:
    parts = [] if number is None else number.split(".")
    above = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return next((candidate for candidate in above if candidate in known), None)


def _unused_glossaries(evidence: Evidence) -> Column:
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for table, record, document in evidence.rows("observations", "table", "record_id", "document_id"):
        if table in ("rules", "weapon_profiles"):
            seen[table, record].add(document)
    pages = set().union(*(documents for (table, _), documents in seen.items() if table == "weapon_profiles"))
    users: dict[str, set[str]] = defaultdict(set)
    for profile, ability in evidence.rows("weapon_abilities", "profile_id", "ability"):
        users[ability] |= seen["weapon_profiles", profile]
    titles = {rule: _ability_of(title) for rule, title in evidence.rows("rules", "rule_id", "title")}
    kinds = dict(evidence.rows("rules", "rule_id", "kind"))
    found = []
    for row, (rule, ability) in enumerate(titles.items()):
        without = (seen["rules", rule] & pages) - users[ability] if ability and kinds[rule] == "weapon-ability" else ()
        if ability and without:
            found.append((row, f"no weapon with {ability} on {len(without)} pages, the first {min(without)}"))
    return _complaints(len(titles), found)


@cache
def _ability_of(title: str | None) -> str | None:
    """The weapon ability that a rule's title names: `[RAPID FIRE X]` → `RAPID FIRE`."""
    words = fold((title or "").strip("[]")).upper()
    names = sorted(weapon_abilities.entries(), key=len, reverse=True)
    return next((name for name in names if re.match(rf"{re.escape(name)}(?![A-Z])", words)), None)


# Sources and ids


def _release_edition(evidence: Evidence) -> Column:
    return [evidence.edition] * len(evidence.tables["documents"]["document_id"])


def _not_value(evidence: Evidence) -> Column:
    return [sum(parts) for parts in evidence.rows("documents", "characters_echo", "characters_furniture")]


def _still_in_use(evidence: Evidence) -> Column:
    found = []
    for row, (table, old) in enumerate(evidence.rows("migrations", "table", "old_id")):
        key = schema.table(table).key
        if len(key) == 1 and old in set(evidence.tables[table][key[0]]):
            found.append((row, f"{table} still has {old}"))
    return _complaints(len(evidence.tables["migrations"]["table"]), found)


_DERIVED: dict[tuple[str, str], Callable[[Evidence], Column]] = {
    ("weapon_profiles", "typed_otherwise"): _typed_weapons,
    ("models", "typed_otherwise"): _typed_models,
    ("weapon_abilities", "weapon_kind"): _weapon_kinds,
    ("datasheets", "wounds"): _wounds,
    ("unit_costs", "tier_fault"): _tier_faults,
    ("keywords", "commoner_keyword"): _commoner_keywords,
    ("keyword_index", "index_fault"): _index_faults,
    ("rules", "nesting_fault"): _nesting_faults,
    ("rules", "unused_on"): _unused_glossaries,
    ("documents", "release_edition"): _release_edition,
    ("documents", "characters_not_value"): _not_value,
    ("migrations", "still_in_use"): _still_in_use,
}
