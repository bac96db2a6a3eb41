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

from pipeline.document import Block, BlockKind

_NOT_REPEATED = (BlockKind.BULLET, BlockKind.RUIN, BlockKind.BLANK)
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?: [^<>\n]*)?/?>")  # `each time<l> this model`; not `Range < 12"`
_TELLING = 12  # characters that a lone repeated block must have: short words stand twice for good reasons


class Unfolded(NamedTuple):
    """Blocks in their true order, the echoes among them apart. `lossy`: a copy lacks what the other has."""

    kept: list[Block]
    echoes: list[Block]
    lossy: bool


def unfold(blocks: Sequence[Block]) -> Unfolded:
    """Tells the first copy of a doubled block from the last."""
    texts = [i for i, b in enumerate(blocks) if b.kind not in _NOT_REPEATED]
    echo: set[int] = set()
    lossy = False
    i = 0
    while i < len(texts):
        repeat = _repeat(blocks, texts, i)
        if repeat is None:
            i += 1
            continue
        again, length = repeat
        echo.update(texts[i : i + length])
        lossy = (
            lossy or i + length < again
        )  # what the first copy has behind the part that comes again was lost from the last
        i += length
    echo.update(_repeated_lists(blocks))
    if not echo:
        return Unfolded(list(blocks), [], False)
    kept = [b for i, b in enumerate(blocks) if i not in echo]
    return Unfolded(kept, [b for i, b in enumerate(blocks) if i in echo], lossy)


def _repeat(blocks: Sequence[Block], texts: list[int], i: int) -> tuple[int, int] | None:
    """Where the run of texts that begins with text i comes again, and how many of its texts do."""
    first = blocks[texts[i]]
    for j in range(i + 1, len(texts)):
        if blocks[texts[j]].text != first.text:
            continue
        length = 1
        while (
            i + length < j
            and j + length < len(texts)
            and blocks[texts[i + length]].text == blocks[texts[j + length]].text
        ):
            length += 1
        if length == 1 and len(first.text) < _TELLING and first.kind is not BlockKind.LABELLED:
            return None
        return j, length
    return None


def _repeated_lists(blocks: Sequence[Block]) -> set[int]:
    """Bullets that stand again, as a whole list, below a later text: the later copy is the echo."""
    seen: set[tuple[str, ...]] = set()
    echo: set[int] = set()
    run: list[int] = []
    for i in range(len(blocks) + 1):
        if i < len(blocks) and blocks[i].kind is BlockKind.BULLET:
            run.append(i)
            continue
        if run:
            texts = tuple(blocks[k].text for k in run)
            for length in range(len(run), 1, -1):
                if texts[:length] in seen:
                    echo.update(run[:length])
                    break
            seen.add(texts)
            run = []
    return echo


def clean(text: str) -> str:
    """A printed text in NFC, white space made single, the cell border of a ruined table and stray tags dropped."""
    text = text.removesuffix(" |").strip()
    if "<" in text:
        text = _TAG.sub("", text)
    if "  " in text or "\xa0" in text or "\t" in text:
        text = " ".join(text.split())
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def bullet(text: str) -> str:
    """A bullet's text without its mark."""
    return clean(text.lstrip("-•*– "))


def line(block: Block) -> str:
    """A block as a line of a text column."""
    return f"{'  ' * block.depth}- {bullet(block.text)}" if block.kind is BlockKind.BULLET else clean(block.text)


def paragraphs(blocks: Iterable[Block]) -> str | None:
    """Text of several blocks: paragraphs divided by one newline; null when there is nothing."""
    lines = [line(b) for b in blocks if b.kind not in (BlockKind.RUIN, BlockKind.BLANK)]
    return "\n".join(lines) or None
