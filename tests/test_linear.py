"""No input makes the work grow faster than its size: calls are counted at two sizes, and seconds where a regex does the work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from types import FrameType
from typing import Any

import pytest

from pipeline.document import Block, BlockKind, Document
from pipeline.extract import Extract, extract
from pipeline.extractors import rule_sections
from pipeline.extractors.texts import unfold
from pipeline.link import link
from pipeline.merge import merge
from pipeline.readers import html
from pipeline.readers import text as reader

SMALL, TIMES = 300, 4
GROWTH = 1.3
"""How much more than `TIMES` the work may be: caches that fill, lists that are copied."""

HEAD = "The AB keyword is used in the following Ash Compact datasheets:\nInfantry\n"
SHEET = "Ash Compact – Hauler\nKEYWORDS: VEHICLE; HAULER\nFACTION KEYWORDS:\nASH COMPACT\n"
CARD = "COLD TOLL\n1CP\nCore Stratagem\nWHEN: Your Shooting phase.\nTARGET: One unit.\nEFFECT: It hides.\n"

Page = Callable[[int], str]

PAGES: dict[str, Page] = {
    "tiny lines": lambda n: HEAD + "a\n" * n,
    "lines without end": lambda n: HEAD + "\n" * n + CARD,
    "headings": lambda n: SHEET + "".join(f"Heading {i}\n" for i in range(n)),
    "equal headings": lambda n: SHEET + "Hauler Rule\n" * n,
    "equal titles with text": lambda n: HEAD + "Deep Strike\nText of it.\n" * n,
    "titles again": lambda n: HEAD + "Deep Strike\n" * n + "Text of it.\n",
    "equal bullets": lambda n: HEAD + "Deep Strike\nOne of these:\n" + "- the same\n" * n,
    "equal lists": lambda n: HEAD + "Deep Strike\n" + "Then:\n- one\n- two\n" * n,
    "longer and longer lists": lambda n: HEAD + "Deep Strike\n" + "".join("Then:\n" + "- x\n" * k for k in range(1, int((2 * n) ** 0.5))),
    "equal texts": lambda n: HEAD + "Deep Strike\n" + "A text that comes again.\n" * n,
    "texts in turn": lambda n: HEAD + "Deep Strike\n" + "This text comes again.\nAnd so does this one.\n" * n,
    "cards": lambda n: HEAD + CARD * n,
    "labels": lambda n: HEAD + CARD + "EFFECT: It hides.\nTARGET: One unit.\n" * n,
    "cells": lambda n: HEAD + "Deep Strike\n" + "Iron Oath The warriors stand. |\n" * n,
    "cells and their titles": lambda n: HEAD + "Deep Strike\nIron Oath The warriors stand. |\n" * n + "Iron Oath\nThe warriors stand.\n" * n,
    "glue": lambda n: HEAD + "It ends.The next begins" * n + ".\n",
    "glued bullets": lambda n: HEAD + "As follows:- First" * n + ".\n",
    "pipes": lambda n: HEAD + "|" * n + "\n" + "| a |\n" * n + "b |\n" * n,
    "weapon rows": lambda n: SHEET + "RANGED WEAPONS | RANGE | A | BS | S | AP | D | |\n" + '| Gun | 24" | 1 | 3+ | 4 | 0 | 1 | |\n' * n,
    "footnotes": lambda n: SHEET
    + "RANGED WEAPONS | RANGE | A | BS | S | AP | D | |\n"
    + "".join(f'| Gun {i} odd{i} | 24" | 1 | 3+ | 4 | 0 | 1 | |\n' for i in range(n))
    + "".join(f"Odd{i}: It is odd.\n" for i in range(n)),
    "faction keywords": lambda n: SHEET + "".join(f"KEYWORD {i}\n" for i in range(n)),
    "keywords": lambda n: f"Ash Compact – Hauler\nKEYWORDS: {'; '.join(f'WORD{i}' for i in range(n))}\nFACTION KEYWORDS:\nASH COMPACT\n",
    "stratagem list": lambda n: SHEET + "STRATAGEMS\n" + "".join(f"TOLL {i}\n1CP\nCore\nC\n" for i in range(n)),
    "options": lambda n: SHEET + "WARGEAR OPTIONS\n- This model can have one of the following:\n" + "- 1 hook\n" * n,
    "composition": lambda n: SHEET + "UNIT COMPOSITION\n" + "".join(f"- {i} Hands\n" for i in range(n)),
    "abilities": lambda n: SHEET + "ABILITIES\n" + "".join(f"Name {i}: It does.\n" for i in range(n)),
    "questions": lambda n: HEAD + "| Book | Kind |\n" + "| Q: | Why? |\n| A: | So. |\n" * n,
    "indexes": lambda n: HEAD * n,
    "see also": lambda n: HEAD + "01.01 Rule\nText.\nSEE ALSO\n" + "- Other 06.03\n" * n,
    "enhancements": lambda n: HEAD + CARD + "| Book | Kind |\n" + "".join(f"- Relic {i} 20 pts\nIt shines.\n" for i in range(n)),
}  # fmt: skip


def page(text: str, name: str = "x") -> Extract:
    document = Document(name, f"{name}.txt", None, "text", name * 64, len(text), text)
    return extract(reader.read(document), "11e")


def calls(work: Callable[[], Any]) -> int:
    """How many functions are called, those of C included."""
    count = 0

    def seen(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    reader._known_lines.clear()
    rule_sections.forget()
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", PAGES)
def test_calls_grow_no_faster_than_a_page(name: str) -> None:
    few, many = (calls(lambda n=n: page(PAGES[name](n))) for n in (SMALL, SMALL * TIMES))  # type: ignore[misc]
    assert many < few * TIMES * GROWTH


LINES: dict[str, Page] = {
    "one word": lambda n: "a" * n,
    "capitals": lambda n: "A" * n,
    "capitals and hyphens": lambda n: "A-" * (n // 2) + "!",
    "capitals glued": lambda n: "aAbA" * (n // 4) + " Detachment",
    "names glued": lambda n: "AaA " * (n // 4) + "x Detachment",
    "spaces": lambda n: "a" + " " * n + "b",
    "keyword": lambda n: "KEYWORDS: " + "A" * n,
    "groups": lambda n: "KEYWORDS: " + "A: " * (n // 3),
    "index": lambda n: "The A keyword is used in the following " * (n // 39),
    "index with brackets": lambda n: "The A keyword is used in the following " + "datasheets (" * (n // 12) + ":",
    "brackets": lambda n: "[" * n,
    "bracket": lambda n: "[" + "A-" * (n // 2),
    "parentheses": lambda n: "(see A" * (n // 6),
    "pipes": lambda n: "|" * n,
    "row": lambda n: "| " + "gun " * (n // 4) + "| 1 | 2 | 3 | 4 | 5 | 6 |",
    "abilities": lambda n: "| Gun" + " assault anti-infantry 2+" * (n // 25) + " | 1 | 2 | 3 | 4 | 5 | 6 |",
    "digits": lambda n: "1" * n,
    "numbers": lambda n: "01.01.01" * (n // 8),
    "stops": lambda n: "." * n,
    "bullets": lambda n: "- " * (n // 2),
    "cell": lambda n: "A " * (n // 2) + "|",
    "when": lambda n: "WHEN: " + "Command " * (n // 8),
    "listed abilities": lambda n: "CORE: " + "Hover 2 (A, " * (n // 12),
    "type": lambda n: "a – " * (n // 4) + "Stratagem",
}
LENGTH = 40_000


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("above", ["", SHEET + "UNIT COMPOSITION\n", SHEET + "ABILITIES\n", HEAD + "Deep Strike\n", HEAD + CARD],
                         ids=["alone", "composition", "abilities", "rule", "card"])  # fmt: skip
def test_seconds_grow_no_faster_than_a_line(name: str, above: str) -> None:
    def seconds(length: int) -> float:
        text = f"{above}{LINES[name](length)}\n{CARD}"
        best = 9.0
        for _ in range(2):
            reader._known_lines.clear()
            rule_sections.forget()
            started = process_time()
            page(text)
            best = min(best, process_time() - started)
        return best

    few, many = seconds(LENGTH), seconds(LENGTH * TIMES)
    assert many < 0.1 or many < few * TIMES * 2


MARKUP: dict[str, Page] = {
    "elements without end": lambda n: '<h1>A</h1><div class="tooltip_templates"><span id="a">' + "<div " * (n // 5),
    "addresses without end": lambda n: "<base " * (n // 12) + "<link " * (n // 12) + "<h1>A</h1>",
    "copies": lambda n: "<h1>A</h1><p>" + '<span class="snFl">a</span> ' * (n // 28),
    "copies far from each other": lambda n: "<h1>A</h1><p>" + f'<span class="snFl">a</span>{" " * 30}' * (n // 57),
    "comments": lambda n: "<h1>A</h1>" + "<!-- " * (n // 5),
    "tooltips in comments": lambda n: "<h1>A</h1>" + '<!-- <div class="tooltip_templates"> -->' * (n // 40),
    "tooltips": lambda n: "<h1>A</h1>" + '<div class="tooltip_templates"><span id="a">x</span></div>' * (n // 58),
    "titles in a script": lambda n: "<script>" + "<h1>" * (n // 4),
    "scripts with titles": lambda n: "<script><h1></script>" * (n // 21),
    "titles without end": lambda n: "<h1" * (n // 3),
    "quotes": lambda n: '<h1>A</h1><div class="tooltip_templates"><span id="' * (n // 51),
}


@pytest.mark.parametrize("name", MARKUP)
def test_seconds_grow_no_faster_than_a_page_of_markup(name: str) -> None:
    def seconds(length: int) -> float:
        best = 9.0
        for _ in range(2):
            html._fragments.clear()
            started = process_time()
            html.read(MARKUP[name](length))
            best = min(best, process_time() - started)
        return best

    few, many = seconds(2 * LENGTH), seconds(2 * LENGTH * TIMES)
    assert many < 0.1 or many < few * TIMES * 2


def test_unfolding_lists_that_share_their_beginnings() -> None:
    def lists(n: int) -> list[Block]:
        made: list[Block] = []
        for k in range(n):
            for text in ("head", *("x" * 3 for _ in range(k % 50)), f"end {k}"):
                made.append(Block(BlockKind.BULLET, len(made), len(made) + 1, text))
            made.append(Block(BlockKind.TEXT, len(made), len(made) + 1, f"between {k}"))
        return made

    few, many = (calls(lambda n=n: unfold(lists(n))) for n in (200, 200 * TIMES))  # type: ignore[misc]
    assert many < few * TIMES * GROWTH


@pytest.mark.parametrize("shared", [True, False], ids=["equal pages", "own pages"])
def test_merge_and_link_grow_no_faster_than_a_run(shared: bool) -> None:
    def run(n: int) -> None:
        made = []
        for i in range(n):
            own = "" if shared else str(i)
            text = SHEET.replace("Hauler", f"Hauler{i}") + (
                f"LED BY\nThis unit can be led by the following units:\n- Nobody {i}\n"
                f"{10 + i % 80}.{10 + i // 80 % 80} Rule {own}\nSee (24), (13.08) and [BLAST].\n"
                f"24.{10 + i % 80} Other {own}\nIt hides.\n{CARD.replace('TOLL', f'TOLL {own}')}"
            )
            made.append(page(text, f"{i:x}"))
        link(merge(made), "11e")

    few, many = (calls(lambda n=n: run(n)) for n in (40, 40 * TIMES))  # type: ignore[misc]
    assert many < few * TIMES * GROWTH
