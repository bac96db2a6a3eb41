"""Merged records → the tables of a release: every name and number that points somewhere is resolved to its only candidate.

What is found but has no candidate is `dangling`, what has several is `ambiguous`; nothing found is dropped. Links that are
columns (`rule_id`, `led_id`, `parent_id`) are set where the one candidate exists, and null otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.diagnostics import Diagnostic
from pipeline.document import RULE_NUMBER
from pipeline.ids import fold
from pipeline.merge import Merged
from pipeline.records import (
    TABLES,
    Ability,
    CrossReference,
    Datasheet,
    DatasheetStratagem,
    DiagnosticRow,
    Enhancement,
    Keyword,
    KeywordIndex,
    Leader,
    Observation,
    Record,
    Rule,
    Stratagem,
    WeaponAbility,
)
from pipeline.weapon_abilities import parse

# `(13.08)`, `05.04.04`, `(24)`, `[RAPID FIRE X]`, `(see For the Greater Good)`, `(see above)`; not `3"`, `1-2`, `D6`
_MENTION = re.compile(
    rf"(?P<number>(?<![0-9.,]){RULE_NUMBER}(?![0-9.]|,[0-9]))"
    r"|\((?P<chapter>[0-9][0-9])\)"
    r"|\[(?P<ability>[A-Z][A-Z’' -]+?(?:-[A-Z/ ]+)?(?: (?:X|[0-9]*D?[0-9]+\+?(?:\+[0-9]+)?|X\+))?)\]"
    r"|\(see (?P<relative>above|below)\)"
    r"|\(see (?:the )?(?P<name>[A-Z‘“][^()]{2,60})\)"
)
_PLACEHOLDER = re.compile(r"(?:-KEYWORD)?(?: X\+?)?$")
_STEP = re.compile(r"\s+(?:step|rule|rules|ability|section|core rules)\b.*$")
CHAPTERS_IN = frozenset({"11e"})
"""Editions whose rules are numbered, so that `(24)` is a chapter."""


class Mention(NamedTuple):
    """Something in a text that points somewhere."""

    printed: str
    kind: str
    number: str | None
    key: str | None  # folded name that is looked for


def mentions(text: str, *, chapters: bool) -> Iterator[Mention]:
    """What a text points to, in order.

    >>> [m.printed for m in mentions('within 3" (13.08), see [HUSH] (24)', chapters=True)]
    ['13.08', '[HUSH]', '24']
    """
    for found in _MENTION.finditer(text):
        if number := found["number"]:
            yield Mention(number, "number", number, None)
        elif chapter := found["chapter"]:
            if chapters:
                yield Mention(chapter, "number", chapter, None)
        elif ability := found["ability"]:
            printed = parse(ability)
            name = printed.ability if printed else _PLACEHOLDER.sub("", ability)
            yield Mention(found[0], "ability", None, fold(name))
        elif found["relative"]:
            yield Mention(f"see {found['relative']}", "name", None, None)
        elif name := found["name"]:
            yield Mention(f"see {name}", "name", None, fold(_STEP.sub("", name).strip("‘’“” ")))


class Tables(NamedTuple):
    """The tables of a release, and what there is to be said of them."""

    tables: dict[str, list[Record]]
    diagnostics: list[Diagnostic]


def link(merged: Merged, edition: str) -> Tables:
    """Tables of one edition from its merged records."""
    linker = _Linker(merged, edition)
    linker.run()
    return Tables(linker.tables(), linker.diagnostics)


class _Linker:
    def __init__(self, merged: Merged, edition: str) -> None:
        self.merged = merged
        self.records = merged.records
        self.edition = edition
        self.diagnostics = list(merged.diagnostics)
        self.observations = list(merged.observations)
        self.places: dict[tuple[str, str], Observation] = {}
        for seen in merged.observations:
            self.places.setdefault((seen.table, seen.record_id), seen)
        self.rules: dict[str, Rule] = self._of("rules", Rule)
        self.by_title: dict[str, list[Rule]] = defaultdict(list)
        self.by_number: dict[str, list[str]] = defaultdict(list)
        self.by_chapter: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for rule in self.rules.values():
            if rule.number:
                self.by_number[rule.number].append(rule.rule_id)
                chapter, dot, _ = rule.number.partition(".")
                if dot:
                    self.by_chapter[chapter].append(("rules", rule.rule_id))
            if rule.title:
                self.by_title[fold(rule.title.strip("[]"))].append(rule)

    def _of(self, table: str, kind: type[Any]) -> dict[str, Any]:
        found = self.records.get(table, {})
        assert all(isinstance(r, kind) for r in found.values())
        return found

    def run(self) -> None:
        self._parents()
        self._abilities()
        self._leaders()
        self._cards()
        self._keyword_index()
        self._references()

    # --- columns ---------------------------------------------------------------------------------------------------------

    def _parents(self) -> None:
        """`05.04.04` stands in `05.04`, if a document of the run has it."""
        for identity, rule in self.rules.items():
            if rule.number and rule.parent_id is None and rule.number.count(".") > 1:
                parent = rule.number.rpartition(".")[0]
                if parent in self.rules:
                    self.rules[identity] = msgspec.structs.replace(rule, parent_id=parent)
            elif rule.parent_id is not None and rule.parent_id not in self.rules:
                self.rules[identity] = msgspec.structs.replace(rule, parent_id=None)

    def _rule(self, name: str, kinds: Sequence[str], faction_id: str | None = None) -> str | None:
        """The one rule of these kinds with this title; army rules of the faction alone."""
        found = [
            r
            for r in self.by_title.get(fold(name), ())
            if r.kind in kinds and (faction_id is None or r.faction_id in (None, faction_id))
        ]
        return found[0].rule_id if len(found) == 1 else None

    def _abilities(self) -> None:
        weapon_abilities: dict[str, WeaponAbility] = self._of("weapon_abilities", WeaponAbility)
        for identity, ability in weapon_abilities.items():
            if rule_id := self._rule(ability.ability, ("weapon-ability",)):
                weapon_abilities[identity] = msgspec.structs.replace(ability, rule_id=rule_id)
        abilities: dict[str, Ability] = self._of("abilities", Ability)
        datasheets: dict[str, Datasheet] = self._of("datasheets", Datasheet)
        for identity, unit_ability in abilities.items():
            sheet = datasheets.get(unit_ability.datasheet_id)
            kinds = {"core": ("core-ability",), "faction": ("army-rule",)}.get(unit_ability.kind)
            if kinds and sheet and (rule_id := self._rule(unit_ability.name, kinds, sheet.faction_id)):
                abilities[identity] = msgspec.structs.replace(unit_ability, rule_id=rule_id)

    def _leaders(self) -> None:
        leaders: dict[str, Leader] = self._of("leaders", Leader)
        datasheets: dict[str, Datasheet] = self._of("datasheets", Datasheet)
        by_name: dict[str, list[str]] = defaultdict(list)
        for sheet in datasheets.values():
            by_name[fold(sheet.name)].append(sheet.datasheet_id)
        gone: set[str] = set()
        for identity, leader in list(leaders.items()):
            if leader.leader_id not in datasheets:  # `LED BY` names a leader that no document of the run has
                del leaders[identity]
                gone.add(identity)
                continue
            faction = datasheets[leader.leader_id].faction_id
            same = [i for i in by_name.get(fold(leader.led_name), ()) if datasheets[i].faction_id == faction]
            if leader.led_id is None and len(same) == 1:
                leaders[identity] = msgspec.structs.replace(leader, led_id=same[0])
        self.observations = [o for o in self.observations if o.table != "leaders" or o.record_id not in gone]

    def _cards(self) -> None:
        """Every name on a list has its card, or is reported."""
        stratagems: dict[str, Stratagem] = self._of("stratagems", Stratagem)
        listed: dict[str, DatasheetStratagem] = self._of("datasheet_stratagems", DatasheetStratagem)
        missing: dict[str, Observation] = {}
        for entry in listed.values():
            stratagem = stratagems.get(entry.stratagem_id)
            if stratagem is not None and not (stratagem.when_text or stratagem.target_text or stratagem.effect_text):
                missing.setdefault(entry.stratagem_id, self.places["datasheet_stratagems", entry.identity])
        for identity, place in sorted(missing.items()):
            self._say("stratagem-without-card", f"{stratagems[identity].name} is on a datasheet's list, and no page of the run has its card.",
                      place, "stratagems", identity)  # fmt: skip

    def _say(self, code: str, message: str, place: Observation | None, table: str, identity: str) -> None:
        self.diagnostics.append(Diagnostic(
            code=code, message=message, document_id=place.document_id if place else None, line=place.line if place else None,
            start=place.start if place else None, end=place.end if place else None, table=table, record_id=identity,
        ))  # fmt: skip

    # --- keyword index ---------------------------------------------------------------------------------------------------

    def _keyword_index(self) -> None:
        """The real index, made from the datasheets' own keywords: for each keyword, and for each index that a page prints."""
        keywords: dict[str, Keyword] = self._of("keywords", Keyword)
        datasheets: dict[str, Datasheet] = self._of("datasheets", Datasheet)
        members: dict[str, set[str]] = defaultdict(set)
        printed: dict[str, str] = {}
        first: dict[str, Keyword] = {}
        for keyword in keywords.values():
            key = fold(keyword.keyword)
            members[key].add(keyword.datasheet_id)
            printed.setdefault(key, keyword.keyword)
            first.setdefault(key, keyword)
        index: dict[str, KeywordIndex] = self.records.setdefault("keyword_index", {})  # type: ignore[assignment]
        for key in sorted(members):
            identity = ids.keyword_index(None, (printed[key],))
            if identity not in index:
                index[identity] = KeywordIndex(keyword_index_id=identity, keywords=(printed[key],))
                place = self.places.get(("keywords", first[key].identity))
                if place is not None:
                    self.observations.append(msgspec.structs.replace(place, table="keyword_index", record_id=identity))
        for identity, row in index.items():
            having = [members.get(fold(k), set()) for k in row.keywords]
            found = set.intersection(*having) if having else set()
            if row.faction_id is not None:
                found = {d for d in found if datasheets[d].faction_id == row.faction_id}
            named = set(row.datasheet_ids)
            index[identity] = msgspec.structs.replace(row, datasheet_ids=tuple(sorted(found | named)))

    # --- references ------------------------------------------------------------------------------------------------------

    def _references(self) -> None:
        see_also: dict[str, list[CrossReference]] = defaultdict(list)
        for reference in self.records.get("cross_references", {}).values():
            assert isinstance(reference, CrossReference)
            see_also[reference.from_id].append(reference)
        made: dict[str, Record] = {}
        for table in ("abilities", "enhancements", "rules", "stratagems", "weapon_abilities"):
            for identity, record in sorted(self.records.get(table, {}).items()):
                found = [
                    self._resolved(m, table, identity, record)
                    for text in _texts(record)
                    for m in mentions(text, chapters=self.edition in CHAPTERS_IN)
                ]
                if table == "rules":
                    found += [self._see_also(r) for r in sorted(see_also.get(identity, ()), key=lambda r: r.position)]
                for position, reference in enumerate(found, 1):
                    self._keep(made, reference, position)
        self.records["cross_references"] = made
        self.observations = [o for o in self.observations if o.table != "cross_references" or o.record_id in made]

    def _keep(self, made: dict[str, Record], reference: CrossReference, position: int) -> None:
        identity = ids.cross_reference(reference.from_table, reference.from_id, position)
        made[identity] = msgspec.structs.replace(reference, reference_id=identity, position=position)
        place = self.places.get((reference.from_table, reference.from_id))
        if place is not None:
            self.observations.append(msgspec.structs.replace(place, table="cross_references", record_id=identity))
        if reference.status != "resolved":
            code = f"{reference.status}-reference"
            self._say(
                code,
                f"{reference.from_table} {reference.from_id} points to “{reference.printed}”.",
                place,
                "cross_references",
                identity,
            )

    def _resolved(self, mention: Mention, table: str, identity: str, record: Record) -> CrossReference:
        if mention.number:
            candidates = self._numbered(mention.number)
        elif mention.kind == "ability" and mention.key:
            candidates = [
                ("rules", r.rule_id) for r in self.by_title.get(mention.key, ()) if r.kind == "weapon-ability"
            ]
        elif mention.key:
            candidates = self._named(mention.key, getattr(record, "faction_id", None) or self._faction_of(record))
        else:
            candidates = [("rules", ""), ("rules", "")]  # `see above`: somewhere on the page, nothing says where
        return _reference(table, identity, mention.printed, mention.kind, mention.number, candidates)

    def _see_also(self, reference: CrossReference) -> CrossReference:
        candidates = (
            self._numbered(reference.to_number) if reference.to_number else self._named(fold(reference.printed), None)
        )
        return _reference("rules", reference.from_id, reference.printed, "see-also", reference.to_number, candidates)

    def _numbered(self, number: str) -> list[tuple[str, str]]:
        """The rule with the number; for a chapter alone, its rules."""
        if "." in number:
            return [("rules", identity) for identity in self.by_number.get(number, ())]
        return self.by_chapter.get(number, [])

    def _named(self, key: str, faction_id: str | None) -> list[tuple[str, str]]:
        found = self.by_title.get(key, [])
        own = [r for r in found if faction_id and r.faction_id == faction_id]
        return [("rules", r.rule_id) for r in (own or found)]

    def _faction_of(self, record: Record) -> str | None:
        sheet = self.records.get("datasheets", {}).get(getattr(record, "datasheet_id", ""))
        return sheet.faction_id if isinstance(sheet, Datasheet) else None

    # --- the end ---------------------------------------------------------------------------------------------------------

    def tables(self) -> dict[str, list[Record]]:
        """Every table of a release, rows by key."""
        made: dict[str, list[Record]] = {table: list(self.records.get(table, {}).values()) for table in TABLES}
        made["documents"] = list(self.merged.documents)
        made["observations"] = list({o.identity: o for o in self.observations}.values())
        made["conflicts"] = list(self.merged.conflicts)
        made["agreement"] = list(self.merged.tally.agreements)
        made["source_pairs"] = list(self.merged.tally.pairs())
        made["diagnostics"] = diagnostic_rows(self.diagnostics)
        for rows in made.values():
            rows.sort(key=_row_key)
        return made


def _row_key(row: Record) -> tuple[str, ...]:
    """Order of rows: by the parts of their keys, numbers as numbers."""
    values = [getattr(row, column) for column in row.key]
    return tuple([f"{value:012d}" if isinstance(value, int) else str(value) for value in values])


def diagnostic_rows(diagnostics: Sequence[Diagnostic]) -> list[Record]:
    """Diagnostics as rows, each once."""
    return list({d.diagnostic_id: diagnostic_row(d) for d in diagnostics}.values())


def diagnostic_row(diagnostic: Diagnostic) -> DiagnosticRow:
    """A diagnostic as a row of its table."""
    return DiagnosticRow(
        diagnostic_id=diagnostic.diagnostic_id,
        severity=diagnostic.severity,
        **msgspec.structs.asdict(diagnostic),
    )


def _reference(
    table: str, identity: str, printed: str, kind: str, number: str | None, candidates: Sequence[tuple[str, str]]
) -> CrossReference:
    sole = candidates[0] if len(candidates) == 1 else (None, None)
    status = "resolved" if len(candidates) == 1 else "ambiguous" if candidates else "dangling"
    return CrossReference(reference_id="", from_table=table, from_id=identity, position=0, printed=printed, kind=kind, to_number=number,
                          to_table=sole[0], to_id=sole[1], status=status)  # fmt: skip


def _texts(record: Record) -> Iterator[str]:
    """Texts of a record in which references can stand, in the order of its columns."""
    if isinstance(record, Rule):
        yield from filter(None, (record.flavour, record.text))
        yield from (section.text for section in record.sections)
        yield from record.examples
        yield from (sidebar.text for sidebar in record.sidebars)
    elif isinstance(record, Stratagem):
        yield from filter(
            None, (record.flavour, record.when_text, record.target_text, record.effect_text, record.restrictions_text)
        )
    elif isinstance(record, Ability | WeaponAbility | Enhancement) and record.text:
        yield record.text
