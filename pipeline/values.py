"""Typed forms of what a datasheet prints in a cell: dice, skills, inches, points, ranges of models.

In: a cell as printed, in the form of a page (`24"`, `3+`) or of an export (`24`, `3`). Out: its value, or None.

    >>> dice("d6 + 3")
    Dice(printed='D6+3', minimum=4, maximum=9, mean=6.5)
    >>> inches('20+"'), skill("N/A"), armour_penetration("−1")
    (20, None, -1)

None has two reasons, and a reader has to tell them apart: `is_absent` says that the cell prints that there is no value;
any other cell whose value is None does not have the form of its column, and that is to be reported. No function here
guesses or raises.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pipeline.ids import HYPHENS

_ABSENT = frozenset({"", "-", "n/a", "*"})
_DASHES = str.maketrans(dict.fromkeys(HYPHENS, "-"))
_FOOTNOTE_MARK = "*"  # `5*`: the mark of a note below the table

_DICE = re.compile(
    r"(?P<count>[0-9]{1,6})? ?d ?(?P<sides>[36]) ?(?:\+ ?(?P<plus>[0-9]{1,6}))?", re.IGNORECASE
)  # `2D6`, `d6 + 3`
_PLAIN = re.compile(r"[0-9]{1,6}")
_COUNTS = re.compile(r"(?:^|, | and )([0-9]{1,6}) (?=\D)")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_ROLL = re.compile(r"([0-9]{1,6})\+?")  # `3+`, in an export `3`
_PENETRATION = re.compile(r"-? ?[0-9]{1,6}")  # `-1`, `0`, `-0`
_INCHES = re.compile(r"([0-9]{1,6})\+? ?(?:\"|″|”|''|’’|′′)?")  # `24"`, `20+"`, in an export `24`
_MODELS = re.compile(
    rf"([0-9]{{1,6}})(?: ?[-{HYPHENS}] ?([0-9]{{1,6}}))? +(?!(?:or|to) [0-9]|x )(\S.*)", re.DOTALL
)  # `4-9 Rough Riders`
_PROFILE = re.compile(
    rf"(?P<weapon>.+?)\s+[-{HYPHENS}]\s+(?P<profile>.+)$"
)  # `Ember pistol – supercharge`; not `Ashen-pattern`
# `Deadly Demise D3`, `Scouts 8"`, `Feel No Pain 5+`
_WITH_VALUE = re.compile(r"(?P<name>.*?\S)\s+(?P<value>[0-9]*D[0-9]+(?:\+[0-9]+)?|[0-9]+\+?[\"″]?)$")
# `Deadly Demise D6+3 (Ash Prince model only)`; not `Wrath of the Deep (Psychic)`
_REMARK = re.compile(r"(?P<named>[^()]*\S)\s*\((?P<remark>[^()]+)\)")
_DICE_MEANS = {3: 2.0, 6: 3.5}


class Dice(NamedTuple):
    """A number that may depend on dice: canonical spelling (`2D6+1`), and its least, greatest and mean value."""

    printed: str
    minimum: int
    maximum: int
    mean: float


def _plain(printed: str) -> str:
    return printed.strip().translate(_DASHES)


def is_absent(printed: str) -> bool:
    """Whether a cell prints that there is no value: it is empty, a dash, `N/A`, or `*` for a note below the table."""
    return _plain(printed).casefold() in _ABSENT


@lru_cache(maxsize=4096)
def dice(printed: str) -> Dice | None:
    """Attacks, strength, damage, or the value of an ability: `D6+1`, `2D6`, `d6 + 3`, `1d6`, `4`.

    The canonical spelling has a capital D, no spaces and no leading 1. `3` and `D3` stay what they are. None for
    anything else.
    """
    cell = printed.strip()
    if _PLAIN.fullmatch(cell):
        number = int(cell)
        return Dice(str(number), number, number, float(number))
    found = _DICE.fullmatch(cell)
    if found is None:
        return None
    count, sides, plus = int(found["count"] or 1), int(found["sides"]), int(found["plus"] or 0)
    spelling = f"{count if count > 1 else ''}D{sides}{f'+{plus}' if plus else ''}"
    return Dice(spelling, count + plus, count * sides + plus, count * _DICE_MEANS[sides] + plus) if count else None


def skill(printed: str) -> int | None:
    """Ballistic or weapon skill: `3+`, or `3` as exports write it, is 3. None for `N/A`, `-`, anything else."""
    found = _ROLL.fullmatch(printed.strip())
    return int(found[1]) if found else None


def armour_penetration(printed: str) -> int | None:
    """Armour penetration: `-1` with any minus sign is -1, `0` and `-0` are 0, `-` alone is None.

    `1` stays 1: a source that lost the sign has to fail validation, and not be mended by a guess.
    """
    cell = _plain(printed)
    return int(cell.replace(" ", "")) if _PENETRATION.fullmatch(cell) else None


def inches(printed: str) -> int | None:
    """Range or movement in inches: `24"`, `24″`, `24''`, `24` are 24; `20+"` is 20. None for `Melee`, `-`."""
    found = _INCHES.fullmatch(printed.strip().rstrip(_FOOTNOTE_MARK))
    return int(found[1]) if found else None


def characteristic(printed: str) -> int | None:
    """Toughness, save, invulnerable save, wounds, leadership, objective control: `4+`, `4`, `4*` are 4; `-` is None."""
    found = _ROLL.fullmatch(printed.strip().rstrip(_FOOTNOTE_MARK))
    return int(found[1]) if found else None


def points(printed: str) -> int | None:
    """A price in points: a plain number only, so that the header of a price table is never a price."""
    cell = printed.strip()
    return int(cell) if _PLAIN.fullmatch(cell) else None


def profile(printed: str) -> tuple[str, str | None]:
    """Name of a weapon and of its profile, which a dash with spaces on both sides divides: `Plasma gun – burst` → both."""
    found = _PROFILE.match(printed)
    return (found["weapon"], found["profile"]) if found else (printed, None)


def with_value(printed: str) -> tuple[str, str | None]:
    """Name and value of an ability: `Deadly Demise D3` → (`Deadly Demise`, `D3`)"""
    found = _WITH_VALUE.match(printed)
    return (found["name"], found["value"]) if found else (printed, None)


def counted_models(description: str) -> int | None:
    """How many models a price is for; None where it counts none.

    >>> counted_models("5 models"), counted_models("1 Warden, 2 Guards and 4 Hounds"), counted_models("Attack Sled")
    (5, 7, None)
    """
    counts = _COUNTS.findall(_IN_BRACKETS.sub("", description))
    return sum(map(int, counts)) if counts else None


def with_value_and_remark(printed: str) -> tuple[str, str | None, str | None]:
    """Name, value and remark of a listed ability: `Deadly Demise D6 (Warden only)` → (`Deadly Demise`, `D6`, `Warden only`)

    Brackets behind a name without a value belong to the name, as in exports.
    """
    if found := _REMARK.fullmatch(printed):
        name, value = with_value(found["named"])
        if value is not None:
            return name, value, found["remark"]
    return *with_value(printed), None


def models_range(printed: str) -> tuple[int, int, str] | None:
    """Least and greatest number of models, and what is counted: `4-9 Rough Riders` → (4, 9, 'Rough Riders').

    None where no number leads, and where the range runs backwards.
    """
    found = _MODELS.fullmatch(printed.strip())
    if found is None:
        return None
    least = int(found[1])
    most = int(found[2] or least)
    return (least, most, found[3]) if least <= most else None
