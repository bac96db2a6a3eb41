"""The gate: a sound game passes, and every rule has a fault that it finds, alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from pipeline import evidence, expectations, migrations, schema, store, validate
from pipeline import records as r
from pipeline.diagnostics import CODES, Diagnostic
from pipeline.expectations import Expectation
from pipeline.records import TABLES, Record
from tests import invented
from tests.invented import HOOK, HOST, RIFLE, SHEET, SPITTER, TROOPERS, Game, added, changed, without

GAME = invented.game()
DOCUMENT = invented.DOCUMENT.document_id


def observation(table: str, identity: str) -> r.Observation:
    found = (one for one in GAME["observations"] if isinstance(one, r.Observation))
    return next(one for one in found if (one.table, one.record_id) == (table, identity))


OF_FACTION = observation("factions", "ash-compact")


def columns_of(game: Game) -> dict[str, store.Columns]:
    return {name: store.columns(schema.table(name), records) for name, records in game.items()}


@pytest.fixture(scope="module")
def sound() -> validate.Validated:
    outcome = validate.validate(GAME, edition="11e")
    assert isinstance(outcome, validate.Validated), outcome.diagnostics
    return outcome


# a sound game


def test_a_sound_game_passes_with_what_it_warns_of(sound: validate.Validated) -> None:
    assert [(row.code, row.record_id) for row in diagnostics_of(sound)] == [
        ("incomplete-stratagem", "boarding-actions/breach")
    ]
    assert set(sound.tables) == set(TABLES)
    assert sound.edition == "11e"
    for records in sound.tables.values():
        assert list(records) == store.by_key(records)


def diagnostics_of(validated: validate.Validated) -> list[r.DiagnosticRow]:
    return [row for row in validated.tables["diagnostics"] if isinstance(row, r.DiagnosticRow)]


def test_every_expectation_is_answered(sound: validate.Validated) -> None:
    sent = [one for table in TABLES for one in expectations.suite(table)]
    assert [result.expectation for result in sound.results] == sent
    for result in sound.results:
        assert result.rows <= len(GAME[result.expectation.table])


def test_only_the_gate_makes_what_publish_takes() -> None:
    with pytest.raises(TypeError, match="only validate"):
        validate.Validated(object(), edition="11e", tables={}, columns={}, results=())


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("pipeline", {"pandas", "pyarrow", "great_expectations"}),
        ("pipeline.validate", {"pandas", "great_expectations"}),
        ("pipeline.publish", {"great_expectations"}),
    ],
)
def test_heavy_libraries_wait_until_they_are_needed(module: str, absent: set[str]) -> None:
    code = f"import sys, {module}; print(*sorted({absent!r} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


# the structure


def broken(game: Game) -> list[tuple[str, str | None, str | None]]:
    outcome = validate.validate(game, edition="11e")
    assert isinstance(outcome, validate.Findings)
    return [(one.code, one.table, one.record_id) for one in outcome.diagnostics]


STRUCTURE: dict[str, tuple[Callable[[], Game], tuple[str, str | None, str | None]]] = {
    "a null where none may be": (
        lambda: changed(GAME, "datasheets", SHEET, name=None),
        ("missing-value", "datasheets", SHEET),
    ),
    "a fraction in an integer column": (
        lambda: changed(GAME, "unit_costs", f"{SHEET}#1", points=1.5),
        ("wrong-type", "unit_costs", f"{SHEET}#1"),
    ),
    "a list that is none": (
        lambda: changed(GAME, "factions", "ash-compact", aliases=None),
        ("missing-value", "factions", "ash-compact"),
    ),
    "two records of one id": (
        lambda: added(GAME, msgspec.structs.replace(invented.profile(RIFLE, 9))),
        ("duplicate-id", "weapon_profiles", RIFLE),
    ),
    "a foreign key that leads nowhere": (
        lambda: changed(GAME, "models", f"{SHEET}/model/brindle-hauler", datasheet_id="ash-compact/nobody"),
        ("dangling-key", "models", f"{SHEET}/model/brindle-hauler"),
    ),
    "a list of ids that leads nowhere": (
        lambda: changed(GAME, "keyword_index", "ash-compact/keyword/vehicle", datasheet_ids=("ash-compact/nobody",)),
        ("dangling-key", "keyword_index", "ash-compact/keyword/vehicle"),
    ),
    "an observation of nothing": (
        lambda: changed(GAME, "observations", OF_FACTION.identity, record_id="x"),
        ("dangling-key", "observations", f"factions#x#{DOCUMENT}#{OF_FACTION.start}"),
    ),
    "a reference into a table that is none": (
        lambda: changed(GAME, "cross_references", "stratagems/core/second-chance/1", to_table="books", to_id="24.31"),
        ("dangling-key", "cross_references", "stratagems/core/second-chance/1"),
    ),
}


@pytest.mark.parametrize("name", STRUCTURE)
def test_a_broken_structure_stops_before_any_expectation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "run_suites", lambda _: pytest.fail("the suites were run"))
    game, finding = STRUCTURE[name]
    found = [one for one in broken(game()) if one[0] != "untraced-records"]
    assert found == [finding]
    assert CODES[finding[0]].stops_release


def test_a_run_that_read_nothing_is_no_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "run_suites", lambda _: pytest.fail("the suites were run"))
    rejected = [invented.document("Hauler", status="rejected")]
    assert broken({"documents": list(rejected)}) == [("empty-release", None, None)]


def test_what_stopped_upstream_stops_here() -> None:
    alias = Diagnostic(code="unknown-faction-alias", message="…")
    outcome = validate.validate(GAME, [alias], edition="11e")
    assert isinstance(outcome, validate.Findings)
    assert outcome.stopping == (alias,)


def test_a_stranger_among_the_records_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError, match="table models holds Faction"):
        validate.validate({"models": GAME["factions"]}, edition="11e")
    with pytest.raises(ValueError, match="no such tables: modles"):
        validate.validate({"modles": []}, edition="11e")


# every expectation that the schemas make: one row that breaks it, all rows of a table in one run


def clone(table: str, number: int) -> Record:
    """A sound record under an id of its own."""
    record = (GAME | {"diagnostics": [DIAGNOSTIC], "migrations": [MIGRATION]})[table][0]
    if table == "documents":
        return msgspec.structs.replace(record, document_id=f"{number:016x}", sha256=f"{number:064x}")
    if table == "diagnostics":
        return msgspec.structs.replace(record, diagnostic_id=f"unclaimed-text/{number:012x}")
    column = "record_id" if table == "conflicts" else schema.table(table).key[-1]
    value = getattr(record, column)
    return msgspec.structs.replace(record, **{column: 1000 + number if type(value) is int else f"{value}-{number}"})


DIAGNOSTIC = r.DiagnosticRow(
    diagnostic_id="unclaimed-text/0123456789ab",
    code="unclaimed-text",
    severity="warning",
    message="…",
    document_id=DOCUMENT,
    line=1,
    start=0,
    end=9,
    table=None,
    record_id=None,
)
MIGRATION = r.Migration(table="datasheets", old_id="a/b", new_id="a/c", kind="renamed", reason="A typing error.")


def wrong_values(one: Expectation) -> Iterator[dict[str, Any]]:
    """Values of a record that break an expectation; two records where it takes two."""
    column = one.subject
    kind = one.kind.removeprefix("column_values_to_")
    if kind == "not_be_null":
        yield {column: None}
    elif kind == "be_in_set":
        yield {column: "none of these"}
    elif kind == "match_regex":
        yield {column: "\n5"}
    elif kind == "be_between" and "min_value" in one.arguments:
        yield {column: one.arguments["min_value"] - 1}
    elif kind == "be_between":
        yield {column: one.arguments["max_value"] + 1}
    elif column == "sha256":
        yield {column: "e" * 64}
        yield {column: "e" * 64}
    elif one.kind in ("column_values_to_be_unique", "compound_columns_to_be_unique"):
        yield {}
        yield {"sha256": "d" * 64} if one.table == "documents" else {}
    elif column == "markup_left":
        text = next(f for f in schema.table(one.table).fields if f.role is not None and f.array_item is None)
        yield {text.name: "each time<l> this happens"}
    elif column == "label_left":
        text = next(f for f in schema.table(one.table).fields if f.role == "prose")
        yield {text.name: "It stands.EFFECT: It turns."}
    else:
        raise AssertionError(f"no way to break {one}")


def item_values(one: Expectation) -> dict[str, Any]:
    column, _, part = one.subject.partition(".")
    if not part:
        return {column: ("",)}
    (item, *_) = GAME[one.table][0].row()[column]
    return {column: ({**item, part: ""},)}


@pytest.mark.parametrize("table", TABLES)
def test_every_constraint_is_broken_by_one_row_and_finds_it_alone(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = tuple(one for one in expectations.suite(table) if one not in expectations.ACROSS_COLUMNS)
    monkeypatch.setattr(expectations, "suite", lambda _: suite)
    monkeypatch.setattr(evidence, "_DERIVED", {})  # made for tables whose structure is sound
    lists = {field.name for field in schema.table(table).fields if field.array_item is not None}
    wanted: dict[Expectation, list[Record]] = {}
    for number, one in enumerate(suite):
        in_list = one.subject.partition(".")[0] in lists
        changes = [item_values(one)] if in_list else list(wrong_values(one))
        # two rows with one sha256 are two documents, two rows with one key are one record
        ids = (2 * number, 2 * number + (one.subject == "sha256"))
        wanted[one] = [
            msgspec.structs.replace(clone(table, identity), **values)
            for identity, values in zip(ids, changes, strict=False)
        ]
    columns = columns_of({**GAME, table: [row for rows in wanted.values() for row in rows]})
    results = {result.expectation: result for result in validate.run_suites(evidence.Evidence(columns, "11e"), [table])}
    for one, rows in wanted.items():
        failed = {record for record, _ in results[one].failures}
        if one.code == "missing-value" and schema.table(table).key == (one.subject,):
            assert len(failed) == 1  # a row without an id cannot be named
            continue
        # a wrong value may break another constraint of its own column, and nothing else
        others = {row.identity for two, twins in wanted.items() if two.subject == one.subject for row in twins}
        assert {row.identity for row in rows} <= failed <= others, one


def test_no_constraint_of_a_schema_lacks_its_expectation() -> None:
    for name, definition in schema.tables().items():
        suite = expectations.suite(name)
        says = {(one.subject, next(iter(set(one.arguments) - {"column"}), one.kind)) for one in suite}
        for field in definition.fields:
            limits = field.constraints
            if field.array_item is not None:
                continue
            for limit, argument in {
                "required": "column_values_to_not_be_null",
                "enum": "value_set",
                "pattern": "regex",
                "minimum": "min_value",
                "maximum": "max_value",
            }.items():
                if getattr(limits, limit) not in (None, False):
                    assert (field.name, argument) in says, f"{name}.{field.name} lost {limit}"


def test_items_of_lists_are_held_to_their_constraints() -> None:
    for name, definition in schema.tables().items():
        subjects = {one.subject for one in expectations.suite(name)}
        for field in definition.fields:
            for column, limits in evidence.flat_columns(field):
                assert limits in (schema.Constraints(), schema.Constraints(required=True)) or column in subjects


# every expectation across columns: a change that breaks it


def profile(identity: str, **values: Any) -> Callable[[], Game]:
    return lambda: changed(GAME, "weapon_profiles", identity, **values)


def change(table: str, identity: str, **values: Any) -> Callable[[], Game]:
    return lambda: changed(GAME, table, identity, **values)


def weapon_ability(profile_id: str, ability: str, **values: Any) -> Callable[[], Game]:
    return lambda: added(GAME, r.WeaponAbility(profile_id=profile_id, position=9, ability=ability, **values))


def cost(position: int, first: int | None, last: int | None) -> Callable[[], Game]:
    return change("unit_costs", f"{TROOPERS}#{position}", from_unit=first, to_unit=last)


def rare_keyword() -> Game:
    many = [
        r.Keyword(datasheet_id=f"a/{n}", keyword="TRANSPORT", model_name="*", position=1, is_faction=False)
        for n in range(9)
    ]
    return changed(added(GAME, *many), "keywords", f"{SHEET}#TRANSPORT#*", keyword="TRANSPRT")


def other_faction() -> Game:
    foreign = r.Datasheet(datasheet_id="kult-of-rivets/mob", faction_id="kult-of-rivets", name="Mob")
    game = added(GAME, foreign, r.Faction(faction_id="kult-of-rivets", name="Kult of Rivets"))
    return changed(game, "keyword_index", "any/keyword/infantry+character",
                   datasheet_ids=(TROOPERS, "kult-of-rivets/mob"), printed_factions=("Ash Compact",))  # fmt: skip


SUPERCHARGE = f"{SPITTER}/supercharge"
FEINT = f"{HOST}/ash-feint"
REFERENCE = "stratagems/core/second-chance/1"

ACROSS: dict[tuple[str, str, str], list[tuple[str, Callable[[], Game]]]] = {
    ("weapon_profiles", "melee-with-range", "range_inches"): [(HOOK, profile(HOOK, range_inches=1))],
    ("weapon_profiles", "melee-with-range", "range_printed"): [(HOOK, profile(HOOK, range_printed='12"'))],
    ("weapon_profiles", "ranged-without-range", "range_printed"): [
        (RIFLE, profile(RIFLE, range_inches=None, range_printed="Melee"))
    ],
    ("weapon_profiles", "ranged-without-range", "range_inches"): [
        (RIFLE, profile(RIFLE, range_inches=None, range_printed=None)),
        (RIFLE, profile(RIFLE, range_inches=None, range_printed='x"')),
    ],
    ("weapon_profiles", "skill-without-reason", "skill_printed"): [
        (RIFLE, profile(RIFLE, skill=None)),
        (RIFLE, profile(RIFLE, skill=None, skill_printed="8+")),
    ],
    ("weapon_profiles", "dice-out-of-order", "attacks_mean"): [(RIFLE, profile(RIFLE, attacks_mean=1.5))],
    ("weapon_profiles", "dice-out-of-order", "attacks_max"): [(RIFLE, profile(RIFLE, attacks_max=4))],
    ("weapon_profiles", "dice-out-of-order", "strength_mean"): [(RIFLE, profile(RIFLE, strength_min=6))],
    ("weapon_profiles", "dice-out-of-order", "strength_max"): [(RIFLE, profile(RIFLE, strength_max=4))],
    ("weapon_profiles", "dice-out-of-order", "damage_mean"): [(RIFLE, profile(RIFLE, damage_min=2))],
    ("weapon_profiles", "dice-out-of-order", "damage_max"): [(RIFLE, profile(RIFLE, damage_max=0))],
    ("weapon_profiles", "typed-differs-from-printed", "typed_otherwise"): [
        (RIFLE, profile(RIFLE, skill=4)),
        (RIFLE, profile(RIFLE, range_inches=18)),
        (RIFLE, profile(RIFLE, armour_penetration=0)),
        (RIFLE, profile(RIFLE, damage="D3")),
        (RIFLE, profile(RIFLE, attacks_min=None)),
        (SUPERCHARGE, profile(SUPERCHARGE, skill=4)),
    ],
    ("models", "typed-differs-from-printed", "typed_otherwise"): [
        (f"{SHEET}/model/brindle-hauler", change("models", f"{SHEET}/model/brindle-hauler", toughness=8)),
        (f"{SHEET}/model/brindle-hauler", change("models", f"{SHEET}/model/brindle-hauler", save_printed=None)),
    ],
    ("weapon_abilities", "ability-of-other-section", "ability"): [
        (f"{HOOK}#9", weapon_ability(HOOK, "PISTOL")),
        (f"{RIFLE}#9", weapon_ability(RIFLE, "LANCE")),
    ],
    ("weapon_abilities", "ability-without-value", "value"): [(f"{HOOK}#9", weapon_ability(HOOK, "SUSTAINED HITS"))],
    ("weapon_abilities", "unknown-ability", "rule_id"): [(f"{HOOK}#9", weapon_ability(HOOK, "HARPOONED"))],
    ("datasheets", "damaged-bracket", "damaged_high"): [
        (SHEET, change("datasheets", SHEET, damaged_low=4)),
        (SHEET, change("datasheets", SHEET, damaged_high=None)),
    ],
    ("datasheets", "damaged-bracket", "wounds"): [(SHEET, change("datasheets", SHEET, damaged_high=11))],
    ("datasheets", "damaged-bracket", "damaged_low"): [(SHEET, change("datasheets", SHEET, damaged_low=None))],
    ("unit_composition", "broken-constraint", "models_max"): [
        (f"{SHEET}#1", change("unit_composition", f"{SHEET}#1", models_max=0))
    ],
    ("unit_costs", "price-tiers", "tier_fault"): [
        (f"{TROOPERS}#3", cost(3, 5, None)),  # a gap
        (f"{TROOPERS}#3", cost(3, 3, None)),  # an overlap
        (f"{TROOPERS}#1", cost(1, 2, 3)),  # no first unit
        (f"{TROOPERS}#3", cost(1, 1, None)),  # something after the end
        (f"{TROOPERS}#3", cost(3, 4, 3)),  # backwards
    ],
    ("keywords", "keyword-spelling", "commoner_keyword"): [(f"{SHEET}#TRANSPRT#*", rare_keyword)],
    ("keyword_index", "keyword-index-differs", "index_fault"): [
        ("any/keyword/infantry+character", other_faction),
        ("ash-compact/keyword/vehicle",
         change("keyword_index", "ash-compact/keyword/vehicle", printed_groups=("Vehicle Walker", "Infantry"))),
        ("ash-compact/keyword/vehicle",
         change("keyword_index", "ash-compact/keyword/vehicle", faction_id="kult-of-rivets")),
    ],
    ("stratagems", "complete-without-part", "cp_cost"): [(FEINT, change("stratagems", FEINT, cp_cost=None))],
    ("stratagems", "complete-without-part", "when_text"): [(FEINT, change("stratagems", FEINT, when_text=None))],
    ("stratagems", "complete-without-part", "target_text"): [(FEINT, change("stratagems", FEINT, target_text=None))],
    ("stratagems", "complete-without-part", "effect_text"): [(FEINT, change("stratagems", FEINT, effect_text=None))],
    ("stratagems", "incomplete-stratagem", "complete"): [(FEINT, change("stratagems", FEINT, complete=False))],
    ("rules", "rule-nesting", "nesting_fault"): [
        ("24.31", change("rules", "24.31", parent_id=None)),
        ("24.31", change("rules", "24", number="23")),
        ("24.31", change("rules", "24", number="2")),
    ],
    ("rules", "glossary-without-user", "unused_on"): [
        ("24.31", lambda: without(GAME, "weapon_abilities", f"{RIFLE}#1"))
    ],
    ("cross_references", "reference-status", "to_id"): [
        (REFERENCE, change("cross_references", REFERENCE, to_id=None)),
        (REFERENCE, change("cross_references", REFERENCE, to_table=None, status="dangling")),
    ],
    ("cross_references", "reference-status", "to_table"): [
        (REFERENCE, change("cross_references", REFERENCE, to_table=None)),
        (REFERENCE, change("cross_references", REFERENCE, to_id=None, status="ambiguous")),
    ],
    ("documents", "broken-constraint", "characters"): [(DOCUMENT, change("documents", DOCUMENT, characters=4899))],
    ("documents", "broken-constraint", "characters_claimed"): [
        (DOCUMENT, change("documents", DOCUMENT, characters_echo=4861))
    ],
    ("documents", "mixed-editions", "edition"): [(DOCUMENT, change("documents", DOCUMENT, edition="10e"))],
    ("observations", "broken-constraint", "end"): [
        (OF_FACTION.identity,
         change("observations", OF_FACTION.identity, end=OF_FACTION.start))
    ],
    ("diagnostics", "broken-constraint", "end"): [
        (DIAGNOSTIC.diagnostic_id, lambda: added(GAME, msgspec.structs.replace(DIAGNOSTIC, start=10)))
    ],
    ("migrations", "broken-constraint", "new_id"): [
        ("datasheets#a/b", lambda: added(GAME, msgspec.structs.replace(MIGRATION, kind="retired"))),
        ("datasheets#a/b", lambda: added(GAME, msgspec.structs.replace(MIGRATION, new_id=None))),
    ],
    ("migrations", "migrated-id-in-use", "still_in_use"): [
        (f"datasheets#{SHEET}", lambda: added(GAME, msgspec.structs.replace(MIGRATION, old_id=SHEET)))
    ],
}  # fmt: skip


def test_every_expectation_across_columns_has_a_case() -> None:
    assert set(ACROSS) == {(one.table, one.code, one.subject) for one in expectations.ACROSS_COLUMNS}


@pytest.mark.parametrize(("table", "code", "subject"), ACROSS)
def test_a_contradiction_is_found_in_its_record_and_there_alone(table: str, code: str, subject: str) -> None:
    hit: set[Expectation] = set()
    for identity, make in ACROSS[table, code, subject]:
        results = validate.run_suites(evidence.Evidence(columns_of(make()), "11e"), [table])
        failed = {result.expectation: result for result in results if result.failures}
        own = [one for one in failed if (one.code, one.subject) == (code, subject)]
        assert own, f"{identity} was not found"
        assert {record for one in own for record, _ in failed[one].failures} - KNOWN == {identity}
        # whatever else the change breaks, it breaks in the same record
        assert {record for result in failed.values() for record, _ in result.failures} - KNOWN == {identity}
        hit |= set(own)
    assert hit == {
        one for one in expectations.ACROSS_COLUMNS if (one.table, one.code, one.subject) == (table, code, subject)
    }


KNOWN = {"boarding-actions/breach"}  # the sound game's own warning

SOUND_DOUBTS: dict[str, Callable[[], Game]] = {
    "a ranged weapon that prints no range": profile(RIFLE, range_inches=None, range_printed="N/A"),
    "a skill that is a dash": profile(RIFLE, skill=None, skill_printed="-"),
    "an edition that is not known": change("documents", DOCUMENT, edition=None),
    "another edition that was rejected": change("documents", DOCUMENT, edition="9e", status="rejected"),
    "a comparison sign": change("faqs", "ash-compact/faq/0123456789ab", answer='If it is < 12" & > 3", yes. <- That.'),
    "an ability with a footnote": weapon_ability(HOOK, "HARPOONED", text="It sticks."),
    "a word that is a label elsewhere": change("stratagems", FEINT, effect_text="The effect: none. Its EFFECT lasts."),
    "a chapter numbered .00": lambda: changed(
        changed(GAME, "rules", "24", number="24.00"), "rules", "24.31", parent_id="24"
    ),
    "an index for everything": change("keyword_index", "ash-compact/keyword/vehicle", printed_groups=("Other Units",)),
}


@pytest.mark.parametrize("name", SOUND_DOUBTS)
def test_what_looks_odd_and_is_sound_passes(name: str) -> None:
    game = SOUND_DOUBTS[name]()
    touched = [table for table in TABLES if game[table] != GAME[table]]
    results = validate.run_suites(evidence.Evidence(columns_of(game), "11e"), touched)
    assert {record for result in results for record, _ in result.failures} <= KNOWN


# findings


def test_a_finding_names_its_place_and_is_not_said_twice() -> None:
    game = changed(changed(GAME, "stratagems", FEINT, when_text="<b>Now</b>"), "weapon_profiles", RIFLE, skill=None)
    upstream = Diagnostic(
        code="incomplete-stratagem", message="no card", table="stratagems", record_id="boarding-actions/breach"
    )
    outcome = validate.validate(game, [upstream], edition="11e")
    assert isinstance(outcome, validate.Findings)
    (markup,) = outcome.stopping
    seen = observation("stratagems", FEINT)
    assert (markup.code, markup.table, markup.record_id) == ("markup-left", "stratagems", FEINT)
    assert (markup.document_id, markup.line, markup.start, markup.end) == (DOCUMENT, seen.line, seen.start, seen.end)
    assert "<b>Now" in markup.message
    assert [one.code for one in outcome.diagnostics] == ["skill-without-reason", "markup-left"]


def test_what_does_not_stop_is_published_among_the_diagnostics() -> None:
    doubtful = without(
        changed(GAME, "weapon_profiles", RIFLE, skill=None),
        "observations",
        OF_FACTION.identity,
    )
    outcome = validate.validate(doubtful, [Diagnostic(code="unclaimed-text", message="…")], edition="11e")
    assert isinstance(outcome, validate.Validated)
    assert [(row.code, row.severity) for row in diagnostics_of(outcome)] == [
        ("incomplete-stratagem", "warning"),
        ("skill-without-reason", "error"),
        ("unclaimed-text", "warning"),
        ("untraced-records", "warning"),
    ]


def test_every_code_of_a_suite_is_in_the_catalogue() -> None:
    for table in TABLES:
        for one in expectations.suite(table):
            assert one.code in CODES


# great-expectations itself


def test_an_expectation_that_is_not_answered_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Expectation("factions", "broken-constraint", "it is well", "column_values_to_be_well", {"column": "name"})
    missing = Expectation(
        "factions", "broken-constraint", "it is there", "column_values_to_be_null", {"column": "colour"}
    )
    for one in (unknown, missing):
        monkeypatch.setattr(expectations, "suite", lambda _, one=one: (one,))
        with pytest.raises(RuntimeError, match=f"not evaluated: factions: {one.says}"):
            validate.run_suites(evidence.Evidence(columns_of(GAME), "11e"), ["factions"])


def test_an_empty_table_is_not_sent() -> None:
    columns = columns_of({name: [] for name in TABLES})
    results = validate.run_suites(evidence.Evidence(columns, "11e"), ["models"])
    assert len(results) == len(expectations.suite("models"))
    assert {(result.rows, result.failures) for result in results} == {(0, ())}


# migrations


def test_migrations_are_declared_and_published(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "renamed_ids.json").write_bytes(
        msgspec.json.encode([MIGRATION.row() | {"old_id": SHEET}, MIGRATION.row() | {"editions": ["10e"]}])
    )
    monkeypatch.setattr(migrations, "SCHEMAS", tmp_path)
    outcome = validate.validate(GAME, edition="11e")
    assert isinstance(outcome, validate.Findings)
    assert [(one.code, one.record_id) for one in outcome.stopping] == [("migrated-id-in-use", f"datasheets#{SHEET}")]
    assert [one.old_id for one in migrations.declared("10e")] == [SHEET, "a/b"]


def test_an_old_id_is_followed_to_the_end() -> None:
    def migration(table: str, old: str, new: str | None) -> r.Migration:
        return r.Migration(table=table, old_id=old, new_id=new, kind="renamed", reason="…")

    successors = migrations.Successors(
        [
            migration("datasheets", "a/wagon", "a/cart"),
            migration("datasheets", "a/cart", "a/hauler"),
            migration("weapon_profiles", "a/hauler/ranged/gun", "a/hauler/ranged/rivet-gun"),
            migration("datasheets", "a/gone", None),
            migration("factions", "old-kult", "kult"),
            migration("datasheets", "a/x", "a/y"),
            migration("datasheets", "a/y", "a/x"),
        ]
    )
    follow = {
        ("datasheets", "a/wagon"): "a/hauler",
        ("models", "a/wagon/model/wagon"): "a/hauler/model/wagon",
        ("weapon_profiles", "a/wagon/ranged/gun"): "a/hauler/ranged/rivet-gun",
        ("abilities", "a/gone/ability/core/stealth"): None,
        ("datasheets", "old-kult/mob"): "kult/mob",
    }
    for (table, old), new in follow.items():
        assert successors.of(table, old) == migrations.Successor(new), old
    assert successors.of("datasheets", "a/wagonette") is None
    assert successors.of("datasheets", "a/x") is not None  # a circle ends
