"""The text of a stratagem's card → its labelled sections; the columns for phase and turn → our words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from pipeline.vocabulary import vocabulary


class Card(NamedTuple):
    """The sections of a card; None where a label is not printed. `before` stands above the first label."""

    when: str | None
    target: str | None
    effect: str | None
    restrictions: str | None
    before: str

    @property
    def complete(self) -> bool:
        """Whether it has what every card has."""
        return None not in (self.when, self.target, self.effect)


@cache
def _label() -> re.Pattern[str]:
    labels = "|".join(map(re.escape, vocabulary("wahapedia")["labels"]))
    return re.compile(rf"^({labels}):[ \t]*", re.MULTILINE)  # `WHEN: Your Shooting phase.`


def card(text: str) -> Card:
    """Divide a plain text at the labels that begin its lines; bullets stay with the label above them."""
    columns: Mapping[str, str] = vocabulary("wahapedia")["labels"]
    before, *parts = _label().split(text)
    found: dict[str, str] = {}
    for label, section in zip(parts[::2], parts[1::2], strict=True):
        column, section = columns[label], section.strip()
        found[column] = f"{found[column]}\n{section}" if column in found else section
    return Card(found.get("when"), found.get("target"), found.get("effect"), found.get("restrictions"), before.strip())


def phases(printed: str) -> tuple[str, ...] | None:
    """`Shooting or Fight phase` → `shooting`, `fight`; none where nothing is printed, None where a word is no phase."""
    words = printed.strip().removesuffix("phase").strip()
    if not words:
        return ()
    found = re.split(r" or |, ", words)
    return tuple(word.lower() for word in found) if set(found) <= set(vocabulary("wahapedia")["phases"]) else None


def turn(printed: str) -> str | None:
    """`Opponent’s turn` → `opponents`."""
    turns: Mapping[str, str] = vocabulary("wahapedia")["turns"]
    return turns.get(printed.strip())
