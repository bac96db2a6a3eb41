"""Invented truth, printed as a dump and read again: exactly that truth back, and every character claimed.

`ROUND_TRIP_EXAMPLES=5000` runs more of them than the usual few.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from pipeline import ids
from tests import pages, render, truth
from tests.pages import Page, Release
from tests.render import Rule, Unit, Weapon, paragraphs

EXAMPLES = int(os.environ.get("ROUND_TRIP_EXAMPLES", "50"))
SAID_OF_WEAPONS = {"open-division"}
SAID_OF_REFERENCES = {"dangling-reference", "ambiguous-reference"}
_NUMBER = re.compile(r"\((\d\d\.\d\d)\)")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(st.randoms(use_true_random=False))
def test_what_is_printed_is_read_back(random: Random) -> None:
    unit = truth.unit(random)
    text = render.dump(unit, random)
    note(text)
    check(unit, pages.read([text]))


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_what_is_printed_is_read_back_of_a_seed(seed: int) -> None:
    """Seeds reach larger pages than hypothesis, which looks for small ones."""
    random = Random(seed)
    unit = truth.unit(random)
    check(unit, pages.read([render.dump(unit, random)]))


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_what_two_pages_print_is_one_record_in_any_order(seed: int) -> None:
    """The same rules and cards, printed twice, glued at other places, below two units."""
    random = Random(seed)
    unit = truth.unit(random)
    other = replace(
        unit, name=f"{unit.name} Sister", titled=True, keywords=(*unit.keywords, ("SISTER", "*")), stat_lines=()
    )
    both = [
        Page(text=render.dump(unit, random), path="one.txt"),
        Page(text=render.dump(other, random), path="other.txt"),
    ]
    release = pages.read(both)
    assert pages.read(both[::-1]).tables == release.tables
    assert release.rows("conflicts") == []
    assert {row.name for row in release.rows("datasheets")} >= {other.name}
    alone = pages.read(both[:1])
    for table in ("rules", "stratagems", "detachments"):
        assert release.rows(table) == alone.rows(table), table


def check(unit: Unit, release: Release) -> None:
    """The tables say what the unit is, and nothing else."""
    said = {code for code in release.codes() if code not in SAID_OF_WEAPONS | SAID_OF_REFERENCES}
    lossy = any(not rule.complete for rule in unit.rules)
    assert said == ({"damaged-rule"} if lossy else set()), [f"{d.code}: {d.message}" for d in release.diagnostics()]
    (document,) = release.documents()
    assert (document.status, document.edition, document.kind) == ("read", unit.edition, "datasheet")
    assert document.characters - document.characters_claimed == 0
    faction = ids.slug(unit.faction)
    sheet_id = f"{faction}/{ids.slug(unit.name)}"
    (sheet,) = release.rows("datasheets")
    assert (sheet.datasheet_id, sheet.faction_id, ids.fold(sheet.name)) == (sheet_id, faction, ids.fold(unit.name))
    assert (sheet.damaged_low, sheet.damaged_high, sheet.damaged_text) == (unit.damaged or (None, None, None))
    transport = (unit.transport[0], paragraphs(unit.transport[1])) if unit.transport else (None, None)
    assert (sheet.transport_capacity, sheet.transport_text) == transport
    assert (sheet.leader_text, sheet.loadout_text) == (unit.leader, unit.loadout)
    assert sorted((s.heading, s.text) for s in sheet.other_sections) == sorted(
        (h, paragraphs(runs)) for h, runs in unit.named
    )
    check_weapons(unit, release)
    check_small_tables(unit, release)
    check_stratagems(unit, release)
    check_rules(unit, release)
    printed = {(tuple(i.keywords), i.faction_id): set(i.printed_groups) for i in release.rows("keyword_index")}
    for index in unit.indexes:
        assert printed[index.keywords, ids.slug(index.faction) if index.faction else None] == set(index.groups)


def check_weapons(unit: Unit, release: Release) -> None:
    for kind in ("ranged", "melee"):
        found = [row for row in release.rows("weapon_profiles") if row.kind == kind]
        wanted = [weapon for weapon in unit.weapons if weapon.kind == kind]
        assert len(found) == len(wanted)
        for row, weapon in zip(found, wanted, strict=True):
            values = (row.range_inches, row.attacks, row.skill, row.strength, row.armour_penetration, row.damage)
            assert values == weapon.values
            exact = (row.weapon_name, row.profile_name, row.abilities) == (
                weapon.name,
                weapon.profile,
                weapon.abilities,
            )
            assert exact or not row.split_certain, (
                f"called certain, and wrong: {row.printed_name} is {row.weapon_name} {row.abilities}"
            )
            if not truth.is_open(weapon, unit.marks, unit.weapons) and not _shares_its_stem(weapon, unit.weapons):
                assert row.split_certain, row.printed_name


def _shares_its_stem(weapon: Weapon, weapons: Sequence[Weapon]) -> bool:
    names = {other.name for other in weapons if (other.kind, other.name) != (weapon.kind, weapon.name)}
    return any(f"{weapon.name} ".startswith(f"{name} ") or name.startswith(f"{weapon.name} ") for name in names)


def check_small_tables(unit: Unit, release: Release) -> None:
    abilities = [(a.kind, a.name, a.value, paragraphs(a.runs) or None) for a in unit.abilities]
    assert sorted(columns(release, "abilities", "kind", "name", "value", "text"), key=str) == sorted(abilities, key=str)
    options = [(o.text, o.choices) for o in unit.options]
    assert columns(release, "wargear_options", "text", "choices") == options
    composition = [(m.name, m.least, m.most) for m in unit.composition]
    assert columns(release, "unit_composition", "model_name", "models_min", "models_max") == composition
    costs = [(c.kind, *c.tier, c.models, c.description, c.points) for c in unit.costs]
    assert columns(release, "unit_costs", "kind", "from_unit", "to_unit", "models", "description", "points") == costs
    keywords = [(*keyword, False) for keyword in unit.keywords] + [(unit.faction.upper(), "*", True)]
    assert columns(release, "keywords", "keyword", "model_name", "is_faction") == keywords
    shown = (
        "movement_inches_printed",
        "toughness_printed",
        "save_printed",
        "wounds_printed",
        "leadership_printed",
        "objective_control_printed",
    )
    models = [(line.name.casefold(), line.base, *line.printed) for line in unit.stat_lines]
    found = [(name.casefold(), *rest) for name, *rest in columns(release, "models", "name", "base_size", *shown)]
    assert found == models


def columns(release: Release, table: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(row, name) for name in names) for row in release.rows(table)]


def check_stratagems(unit: Unit, release: Release) -> None:
    faction = ids.slug(unit.faction)
    found = {row.stratagem_id: row for row in release.rows("stratagems")}
    wanted = {}
    for card in unit.cards:
        owner = {"Core": "core", "Boarding Actions": "boarding-actions"}.get(
            card.owner, f"{faction}/{ids.slug(card.owner)}"
        )
        wanted[f"{owner}/{ids.slug(card.name)}"] = card
    assert set(found) == set(wanted)
    for identity, card in wanted.items():
        row = found[identity]
        assert (row.name, row.cp_cost, row.type, row.rule_number) == (card.name, card.points, card.type, card.number)
        assert row.flavour == card.flavour
        texts = {label.label: label.content for label in card.labels}
        printed = (row.when_text, row.target_text, row.effect_text, row.restrictions_text)
        assert printed == tuple(texts.get(label) for label in ("WHEN", "TARGET", "EFFECT", "RESTRICTIONS"))
        assert (row.phases, row.turn) == (card.phases, card.turn)
        assert row.complete
    listed = [identity for identity, card in wanted.items() if card.listed]
    assert [row.stratagem_id for row in release.rows("datasheet_stratagems")] == listed


def check_rules(unit: Unit, release: Release) -> None:
    faction = ids.slug(unit.faction)
    found = {row.rule_id: row for row in release.rows("rules") if row.kind != "core-stratagem"}
    wanted: dict[str, Rule] = {}
    for rule in unit.rules:
        path = {"army-rule": f"army-rule/{faction}", "detachment-rule": f"detachment-rule/{faction}"}.get(
            rule.kind, "core"
        )
        identity = rule.number or f"{path}/{ids.slug(rule.title)}"
        wanted[identity] = rule
        for title, text in rule.cells:
            assert found.pop(f"{identity}/{ids.slug(title)}").text == text
    assert set(found) == set(wanted)
    for identity, rule in wanted.items():
        row = found[identity]
        assert (ids.fold(row.title), row.kind, row.complete) == (ids.fold(rule.title), rule.kind, rule.complete)
        if rule.lost_label:
            continue
        assert (row.flavour, row.text or "") == (rule.flavour, paragraphs(rule.runs)), identity
        assert [(s.label, s.text) for s in row.sections] == [(s.label, s.content) for s in rule.sections]
        assert list(row.examples) == list(rule.examples)
        boxes = ([("Designer’s Note", rule.note)] if rule.note else []) + [(h, "\n".join(t)) for h, t in rule.sidebars]
        assert [(s.title, s.text) for s in row.sidebars] == boxes
        references = [r for r in release.rows("cross_references") if (r.from_table, r.from_id) == ("rules", identity)]
        assert [r.printed for r in references if r.kind == "see-also"] == list(rule.see_also)
        text = "\n".join(
            [
                rule.flavour or "",
                paragraphs(rule.runs),
                *(s.content for s in rule.sections),
                *rule.examples,
                *(t for _, t in boxes),
            ]
        )
        assert [r.printed for r in references if r.kind == "number"] == _NUMBER.findall(text)
