"""A good page with one fault: exactly the finding that the fault deserves, and nothing else changes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pipeline.extract import extract
from tests import pages
from tests.pages import Page, Release

DEMO = Path(__file__).resolve().parent.parent / "raw" / "demo"
DUMPS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DEMO.glob("1*e/*.txt"))}
GOOD = """\
Ashen Compact – Brindle Hauler
RANGED WEAPONS | RANGE | A | BS | S | AP | D | |
| Rivet gun rapid fire 2 | |||||||
| Rivet gun rapid fire 2 | 24" | D6 | 3+ | 5 | -1 | 1 | |
| Slag coil – low | |||||||
| Slag coil – low | 12" | 1 | 4+ | 7 | -2 | 1 | |
| Slag coil – high hazardous | |||||||
| Slag coil – high hazardous | 12" | 1 | 4+ | 8 | -3 | 2 | |
MELEE WEAPONS | RANGE | A | WS | S | AP | D | |
| Boarding hook | |||||||
| Boarding hook | Melee | 3 | 4+ | 6 | 0 | 1 | |
WARGEAR OPTIONS
- This model’s rivet gun can be replaced with 1 slag coil.
- This model can take one of these:
- 1 spare wheel
- 1 ward plate
ABILITIES
CORE: Deadly Demise D3, Stealth
FACTION: Oath of Rust
Long Watch: It waits for its hour.
Short Watch: It does one of these things:
- It sleeps.
- It wakes.
DAMAGED: 1-4 WOUNDS REMAINING
While it has few wounds left, it limps.
UNIT COMPOSITION
- 1 Brindle Hauler
This model is equipped with: rivet gun; boarding hook.
| YOUR 1ST TO 2ND UNITS COST | |
| 1 model | 85 |
| YOUR 3RD + UNIT COSTS | |
| 1 model | 95 |
TRANSPORT
This model has a transport capacity of 12 INFANTRY models.
SUPREME COMMANDER
It must lead the whole army.
KEYWORDS: VEHICLE; TRANSPORT; FLY; BRINDLE HAULER
FACTION KEYWORDS:
ASHEN COMPACT
ASHEN COMPACT
STRATAGEMS
SECOND CHANCE
1CP
Core
C
ONE TOLL
1CP
Rivet Host – Battle Tactic
DETACHMENT ABILITY
Rivet Storm
The FLY keyword is used in the following Ashen Compact datasheets:
Vehicle
Oath of Rust
All things rust in the end.
Choose one thing each round, and it rusts.
Rivet Storm
Rivet Host Detachment
Iron rains from a clear sky.
Each of them may step back once (06.10).
SECOND CHANCE15.02
1CP
Core Stratagem
Luck is a muscle.
WHEN: Any phase, when one of these is thrown:
TARGET: One unit of yours.
EFFECT: It is thrown again.
- A hit.
- A wound.
TARGET: One unit of yours.
EFFECT: It is thrown again.
ONE TOLL
1CP
Rivet Host – Battle Tactic Stratagem
The bell knows their names.
WHEN: Fight phase.
TARGET: One unit of yours.
EFFECT: It tolls for them.
RESTRICTIONS: Once per battle.
TARGET: One unit of yours.
EFFECT: It tolls for them.
RESTRICTIONS: Once per battle.
DEADLY DEMISE24.08
It does not go alone.
Who stands near it is hurt (06.10).STEALTH24.33
Nobody sees it come.
Who shoots at it shoots worse.
06.10 Long Roads
Roads go on, and on.
SEE ALSO
- Stealth 24.33
"""
SHEET = "ashen-compact/brindle-hauler"
ABOUT_THE_RUN = frozenset({"documents", "observations", "diagnostics", "agreement", "source_pairs"})
Difference = dict[str, dict[str, list[str]]]


def rows_of(release: Release) -> dict[str, dict[str, Any]]:
    return {
        table: {row.identity: row.row() for row in rows}
        for table, rows in release.tables.items()
        if table not in ABOUT_THE_RUN
    }


def difference(before: Release, now: Release) -> Difference:
    """Per table the ids of rows that came, went and changed."""
    found: Difference = {}
    old, new = rows_of(before), rows_of(now)
    for table in old:
        one = {
            "came": sorted(new[table].keys() - old[table].keys()),
            "went": sorted(old[table].keys() - new[table].keys()),
            "changed": sorted(i for i in old[table].keys() & new[table].keys() if old[table][i] != new[table][i]),
        }
        if any(one.values()):
            found[table] = {what: ids for what, ids in one.items() if ids}
    return found


@cache
def good() -> Release:
    return pages.read([GOOD])


def test_the_good_page_is_good() -> None:
    assert good().codes() == []
    sizes = {table: len(rows) for table, rows in good().tables.items()}
    assert (sizes["weapon_profiles"], sizes["abilities"], sizes["unit_costs"], sizes["stratagems"], sizes["rules"]) == (
        4,
        5,
        2,
        2,
        6,
    )


def part(start: str, end: str) -> str:
    """The lines of the good page from one that starts so up to one that starts so."""
    first = GOOD.index(start)
    return GOOD[first : GOOD.index(end, first + 1)]


def replaced(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, (GOOD.count(old), old)
    return GOOD.replace(old, new)


def check(text: str, codes: list[str], expected: Difference) -> None:
    release = pages.read([text])
    assert difference(good(), release) == expected
    assert release.codes() == codes, [f"{one.code}: {one.message}" for one in release.diagnostics()]


CARD = part("ONE TOLL\n1CP\nRivet Host – Battle Tactic Stratagem", "DEADLY DEMISE24.08")

# what is printed twice, in part or in other white space says the same
THE_SAME = {
    "a weapon's name row is gone": replaced("| Rivet gun rapid fire 2 | |||||||\n", ""),
    "a weapon table lost its heading": replaced("RANGED WEAPONS | RANGE | A | BS | S | AP | D | |\n", ""),
    "melee weapons run into the ranged ones": replaced("MELEE WEAPONS | RANGE | A | WS | S | AP | D | |\n", ""),
    "the title is gone": replaced("Ashen Compact – Brindle Hauler\n", ""),
    "abilities lost their heading": replaced("ABILITIES\nCORE", "CORE"),
    "the list of detachment rules is gone": replaced("DETACHMENT ABILITY\nRivet Storm\n", ""),
    "the first copy of a card is gone": replaced(
        "TARGET: One unit of yours.\nEFFECT: It tolls for them.\nRESTRICTIONS: Once per battle.\nTARGET", "TARGET"
    ),
    "the faction keyword stands once": replaced("ASHEN COMPACT\nASHEN COMPACT", "ASHEN COMPACT"),
    "weapons twice": GOOD.replace(part("RANGED", "MELEE"), part("RANGED", "MELEE") * 2),
    "options twice": GOOD.replace(part("WARGEAR OPT", "ABILITIES"), part("WARGEAR OPT", "ABILITIES") * 2),
    "abilities twice": GOOD.replace(part("ABILITIES", "DAMAGED"), part("ABILITIES", "DAMAGED") * 2),
    "damaged twice": GOOD.replace(part("DAMAGED", "UNIT COMP"), part("DAMAGED", "UNIT COMP") * 2),
    "composition and prices twice": GOOD.replace(
        part("UNIT COMP", "TRANSPORT\n"), part("UNIT COMP", "TRANSPORT\n") * 2
    ),
    "transport twice": GOOD.replace(part("TRANSPORT\n", "SUPREME"), part("TRANSPORT\n", "SUPREME") * 2),
    "a named section twice": GOOD.replace(part("SUPREME", "KEYWORDS"), part("SUPREME", "KEYWORDS") * 2),
    "keywords twice": GOOD.replace(part("KEYWORDS: V", "STRATAGEMS"), part("KEYWORDS: V", "STRATAGEMS") * 2),
    "the list of stratagems twice": GOOD.replace(
        part("STRATAGEMS", "DETACHMENT"), part("STRATAGEMS", "DETACHMENT") * 2
    ),
    "a card twice": GOOD.replace(CARD, CARD * 2),
    "a rule twice": GOOD + GOOD[GOOD.index("06.10 Long") :],
    "an index twice": GOOD.replace(part("The FLY", "Oath of Rust\nAll"), part("The FLY", "Oath of Rust\nAll") * 2),
    "line ends of another system": GOOD.replace("\n", "\r\n"),
    "blank lines": GOOD.replace("\n", "\n\n"),
    "spaces at the ends of lines": GOOD.replace("\n", "  \n"),
    "spaces at the starts of lines": GOOD.replace("\n", "\n  "),
    "spaces that do not break": GOOD.replace("Rivet gun", "Rivet\xa0gun"),
    "a table's ruin behind each section of the datasheet": re.sub(
        r"(?m)^(?=WARGEAR|ABILITIES|UNIT|TRANSPORT$|SUPREME|KEYWORDS)", "|\n", GOOD[: GOOD.index("STRATAGEMS")]
    )
    + GOOD[GOOD.index("STRATAGEMS") :],
}


@pytest.mark.parametrize("what", THE_SAME)
def test_what_says_the_same(what: str) -> None:
    assert THE_SAME[what] != GOOD
    check(THE_SAME[what], [], {})


GUN, LOW, HIGH = (f"{SHEET}/ranged/{name}" for name in ("rivet-gun", "slag-coil/low", "slag-coil/high"))
HOOK = f"{SHEET}/melee/boarding-hook"
TOLL = "ashen-compact/rivet-host/one-toll"
MOVED_UP = [HOOK, HIGH, LOW]  # their position changes
WITHOUT_GUN: Difference = {
    "weapon_profiles": {"went": [GUN], "changed": MOVED_UP},
    "weapon_abilities": {"went": [f"{GUN}#1"]},
}  # fmt: skip
ONE_FAULT: dict[str, tuple[str, list[str], Difference]] = {
    "a weapon's values are gone": (
        replaced('| Rivet gun rapid fire 2 | 24" | D6 | 3+ | 5 | -1 | 1 | |\n', ""), ["unclaimed-text", "unreadable-row"], WITHOUT_GUN,
    ),
    "a weapon lost a cell": (
        replaced('| Rivet gun rapid fire 2 | 24" | D6 | 3+ | 5 | -1 |', '| Rivet gun rapid fire 2 | 24" | D6 | 5 | -1 |'),
        ["unclaimed-text", "unreadable-row", "unreadable-row"], WITHOUT_GUN,
    ),
    "a value is another": (
        replaced("| D6 | 3+ | 5 | -1 |", "| 6 | 3+ | 5 | -1 |"), [], {"weapon_profiles": {"changed": [GUN]}},
    ),
    "a value is none": (
        replaced("| D6 | 3+ | 5 | -1 |", "| D6 | 3+ | x | -1 |"), ["unreadable-value"], {"weapon_profiles": {"changed": [GUN]}},
    ),
    "a profile is gone": (
        replaced(part("| Slag coil – high", "MELEE"), ""), ["single-profile"],
        {"weapon_profiles": {"went": [HIGH], "changed": [HOOK]}, "weapon_abilities": {"went": [f"{HIGH}#1"]}},
    ),
    "an ability of a weapon lost its value": (
        GOOD.replace("Rivet gun rapid fire 2", "Rivet gun rapid fire"), ["ability-without-value"],
        {"weapon_profiles": {"changed": [GUN]}, "weapon_abilities": {"changed": [f"{GUN}#1"]}},
    ),
    "a weapon table under another heading": (
        replaced("RANGED WEAPONS |", "ORBITAL WEAPONS |"), ["unclaimed-text", "unknown-weapon-section"],
        {
            "weapon_profiles": {"went": [GUN, HIGH, LOW], "changed": [HOOK]},
            "weapon_abilities": {"went": [f"{GUN}#1", f"{HIGH}#1"]},
        },
    ),
    "a price is another": (
        replaced("| 1 model | 85 |", "| 1 model | 90 |"), [], {"unit_costs": {"changed": [f"{SHEET}#1"]}},
    ),
    "a price is none": (
        replaced("| 1 model | 85 |", "| 1 model | free |"), ["unclaimed-text", "unreadable-row"],
        {"unit_costs": {"went": [f"{SHEET}#2"], "changed": [f"{SHEET}#1"]}},
    ),
    "a tier is none": (
        replaced("| YOUR 3RD + UNIT COSTS | |", "| YOUR LATER COSTS | |"),
        ["unclaimed-text", "unreadable-row", "unreadable-row"], {"unit_costs": {"went": [f"{SHEET}#2"]}},
    ),
    "another transport": (
        replaced(part("TRANSPORT\n", "SUPREME"), part("TRANSPORT\n", "SUPREME") + part("TRANSPORT\n", "SUPREME").replace("12", "6")),
        ["duplicate-section", "duplicate-section"], {},
    ),
    "another text of an ability": (
        replaced("DAMAGED: 1-4", "ABILITIES\nLong Watch: It waits no longer.\nDAMAGED: 1-4"), ["duplicate-section"], {},
    ),
    "a faction keyword of another faction": (
        replaced("ASHEN COMPACT\nASHEN COMPACT", "GREY COMPACT\nGREY COMPACT"), ["unknown-faction-alias"],
        {
            "factions": {"changed": ["ashen-compact"]},
            "keywords": {"came": [f"{SHEET}#GREY COMPACT#*"], "went": [f"{SHEET}#ASHEN COMPACT#*"]},
            "keyword_index": {"came": ["any/keyword/grey-compact"], "went": ["any/keyword/ashen-compact"]},
        },
    ),
    "the title of an army rule is gone": (
        replaced("Oath of Rust\nAll", "All"), ["title-lost"],
        {
            "abilities": {"changed": [f"{SHEET}/ability/faction/oath-of-rust"]},
            "rules": {"came": ["untitled/ashen-compact/14b63305505f"], "went": ["army-rule/ashen-compact/oath-of-rust"]},
        },
    ),
    "a card lost WHEN": (
        replaced("WHEN: Fight phase.\n", ""), ["incomplete-stratagem"], {"stratagems": {"changed": [TOLL]}},
    ),
    "a card's type is none": (
        replaced("Rivet Host – Battle Tactic Stratagem", "Rivet Host – Grand Ruse Stratagem"), ["unknown-stratagem-type"], {},
    ),
    "a card is gone": (
        replaced(CARD, ""), ["stratagem-without-card"], {"stratagems": {"changed": [TOLL]}},
    ),
    "a card is not on the list": (
        replaced("ONE TOLL\n1CP\nRivet Host – Battle Tactic\n", ""), [], {"datasheet_stratagems": {"went": [f"{SHEET}#2"]}},
    ),
    "a rule lost a table": (
        replaced("Roads go on, and on.", "Roads go on, and on.\n| |||||"), ["damaged-rule"], {"rules": {"changed": ["06.10"]}},
    ),
    "a reference points to nothing": (
        replaced("- Stealth 24.33", "- Stealth 24.34"), ["dangling-reference"], {"cross_references": {"changed": ["rules/06.10/1"]}},
    ),
    "a line of another page": (
        replaced("ABILITIES\nCORE", "ABILITIES\nall about gardens, and more of it\nCORE"), ["unclaimed-text"], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ONE_FAULT)
def test_one_fault(what: str) -> None:
    check(*ONE_FAULT[what])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GOOD.replace("VEHICLE; TRANSPORT; FLY; BRINDLE", "VEHICLE, TRANSPORT, FLY, BRINDLE"), "uncertain-edition"),
        ("https://rules.example.invalid/wh40k9ed/factions/ashen-compact/Brindle-Hauler\n" + GOOD, "other-game"),
    ],
)
def test_a_page_of_another_edition_leaves_nothing(text: str, code: str) -> None:
    release = pages.read([text])
    assert release.codes() == [code]
    assert {table for table, rows in release.tables.items() if rows} == {"documents", "diagnostics"}


# any order of blocks


PLACES = frozenset({"position"})


def without_places(release: Release) -> dict[str, list[str]]:
    """Rows of all tables about the game, without the columns that say where on the page they stand."""
    return {
        table: sorted(repr({c: v for c, v in row.items() if c not in PLACES}) for row in rows.values())
        for table, rows in rows_of(release).items()
    }


def blocks_of(sheet: str) -> list[str]:
    """A datasheet's blocks: each begins with a heading; faction keywords stay below keywords."""
    return re.split(
        r"(?m)^(?=(?:RANGED|MELEE) WEAPONS \||WARGEAR OPTIONS$|(?:WARGEAR )?ABILITIES$|DAMAGED: |UNIT COMPOSITION$|TRANSPORT$"
        r"|LEADER$|LED BY$|KEYWORDS|SUPREME COMMANDER$|DEPLOYMENT$|ORDERS$)",
        sheet,
    )


@pytest.mark.parametrize("seed", range(20))
def test_blocks_of_a_datasheet_in_any_order(seed: int) -> None:
    end = GOOD.index("STRATAGEMS")
    title, *blocks = blocks_of(GOOD[:end])
    Random(seed).shuffle(blocks)
    release = pages.read([title + "".join(blocks) + GOOD[end:]])
    assert release.codes() == []
    assert without_places(release) == without_places(good())


HEADED = [stem for stem, text in DUMPS.items() if len(blocks_of(text.partition("\nSTRATAGEMS\n")[0])) > 4]


@pytest.mark.parametrize("stem", HEADED)
def test_blocks_of_a_demo_dump_in_any_order(stem: str) -> None:
    text = DUMPS[stem]
    end = text.index("\nSTRATAGEMS\n") + 1
    first, *blocks = blocks_of(text[:end])
    before = pages.read([Page(text=text, path=f"{stem}.txt")])
    for seed in range(3):
        Random(seed).shuffle(blocks)
        release = pages.read([Page(text=first + "".join(blocks) + text[end:], path=f"{stem}.txt")])
        assert without_places(release) == without_places(before)
        assert release.codes() == before.codes()


@pytest.mark.parametrize("seed", range(10))
def test_rules_cards_and_indexes_in_any_order(seed: int) -> None:
    start = GOOD.index("The FLY")
    tooltips = re.split(
        r"(?m)^(?=The FLY|Oath of Rust$|Rivet Storm$|SECOND CHANCE15|ONE TOLL$|DEADLY DEMISE24|06\.10 )|(?<=\(06\.10\)\.)(?=STEALTH)",
        GOOD[start:],
    )
    tooltips = [tooltip if tooltip.endswith("\n") else tooltip + "\n" for tooltip in tooltips if tooltip]
    assert len(tooltips) == 8
    Random(seed).shuffle(tooltips)
    release = pages.read([GOOD[:start] + "".join(tooltips)])
    assert release.codes() == []
    assert without_places(release) == without_places(good())


# a page that ends too soon


@pytest.mark.parametrize("stem", DUMPS)
def test_a_dump_that_ends_anywhere_is_read_as_far_as_it_goes(stem: str) -> None:
    text = DUMPS[stem]
    for end in range(0, len(text), 97):
        document = pages.document(Page(text=text[:end], path=f"{stem}.txt"))
        assert "".join(text[block.start : block.end] for block in document.blocks) == text[:end]
        made = extract(document)
        if made.document.status == "rejected":
            assert made.diagnostics
        else:
            assert made.document.characters_claimed <= end


@pytest.mark.parametrize("end", range(0, len(GOOD), 97))
def test_the_good_page_that_ends_anywhere_says_nothing_that_it_did_not_say_before(end: int) -> None:
    """But for what stands in the line that was cut: that may be another name, and a card may lack its end."""
    whole, cut = rows_of(good()), rows_of(pages.read([Page(text=GOOD[:end], path="ashen-compact__Brindle_Hauler.txt")]))
    for table in ("weapon_profiles", "unit_costs", "unit_composition", "stratagems", "rules", "detachments"):
        assert len(cut[table].keys() - whole[table].keys()) <= 1


# any line gone


@pytest.mark.parametrize("number", range(len(GOOD.splitlines())))
def test_any_line_of_the_good_page_gone(number: int) -> None:
    """What stood in other lines stays: records of tables with names of their own are the same, or are said to be damaged."""
    lines = GOOD.splitlines()
    gone = lines.pop(number)
    release = pages.read([Page(text="\n".join(lines), path="ashen-compact__Brindle_Hauler.txt")])
    assert [made.document.status for made in release.extracts] != ["rejected"], gone
    before, now = rows_of(good()), rows_of(release)
    for table in ("weapon_profiles", "abilities", "stratagems"):
        assert len(before[table].keys() - now[table].keys()) <= 1 + gone.count(","), gone
        assert len(now[table].keys() - before[table].keys()) <= 1, gone
