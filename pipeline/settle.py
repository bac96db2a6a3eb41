"""Sightings whose id only the run as a whole can tell, brought under the right one before they are merged.

A dump loses titles and detachments, sources give one number to two rules, print one keyword in two cases. In: the sightings of all
documents by table and id (`SeenTables`). The functions move them there; what two sources disagree on is given as conflicts.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from pipeline import ids
from pipeline.agree import canonical
from pipeline.ids import fold
from pipeline.records import Conflict, Enhancement, Rule
from pipeline.sightings import Seen, trust

SeenTables = dict[str, dict[str, list[Seen]]]
"""Table → id → sightings."""


def enhancements(seen: SeenTables) -> None:
    """Gives enhancements their detachment where the run shows it.

    A list prints names without detachments, a faction page may too; the text of an enhancement below `<Detachment> Detachment`,
    its title lost, tells it. Where a name belongs to two detachments of its faction, sightings without one stay apart.
    """
    enhancements = seen["enhancements"]
    by_text = _detachments_by_text(seen["rules"])

    def shown(record: Enhancement) -> str | None:
        return record.detachment_id or (by_text.get(flat(record.text)) if record.text else None)

    homes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sighting in (s for group in enhancements.values() for s in group):
        if home := shown(sighting.record):
            homes[sighting.record.faction_id, fold(sighting.record.name)].add(home)
    moved: dict[str, list[Seen]] = defaultdict(list)
    for identity in sorted(enhancements):
        for sighting in enhancements[identity]:
            record = sighting.record
            home = shown(record)
            candidates = homes[record.faction_id, fold(record.name)]
            if home is None and len(candidates) == 1:
                (home,) = candidates
            own = ids.enhancement(record.faction_id, home, record.name)
            record = msgspec.structs.replace(record, detachment_id=home, enhancement_id=own)
            moved[own].append(sighting._replace(record=record))
    seen["enhancements"] = moved


def _detachments_by_text(rules: dict[str, list[Seen]]) -> dict[str, str]:
    """Detachments of the enhancements whose title is lost, by their texts."""
    found: dict[str, str] = {}
    for rule in (s.record for group in rules.values() for s in group):
        if rule.kind == "enhancement" and rule.detachment_id and rule.text:
            found.setdefault(flat(rule.text), rule.detachment_id)
    return found


def part_numbers(seen_tables: SeenTables) -> list[Conflict]:
    """Parts rules that sources number alike but title differently: a number alone is no key.

    A number is the title's that the most trusted source prints with it, and a title stands under the number that the most
    trusted source gives it; that another source numbers it differently is a conflict. A title whose number is taken gets an id
    of its own.
    """
    rules = seen_tables["rules"]
    numbered = sorted(
        (s for identity, group in rules.items() if identity[0].isdigit() for s in group), key=_trusted_first
    )
    owner: dict[str, str] = {}
    home: dict[str, str] = {}
    printed: set[tuple[str, str, str]] = set()
    for seen in numbered:
        number, title = seen.record.rule_id, _title_key(seen)
        owner.setdefault(number, title)
        home.setdefault(title, number)
        printed.add((title, number, seen.document.format))
    conflicts: list[Conflict] = []
    parted: dict[str, list[Seen]] = defaultdict(list)
    moved: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for seen in numbered:
        number, title = seen.record.rule_id, _title_key(seen)
        target = home[title]
        if (title, target, seen.document.format) in printed:
            target = number  # the source itself has the title under both numbers
        record = seen.record
        if owner[target] != title:
            record = msgspec.structs.replace(record, rule_id=ids.core_rule(record.title))
        elif target != number:
            record = msgspec.structs.replace(record, rule_id=target, number=target)
            document_id = seen.document.document_id
            kept, other = canonical(target), canonical(number)
            conflicts.append(
                Conflict(
                    table="rules", record_id=target, column="number", document_id=document_id, kept=kept, other=other
                )
            )
        if record.rule_id != number:
            moved[seen.document.document_id, number][title] = record.rule_id
        parted[record.rule_id].append(Seen(record, seen.spans, seen.document))
    _follow(seen_tables, moved)
    for identity in [i for i in rules if i[0].isdigit()]:
        del rules[identity]
    for identity, group in parted.items():
        rules[identity] += group
    return conflicts


def _follow(seen_tables: SeenTables, moved: dict[tuple[str, str], dict[str, str]]) -> None:
    """Lets rows that point to a rule which got another id point there, by the title that they print with it."""
    for table, column in (("crosswalk", "record_id"), ("cross_references", "from_id")):
        groups = seen_tables[table]
        for identity in list(groups):
            for seen in list(groups[identity]):
                by_title = moved.get((seen.document.document_id, getattr(seen.record, column)))
                if by_title is None or (table == "crosswalk" and seen.record.table != "rules"):
                    continue
                name = fold((getattr(seen.record, "name", None) or "").strip("[]")).replace("-", " ")
                target = by_title.get(name) or (
                    next(iter(by_title.values())) if len(by_title) == 1 and not name else None
                )
                if target is None:
                    continue
                groups[identity].remove(seen)
                record = msgspec.structs.replace(seen.record, **{column: target})
                groups[record.identity].append(Seen(record, seen.spans, seen.document))
            if not groups[identity]:
                del groups[identity]


def _title_key(seen: Seen) -> str:
    return fold((seen.record.title or "").strip("[]")).replace("-", " ")


def adopt_untitled(seen: SeenTables) -> set[str]:
    """Joins rules without a title to the record of the run that has their text; gives the ids that are gone by it."""
    titled: dict[str, tuple[str, str]] = {}
    for identity, group in seen["rules"].items():
        for sighting in group:
            rule = sighting.record
            assert isinstance(rule, Rule)
            if rule.title and (text := flat("\n".join(filter(None, (rule.flavour, rule.text))))):
                titled.setdefault(text, ("rules", identity))
    for identity, group in seen["enhancements"].items():
        for sighting in group:
            if isinstance(sighting.record, Enhancement) and sighting.record.text:
                titled.setdefault(flat(sighting.record.text), ("enhancements", identity))
    gone: set[str] = set()
    for identity in [i for i in seen["rules"] if i.startswith("untitled/")]:
        rule = seen["rules"][identity][0].record
        assert isinstance(rule, Rule)
        home = titled.get(flat(rule.text or ""))
        if home is None:
            continue
        table, target = home
        for sighting in seen["rules"].pop(identity):
            seen[table][target].append(Seen(seen[table][target][0].record, sighting.spans, sighting.document))
        gone.add(identity)
    return gone


def flat(text: str) -> str:
    """A text's words, however they are divided into lines."""
    return " ".join(text.split())


def join_printings(groups: dict[str, list[Seen]], columns: tuple[str, ...]) -> None:
    """Brings rows that differ in case or kinds of hyphen alone (`VEHICLE`, `Vehicle`) under the printing of the most trusted source."""
    best: dict[tuple[str, ...], Seen] = {}

    def key(record: Any) -> tuple[str, ...]:
        return tuple(fold(str(getattr(record, c))) if c in columns else str(getattr(record, c)) for c in record.key)

    for seen in sorted((s for group in groups.values() for s in group), key=_trusted_first):
        best.setdefault(key(seen.record), seen)
    joined: dict[str, list[Seen]] = defaultdict(list)
    for group in groups.values():
        for seen in group:
            printed = {c: getattr(best[key(seen.record)].record, c) for c in columns}
            record = msgspec.structs.replace(seen.record, **printed)
            joined[record.identity].append(Seen(record, seen.spans, seen.document))
    groups.clear()
    groups.update(joined)


def _trusted_first(seen: Seen) -> tuple[Any, ...]:
    return trust(seen.record.table_name(), None, seen.document.format), seen.document.document_id, seen.record.identity
