"""Blocks → text: one order, repeats told apart, bullets as `- ` lines.

How the repeats come about: the extractor that made the dumps prints the texts of a block once without its lists, then everything
after the first text once more, lists in place. The last copy has the true order:

    WHEN: …            WHEN: … with the bullets
    TARGET: …  (echo)
    EFFECT: …  (echo)
    - bullets of WHEN
    TARGET: …          TARGET: …
    EFFECT: …          EFFECT: …
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipeline.document import RULE_NUMBER, Block, BlockKind

_NOT_REPEATED = frozenset([BlockKind.BULLET, BlockKind.ROW, BlockKind.RUIN, BlockKind.BLANK])
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?: [^<>\n]*)?/?>")  # `each time<l> this model`; not `Range < 12"`
_AND_MORE = re.compile(r" and (?=[0-9])")
_NUMBERED = re.compile(rf"(?:(?P<front>{RULE_NUMBER}) )?(?P<title>.*?)(?P<behind>{RULE_NUMBER})?$")
_SILENT = frozenset([BlockKind.RUIN, BlockKind.BLANK])
_TELLING = 12  # characters that a lone repeated block must have: short words stand twice for good reasons


class Unfolded(NamedTuple):
    """Blocks in their true order, the echoes among them apart. `lossy`: a copy lacks what the other has."""

    kept: list[Block]
    echoes: list[Block]
    lossy: bool


def unfold(blocks: Sequence[Block], *, lists: bool = True) -> Unfolded:
    """Tells the first copy of a doubled block from the last. A saved page, whose blocks have places, prints nothing twice.

    Without `lists`, a list that stands again is another's: two abilities may offer the same choices.
    """
    if blocks and blocks[0].element is not None:
        return Unfolded(list(blocks), [], False)
    echo, lossy = _first_copies(blocks)
    if lists:
        echo |= _repeated_lists(blocks)
    if not echo:
        return Unfolded(list(blocks), [], False)
    kept = [b for i, b in enumerate(blocks) if i not in echo]
    return Unfolded(kept, [b for i, b in enumerate(blocks) if i in echo], lossy)


def _first_copies(blocks: Sequence[Block]) -> tuple[set[int], bool]:
    """Places of texts that come again, and whether the first copy has something between them that the last lacks."""
    places = [i for i, b in enumerate(blocks) if b.kind not in _NOT_REPEATED]
    texts = [blocks[i].text for i in places]
    echo: set[int] = set()
    lossy = False
    if len(set(texts)) == len(texts):
        return echo, lossy
    again = _next_places(texts)
    i = 0
    while i < len(texts):
        j = again[i]
        length = 0
        if j is not None:
            length = _run(texts, i, j)
            first = blocks[places[i]]
            if length == 1 and len(first.text) < _TELLING and first.kind is not BlockKind.LABELLED:
                length = 0
            elif i + length < j:  # what the first copy has behind the part that comes again was lost from the last
                lossy = True
        echo.update(places[i : i + length])
        i += length or 1
    return echo, lossy


def _next_places(texts: Sequence[str]) -> list[int | None]:
    """For each text the place where it comes next."""
    found: list[int | None] = [None] * len(texts)
    later: dict[str, int] = {}
    for i in range(len(texts) - 1, -1, -1):
        found[i] = later.get(texts[i])
        later[texts[i]] = i
    return found


def _run(texts: Sequence[str], i: int, j: int) -> int:
    """How many texts from place i on stand again from place j on."""
    most = min(j - i, len(texts) - j)
    length = 1
    while length < most and texts[i + length] == texts[j + length]:
        length += 1
    return length


class _Lists(dict[str, "_Lists"]):
    """Lists that were seen, as a tree of their texts; `ends` where a list ends."""

    ends = False

    def longest(self, texts: Sequence[str]) -> int:
        """Length of the longest list that was seen with which these texts begin."""
        node, found = self, 0
        for length, text in enumerate(texts, 1):
            if text not in node:
                break
            node = node[text]
            found = length if node.ends else found
        return found

    def add(self, texts: Sequence[str]) -> None:
        """Remembers a list."""
        node = self
        for text in texts:
            node = node.setdefault(text, _Lists())
        node.ends = True


def _repeated_lists(blocks: Sequence[Block]) -> set[int]:
    """Bullets that stand again, as a whole list, below a later text: the later copy is the echo."""
    runs: list[list[int]] = []
    inside = False
    for i, block in enumerate(blocks):
        if block.kind is not BlockKind.BULLET:
            inside = False
        elif inside:
            runs[-1].append(i)
        else:
            runs.append([i])
            inside = True
    echo: set[int] = set()
    seen = _Lists()
    lists = [run for run in runs if len(run) > 1]
    if len(lists) < 2:
        return echo
    for run in lists:
        texts = [blocks[i].text for i in run]
        echo.update(run[: seen.longest(texts)])
        seen.add(texts)
    return echo


def clean(text: str) -> str:
    """A printed text in NFC, white space made single, the cell border of a ruined table and stray tags dropped."""
    text = text.removesuffix(" |").strip()
    if "<" in text:
        text = _TAG.sub("", text)
    if "  " in text or "\t" in text or "\xa0" in text:
        text = " ".join(text.split())
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def is_clause(text: str) -> bool:
    """Whether most words of a line are in small letters, as in no name or heading: `Against ranged attacks only`."""
    words = text.split()
    return 2 * sum(word.islower() for word in words) > len(words)


def cells(row: Block) -> list[str]:
    """Cells of a row with or without a leading pipe."""
    text = row.text
    if text.startswith("|"):
        text = text[1:]
    return [clean(cell.strip()) for cell in text.removesuffix("|").split("|")]


def bullet(text: str) -> str:
    """A bullet's text without its mark."""
    return clean(text.lstrip("-•*– "))


def counted_in(block: Block) -> list[str]:
    """What a line of a composition counts: `- 1 Warden and 4-9 Lamplighters` → `1 Warden`, `4-9 Lamplighters`."""
    return _AND_MORE.split(bullet(block.text))


def heading(block: Block) -> tuple[str | None, str]:
    """Number and title of a rule's or card's heading: `[BLAST]24.05` → 24.05, [BLAST]."""
    found = _NUMBERED.match(block.text) if block.kind is BlockKind.RULE else None
    if found is None:
        return None, clean(block.text)
    return found["front"] or found["behind"], clean(found["title"])


def line(block: Block) -> str:
    """A block as a line of a text column."""
    return f"{'  ' * block.depth}- {bullet(block.text)}" if block.kind is BlockKind.BULLET else clean(block.text)


def paragraphs(blocks: Iterable[Block]) -> str | None:
    """Text of several blocks: paragraphs divided by one newline; null when there is nothing."""
    lines = [line(b) for b in blocks if b.kind not in _SILENT]
    return "\n".join(lines) or None
