"""Sightings of one id → one record, its observations, and the conflicts where sightings disagree.

In: extracts of the documents of one edition. Out: `Merged`. The result does not depend on the order of the documents.

A source that does not print a value does not disagree with one that does. Where two print different values the better one is
kept (a complete record before a damaged one, then the source that is trusted more, then what more documents say, then the newer
capture) and the other stays visible as a row of `conflicts`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.agree import OF_THE_READING, UNITED, Tally, is_empty, same
from pipeline.diagnostics import Diagnostic, excerpt
from pipeline.document import joined
from pipeline.extract import Extract
from pipeline.extractors import weapons
from pipeline.ids import fold
from pipeline.lists import LISTS, Unmatched, aligned
from pipeline.records import (
    Conflict,
    Detachment,
    DocumentRow,
    Enhancement,
    Faction,
    Observation,
    Record,
    Rule,
    Sighting,
)
from pipeline.sightings import Seen, is_foreign, trust


class Merged(NamedTuple):
    """One record per id, with where each was seen and where sightings disagree."""

    records: dict[str, dict[str, Record]]  # table → identity → record
    observations: list[Observation]
    conflicts: list[Conflict]
    diagnostics: list[Diagnostic]
    documents: list[DocumentRow]
    tally: Tally


def merge(extracts: Sequence[Extract], lines: dict[str, list[int]]) -> Merged:
    """Merges the extracts of one edition. `lines`: per document the offsets at which its lines start."""
    extracts = sorted(extracts, key=lambda e: e.document.document_id)
    diagnostics = [d for e in extracts for d in e.diagnostics]
    seen: dict[str, dict[str, list[Seen]]] = defaultdict(lambda: defaultdict(list))
    known = known_names(extracts)
    for extract in extracts:
        for sighting in (*extract.sightings, *_divided(extract, known, diagnostics)):
            seen[sighting.record.table_name()][sighting.record.identity].append(
                Seen(sighting.record, sighting.spans, extract.document)
            )
    _settle_enhancements(seen)
    _join_printings(seen["keywords"], ("keyword", "model_name"))
    _join_printings(seen["leaders"], ("led_name",))
    conflicts: list[Conflict] = []
    for table in LISTS:
        seen[table], unmatched = aligned(table, seen[table])
        conflicts += [_lacking(table, one) for one in unmatched]
    conflicts += _part_numbers(seen)
    adopted = _adopt_untitled(seen)
    diagnostics = [d for d in diagnostics if not (d.code == "title-lost" and d.record_id in adopted)]
    records: dict[str, dict[str, Record]] = {}
    observations: list[Observation] = []
    tally = Tally()
    for table in sorted(seen):
        records[table] = {}
        for identity in sorted(seen[table]):
            found = seen[table][identity]
            record, differing = _one(table, identity, found)
            records[table][identity] = record
            conflicts += differing
            tally.add(table, identity, found)
            observations += _observations(table, identity, found, lines)
    diagnostics += [
        Diagnostic(
            code="conflict",
            message=f"{c.table} {c.record_id}: {c.column} is {excerpt(c.kept)}, and {excerpt(c.other)} here.",
            document_id=c.document_id,
            table=c.table,
            record_id=c.record_id,
        )
        for c in conflicts
    ]
    still = [d for d in diagnostics if not _settled(d, records)]
    return Merged(records, observations, conflicts, still, [e.document for e in extracts], tally)


def _settled(diagnostic: Diagnostic, records: dict[str, dict[str, Record]]) -> bool:
    """Whether another document of the run gives what this one lost."""
    if diagnostic.code == "detachment-not-shown":
        return diagnostic.record_id not in records.get("enhancements", {})
    if diagnostic.code == "damaged-rule" and diagnostic.record_id:
        rule = records.get("rules", {}).get(diagnostic.record_id)
        return isinstance(rule, Rule) and rule.complete
    return False


# --- weapon names --------------------------------------------------------------------------------------------------------


def known_names(extracts: Iterable[Extract]) -> weapons.KnownNames:
    """Names that stand alone somewhere in the run."""
    names: set[str] = set()
    of_kind: set[tuple[str, str]] = set()
    possible: set[tuple[str, str]] = set()
    profiles: set[str] = set()
    for extract in extracts:
        names.update(extract.names)
        for row in extract.weapon_rows:
            possible.update((row.kind, fold(weapons.base_name(division.name))) for division in row.divisions)
            if len(row.divisions) == 1 and not row.doubtful:
                of_kind.add((row.kind, fold(weapons.base_name(row.divisions[0].name))))
                if profile := weapons.profile_of(row.divisions[0].name):
                    profiles.add(fold(profile))
        for sighting in extract.sightings:
            record = sighting.record
            if record.table_name() == "weapon_profiles" and record.split_certain:  # type: ignore[union-attr]
                of_kind.add((record.kind, fold(record.weapon_name)))  # type: ignore[arg-type, union-attr]
                if record.profile_name:  # type: ignore[union-attr]
                    profiles.add(fold(record.profile_name))  # type: ignore[union-attr]
    return weapons.KnownNames(frozenset(names), frozenset(of_kind), frozenset(possible), frozenset(profiles))


def _divided(extract: Extract, known: weapons.KnownNames, diagnostics: list[Diagnostic]) -> Iterator[Sighting]:
    """Weapon profiles and weapon abilities of a document, each name cell divided."""
    taken: dict[str, weapons.WeaponRow] = {}
    rows = weapons.without_namesakes(extract.weapon_rows)
    contested = weapons.contested(rows)
    for row in rows:
        division, certain = weapons.divide(row, known, contested)
        made = weapons.records(row, division, certain=certain)
        if not certain and made.profile.profile_id in taken:  # that reading would make two rows of the page one weapon
            others = ((other, weapons.records(row, other, certain=False)) for other in row.divisions)
            division, made = next(((d, m) for d, m in others if m.profile.profile_id not in taken), (division, made))
        profile = made.profile
        place = {"document_id": extract.document.document_id, "start": row.spans[0].start, "end": row.spans[-1].end,
                 "table": "weapon_profiles", "record_id": profile.profile_id}  # fmt: skip

        def say(code: str, message: str, place: dict[str, Any] = place, line: int = row.line) -> None:
            diagnostics.append(Diagnostic(code=code, message=message, line=line, **place))

        if (other := taken.get(profile.profile_id)) is not None:
            if (other.cells, other.printed_name) != (row.cells, row.printed_name):
                say(
                    "duplicate-id",
                    f"Two rows of the page are both {profile.profile_id}: “{other.printed_name}” and “{row.printed_name}”.",
                )
            continue
        taken[profile.profile_id] = row
        if not certain:
            say(
                "open-division",
                f"“{row.printed_name}” is read as “{division.name}” {list(division.abilities)}; another reading is possible.",
            )
        for printed in made.unknown:
            say("unknown-ability", f"The vocabulary does not know the ability “{printed}” of “{row.printed_name}”.")
        for printed in made.without_value:
            say(
                "ability-without-value", f"{printed} of “{row.printed_name}” always takes a value, and none is printed."
            )
        for printed in made.unreadable:
            say("unreadable-value", f"{printed} of “{row.printed_name}” has not the form of its column.")
        yield Sighting(profile, row.spans)
        for ability in made.abilities:
            yield Sighting(ability, row.spans)


# --- what the dumps lost -------------------------------------------------------------------------------------------------


def _settle_enhancements(seen: dict[str, dict[str, list[Seen]]]) -> None:
    """Gives enhancements their detachment where the run shows it.

    A list prints names without detachments, a faction page may too; the text of an enhancement below `<Detachment> Detachment`,
    its title lost, tells it. Where a name belongs to two detachments of its faction, sightings without one stay apart.
    """
    enhancements = seen["enhancements"]
    by_text: dict[str, str] = {}
    for rule in [
        s
        for group in seen["rules"].values()
        for s in group
        if isinstance(s.record, Rule) and s.record.kind == "enhancement"
    ]:
        assert isinstance(rule.record, Rule)
        if rule.record.detachment_id and rule.record.text:
            by_text.setdefault(_flat(rule.record.text), rule.record.detachment_id)
    homes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for group in enhancements.values():
        for sighting in group:
            record = sighting.record
            assert isinstance(record, Enhancement)
            home = record.detachment_id or (by_text.get(_flat(record.text)) if record.text else None)
            if home:
                homes[record.faction_id, fold(record.name)].add(home)
    moved: dict[str, list[Seen]] = defaultdict(list)
    for identity in sorted(enhancements):
        for sighting in enhancements[identity]:
            record = sighting.record
            assert isinstance(record, Enhancement)
            home = record.detachment_id or (by_text.get(_flat(record.text)) if record.text else None)
            candidates = homes[record.faction_id, fold(record.name)]
            if home is None and len(candidates) == 1:
                (home,) = candidates
            record = msgspec.structs.replace(
                record, detachment_id=home, enhancement_id=ids.enhancement(record.faction_id, home, record.name)
            )
            moved[record.enhancement_id].append(Seen(record, sighting.spans, sighting.document))
    seen["enhancements"] = moved


def _part_numbers(seen_tables: dict[str, dict[str, list[Seen]]]) -> list[Conflict]:
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
            kept, other = _canonical(target), _canonical(number)
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


def _follow(seen_tables: dict[str, dict[str, list[Seen]]], moved: dict[tuple[str, str], dict[str, str]]) -> None:
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


def _adopt_untitled(seen: dict[str, dict[str, list[Seen]]]) -> set[str]:
    """Joins rules without a title to the record of the run that has their text; gives the ids that are gone by it."""
    titled: dict[str, tuple[str, str]] = {}
    for identity, group in seen["rules"].items():
        for sighting in group:
            rule = sighting.record
            assert isinstance(rule, Rule)
            if rule.title and (text := _flat("\n".join(filter(None, (rule.flavour, rule.text))))):
                titled.setdefault(text, ("rules", identity))
    for identity, group in seen["enhancements"].items():
        for sighting in group:
            if isinstance(sighting.record, Enhancement) and sighting.record.text:
                titled.setdefault(_flat(sighting.record.text), ("enhancements", identity))
    gone: set[str] = set()
    for identity in [i for i in seen["rules"] if i.startswith("untitled/")]:
        rule = seen["rules"][identity][0].record
        assert isinstance(rule, Rule)
        home = titled.get(_flat(rule.text or ""))
        if home is None:
            continue
        table, target = home
        for sighting in seen["rules"].pop(identity):
            seen[table][target].append(Seen(seen[table][target][0].record, sighting.spans, sighting.document))
        gone.add(identity)
    return gone


def _flat(text: str) -> str:
    return " ".join(text.split())


def _join_printings(groups: dict[str, list[Seen]], columns: tuple[str, ...]) -> None:
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


def _lacking(table: str, one: Unmatched) -> Conflict:
    """A row that the kept list lacks, as a conflict of the datasheet or weapon that the list is of."""
    owner = {"datasheet_id": "datasheets", "profile_id": "weapon_profiles"}[LISTS[table].owner]
    column = f"{table}_{one.seen.record.position}"
    row = _canonical(one.seen.record.row())
    return Conflict(
        table=owner,
        record_id=one.owner,
        column=column,
        document_id=one.seen.document.document_id,
        kept="null",
        other=row,
    )


# --- one record ----------------------------------------------------------------------------------------------------------


def _one(table: str, identity: str, found: Sequence[Seen]) -> tuple[Record, list[Conflict]]:
    """The record that sightings of one id make, and where they differ."""
    if table in ("enhancements", "rules"):
        found = _with_one_flavour(found)
    first = found[0].record
    if len(found) == 1 or all(s.record == first for s in found):
        return first, []
    said = Counter(s.record for s in found)
    ranked = sorted(found, key=lambda s: _rank(s, said))
    values: dict[str, Any] = {}
    conflicts: dict[tuple[str, str], Conflict] = {}
    for column in first.__struct_fields__:
        if column in UNITED:
            values[column] = _united(column, ranked)
            continue
        kept: Any = None
        for sighting in ranked:
            value = getattr(sighting.record, column)
            if is_empty(value):
                continue
            if is_empty(kept):
                kept = value
            elif column not in OF_THE_READING and not same(column, kept, value):
                if isinstance(value, str) and isinstance(kept, str) and _lacks_words(kept, value):
                    kept, value = value, kept  # the one that is kept so far is the other with words lost
                conflicts.setdefault((column, sighting.document.document_id), Conflict(
                    table=table, record_id=identity, column=column, document_id=sighting.document.document_id,
                    kept=_canonical(kept), other=_canonical(value),
                ))  # fmt: skip
        values[column] = kept if not is_empty(kept) else getattr(ranked[0].record, column)
    for column in ("complete", "split_certain"):
        if column in values:
            values[column] = getattr(ranked[0].record, column)
    if "members_known" in values:
        values["members_known"] = any(s.record.members_known for s in found)
    if isinstance(first, Faction | Detachment):
        values["name"] = _best_name([s.record.name for s in ranked])
        values["aliases"] = tuple(a for a in values["aliases"] if a != values["name"])
        conflicts = {}
    return type(first)(**values), list(conflicts.values())


def _with_one_flavour(found: Sequence[Seen]) -> Sequence[Seen]:
    """A text that is printed once with its flavour apart and once with both in one: where the words are the same, it is apart."""
    apart: dict[str, tuple[str, str]] = {}
    for seen in found:
        if seen.record.flavour and seen.record.text:
            apart.setdefault(
                _flat(f"{seen.record.flavour} {seen.record.text}"), (seen.record.flavour, seen.record.text)
            )
    if not apart:
        return found
    made = []
    for seen in found:
        if seen.record.flavour is None and seen.record.text and (both := apart.get(_flat(seen.record.text))):
            seen = seen._replace(record=msgspec.structs.replace(seen.record, flavour=both[0], text=both[1]))
        made.append(seen)
    return made


def _rank(sighting: Seen, said: Counter[Record]) -> tuple[Any, ...]:
    record, document = sighting.record, sighting.document
    place = trust(record.table_name(), None, document.format)
    newer = tuple(-ord(c) for c in document.captured_at or "")
    return (
        not getattr(record, "complete", True),
        place,
        is_foreign(getattr(record, "datasheet_id", None) or record.identity, document),
        -said[record],
        newer,
        document.document_id,
        _canonical(msgspec.to_builtins(record)),
    )


def _lacks_words(lossy: str, whole: str) -> bool:
    """Whether a text is another with words left out, as dumps leave out what stood behind a link."""
    words = iter(whole.split())
    return len(lossy) < len(whole) and all(word in words for word in lossy.split())


def _united(column: str, ranked: Sequence[Seen]) -> tuple[str, ...]:
    """All items of a list that any source prints, in the order of the most trusted ones; aliases have none."""
    items = dict.fromkeys(item for seen in ranked for item in getattr(seen.record, column))
    return tuple(sorted(items)) if column == "aliases" else tuple(items)


def _best_name(names: Sequence[str]) -> str:
    """A name in small letters before one in capitals; else the first."""
    return next((name for name in names if not name.isupper()), names[0])


def _canonical(value: Any) -> str:
    return json.dumps(
        msgspec.to_builtins(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _observations(
    table: str, identity: str, found: Sequence[Seen], lines: dict[str, list[int]]
) -> Iterator[Observation]:
    """Where a record was seen; stretches that touch are one."""
    seen: set[tuple[str, int]] = set()
    for sighting in found:
        document_id = sighting.document.document_id
        for start, end in joined(sighting.spans):
            if (document_id, start) in seen:
                continue
            seen.add((document_id, start))
            yield Observation(table=table, record_id=identity, document_id=document_id, start=start, end=end,
                              line=line_at(lines[document_id], start))  # fmt: skip


def line_at(starts: list[int], position: int) -> int:
    """Line, counted from 1, of a character offset."""
    return bisect_right(starts, position)
