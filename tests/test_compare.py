"""What changed between two releases: each change once, and nothing that only follows from it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner

from pipeline import changelog, run, schema, store
from pipeline import records as r
from pipeline.__main__ import cli
from pipeline.compare import Changes, Name, Release, Shape, compare
from pipeline.guards import Guard
from pipeline.records import TABLES, Record
from tests import invented
from tests.conftest import ROOT
from tests.invented import HOOK, HOST, LEADER, RIFLE, SHEET, TROOPERS, Game, added, changed, without
from tests.releases import release
from tests.test_publish import put

GAME = invented.game()
LANCERS, SKIFF, BARGE = (
    "draveth-tidehold/brine-lancers",
    "draveth-tidehold/undertow-skiff",
    "draveth-tidehold/undertow-barge",
)
CALLER = "draveth-tidehold/tidecaller"
DROPSHIP, FUSILIERS = "lantern-wardens/gloamwing-dropship", "lantern-wardens/lamplight-fusiliers"
DUSK = "lantern-wardens/wickfather-oren-dusk"
KEEL, MORTAR = f"{SKIFF}/melee/iron-keel", f"{SKIFF}/ranged/lure-mortar"


# twenty changes planted in the raw text of the demo


class Planted(NamedTuple):
    """A change in all pages whose names begin with `page`, and what must be told of it."""

    page: str
    old: str
    new: str
    told: tuple[Any, ...]  # table, id, kind, column, old, new


DEMISE, CHARGE = f"{DROPSHIP}/ability/core/deadly-demise", f"{LANCERS}/ability/datasheet/breaker-charge"
TEXT = "On the turn in which this unit makes a charge move (11.04), its coil lances have [{}]."
TWINS = "Wound rolls for [TWIN-LINKED] weapons can be thrown {}."
NEW = "RISING TIDE"
CARD = f"""{NEW}
1CP
Drowned Bell – Battle Tactic Stratagem
WHEN: Your Command phase.
TARGET: A DRA’VETH TIDEHOLD unit of yours.
EFFECT: It heeds both calls of the tide.
TARGET: A DRA’VETH TIDEHOLD unit of yours.
EFFECT: It heeds both calls of the tide.
"""

PLANTED = [
    Planted("dra-veth-tidehold__Brine", "| 8 | -0 | 3 | |", "| 8 | -0 | D3 | |",
            ("weapon_profiles", f"{LANCERS}/melee/shellbreaker-maul", "changed", "damage", "3", "D3")),
    Planted("dra-veth-tidehold__Undertow", "| Iron keel | Melee | 3 | 5+ |", "| Iron keel | Melee | 3 | 4+ |",
            ("weapon_profiles", f"{BARGE}/melee/iron-keel", "changed", "skill_printed", "5+", "4+")),
    Planted("dra-veth-tidehold__Undertow", "| Lure mortar indirect fire | |||||||\n| Lure mortar indirect fire | 30\" | 3 | 4+ | 5 | 0 | 1 | |\n", "",
            ("weapon_profiles", MORTAR, "retired", None)),
    Planted("dra-veth-tidehold__Tidecaller", "| 1 model | 75 |", "| 1 model | 85 |",
            ("unit_costs", f"{CALLER}#1", "changed", "points", 75, 85)),
    Planted("dra-veth-tidehold__Brine", "| 6 models | 170 |", "| 6 models | 170 |\n| 9 models | 260 |",
            ("unit_costs", f"{LANCERS}#3", "added", None)),
    Planted("lantern-wardens__Gloam", "VEHICLE; FLY;", "VEHICLE; FRAME;",  # F31
            ("keywords", f"{DROPSHIP}#FLY#*", "removed", None)),
    Planted("lantern-wardens__Gloam", "FRAME;", "FRAME;",
            ("keywords", f"{DROPSHIP}#FRAME#*", "added", None)),
    Planted("dra-veth-tidehold__Undertow", "| Brine repeater |", "| Brine repeater lethal hits |",
            ("weapon_abilities", f"{BARGE}/ranged/brine-repeater#1", "added", None)),
    Planted("lantern-wardens__Lamplight", "Wick rifle rapid fire 1 |", "Wick rifle rapid fire 2 |",
            ("weapon_abilities", f"{FUSILIERS}/ranged/wick-rifle#1", "changed", "value", "1", "2")),
    Planted("lantern-wardens__Gloam", "Deadly Demise D6,", "Deadly Demise D3,",
            ("abilities", DEMISE, "changed", "value", "D6", "D3")),
    Planted("dra-veth-tidehold__Brine", "lances have [DEVASTATING WOUNDS].", "lances have [LETHAL HITS].",
            ("abilities", CHARGE, "changed", "text", TEXT.format("DEVASTATING WOUNDS"), TEXT.format("LETHAL HITS"))),
    Planted("dra-veth-tidehold__Brine", "CORE: Deep Strike", "CORE: Scouts 6\", Deep Strike",
            ("abilities", f"{LANCERS}/ability/core/scouts", "added", None)),
    Planted("dra-veth-tidehold__Undertow", "WARGEAR OPTIONS\n", "WARGEAR OPTIONS\n- Its iron keel can be removed.\n",
            ("wargear_options", f"{BARGE}/option/1", "added", None)),
    Planted("dra-veth-tidehold__Brine", "- 2-5 Brine Lancers", "- 2-8 Brine Lancers",
            ("unit_composition", f"{LANCERS}#2", "changed", "text", "2-5 Brine Lancers", "2-8 Brine Lancers")),
    Planted("lantern-wardens__Gloam", "capacity of 12 NINTH", "capacity of 10 NINTH",
            ("datasheets", DROPSHIP, "changed", "transport_text")),
    Planted("lantern-wardens__Wick", "DAMAGED: 1-2 WOUNDS", "DAMAGED: 1-3 WOUNDS",
            ("datasheets", DUSK, "changed", "damaged_high", 2, 3)),
    Planted("", "HARSH TOLL\n2CP", "HARSH TOLL\n1CP",
            ("stratagems", "lantern-wardens/roadwatch-column/harsh-toll", "changed", "cp_cost", 2, 1)),
    Planted("", TWINS.format("again"), TWINS.format("twice"),
            ("rules", "24.38", "changed", "text", TWINS.format("again"), TWINS.format("twice"))),
    Planted("dra-veth-tidehold__Brine", "Ploy\nTHIRD TOLL", f"Ploy\n{NEW}\n1CP\nDrowned Bell – Battle Tactic\nTHIRD TOLL",
            ("stratagems", "draveth-tidehold/drowned-bell/rising-tide", "added", None)),
    Planted("dra-veth-tidehold__Undertow", "ndertow Skiff", "ndertow Barge",
            ("datasheets", BARGE, "renamed", None, SKIFF, BARGE)),
]  # fmt: skip

MIGRATIONS = [
    r.Migration(
        table="datasheets", old_id=SKIFF, new_id=BARGE, kind="renamed", reason="The source corrected the name."
    ),
    r.Migration(table="weapon_profiles", old_id=MORTAR, new_id=None, kind="retired", reason="No longer carried."),
]


def tables_of(folder: Path) -> Game:
    (edition,) = run.link_editions(run.read([folder], workers=1))
    return {name: list(rows) for name, rows in edition.tables.tables.items()}


def plant(folder: Path) -> None:
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        for one in PLANTED:
            if path.name.startswith(one.page):
                text = text.replace(one.old, one.new)
        if path.name.startswith("dra-veth-tidehold__Brine"):
            text = text.rstrip("\n") + "\n" + CARD
        text = text.replace("UNDERTOW SKIFF", "UNDERTOW BARGE")
        path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.json"):
        path.write_text(path.read_text(encoding="utf-8").replace("Undertow Skiff", "Undertow Barge"), encoding="utf-8")


class Planting(NamedTuple):
    old: Path
    new: Path


@pytest.fixture(scope="module")
def planting(tmp_path_factory: pytest.TempPathFactory) -> Planting:
    """Two releases, the second published in place of the first, which is kept beside it."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(ROOT / "raw" / "demo" / "11e", folder / "raw")
    put(tables_of(folder / "raw"), folder / "output")
    shutil.copytree(folder / "output" / "11e", folder / "old")
    plant(folder / "raw")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pipeline.migrations.declared", lambda _: MIGRATIONS)
        put(tables_of(folder / "raw"), folder / "output", *Guard)
    return Planting(folder / "old", folder / "output" / "11e")


def short(change: dict[str, Any]) -> tuple[Any, ...]:
    columns = ("table", "id", "kind", "column", "old", "new")
    return tuple(change[one] for one in columns)


def test_the_diff_names_exactly_the_twenty_planted_changes(planting: Planting) -> None:
    done = CliRunner().invoke(cli, ["diff", str(planting.old), str(planting.new), "--json"])
    assert done.exit_code == 0, done.output
    told = [short(one) for one in json.loads(done.stdout)["changes"] if one["part_of"] is None]
    assert len(PLANTED) == 20
    missing = [one.told for one in PLANTED if not any(change[: len(one.told)] == one.told for change in told)]
    more = [change for change in told if not any(change[: len(one.told)] == one.told for one in PLANTED)]
    assert (missing, more, len(told)) == ([], [], 20)


def test_the_release_tells_the_same(planting: Planting) -> None:
    done = CliRunner().invoke(cli, ["diff", str(planting.old), str(planting.new), "--json"])
    assert (planting.new / "changes.json").read_text(encoding="utf-8") == done.stdout
    page = CliRunner().invoke(cli, ["diff", str(planting.old), str(planting.new)]).stdout
    assert (planting.new / "CHANGES.md").read_text(encoding="utf-8") == page
    jsonschema.validate(json.loads(done.stdout), store.read_document(planting.new / "schemas" / "changes.schema.json"))


def test_what_came_and_went_with_another_row_says_so(planting: Planting) -> None:
    parts = [one for one in store.read_document(planting.new / "changes.json")["changes"] if one["part_of"]]
    assert [(one["table"], one["kind"], one["part_of"]["id"]) for one in parts] == [
        ("datasheets", "changed", BARGE),
        ("weapon_abilities", "removed", MORTAR),
        ("datasheet_stratagems", "added", "draveth-tidehold/drowned-bell/rising-tide"),
    ]


def test_a_person_can_read_it(planting: Planting) -> None:
    page = (planting.new / "CHANGES.md").read_text(encoding="utf-8")
    assert "11e: 20 changes, which bring 3 more." in page
    for line in (
        "- **Weapon profiles** Shellbreaker maul: damage 3 → D3",
        "- **Weapon profiles** Iron keel: skill 5+ → 4+",
        "- **Abilities** Breaker Charge: text … coil lances have [~~DEVASTATING WOUNDS~~ **LETHAL HITS**].",
        "- **Datasheets**: transport text … a transport capacity of ~~12~~ **10** NINTH VIGIL INFANTRY models …",
        "- **Datasheets** renamed `draveth-tidehold/undertow-skiff` → `draveth-tidehold/undertow-barge` "
        "(name Undertow Skiff → Undertow Barge; The source corrected the name.)",
        "- **Keywords** removed FLY",
        "- **Keywords** added FRAME",
    ):
        assert line in page.splitlines()
    assert page.index("## Dra’veth Tidehold") < page.index("### Brine Lancers") < page.index("## Lantern Wardens")
    assert "### Undertow Skiff" not in page  # what it lost stands where it is now


# each kind of change, on invented rows


def difference(new: Game, folder: Path, old: Game = GAME, also: str | None = None) -> Changes:
    return compare(release(old, folder / "old"), release(new, folder / "new"), also=also)


def told(changes: Changes) -> list[tuple[Any, ...]]:
    return [(c.table, c.id, c.kind, c.column, c.old, c.new) for c in changes.changes if c.part_of is None]


def test_nothing_changed(tmp_path: Path) -> None:
    changes = difference(GAME, tmp_path)
    assert changes.changes == ()
    assert changelog.markdown(changes) == "# Changes\n\n11e: 0 changes.\n\n"


@pytest.mark.parametrize(
    ("table", "identity", "values", "told_column", "line"),
    [
        # F13
        ("weapon_profiles", RIFLE, {"damage": "D3", "damage_max": 3, "damage_mean": 2.0}, "damage", "damage 1 → D3"),
        ("weapon_profiles", HOOK, {"skill": None, "skill_printed": "N/A"}, "skill_printed", "skill 3+ → N/A"),
        ("weapon_profiles", HOOK, {"skill": None, "skill_printed": None}, "skill_printed", "skill 3+ → not printed"),
        ("models", f"{SHEET}/model/brindle-hauler", {"save": 2, "save_printed": "2+"}, "save_printed", "save 3+ → 2+"),
        ("datasheets", SHEET, {"is_legends": True}, "is_legends", "is legends no → yes"),
        ("datasheets", LEADER, {"base_size": "40mm"}, "base_size", "base size not printed → 40mm"),
        ("unit_costs", f"{SHEET}#1", {"points": None}, "points", "points 85 → not printed"),
        ("detachments", HOST, {"aliases": ("The Host", "Grand Rivet Host")}, "aliases", "aliases + The Host"),
        ("detachments", HOST, {"aliases": ()}, "aliases", "aliases − Grand Rivet Host"),
        ("rules", "24.31", {"sidebars": (r.TitledText(title="Designer’s Note", text="Mind the cold."),)}, "sidebars",
         "sidebars Designer’s Note: Mind the ~~heat~~ **cold**."),
        ("rules", "24.31", {"text": None}, "text", "not printed"),
        ("weapon_abilities", f"{HOOK}#1", {"target": "VEHICLE"}, "target", "target INFANTRY → VEHICLE"),
        ("unit_costs", f"{TROOPERS}#1", {"to_unit": 2}, "to_unit", "to unit 3 → 2"),
        ("unit_composition", f"{SHEET}#1", {"text": "1-2 Brindle Haulers", "models_max": 2}, "text",
         "text 1 Brindle Hauler → 1-2 Brindle Haulers"),
        ("wargear_options", f"{SHEET}/option/1", {"text": "Its rivet gun can be replaced:\n- 2 plasma spitters", "choices": ()}, "text",
         "text … be replaced: - ~~1~~ **2** plasma ~~spitter~~ **spitters**"),
        # what is derived is told where its source did not change
        ("weapon_profiles", RIFLE, {"damage_mean": 1.5}, "damage_mean", "damage mean 1.0 → 1.5"),
        ("keyword_index", "ash-compact/keyword/vehicle", {"datasheet_ids": ()}, "datasheet_ids", f"datasheet ids − {SHEET}"),
        ("weapon_abilities", f"{HOOK}#2", {"rule_id": "24.31"}, "rule_id", "rule id not printed → 24.31"),
    ],
)  # fmt: skip
def test_a_changed_value_is_told_once(
    tmp_path: Path, table: str, identity: str, values: dict[str, Any], told_column: str, line: str
) -> None:
    changes = difference(changed(GAME, table, identity, **values), tmp_path)
    assert [one[:4] for one in told(changes)] == [(table, identity, "changed", told_column)]
    assert line in changelog.markdown(changes)
    assert changes.tables[table].follows == len(values) - 1


def test_a_list_in_another_order(tmp_path: Path) -> None:
    old = changed(GAME, "detachments", HOST, aliases=("A", "B"))
    changes = difference(changed(GAME, "detachments", HOST, aliases=("B", "A")), tmp_path, old)
    assert "aliases in another order" in changelog.markdown(changes)


def at(game: Game, table: str, owner: str, records: Sequence[Any]) -> Game:
    """The game with other rows in an owner's list, counted anew."""
    rest = [one for one in game[table] if getattr(one, schema.table(table).part_of[0]) != owner]
    made = [msgspec.structs.replace(one, position=place) for place, one in enumerate(records, start=1)]
    return {**game, table: [*rest, *made]}


def prices() -> list[r.UnitCost]:
    return [one for one in GAME["unit_costs"] if isinstance(one, r.UnitCost) and one.datasheet_id == TROOPERS]


def test_one_price_more_is_one_change(tmp_path: Path) -> None:
    dearer = msgspec.structs.replace(prices()[0], models=20, description="20 models", points=230)
    changes = difference(at(GAME, "unit_costs", TROOPERS, [dearer, *prices()]), tmp_path)
    assert [one[:4] for one in told(changes)] == [("unit_costs", f"{TROOPERS}#1", "added", None)]
    assert "- **Unit costs** added 20 models, units 1–3 (kind unit; points 230)" in changelog.markdown(changes)


def test_one_price_less_is_one_change(tmp_path: Path) -> None:
    changes = difference(at(GAME, "unit_costs", TROOPERS, prices()[1:]), tmp_path)
    assert [one[:4] for one in told(changes)] == [("unit_costs", f"{TROOPERS}#1", "removed", None)]


def test_of_a_list_in_another_order_only_what_moved_is_told(tmp_path: Path) -> None:
    changes = difference(at(GAME, "unit_costs", TROOPERS, [*prices()[1:], prices()[0]]), tmp_path)
    assert told(changes) == [("unit_costs", f"{TROOPERS}#5", "moved", "position", 1, 5)]
    assert "- **Unit costs** in another order: 5 models, units 1–3 1 → 5" in changelog.markdown(changes)


def test_the_places_of_named_rows_follow_from_what_came(tmp_path: Path) -> None:
    first = r.Keyword(datasheet_id=SHEET, keyword="FRAME", model_name="*", position=1, is_faction=False)
    words = [one for one in GAME["keywords"] if isinstance(one, r.Keyword) and one.datasheet_id == SHEET]
    changes = difference(at(GAME, "keywords", SHEET, [first, *words]), tmp_path)
    assert [one[:3] for one in told(changes)] == [("keywords", f"{SHEET}#FRAME#*", "added")]


def test_another_keyword_is_no_change_of_the_index(tmp_path: Path) -> None:  # F31
    game = added(GAME, r.Keyword(datasheet_id=SHEET, keyword="FRAME", model_name="*", position=4, is_faction=False))
    game = added(
        game, r.KeywordIndex(keyword_index_id="any/keyword/frame", keywords=("FRAME",), datasheet_ids=(SHEET,))
    )
    game = without(game, "keywords", f"{SHEET}#VEHICLE#*")
    game = changed(game, "keyword_index", "ash-compact/keyword/vehicle", datasheet_ids=())
    changes = difference(game, tmp_path)
    assert [one[:3] for one in told(changes)] == [
        ("keywords", f"{SHEET}#FRAME#*", "added"),
        ("keywords", f"{SHEET}#VEHICLE#*", "removed"),
    ]
    assert changes.tables["keyword_index"].follows == 2


def test_another_weapon_ability_is_told_as_such(tmp_path: Path) -> None:
    game = added(GAME, r.WeaponAbility(profile_id=RIFLE, position=2, ability="HEAVY"))
    game = changed(
        game,
        "weapon_profiles",
        RIFLE,
        abilities=("RAPID FIRE 2", "HEAVY"),
        printed_name="Rivet gun rapid fire 2, heavy",
    )
    changes = difference(game, tmp_path)
    assert [one[:3] for one in told(changes)] == [("weapon_abilities", f"{RIFLE}#2", "added")]
    assert "- **Weapon abilities** added Rivet gun: HEAVY" in changelog.markdown(changes)


def test_references_follow_the_rule_that_came(tmp_path: Path) -> None:
    game = added(GAME, r.Rule(rule_id="24.21", number="24.21", title="[LANCE]", kind="weapon-ability", parent_id="24"))
    changes = difference(changed(game, "weapon_abilities", f"{HOOK}#2", rule_id="24.21"), tmp_path)
    assert [one[:3] for one in told(changes)] == [("rules", "24.21", "added")]


def test_a_datasheet_comes_and_goes_with_all_of_it(tmp_path: Path) -> None:
    smaller = {
        name: [one for one in rows if SHEET not in json.dumps(one.row())] for name, rows in GAME.items()
    }  # fmt: skip
    changes = difference(smaller, tmp_path)
    assert [one[:3] for one in told(changes)] == [
        ("datasheets", SHEET, "removed"),
        ("keyword_index", "ash-compact/keyword/vehicle", "removed"),  # a page prints a group of it
    ]
    parts = [one for one in changes.changes if one.part_of is not None]
    assert {one.part_of for one in parts} == {Name("datasheets", SHEET)}
    assert {"models", "weapon_profiles", "weapon_abilities", "keywords", "crosswalk"} <= {one.table for one in parts}
    assert "4 weapon profiles; 5 weapon abilities" in changelog.markdown(changes)
    back = compare(
        Release(tmp_path / "new", "11e", release(smaller, tmp_path / "again").shapes), release(GAME, tmp_path / "back")
    )
    assert ("datasheets", SHEET, "added") in [one[:3] for one in told(back)]


# ids that move


def renamed(game: Game, replacements: dict[str, str], *migrations: r.Migration) -> Game:
    """The game with other words in all rows, ids and texts alike."""

    def of(record: Record) -> Record:
        text = json.dumps(record.row(), ensure_ascii=False)
        for old, new in replacements.items():
            text = text.replace(old, new)
        return msgspec.json.decode(text, type=type(record))

    return {name: [of(one) for one in rows] for name, rows in game.items()} | {"migrations": list(migrations)}


WAGON = "ash-compact/brindle-wagon"
TO_WAGON = r.Migration(table="datasheets", old_id=SHEET, new_id=WAGON, kind="renamed", reason="Misread.")
AS_WAGON = {"brindle-hauler": "brindle-wagon", "Brindle Hauler": "Brindle Wagon"}


def test_a_renamed_datasheet_is_one_line_and_all_of_it_follows(tmp_path: Path) -> None:
    old = added(GAME, r.Keyword(datasheet_id=SHEET, keyword="BRINDLE HAULER", model_name="*", position=4, is_faction=False),
                r.Leader(leader_id=LEADER, led_name="Brindle Hauler", led_id=SHEET))  # fmt: skip
    new = renamed(old, {**AS_WAGON, "BRINDLE HAULER": "BRINDLE WAGON"}, TO_WAGON)
    changes = difference(changed(new, "unit_costs", f"{WAGON}#1", points=90), tmp_path, old)
    assert told(changes) == [
        ("datasheets", WAGON, "renamed", None, SHEET, WAGON),
        ("unit_costs", f"{WAGON}#1", "changed", "points", 85, 90),
    ]
    (part,) = [one for one in changes.changes if one.part_of is not None]
    assert (part.column, part.old, part.new) == ("name", "Brindle Hauler", "Brindle Wagon")


def test_without_a_migration_nothing_is_guessed(tmp_path: Path) -> None:
    kinds = [one[:3] for one in told(difference(renamed(GAME, AS_WAGON), tmp_path))]
    assert kinds == [("datasheets", SHEET, "removed"), ("datasheets", WAGON, "added")]


def test_a_renamed_detachment_takes_its_stratagems_along(tmp_path: Path) -> None:
    host = "ash-compact/bolt-host"
    migration = r.Migration(table="detachments", old_id=HOST, new_id=host, kind="renamed", reason="…")
    changes = difference(renamed(GAME, {HOST: host}, migration), tmp_path)
    assert told(changes) == [("detachments", host, "renamed", None, HOST, host)]


def test_ids_are_followed_through_several_releases(tmp_path: Path) -> None:
    further = r.Migration(
        table="datasheets", old_id=WAGON, new_id="ash-compact/brindle-cart", kind="renamed", reason="…"
    )
    new = renamed(GAME, {"brindle-hauler": "brindle-cart", "Brindle Hauler": "Brindle Cart"}, TO_WAGON, further)
    assert [one[1:3] for one in told(difference(new, tmp_path))] == [("ash-compact/brindle-cart", "renamed")]


def test_a_merged_datasheet_is_one_line(tmp_path: Path) -> None:
    wagon = renamed(GAME, AS_WAGON)
    tables = ("datasheets", "models", "weapon_profiles", "weapon_abilities", "unit_costs", "keywords", "abilities")
    twice = {
        name: [*GAME[name], *(one for one in wagon[name] if name in tables and "brindle-wagon" in one.identity)]
        for name in TABLES
    }
    changes = difference({**wagon, "migrations": [TO_WAGON]}, tmp_path, twice)
    assert told(changes) == [("datasheets", SHEET, "merged", None, SHEET, WAGON)]
    assert f"- **Datasheets** merged `{SHEET}` → `{WAGON}` (Misread.)" in changelog.markdown(changes)


def test_a_retired_row_says_why(tmp_path: Path) -> None:
    breach = "boarding-actions/breach"
    game = without(GAME, "stratagems", breach)
    game["migrations"] = [
        r.Migration(table="stratagems", old_id=breach, new_id=None, kind="retired", reason="Out of print.")
    ]
    changes = difference(game, tmp_path)
    assert [one[:3] for one in told(changes)] == [("stratagems", breach, "retired")]
    assert "- **Stratagems** retired BREACH (cp cost 1; source boarding-actions; Out of print.)" in changelog.markdown(
        changes
    )


def test_what_a_new_edition_lacks_is_retired(tmp_path: Path) -> None:  # F41
    old = release(GAME, tmp_path / "old", "10e")
    changes = compare(old, release(without(GAME, "stratagems", "boarding-actions/breach"), tmp_path / "new"))
    assert [one[:3] for one in told(changes)] == [("stratagems", "boarding-actions/breach", "retired")]
    assert changelog.markdown(changes).startswith("# Changes\n\n10e → 11e: 1 change.")


# releases of other forms


def test_missing_tables_and_columns_are_told_as_such(tmp_path: Path) -> None:
    old = release(GAME, tmp_path / "old", leave_out=["books", "migrations", "models.base_size", "unit_costs.kind"])
    new = release(
        changed(GAME, "unit_costs", f"{SHEET}#1", points=90), tmp_path / "new", leave_out=["faqs", "rules.flavour"]
    )
    changes = compare(old, new)
    assert told(changes) == [("unit_costs", f"{SHEET}#1", "changed", "points", 85, 90)]
    assert {(one.table, one.column, one.kind) for one in changes.form} == {
        ("books", None, "added"),
        ("migrations", None, "added"),
        ("models", "base_size", "added"),
        ("unit_costs", "kind", "added"),
        ("faqs", None, "removed"),
        ("rules", "flavour", "removed"),
    }
    assert "- column `models.base_size` was added: only the new release has it" in changelog.markdown(changes)
    assert changes.tables["books"].before is None


def test_a_list_that_had_no_places_is_compared_by_key(tmp_path: Path) -> None:
    old = release(GAME, tmp_path / "old", leave_out=["wargear_options.position"])
    assert told(compare(old, release(GAME, tmp_path / "new"))) == []


def test_tables_that_this_version_does_not_know_are_compared(tmp_path: Path) -> None:
    releases = []
    for folder, points in ((tmp_path / "old", 1), (tmp_path / "new", 2)):
        made = release(GAME, folder)
        store.write_json({"name": ["A"], "points": [points]}, folder / "tables" / "relics.json")
        releases.append(made._replace(shapes={**made.shapes, "relics": Shape(("name", "points"), ("name",), 1)}))
    assert told(compare(*releases)) == [("relics", "A", "changed", "points", 1, 2)]
    assert "- **relics** A: points 1 → 2" in changelog.markdown(compare(*releases))


def test_rows_under_another_key_cannot_be_compared(tmp_path: Path) -> None:
    old, new = release(GAME, tmp_path / "old"), release(GAME, tmp_path / "new")
    shape = old.shapes["leaders"]._replace(key=("leader_id", "led_id"))
    changes = compare(old._replace(shapes={**old.shapes, "leaders": shape}), new)
    assert [(one.table, one.kind) for one in changes.form] == [("leaders", "other-key")]
    assert told(changes) == []


def test_a_first_release_has_no_changes(tmp_path: Path) -> None:
    changes = compare(None, release(GAME, tmp_path / "new"))
    assert changes.first
    assert "nothing to compare it with" in changelog.markdown(changes)


def test_a_derived_table_is_counted_and_told_when_asked_for(tmp_path: Path) -> None:
    game = changed(GAME, "conflicts", GAME["conflicts"][0].identity, other="95")
    counted = difference(game, tmp_path / "counted")
    assert (told(counted), counted.tables["conflicts"].told, counted.tables["conflicts"].follows) == ([], False, 1)
    asked = difference(game, tmp_path / "asked", also="conflicts").of("conflicts")
    assert [(one[2], one[3], one[4:]) for one in told(asked)] == [("changed", "other", ("90", "95"))]
    assert list(asked.tables) == ["conflicts"]


# the page


def many(count: int) -> Game:
    sheets = [
        r.Datasheet(datasheet_id=f"ash-compact/unit-{n}", faction_id="ash-compact", name=f"Unit {n}")
        for n in range(count)
    ]
    costs = [
        r.UnitCost(datasheet_id=one.datasheet_id, position=1, kind="unit", from_unit=None, to_unit=None, models=1,
                   description="1 model", points=50 + n)
        for n, one in enumerate(sheets)
    ]  # fmt: skip
    return added(GAME, *sheets, *costs)


def test_a_price_change_in_ninety_units_is_one_heading_with_ninety_lines(tmp_path: Path) -> None:
    old = many(90)
    new = old
    for n in range(90):
        new = changed(new, "unit_costs", f"ash-compact/unit-{n}#1", points=55 + n)
    lines = changelog.markdown(difference(new, tmp_path, old)).splitlines()
    start = lines.index("### Unit costs: points changed, in 90 datasheets")
    assert lines[start + 2] == "- Unit 0, 1 model: 50 → 55"
    assert all(line.startswith("- Unit ") for line in lines[start + 2 : start + 92])
    assert "### Unit 1" not in lines


def test_a_keyword_added_to_many_units_is_one_heading(tmp_path: Path) -> None:
    old = many(30)
    words = [
        r.Keyword(datasheet_id=f"ash-compact/unit-{n}", keyword="FRAME", model_name="*", position=1, is_faction=False)
        for n in range(30)
    ]
    page = changelog.markdown(difference(added(old, *words), tmp_path, old))
    assert "### Keywords: added FRAME, in 30 datasheets\n\n- Ash Compact: Unit 0, Unit 1, " in page


def test_what_is_the_same_off_the_datasheets_is_told_by_id(tmp_path: Path) -> None:
    hosts = [f"ash-compact/host-{n}" for n in range(5)]
    cards = [
        r.Stratagem(
            stratagem_id=f"{one}/dig-in", name="DIG IN", cp_cost=1, source="detachment", faction_id="ash-compact"
        )
        for one in hosts
    ]
    page = changelog.markdown(difference(added(GAME, *cards), tmp_path))
    heading = "### Stratagems: added DIG IN (cp cost 1; source detachment), in 5 records"
    assert f"{heading}\n\n- Ash Compact: `{hosts[0]}/dig-in`, `{hosts[1]}/dig-in`" in page


def test_the_page_is_bounded_and_says_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changelog, "LINES", 25)
    changes = difference(GAME, tmp_path, many(40))
    page = changelog.markdown(changes)
    assert "40 changes, which bring 40 more." in page
    assert "**15 changes had no room on this page**; `changes.json` (`datasheets diff --json`) has them all." in page
    assert "- … and 15 more" in page
    assert len(page.splitlines()) < 50


LONG = "word " * 2000


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("Subtract 1 from Hit rolls.", "Subtract 2 from Hit rolls.", "Subtract ~~1~~ **2** from Hit rolls."),
        ("Roll again.", "Roll again, once.", "Roll again**, once**."),
        ("a b c", "b c", "~~a~~ b c"),
        ("", "New.", "**New.**"),
        ("A *bold_ <word>", "A *bold_ <name>", r"A \*bold\_ \<~~word~~ **name**>"),
        (LONG + "old " + LONG, LONG + "new " + LONG, "… word word word word ~~old~~ **new** word word word word …"),
    ],
)
def test_long_texts_are_told_by_the_words_that_differ(old: str, new: str, shown: str) -> None:
    assert changelog.word_diff(old, new) == shown


def test_a_text_that_is_another_altogether_is_cut(tmp_path: Path) -> None:
    shown = changelog.word_diff("old " * 500, "new " * 500)
    assert len(shown) < 3 * changelog.TEXT
    assert shown.count("~~") % 2 == shown.count("**") % 2 == 0


# the command line, and what the schemas say for it


def packaged(made: Release) -> str:
    resources = [
        {"name": name, "format": "parquet", "rows": shape.rows,
         "schema": {"fields": [{"name": column} for column in shape.columns], "primaryKey": shape.key}}
        for name, shape in made.shapes.items()
    ]  # fmt: skip
    store.write_document({"edition": made.edition, "resources": resources}, made.folder / "datapackage.json")
    return str(made.folder)


def test_two_editions_are_only_compared_when_asked_for(tmp_path: Path) -> None:
    folders = packaged(release(GAME, tmp_path / "old", "10e")), packaged(release(GAME, tmp_path / "new"))
    refused = CliRunner().invoke(cli, ["diff", *folders])
    assert refused.exit_code == 2
    assert "--across-editions" in refused.output
    done = CliRunner().invoke(cli, ["diff", *folders, "--across-editions"])
    assert (done.exit_code, "10e → 11e: 0 changes." in done.stdout) == (0, True)


def test_one_table_of_the_difference(tmp_path: Path) -> None:
    game = changed(changed(GAME, "unit_costs", f"{SHEET}#1", points=90), "datasheets", SHEET, role="Vehicles")
    folders = packaged(release(GAME, tmp_path / "old")), packaged(release(game, tmp_path / "new"))
    done = CliRunner().invoke(cli, ["diff", *folders, "--table", "unit_costs", "--json"])
    assert [one["table"] for one in json.loads(done.stdout)["changes"]] == ["unit_costs"]
    wrong = CliRunner().invoke(cli, ["diff", *folders, "--table", "prices"])
    assert (wrong.exit_code, "no release" in wrong.output.lower() or "Neither release" in wrong.output) == (2, True)


@pytest.mark.parametrize("name", TABLES)
def test_what_the_schemas_say_of_changes_names_what_exists(name: str) -> None:
    definition = schema.table(name)
    targets = {key.column for key in definition.foreign_keys} | {one.id for one in definition.record_references}
    assert set(definition.part_of) <= targets
    for field in definition.fields:
        assert set(field.derived_from) <= {*definition.columns, *TABLES} - {field.name}
    if definition.row_match is not None:
        assert definition.part_of
        assert "position" in definition.columns
        for columns in definition.row_match.columns:
            assert set(columns) <= set(definition.columns)
        assert definition.row_match.similar in (None, *definition.columns)
