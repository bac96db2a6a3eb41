"""Sightings of one id → one record, its observations, and the conflicts where sightings disagree.

In: extracts of the documents of one edition. Out: `Merged`. The result does not depend on the order of the documents.

A source that does not print a value does not disagree with one that does. Where two print different values the better one is
kept (a complete record before a damaged one, then the source that is trusted more, then what more documents say, then the newer
capture) and the other stays visible as a row of `conflicts`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pipeline import namesakes, settle
from pipeline.agree import OF_THE_READING, UNITED, Tally, canonical, is_empty, same
from pipeline.diagnostics import Diagnostic, excerpt
from pipeline.document import joined, line_at
from pipeline.extract import Extract
from pipeline.extractors import weapons
from pipeline.ids import fold
from pipeline.lists import LISTS, Unmatched, aligned
from pipeline.records import (
    Conflict,
    Detachment,
    DocumentRow,
    Faction,
    Observation,
    Record,
    Rule,
    Sighting,
)
from pipeline.sightings import Seen, has_own_trust, is_foreign, trust


class Merged(NamedTuple):
    """One record per id, with where each was seen and where sightings disagree."""

    records: dict[str, dict[str, Record]]  # table → identity → record
    observations: list[Observation]
    conflicts: list[Conflict]
    diagnostics: list[Diagnostic]
    documents: list[DocumentRow]
    tally: Tally


def merge(extracts: Sequence[Extract]) -> Merged:
    """Merges the extracts of one edition."""
    extracts = namesakes.parted(sorted(extracts, key=lambda e: e.document.document_id))
    diagnostics = [d for e in extracts for d in e.diagnostics]
    lines = {e.document.document_id: e.line_starts for e in extracts}
    seen: settle.SeenTables = defaultdict(lambda: defaultdict(list))
    known = known_names(extracts)
    for extract in extracts:
        for sighting in (*extract.sightings, *_divided(extract, known, diagnostics)):
            seen[sighting.record.table_name()][sighting.record.identity].append(
                Seen(sighting.record, sighting.spans, extract.document)
            )
    settle.enhancements(seen)
    settle.join_printings(seen["keywords"], ("keyword", "model_name"))
    settle.join_printings(seen["leaders"], ("led_name",))
    conflicts: list[Conflict] = []
    for table in LISTS:
        seen[table], unmatched = aligned(table, seen[table])
        conflicts += [_lacking(table, one) for one in unmatched]
    conflicts += settle.part_numbers(seen)
    adopted = settle.adopt_untitled(seen)
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


def _lacking(table: str, one: Unmatched) -> Conflict:
    """A row that the kept list lacks, as a conflict of the datasheet or weapon that the list is of."""
    owner = {"datasheet_id": "datasheets", "profile_id": "weapon_profiles"}[LISTS[table].owner]
    column = f"{table}_{one.seen.record.position}"
    row = canonical(one.seen.record.row())
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
        printed = [(value, s.document) for s in ranked if not is_empty(value := getattr(s.record, column))]
        if not printed:
            values[column] = getattr(ranked[0].record, column)
            continue
        if has_own_trust(table, column):
            printed.sort(key=lambda one: trust(table, column, one[1].format))
        kept = values[column] = _kept(column, [value for value, _ in printed])
        for value, document in printed if column not in OF_THE_READING else ():
            if value != kept and not same(column, kept, value):
                conflicts.setdefault((column, document.document_id), Conflict(
                    table=table, record_id=identity, column=column, document_id=document.document_id,
                    kept=canonical(kept), other=canonical(value),
                ))  # fmt: skip
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
                settle.flat(f"{seen.record.flavour} {seen.record.text}"), (seen.record.flavour, seen.record.text)
            )
    if not apart:
        return found
    made = []
    for seen in found:
        if seen.record.flavour is None and seen.record.text and (both := apart.get(settle.flat(seen.record.text))):
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
        canonical(msgspec.to_builtins(record)),
    )


def _kept(column: str, printed: Sequence[Any]) -> Any:
    """The first of some values; of a text the first that is not another with words lost."""
    kept = printed[0]
    if isinstance(kept, str) and column not in OF_THE_READING:
        for value in printed[1:]:
            if value != kept and not same(column, kept, value) and _lacks_words(kept, value):
                kept = value
    return kept


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
