"""The two text dumps of 11e and the 28 of 10e, held against counts of their raw text and against the CSV export.

Reads the raw folder that DATASHEETS_CORPUS names; skipped without it.
"""

from __future__ import annotations

import html
import os
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pipeline import run
from pipeline.ids import fold

CORPUS = Path(os.environ.get("DATASHEETS_CORPUS", "nowhere"))
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="DATASHEETS_CORPUS names no folder")

FACTIONS = {"astra-militarum": "AM", "space-marines": "SM", "tyranids": "TYR"}
REAL_CHANGES = {
    ("cadian castellan", "melee", "close combat weapon")
}  # WS 3+ on the page, 4+ in the export that is eight months younger


@cache
def edition(name: str) -> run.Edition:
    (found,) = run.link_editions(run.read([CORPUS / name / "text"], workers=1))
    return found


def rows(name: str, table: str) -> list[Any]:
    return edition(name).tables.tables[table]


def seen(name: str, table: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for o in rows(name, "observations"):
        if o.table == table:
            found[o.document_id].add(o.record_id)
    return found


def test_11e_every_character_is_claimed() -> None:
    for document in rows("11e", "documents"):
        assert document.characters_claimed == document.characters
        assert document.characters_furniture < 0.02 * document.characters


def test_11e_every_numbered_heading_is_a_rule() -> None:
    counts = {}
    for document in rows("11e", "documents"):
        text = (CORPUS / "11e" / "text" / document.path).read_text(encoding="utf-8")
        printed = set(re.findall(r"(?:(?<=[.!?)])(?<!\d\d\.)|^)(\d\d\.\d\d(?:\.\d\d)?) [A-Z]", text, re.MULTILINE))
        printed |= set(re.findall(r"[A-Z\]](\d\d\.\d\d(?:\.\d\d)?)$", text, re.MULTILINE))
        read = {i for i in seen("11e", "rules")[document.document_id] if i[0].isdigit()}
        assert read == printed
        counts[document.title] = len(read)
    assert sorted(counts.values()) == [38, 43]


def test_11e_lists_and_cards() -> None:
    listed: dict[str, int] = defaultdict(int)
    for entry in rows("11e", "datasheet_stratagems"):
        listed[entry.datasheet_id] += 1
    assert sorted(listed.values()) == [15, 19]
    assert all(s.when_text and s.target_text and s.effect_text and s.complete for s in rows("11e", "stratagems"))
    assert len(rows("11e", "weapon_profiles")) == 11
    assert all(p.split_certain for p in rows("11e", "weapon_profiles"))


def test_11e_every_number_in_brackets_is_a_reference() -> None:
    found = {r.printed for r in rows("11e", "cross_references")}
    for path in (CORPUS / "11e" / "text").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"\((\d\d(?:\.\d\d){0,2})\)", text)) <= found
        assert {
            f"{title} {number}"
            for title, number in re.findall(r"^- (.+?) (\d\d\.\d\d(?:\.\d\d)?)$", text, re.MULTILINE)
        } <= found


def test_texts_are_printed_like_that() -> None:
    """Every line of a rule or card stands in a raw text, letter by letter."""
    raw = "\n".join(p.read_text(encoding="utf-8") for p in (CORPUS / "11e" / "text").glob("*.txt"))
    for s in rows("11e", "stratagems"):
        for text in (s.when_text, s.target_text, s.effect_text, s.restrictions_text):
            assert all(line in raw for line in (text or "").split("\n")), s.stratagem_id
    for r in rows("11e", "rules"):
        for text in (r.flavour, r.text, *(x.text for x in r.sections), *r.examples, *(x.text for x in r.sidebars)):
            assert all(line in raw for line in (text or "").split("\n")), r.rule_id


def _export(table: str) -> list[dict[str, str]]:
    lines = (CORPUS / "10e" / "wahapedia-csv" / f"{table}.csv").read_text(encoding="utf-8-sig").split("\n")
    header = lines[0].split("|")
    return [dict(zip(header, cells, strict=True)) for line in lines[1:] if len(cells := line.split("|")) == len(header)]


def _plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def test_10e_weapon_profiles_equal_the_export() -> None:
    ids: dict[tuple[str, str], str] = {}
    for sheet in _export("Datasheets"):
        ids.setdefault((sheet["faction_id"], fold(sheet["name"])), sheet["id"])
    theirs: dict[str, dict[tuple[str, str], tuple[Any, ...]]] = defaultdict(dict)
    for row in _export("Datasheets_wargear"):
        if not row["name"].strip():
            continue
        kind = "melee" if row["type"].startswith("M") else "ranged"
        reach = int(row["range"]) if kind == "ranged" and row["range"].isdigit() else None
        skill = None if row["BS_WS"] in ("N/A", "-") else int(row["BS_WS"].strip("+"))
        abilities = frozenset(a.strip().upper() for a in _plain(row["description"]).split(",") if a.strip())
        theirs[row["datasheet_id"]][kind, fold(_plain(row["name"]))] = (
            reach, row["A"], skill, row["S"], None if row["AP"] == "-" else int(row["AP"]), row["D"], abilities,
        )  # fmt: skip
    sheets = {d.datasheet_id: d for d in rows("10e", "datasheets")}
    assert len(sheets) == 24
    ours: dict[str, dict[tuple[str, str], tuple[Any, ...]]] = defaultdict(dict)
    for p in rows("10e", "weapon_profiles"):
        name = p.weapon_name + (f" – {p.profile_name}" if p.profile_name else "")
        ours[p.datasheet_id][p.kind, fold(name)] = (
            p.range_inches, p.attacks, p.skill, p.strength, p.armour_penetration, p.damage, frozenset(a.upper() for a in p.abilities),
        )  # fmt: skip
    different = {
        (fold(sheet.name), *key)
        for identity, sheet in sheets.items()
        for mine, other in [(ours[identity], theirs[ids[FACTIONS[sheet.faction_id], fold(sheet.name)]])]
        for key in mine.keys() | other.keys()
        if mine.get(key) != other.get(key)
    }
    assert sum(map(len, ours.values())) == 126
    assert different == REAL_CHANGES


def test_10e_claims() -> None:
    characters = claimed = 0
    for document in rows("10e", "documents"):
        if document.kind == "datasheet":
            characters += document.characters
            claimed += document.characters_claimed
        else:
            assert document.kind == "faction"
            values = document.characters_claimed - document.characters_furniture
            assert values >= 0.9 * document.characters, document.path
    assert claimed >= 0.995 * characters


def test_10e_every_listed_stratagem_has_its_card() -> None:
    lacking = {s.stratagem_id for s in rows("10e", "stratagems") if not s.when_text}
    assert lacking == set()


def test_10e_faction_pages_show_every_card_enhancement_and_faq() -> None:
    for document in rows("10e", "documents"):
        if document.kind != "faction":
            continue
        text = (CORPUS / "10e" / "text" / document.path).read_text(encoding="utf-8")
        cards = re.findall(r"([^\n]+)\n\d+CP\n(.+ Stratagem)$", text, re.MULTILINE)
        names = {(fold(re.split(r"(?<=[.!?)])(?=[A-Z])", name)[-1]), line) for name, line in cards}
        assert len(names) == len(seen("10e", "stratagems")[document.document_id])
        enhancements = set(re.findall(r"^- (.+?) \d+ pts$", text, re.MULTILINE))
        printed = {e.enhancement_id: e for e in rows("10e", "enhancements")}
        read = [printed[i] for i in seen("10e", "enhancements")[document.document_id]]
        assert {fold(n) for n in enhancements} <= {fold(e.name) for e in read}
        assert all(e.detachment_id for e in read if e.name in enhancements)
        answered = len(re.findall(r"^\| A: \|", text, re.MULTILINE))
        assert len(seen("10e", "faqs")[document.document_id]) == answered


def test_excerpts_and_impostors() -> None:
    given = run.read([CORPUS / "10e" / "text-excerpts", CORPUS / "bad"], workers=1)
    status = {e.document.path: (e.document.status, e.document.edition) for e in given.extracts}
    refused = {path.rpartition("/")[2] for path, (state, _) in status.items() if state == "rejected"}
    assert {"9ed_t-au-empire_Devilfish.txt", "10ed-cp_claw-of-ascension_Hybrid-Metamorphs.txt"} <= refused
    assert all(state == "rejected" for path, (state, _) in status.items() if path.startswith("bad"))
    assert {found for state, found in status.values() if state != "rejected"} == {"10e"}
