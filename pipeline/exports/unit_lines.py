"""Short lines of a datasheet that exports keep whole: composition, prices, values of core abilities, capacities."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.values import counted_models, dice, models_range, points

_HERO = re.compile(r"\s*[-–]\s*EPIC HERO\s*$", re.IGNORECASE)  # `1 Brindle Prince – EPIC HERO`
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_SEVERAL = re.compile(r"(?:, | and )[0-9]+ ")  # `1 Brindle Warden and 10 Ash Guard`
_NOTED = re.compile(r"(.+?)\s*\((.+)\)")  # `D6+3 (Ash Prince model only)`
_CAPACITY = re.compile(r"transport capacity of ([0-9]+)\b", re.IGNORECASE)


class CompositionLine(NamedTuple):
    """What a line of the composition counts; all None where it counts several kinds of models, or none."""

    model_name: str | None = None
    models_min: int | None = None
    models_max: int | None = None


class CostLine(NamedTuple):
    """A price: of the unit at a size, or of something that is added to it."""

    kind: str
    models: int | None
    points: int | None


def composition_line(text: str) -> CompositionLine:
    """`4-9 Rough Riders` → the name, 4, 9."""
    line = text.partition("\n")[0].strip().removesuffix(":").rstrip(".")
    found = models_range(line)
    if found is None or _SEVERAL.search(_IN_BRACKETS.sub("", line)):
        return CompositionLine()
    least, most, printed = found
    return CompositionLine(_HERO.sub("", printed), least, most)


def cost_line(description: str, printed: str) -> CostLine:
    """`5 models`, `75` → of the unit, 5 models; `+55` → of an addition; `1 Warden and 4 Guards` are 5 models."""
    addition = printed.strip().startswith("+")
    return CostLine(
        kind="wargear" if addition else "unit",
        models=None if addition else counted_models(description),
        points=points(printed.strip().removeprefix("+")),
    )


def core_value(printed: str) -> tuple[str | None, str | None]:
    """Value of a core ability, dice in their one spelling, and the note in brackets behind it."""
    noted = _NOTED.fullmatch(printed.strip())
    value, note = (noted[1], noted[2]) if noted else (printed.strip(), None)
    number = dice(value)
    return (number.printed if number else value) or None, note


def transport_capacity(text: str | None) -> int | None:
    """Number of models, where the text gives one: `has a transport capacity of 12 Ash Compact Infantry models`."""
    found = _CAPACITY.search(text or "")
    return int(found[1]) if found else None
