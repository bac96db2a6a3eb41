"""The floor: the least that any reader of dumps has to do. All other figures of one core are ratios to it.

Bytes are decoded, split into lines, and each line is held once against one alternation of twenty shapes. Nothing is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import process_time

SHAPES = (
    r"https?://\S+$", r"[-•*] +\S", r"\|[ |]*$", r"\| Q:", r"\| A:", r"\| .+ \|", r"RANGED WEAPONS", r"MELEE WEAPONS", r"KEYWORDS",
    r"FACTION KEYWORDS", r"DAMAGED: ?\d", r"\d+CP$", r"\d\d\.\d\d ", r"\[[A-Z ]+\]\d\d\.\d\d$", r"The .+ keywords? (?:is|are) used in",
    r"(?:WHEN|TARGET|EFFECT|RESTRICTIONS): ", r"Example: ", r"Designer’s Note: ", r"[A-Z][^.]+ Stratagem$", r"[A-Z][^.]{0,70}$",
)  # fmt: skip
assert len(SHAPES) == 20
ALTERNATION = re.compile("|".join(f"({shape})" for shape in SHAPES))


def seconds(documents: Sequence[bytes], rounds: int = 3) -> float:
    """What the floor takes for these documents, best of some rounds."""
    return min(_round(documents) for _ in range(rounds))


def _round(documents: Sequence[bytes]) -> float:
    started = process_time()
    match = ALTERNATION.match
    for data in documents:
        for line in data.decode().split("\n"):
            match(line)
    return process_time() - started
