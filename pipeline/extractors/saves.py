"""Boxes of invulnerable saves in the head of a marked card → the box of each profile.

profile, box 4+, profile, box 2+         each has the one right below it
profile, box 5+, profile                 the first alone has one
profile, profile, box 5+*, `* Stoker model only.`        the note tells whose it is
profile, profile, box 5+                 given to all, and said: the page does not tell whose it is
profile, profile, box 4+, box 2+         given to none, and said
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.document import Block
from pipeline.ids import fold

_OF_SOME = re.compile(r"\bmodels? only\b", re.IGNORECASE)  # `* Ash Prince model only.`
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)


class Box(NamedTuple):
    """A printed save, the note in its box, and the place of the profile above it, -1 where none is."""

    save: Block
    note: list[Block]
    below: int


class Saves(NamedTuple):
    """The box of each profile that has one, by the place of the profile, and what is to be said of boxes that stay open."""

    of_profiles: dict[int, Box]
    left_open: list[tuple[str, Block]]


def of_profiles(blocks: Sequence[Block], names: Sequence[str]) -> Saves:
    """Whose the boxes among the blocks of a card's head are. `names`: of the profiles, in order."""
    boxes = _boxes(blocks)
    owned: dict[int, list[Box]] = defaultdict(list)
    left_open: list[tuple[str, Block]] = []
    for box in boxes:
        owners = _owners(box, names, alone=len(boxes) == 1)
        for owner in owners:
            owned[owner].append(box)
        if not owners:
            message = (
                f"The invulnerable save {box.save.text} was given to no model; the page does not tell whose it is."
            )
            left_open.append((message, box.save))
        elif len(owners) == len(names) > 1 and not _named(box, names):
            message = (
                f"The invulnerable save {box.save.text} was given to all models; the page does not tell whose it is."
            )
            left_open.append((message, box.save))
    for contested in (found for found in owned.values() if len(found) > 1):
        printed = ", ".join(box.save.text for box in contested)
        left_open.append((f"Several invulnerable saves stand below one profile: {printed}.", contested[0].save))
    return Saves({owner: found[0] for owner, found in owned.items() if len(found) == 1}, left_open)


def _boxes(blocks: Sequence[Block]) -> list[Box]:
    boxes: list[Box] = []
    below = -1
    for block in blocks:
        if block.detail == ("profile",):
            below += 1
        elif block.detail == ("invulnerable",):
            boxes.append(Box(block, [], below))
        elif block.detail == ("invulnerable-note",) and boxes:
            boxes[-1].note.append(block)
    return boxes


def _owners(box: Box, names: Sequence[str], *, alone: bool) -> Sequence[int]:
    """Places of the profiles that a box belongs to. `alone`: it is the only one of its card."""
    if len(names) < 2:
        return range(len(names))
    if named := _named(box, names):
        return named
    if not alone or 0 <= box.below < len(names) - 1:
        return [box.below] if box.below >= 0 else []
    return [] if any(_OF_SOME.search(block.text) for block in box.note) else range(len(names))


def _named(box: Box, names: Sequence[str]) -> list[int]:
    """Places of the profiles that the note of a box names as the only ones; `Stoker’s Mate` is not `Stoker` as well."""
    note = fold(" ".join(block.text for block in box.note))
    if not _ONLY.search(note):
        return []
    found: list[int] = []
    for place in sorted(range(len(names)), key=lambda place: -len(names[place])):
        note, times = re.subn(rf"(?<!\w){re.escape(fold(names[place]))}s?(?!\w)", "", note)
        if times:
            found.append(place)
    return sorted(found)
