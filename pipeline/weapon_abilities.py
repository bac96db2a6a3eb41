"""The bracketed abilities of weapons: one printed ability in, its name, value, target and condition out.

The abilities stand in `schemas/vocabulary/weapon_abilities.json`: the sections (`ranged`, `melee`) in which each is
printed, whether it takes a value and of what form, and whether its name has a target (`ANTI-INFANTRY`). A new ability
is one line there. Case, kinds of hyphen and the brackets around an ability do not count.

    >>> parse("anti-infantry 4+")
    PrintedAbility(ability='ANTI', value='4+', target='INFANTRY', condition=None, value_missing=False)
    >>> parse("[Sustained Hits d3]").canonical
    'SUSTAINED HITS D3'
    >>> parse("harpooned") is None  # explains itself in a footnote on its datasheet, and is no ability of the rules
    True
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

import msgspec

from pipeline.ids import fold
from pipeline.values import dice
from pipeline.vocabulary import vocabulary

_NEGATION = "NON-"
_ROLL = re.compile(r"[2-6]\+")
# the words of a keyword, alternatives divided by `/`: `epic hero`, `non-monster/vehicle`
_KEYWORDS = r"(?:[^\W\d_]+(?:[ ’-][^\W\d_]+)*)(?:/[^\W\d_]+(?:[ ’-][^\W\d_]+)*)*"
_VALUE = r"[0-9]*d[36](?: ?\+ ?[0-9]+)?|[0-9]+\+?"


class Entry(msgspec.Struct, frozen=True):
    """A line of the vocabulary. `value` is `required`, `optional` or `none`; `form` is `dice` (`2`, `D3`) or `roll`."""

    name: str
    sections: tuple[str, ...]
    value: str
    form: str | None
    target: bool


class PrintedAbility(msgspec.Struct, frozen=True):
    """One ability of a weapon. `value_missing`: it was printed without the value that it always takes."""

    ability: str
    value: str | None = None
    target: str | None = None
    condition: str | None = None
    value_missing: bool = False

    @property
    def canonical(self) -> str:
        """The one spelling: upper case but for `non-`, as the rules print it: `ANTI-INFANTRY 4+`, `ANTI-non-FLY 3+`."""
        target = "" if self.target is None else f"-{self.target}"
        value = "" if self.value is None else f" {self.value}"
        condition = "" if self.condition is None else f": {self.condition}"
        return f"{self.ability}{target}{value}{condition}"


@cache
def entries() -> dict[str, Entry]:
    """The vocabulary, by the abilities' names."""
    return {entry.name: entry for entry in msgspec.convert(vocabulary("weapon_abilities"), tuple[Entry, ...])}


@cache
def names_in(section: str) -> frozenset[str]:
    """Names of the abilities that weapons of a section (`ranged`, `melee`) can have."""
    return frozenset(entry.name for entry in entries().values() if section in entry.sections)


@cache
def _form() -> re.Pattern[str]:
    # longest name first, so that none hides behind another that is its beginning
    named = sorted(entries().values(), key=lambda entry: (-len(entry.name), entry.name))
    targeted = "|".join(re.escape(fold(entry.name)) for entry in named if entry.target)
    plain = "|".join(re.escape(fold(entry.name)) for entry in named if not entry.target)
    return re.compile(
        rf"\[?(?:(?P<targeted>{targeted})[- ](?P<target>{_KEYWORDS})|(?P<plain>{plain}))"
        rf"(?: (?P<value>{_VALUE}))?(?: ?: ?(?P<condition>{_KEYWORDS}))?\]?"
    )


@cache
def _another() -> re.Pattern[str]:
    names = "|".join(re.escape(fold(entry.name)) for entry in entries().values())
    return re.compile(rf"(?<![^ /-])(?:{names})(?![^ /-])")


def _keywords(folded: str | None) -> str | None:
    if folded is None:
        return None
    upper = folded.upper()
    return upper.replace(_NEGATION, "non-", 1) if upper.startswith(_NEGATION) else upper


def _value(entry: Entry, folded: str) -> str | None:
    if entry.form == "roll":
        return folded if _ROLL.fullmatch(folded) else None
    number = dice(folded) if entry.form == "dice" else None
    return number.printed if number else None


@lru_cache(maxsize=65536)
def parse(printed: str) -> PrintedAbility | None:
    """Read a whole text as one ability; None where it is not exactly one ability of the vocabulary.

    A name with a value of another form (`PISTOL 2`, `MELTA 3+`) is none either.
    """
    found = _form().fullmatch(fold(printed))
    if found is None:
        return None
    if any(keywords and _another().search(keywords) for keywords in (found["target"], found["condition"])):
        return None  # `anti-infantry devastating wounds`, `lethal hits: non-monster heavy`: two abilities
    entry = entries()[(found["targeted"] or found["plain"]).upper()]
    value = None
    if found["value"] is not None:
        value = _value(entry, found["value"])
        if value is None:
            return None
    return PrintedAbility(
        ability=entry.name,
        value=value,
        target=_keywords(found["target"]),
        condition=_keywords(found["condition"]),
        value_missing=value is None and entry.value == "required",
    )
