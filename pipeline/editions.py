"""Which edition a page belongs to, from evidence on the page; and whether it belongs to a game that is read at all.

Evidence: the address on line 1 or in the side-car; numbered rules, `; ` between keywords and price tiers (11e); brackets around
weapon abilities, `, ` between keywords and stratagem types of core stratagems (10e). Evidence for two editions, or none, is no
evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.document import Block, BlockKind

READ = ("10e", "11e")
_ADDRESS = re.compile(r"/(?:wh40k)?(?P<edition>[0-9]+)ed(?P<game>[_-]\w+)?(?:/|$)")
_OTHER_EDITION = re.compile(r"NoNAME\s+M\s+WS\s+BS|^WEAPON\s*(?:\|\s*)?RANGE\s*(?:\|\s*)?TYPE")
_WEAPONS_WITH = re.compile(r"Weapons with \[[A-Z]")
_TELLING = frozenset(
    [BlockKind.RULE, BlockKind.SECTION, BlockKind.ROW, BlockKind.TEXT, BlockKind.STRATAGEM_TYPE, BlockKind.HEADING]
)
_BOOK_EDITION = re.compile(r"\| (?P<edition>10|11) \|(?: [0-9.]+ \|)? \w+ [0-9]{4} \|")


def of_address(url: str) -> tuple[str | None, str | None]:
    """Edition that an address names, and the other game that it belongs to, if it does.

    >>> of_address("https://example.invalid/wh40k10ed_cp/factions/x"), of_address("https://example.invalid/wh40k11ed/x")
    ((None, '10ed_cp'), ('11e', None))
    """
    found = _ADDRESS.search(url)
    if found is None:
        return None, None
    edition = f"{found['edition']}e"
    if found["game"] or edition not in READ:
        return None, f"{found['edition']}ed{found['game'] or ''}"
    return edition, None


def evidence(blocks: Iterable[Block]) -> set[str]:
    """Editions for which something on the page speaks."""
    found: set[str] = set()
    for block in blocks:
        kind = block.kind
        if kind not in _TELLING:
            continue
        if kind is BlockKind.TEXT:
            if block.text.startswith("Weapons with [") and _WEAPONS_WITH.match(block.text):
                found.add("10e")
        elif kind is BlockKind.RULE:
            found.add("11e")
        elif kind is BlockKind.SECTION:
            if block.text.startswith("KEYWORDS") and ":" in block.text:
                words = block.text.partition(":")[2]
                found.update({"11e"} if ";" in words else {"10e"} if "," in words else ())
        elif kind is BlockKind.ROW:
            if "[" in block.text and block.text.count("|") >= 6:
                found.add("10e")
            elif block.text.startswith("| YOUR "):
                found.add("11e")
            elif book := _BOOK_EDITION.search(block.text):
                found.add(f"{book['edition']}e")
        elif kind is BlockKind.STRATAGEM_TYPE and block.text.startswith("Core"):
            found.add("11e" if block.text == "Core Stratagem" else "10e")
        elif kind is BlockKind.HEADING and block.text.startswith("Core – "):
            found.add("10e")
    return found


def overruled(asked: str, said: set[str]) -> str:
    """What is told of a page or an export that is read as another edition than it says, because that was asked for."""
    return f"Read as {asked}, as was asked for; what it says speaks for {' and '.join(sorted(said))}."


def of_other_edition(text: str) -> bool:
    """Whether a page has the tables of an edition that is not read."""
    return bool(_OTHER_EDITION.match(text)) or ("NoNAME" in text and bool(_OTHER_EDITION.search(text)))
