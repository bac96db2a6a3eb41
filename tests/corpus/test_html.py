"""The 28 saved pages, held against the text dumps of the same pages and against the CSV export, which is eight months younger.

Where a dump and its page differ the dump has lost something; each kind of loss is named here. Reads the raw folder that
DATASHEETS_CORPUS names; skipped without it.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.document import Document
from pipeline.exports import wahapedia_csv
from pipeline.extract import Extract, extract
from pipeline.extractors import weapons
from pipeline.ids import fold
from pipeline.readers import html, text
from tests import second_opinion

CORPUS = Path(os.environ.get("DATASHEETS_CORPUS", "nowhere"))
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="DATASHEETS_CORPUS names no folder")

PAGES = sorted(path.relative_to(CORPUS) for path in (CORPUS / "10e" / "html").rglob("*.html"))
SHEETS = [page for page in PAGES if (CORPUS / page).with_suffix(".json").is_file()]


def document(page: Path, kind: str) -> Document:
    """A page as its HTML or as its dump, with what its side-car says."""
    sidecar = (CORPUS / page).with_suffix(".json")
    hints = json.loads(sidecar.read_text(encoding="utf-8")) if sidecar.is_file() else {}
    path = CORPUS / page if kind == "html" else CORPUS / "10e" / "text" / f"{page.parent.name}__{page.stem}.txt"
    return Document(
        document_id=page.stem, path=path.name, member=None, format=kind, sha256="", bytes=0,
        text=path.read_text(encoding="utf-8"), url=hints.get("url"), sidecar_name=hints.get("name"), sidecar_faction=page.parent.name,
    )  # fmt: skip


@cache
def read(page: Path, kind: str) -> Extract:
    found = document(page, kind)
    return extract((html.read_document if kind == "html" else text.read)(found), "10e")


@cache
def records(page: Path, kind: str) -> dict[str, dict[str, Any]]:
    """Records by table and id; of several sightings on one page the one that says most."""
    found = read(page, kind)
    made: dict[str, dict[str, Any]] = defaultdict(dict)
    for sighting in found.sightings:
        keep(made, sighting.record)
    known = weapons.KnownNames(frozenset(found.names), frozenset())
    for row in found.weapon_rows:
        division, certain = weapons.divide(row, known)
        divided = weapons.records(row, division, certain=certain)
        for record in (divided.profile, *divided.abilities):
            keep(made, record)
    return made


def keep(made: dict[str, dict[str, Any]], record: Any) -> None:
    table = made[record.table_name()]
    known = table.get(record.identity)
    if known is None or says(record) > says(known):
        table[record.identity] = record


def says(record: Any) -> int:
    return sum(1 for value in msgspec.structs.astuple(record) if value not in (None, (), "", False))


def pairs(table: str, pages: Iterable[Path] = PAGES) -> Iterable[tuple[str, Any, Any]]:
    """Id, record of the page and record of its dump, where both have one."""
    for page in pages:
        ours, theirs = records(page, "html")[table], records(page, "text")[table]
        for identity in sorted(set(ours) & set(theirs)):
            yield f"{page.stem}: {identity}", ours[identity], theirs[identity]


def differing(table: str) -> Counter[str]:
    """Columns in which a dump says something else than its page; what it says nothing of does not count."""
    found: Counter[str] = Counter()
    for _, ours, theirs in pairs(table):
        for column in ours.__struct_fields__:
            said = getattr(theirs, column)
            if said not in (None, ()) and said != getattr(ours, column):
                found[column] += 1
    return found


def missing(table: str) -> tuple[Counter[str], Counter[str]]:
    """Ids that only the pages, and only the dumps have."""
    ours: Counter[str] = Counter()
    theirs: Counter[str] = Counter()
    for page in PAGES:
        here, there = set(records(page, "html")[table]), set(records(page, "text")[table])
        ours.update(here - there)
        theirs.update(there - here)
    return ours, theirs


# --- what a page shows is read -------------------------------------------------------------------------------------------


def test_blocks_and_parts_tile_the_text() -> None:
    for page in PAGES:
        found = html.read((CORPUS / page).read_text(encoding="utf-8"))
        assert "".join(found.text[b.start : b.end] for b in found.blocks) == found.text
        assert [b for part in found.parts for b in part.blocks] == found.blocks
        assert all(b.place and b.place.startswith("line ") for b in found.blocks)


def test_nearly_every_character_is_claimed_and_hardly_any_is_furniture() -> None:
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for page in PAGES:
        row = read(page, "html").document
        kinds[row.kind].update(all=row.characters, claimed=row.characters_claimed, furniture=row.characters_furniture)
        assert row.characters_claimed >= 0.99 * row.characters, page
    assert set(kinds) == {"datasheet", "faction"}
    for found in kinds.values():
        assert found["claimed"] >= 0.998 * found["all"]
        assert found["furniture"] <= 0.002 * found["all"]


def test_every_datasheet_has_stat_lines_and_every_weapon_one_division() -> None:
    models = [m for page in SHEETS for m in records(page, "html")["models"].values()]
    assert len(models) == 27
    assert sum(m.invulnerable_save is not None for m in models) == 6
    for model in models:
        numbers = (
            model.toughness,
            model.save,
            model.wounds,
            model.leadership,
            model.objective_control,
            model.movement_inches,
        )
        assert all(number is not None for number in numbers) or "-" in model.movement_inches_printed
    profiles = [p for page in SHEETS for p in records(page, "html")["weapon_profiles"].values()]
    assert len(profiles) == 126
    assert all(p.split_certain for p in profiles)


def test_rule_tables_are_rows() -> None:
    (table,) = records(SHEETS[0], "html")["rules"]["core/wound-roll"].tables
    assert table.header is not None and len(table.header) == 2
    assert [row[1] for row in table.rows] == ["2+", "3+", "4+", "5+", "6+"]


# --- page and dump ---------------------------------------------------------------------------------------------------------

EQUAL = (
    "abilities", "datasheet_stratagems", "detachments", "keywords", "unit_composition", "unit_costs",
)  # fmt: skip


@pytest.mark.parametrize("table", EQUAL)
def test_page_and_dump_agree_in_full(table: str) -> None:
    assert missing(table) == (Counter(), Counter())
    assert differing(table) == Counter()


@pytest.mark.parametrize("table", ["books", "factions"])
def test_sources_and_owners_of_rules_are_shown_by_pages_only(table: str) -> None:
    assert missing(table)[1] == Counter()
    assert differing(table) == Counter()


def test_dumps_lose_alternatives_of_a_filter_in_stratagems() -> None:
    """`One ASTRA MILITARUM unit …`: the page hides one copy of the keyword for each detachment, and a script shows one."""
    texts = {"flavour", "when_text", "target_text", "effect_text", "restrictions_text"}
    assert missing("stratagems") == (Counter(), Counter())
    assert set(differing("stratagems")) <= texts
    for identity, here, there in pairs("stratagems"):
        for column in sorted(texts):
            said = re.findall(r"[^\W_]+", getattr(there, column) or "")
            assert not Counter(said) - Counter(re.findall(r"[^\W_]+", getattr(here, column) or "")), (identity, column)


def test_dumps_lose_loadouts_and_names_behind_links() -> None:
    assert missing("datasheets") == (Counter(), Counter())
    assert set(differing("datasheets")) <= {"other_sections", "leader_text", "loadout_text"}
    for identity, ours, theirs in pairs("datasheets"):
        for column in ("leader_text", "loadout_text"):
            said = (getattr(theirs, column) or "").split("\n")
            assert set(said) - {""} <= set((getattr(ours, column) or "").split("\n")), identity
        for here, there in zip(ours.other_sections, theirs.other_sections, strict=True):
            assert here.text.startswith(there.text), identity
    assert not missing("leaders")[1]
    assert len(missing("leaders")[0]) > 20


def test_dumps_have_the_options_of_their_pages_with_their_footnotes() -> None:
    assert missing("wargear_options") == (Counter(), Counter())
    assert differing("wargear_options") == Counter()


def test_dumps_leave_divisions_open_and_may_divide_otherwise() -> None:
    ours, theirs = missing("weapon_profiles")
    assert set(differing("weapon_profiles")) <= {"split_certain"}
    assert sum(ours.values()) == sum(theirs.values()) <= 3
    assert {identity.rpartition("/")[2] for identity in ours} <= {
        "laspistol"
    }  # `Laspistol pistol`, alone on three pages
    assert differing("weapon_abilities") == Counter()
    assert differing("models") == Counter()


def test_dumps_lose_headings_members_and_keywords_of_indexes() -> None:
    assert set(differing("keyword_index")) <= {"printed_groups", "members_known"}
    for identity, here, there in pairs("keyword_index"):
        assert set(there.printed_groups) - {","} <= set(here.printed_groups), identity
        assert here.printed_datasheets or not here.printed_groups, identity
    ours, theirs = missing("keyword_index")
    assert sum(ours.values()) > 100
    assert sum(theirs.values()) <= 1


def test_answers_of_dumps_end_in_the_middle_or_run_on() -> None:
    assert missing("faqs") == (Counter(), Counter())
    for identity, here, there in pairs("faqs"):
        assert here.question == there.question, identity
        first = there.answer.split("\n")[0].strip()
        assert first and here.answer.startswith(first), identity


def test_enhancements_of_dumps_keep_flavour_in_the_text() -> None:
    assert set(differing("enhancements")) <= {"text"}
    assert not missing("enhancements")[1]
    for identity, here, there in pairs("enhancements"):
        if there.text and here.text:
            assert squeezed(here.text) in squeezed(there.text), identity


def squeezed(printed: str) -> str:
    return re.sub(r"[\s|]+", "", printed)


def test_what_a_dump_says_of_a_rule_its_page_says_too() -> None:
    """Dumps lose flavour's place, alternatives of a filter, tables, text behind lists; so words are compared, not columns."""
    assert set(differing("rules")) <= {"text", "complete", "sidebars", "title", "examples"}
    compared = strange = 0
    for _, here, there in pairs("rules"):
        if here.kind == "faction-rule":
            continue  # a dump has lost most titles of a faction page; what stands below one there is other rules as well
        compared += 1
        strange += bool(spoken(there) - spoken(here))
    assert compared > 900
    assert strange <= 0.06 * compared  # the lines of an army rule that are rules of their own on the page


def spoken(rule: Any) -> Counter[str]:
    parts = [rule.flavour, rule.text, *rule.examples]
    parts += [s for section in rule.sections for s in (section.label, section.text)]
    parts += [s for box in rule.sidebars for s in (box.title, box.text)]
    parts += [cell for table in rule.tables for row in ((table.caption,), table.header, *table.rows) for cell in row]
    return Counter(re.findall(r"[^\W_]+", " ".join(part for part in parts if part)))


def test_rules_have_the_ids_of_their_dumps() -> None:
    theirs = missing("rules")[1]
    lost = {identity for identity in theirs if "untitled" not in identity and not identity.startswith("faction-rule/")}
    # a heading inside a rule; a role heading of a menu; cells of a table that dumps run together
    known = ("core/firing-deck", "dedicated-transports", "doctrine", "mission-tactics")
    assert not {identity for identity in lost if not any(part in identity for part in known)}


# --- page and CSV ----------------------------------------------------------------------------------------------------------


@cache
def exported() -> dict[str, dict[str, Any]]:
    files = {path.name: path.read_bytes() for path in sorted((CORPUS / "10e" / "wahapedia-csv").glob("*.csv"))}
    made: dict[str, dict[str, Any]] = defaultdict(dict)
    for reading in wahapedia_csv.read(files, edition="10e").values():
        for sighting in reading.sightings:
            keep(made, sighting.record)
    return made


@cache
def shown() -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = defaultdict(dict)
    for page in SHEETS:
        for table in records(page, "html").values():
            for record in table.values():
                keep(made, record)
    return made


def of_sheets(
    table: str, key: Callable[[Any], str] = lambda record: str(record.datasheet_id)
) -> dict[str, tuple[Any, Any]]:
    """Records of the 24 datasheets by id, as the pages and as the export have them."""
    sheets = set(shown()["datasheets"])
    found: dict[str, list[Any]] = defaultdict(lambda: [None, None])
    for side, tables in enumerate((shown(), exported())):
        for identity, record in tables[table].items():
            if key(record) in sheets:
                found[identity][side] = record
    return {identity: (ours, theirs) for identity, (ours, theirs) in found.items()}


def unequal(table: str, *columns: str) -> set[tuple[str, str]]:
    """Ids and columns that differ, case and kinds of apostrophes aside: the export prints keywords in small letters."""
    found = set()
    for identity, (ours, theirs) in of_sheets(table).items():
        if ours is None or theirs is None:
            found.add((identity, "csv only" if ours is None else "page only"))
            continue
        for column in columns:
            here, there = getattr(ours, column), getattr(theirs, column)
            if here != there and (not isinstance(here, str) or not isinstance(there, str) or fold(here) != fold(there)):
                found.add((identity, column))
    return found


STATS = tuple(
    f"{column}{printed}"
    for column in (
        "movement_inches",
        "toughness",
        "save",
        "invulnerable_save",
        "wounds",
        "leadership",
        "objective_control",
    )
    for printed in ("", "_printed")
)
NUMBERS = (
    "attacks",
    "skill",
    "strength",
    "armour_penetration",
    "damage",
    "range_inches",
    "abilities",
    "weapon_name",
    "profile_name",
)


def test_all_stat_lines_equal_the_export() -> None:
    columns = [column for column in STATS if not (column.startswith("invulnerable") and column.endswith("_printed"))]
    assert unequal("models", "name", "base_size", *columns) == {
        # one profile, without a name beside it; the export has a name
        ("astra-militarum/field-ordnance-battery/model/field-ordnance-battery", "page only"),
        ("astra-militarum/field-ordnance-battery/model/artillery-team", "csv only"),
        ("tyranids/termagants/model/termagants", "base_size"),  # 28mm on the page, 28.5mm in the younger export
    }


def test_all_weapons_equal_the_export() -> None:
    assert unequal("weapon_profiles", *NUMBERS) == {
        (
            "astra-militarum/cadian-castellan/melee/close-combat-weapon",
            "skill",
        )  # 3+ on the page, 4+ in the younger export
    }


def test_all_keywords_and_costs_equal_the_export() -> None:
    assert unequal("keywords", "is_faction") == set()
    assert unequal("unit_costs", "kind", "from_unit", "to_unit", "models", "description", "points") == set()


def test_all_abilities_equal_the_export() -> None:
    assert unequal("abilities", "name", "value", "kind", "text") == set()


def test_compositions_equal_the_export_but_for_one_with_an_alternative() -> None:
    found = unequal("unit_composition", "model_name", "models_min", "models_max", "text")
    assert {identity.partition("#")[0] for identity, _ in found} <= {"astra-militarum/cadian-shock-troops"}


def test_all_options_equal_the_export() -> None:
    """The export keeps a footnote and `None` as options of their own."""
    extra = {identity for identity, (ours, _) in of_sheets("wargear_options").items() if ours is None}
    texts = [exported()["wargear_options"][identity].text for identity in extra]
    assert len(extra) == 4
    assert all(printed.startswith("*") or fold(printed).rstrip(".") == "none" for printed in texts)
    for identity, (ours, theirs) in of_sheets("wargear_options").items():
        if ours is not None:
            here = re.sub(r"\n ?\*.*", "", ours.text)  # its footnote
            there = theirs.text.split("\n- ")[0]
            assert fold(here) == fold(there), identity
            assert ours.choices == theirs.choices, identity


def test_all_leaders_equal_the_export() -> None:
    """Both directions; three leaders came or went since, of whom the pages print none."""
    sheets = {d.name: i for i, d in shown()["datasheets"].items()}
    led = set(sheets.values())
    ours = {(r.leader_id, fold(r.led_name)) for r in shown()["leaders"].values()}
    theirs = {
        (r.leader_id, fold(r.led_name)) for r in exported()["leaders"].values() if r.leader_id in led or r.led_id in led
    }
    assert {leader.rpartition("/")[2] for leader, _ in theirs - ours} == {
        "commissar-graves-on-foot", "commissar-yarrick", "tyranid-prime-with-lash-whip",
    }  # fmt: skip
    # units of other factions, which the export has below those: the page's link says which, its dump's id cannot
    assert all("inquisitor" in leader or "hells-last" in leader or "priest" in leader for leader, _ in ours - theirs)


def test_all_stratagems_of_the_lists_equal_the_export_but_for_what_changed() -> None:
    columns = (
        "name",
        "cp_cost",
        "type",
        "when_text",
        "target_text",
        "effect_text",
        "restrictions_text",
        "detachment_id",
    )
    changed: Counter[str] = Counter()
    gone = 0
    for identity, ours in shown()["stratagems"].items():
        theirs = exported()["stratagems"].get(identity)
        if theirs is None:
            gone += 1
            continue
        changed.update(
            column for column in columns
            if fold(str(getattr(ours, column) or "")) != fold(str(getattr(theirs, column) or ""))
        )  # fmt: skip
    assert gone <= 5
    assert sum(changed.values()) <= 20
    assert changed["cp_cost"] <= 2


@pytest.mark.parametrize("page", SHEETS, ids=str)
def test_another_parser_reads_the_same(page: Path) -> None:
    source, found = (CORPUS / page).read_text(encoding="utf-8"), read(page, "html")
    assert second_opinion.our_weapon_cells(found) == second_opinion.weapon_cells(source)
    assert second_opinion.our_stratagems(found) == second_opinion.stratagems(source)
    words = {word.strip(",:;") for keyword in second_opinion.keywords(source) for word in keyword.split()}
    assert words == second_opinion.our_keywords(found)
