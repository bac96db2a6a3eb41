"""Invented names and sentences, the same for the same key: what the dumps of `generate` are filled with.

>>> Prose("a").sentence() == Prose("a").sentence()
True
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_SYLLABLES = (
    ("bar", "cor", "dra", "el", "fen", "gal", "hes", "ith", "jor", "kel", "lom", "mar", "nar", "os", "pel", "qua"),
    ("a", "e", "i", "o", "u", "ae", "ou", "ia", "ar", "er", "ir", "or", "ur", "an", "en", "on"),
    ("beck", "dale", "fell", "garth", "hold", "lock", "mere", "ness", "rick", "sand", "thorn", "vane", "wick", "wold", "yard", "zen"),
)  # fmt: skip
_WHEN = (
    "At the start of your Command phase", "Each time this unit is chosen to shoot", "While this unit holds an objective marker",
    "Once per battle round", "When an enemy unit ends a move within 9\" of it", "In the first battle round",
    "Whenever a model of this unit is destroyed", "As long as its leader stands", "If nobody is engaged with it",
    "After both players have set up their armies", "Before the roll is made", "While the tide is out", "At the end of the turn",
    "If it has not moved since its last turn", "Each time a critical hit is scored", "When it is set up from reserve",
    "For each five models in the target", "As soon as a charge is declared", "In every phase but the first",
    "While it is below half of its strength", "If the battle is still undecided", "When the bearer falls back",
)  # fmt: skip
_WHO = (
    "each friendly unit within 6\" of it", "the bearer’s unit", "one model of your choice", "every weapon of this unit",
    "the unit that was aimed at", "a friendly VEHICLE unit that can see it", "its bodyguard, if it has one",
    "an enemy unit that stands in the open", "the player whose turn it is", "all models that stand inside the area",
    "your warlord", "one of the units that are engaged with it", "the nearest enemy unit", "any INFANTRY unit aboard",
    "a unit of this kind", "whatever stands behind the wall", "each model that could see the target", "the attacking unit",
    "the last model on the field", "any unit that was set up this turn", "the whole column", "each bearer of a lamp",
)  # fmt: skip
_DOES = (
    "adds 1 to its hit rolls", "has a 5+ invulnerable save", "can make a normal move of up to D6\"", "throws one D6 for each wound",
    "loses the benefit of cover (13.08)", "subtracts 1 from its leadership", "is treated as if it had not moved",
    "cannot be chosen as a target from beyond 12\"", "has the [SUSTAINED HITS 1] ability (24)", "gains 1 objective control",
    "suffers D3 mortal wounds (06.02)", "may throw its charge roll again", "fights before all others", "does not need to test",
    "keeps what it holds", "is taken off the table and set up again", "shoots as if it were your Shooting phase",
    "counts each result of 6 twice", "ignores every modifier of its own", "passes the order on", "has [LETHAL HITS] and [PRECISION]",
    "regains one lost wound",
)  # fmt: skip
_HOW = (
    "until the end of the phase", "until your next Command phase", "for the rest of the battle", "unless it is battle-shocked",
    "if the table is dark enough", "but only once", "and so does the unit that it is attached to", "whatever the dice say",
    "in addition to what its datasheet gives it", "and its owner marks the place", "as though nothing had happened",
    "even where another rule forbids it", "when the attacks have been made", "and no more than twice in one turn",
    "at the cost of one attack", "while the signal lasts", "provided that it can be seen", "for as long as both of them live",
    "from the third battle round on", "and then the next one does", "without leaving the area", "against targets of that kind",
)  # fmt: skip
_FLAVOUR = (
    "The old banner has seen more winters than the men under it.", "A quiet road is the one that nobody came back on.",
    "They count the shells first and the dead afterwards.", "What the river takes it keeps, and it has taken a great deal.",
    "No order was ever shorter, and none was ever followed faster.", "The engineers swear by it, mostly at night.",
    "There is a song about this, but the last verse is missing.", "Rust is patient, and so are those who scrape it off.",
    "A lamp in the window means that somebody is still awake.", "Ask the ferryman what he charges for two.",
    "Even the drums stop when the colonel takes off his glasses.", "It was called a retreat only by those who wrote it down.",
)  # fmt: skip
_ADJECTIVES = (
    "ASHEN", "BRAZEN", "COLD", "DROWNED", "EMBER", "FALLING", "GILDED", "HOLLOW", "IRON", "JAGGED", "LAST", "MUTED", "NARROW",
    "PATIENT", "QUIET", "RUSTED", "SALTED", "TALLOW", "UNLIT", "WAKING",
)  # fmt: skip
_NOUNS = (
    "ANVIL", "BARRAGE", "CORDON", "DITCH", "EDICT", "FERRY", "GAMBIT", "HARBOUR", "INTERVAL", "LANTERN", "MARCH", "NOTICE",
    "OVERTURE", "PARLEY", "RECKONING", "SIGNAL", "TOLL", "VIGIL", "WATCH", "YIELD",
)  # fmt: skip
_WEAPONS = (
    "carbine", "cannon", "repeater", "mortar", "harpoon", "sling", "projector", "hook", "cleaver", "maul", "sabre", "crossbow",
    "howitzer", "thrower", "fist", "spear", "culverin", "scattergun", "launcher", "rifle",
)  # fmt: skip

_Word = TypeVar("_Word")


def stem(number: int) -> str:
    """A word that no other number has: `Barabeck`, `Corabeck`."""
    parts = []
    for syllables in _SYLLABLES:
        parts.append(syllables[number % len(syllables)])
        number //= len(syllables)
    return "".join(parts).capitalize() + ("" if number == 0 else stem(number - 1).casefold())


class Prose:
    """A stream of names and sentences."""

    def __init__(self, key: str) -> None:
        self.random = Random(key)
        self._unit = self.random.random

    def one(self, of: Sequence[_Word]) -> _Word:
        """One of some things."""
        return of[int(self._unit() * len(of))]

    def chance(self, probability: float) -> bool:
        """True as often as said."""
        return self._unit() < probability

    def number(self, least: int, most: int) -> int:
        """A whole number."""
        return least + int(self._unit() * (most - least + 1))

    def sentence(self) -> str:
        """A sentence of a rule, some hundred characters."""
        one = self.one
        if self._unit() < 0.4:
            who = one(_WHO)
            return f"{who[0].upper()}{who[1:]} {one(_DOES)} {one(_HOW)}."
        return f"{one(_WHEN)}, {one(_WHO)} {one(_DOES)} {one(_HOW)}."

    def text(self, least: int, most: int) -> str:
        """Some sentences; now and then two are run together, as dumps do."""
        made = self.sentence()
        for _ in range(self.number(least, most) - 1):
            made += ("" if self._unit() < 0.15 else " ") + self.sentence()
        return made

    def clause(self) -> str:
        """A short line of a list."""
        return f"{self.one(_WHO)} {self.one(_DOES)}".capitalize() + "."

    def flavour(self) -> str:
        """A line that says nothing of the rules."""
        return self.one(_FLAVOUR)

    def title(self) -> str:
        """`COLD HARBOUR WATCH`"""
        return f"{self.one(_ADJECTIVES)} {self.one(_NOUNS)} {self.one(_NOUNS)}"

    def weapon(self, word: str) -> str:
        """`Barabeck iron harpoon`"""
        return f"{word} {self.one(_ADJECTIVES).lower()} {self.one(_WEAPONS)}"
