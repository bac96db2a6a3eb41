"""Invented truth, and the dump text that the extractor would make of a page that says it.

It models the source as `SOURCES.md` measures it, and knows nothing of our reader: blocks are rows of runs parted by breaks; in a
block of its own all texts are printed once without the lists, then everything after the first run once more, lists in place; in
a tooltip the first two runs share a line; a text behind a list without a break is lost; tables leave a ruin; a tooltip's title
may share a line with the end of what stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table inside a rule: nothing of it is printed but a ruin."""


Run = Text | Bullets | Table


def paragraphs(runs: Iterable[Run]) -> str:
    """Runs as a text column has them."""
    lines: list[str] = []
    for run in runs:
        if isinstance(run, Text):
            lines.append(run.text)
        elif isinstance(run, Bullets):
            lines += [f"- {item}" for item in run.items]
    return "\n".join(lines)


@dataclass(frozen=True)
class Labelled:
    """`EFFECT: It fires.` with the list below it; the text may be empty."""

    label: str
    text: str
    items: tuple[str, ...] = ()

    @property
    def runs(self) -> list[Run]:
        head = Text(f"{self.label}: {self.text}" if self.text else f"{self.label}:")
        return [head, Bullets(self.items)] if self.items else [head]

    @property
    def content(self) -> str:
        return "\n".join(([self.text] if self.text else []) + [f"- {item}" for item in self.items])


@dataclass(frozen=True)
class Weapon:
    kind: str
    name: str
    profile: str | None
    abilities: tuple[str, ...]  # canonical
    cells: tuple[str, str, str, str, str, str]
    values: tuple[int | None, str, int | None, str, int, str]  # of the same: range, A, skill, S, AP, D
    known: bool = False  # whether the page prints the name alone

    @property
    def printed(self) -> str:
        return self.name if self.profile is None else f"{self.name} – {self.profile}"


@dataclass(frozen=True)
class Ability:
    kind: str
    name: str
    value: str | None = None
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Option:
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Models:
    name: str
    least: int
    most: int


@dataclass(frozen=True)
class StatLine:
    name: str
    base: str
    printed: tuple[str, ...]  # M T Sv W Ld OC


@dataclass(frozen=True)
class Cost:
    kind: str
    tier: tuple[int | None, int | None]
    models: int | None
    description: str
    points: int


@dataclass(frozen=True)
class Rule:
    kind: str
    title: str
    number: str | None = None
    flavour: str | None = None
    runs: tuple[Run, ...] = ()
    sections: tuple[Labelled, ...] = ()
    lost_label: bool = False  # the last section's label stands behind a list without a break
    own_block: bool = False
    examples: tuple[str, ...] = ()
    note: str | None = None
    sidebars: tuple[tuple[str, tuple[str, ...]], ...] = ()
    see_also: tuple[str, ...] = ()
    detachment: str | None = None
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def complete(self) -> bool:
        return not self.lost_label and not any(isinstance(run, Table) for run in self.runs)


@dataclass(frozen=True)
class Card:
    name: str
    points: int
    owner: str  # a detachment, `Core`, `Boarding Actions`
    type: str | None
    number: str | None
    flavour: str | None
    labels: tuple[Labelled, ...]
    phases: tuple[str, ...]
    turn: str | None
    listed: bool = True


@dataclass(frozen=True)
class Index:
    keywords: tuple[str, ...]
    faction: str | None
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Unit:
    """A datasheet's page."""

    edition: str
    faction: str
    name: str
    titled: bool
    weapons: tuple[Weapon, ...]
    headed: bool  # whether the weapon tables have their headings
    marks: str  # how abilities are told from names: `small`, `capitals`, `brackets`
    stat_lines: tuple[StatLine, ...]
    abilities: tuple[Ability, ...]
    options: tuple[Option, ...]
    composition: tuple[Models, ...]
    loadout: str | None
    costs: tuple[Cost, ...]
    keywords: tuple[tuple[str, str], ...]  # keyword, model or `*`
    damaged: tuple[int, int, str] | None
    transport: tuple[int, tuple[Run, ...]] | None
    leader: str | None
    named: tuple[tuple[str, tuple[Run, ...]], ...]
    cards: tuple[Card, ...]
    rules: tuple[Rule, ...]
    indexes: tuple[Index, ...]


# --- what a block of the page becomes ------------------------------------------------------------------------------------


def own_block(runs: Sequence[Run]) -> list[str]:
    """All texts once without the lists, then everything after the first run once more."""
    first = [run.text for run in runs if isinstance(run, Text)]
    return first + _lines(runs[1:])


def tooltip(runs: Sequence[Run]) -> list[str]:
    """The first two runs share a line."""
    lines = _lines(runs)
    if len(runs) > 1 and isinstance(runs[0], Text) and not isinstance(runs[1], Table):
        lines[:2] = [lines[0] + lines[1]]
    return lines


def _lines(runs: Iterable[Run], ruin: str = "|") -> list[str]:
    lines: list[str] = []
    for run in runs:
        if isinstance(run, Text):
            lines.append(run.text)
        elif isinstance(run, Bullets):
            lines += [f"- {item}" for item in run.items]
        else:
            lines.append(ruin)
    return lines


def headed(heading: str, lines: Sequence[str]) -> list[str]:
    return [heading, *lines]


# --- the parts of a page -------------------------------------------------------------------------------------------------


class _Page:
    def __init__(self, unit: Unit, random: Random) -> None:
        self.unit = unit
        self.random = random

    def often(self, share: float) -> bool:
        return self.random.random() < share

    def name_cell(self, weapon: Weapon) -> str:
        words = [a.lower() if self.unit.marks == "small" else a for a in weapon.abilities]
        if self.unit.marks == "brackets":
            return f"{weapon.printed} [{', '.join(words)}]" if words else weapon.printed
        return " ".join([weapon.printed, *words])

    def weapon_tables(self) -> list[list[str]]:
        tables = []
        for kind, skill in (("ranged", "BS"), ("melee", "WS")):
            rows: list[str] = []
            for weapon in [w for w in self.unit.weapons if w.kind == kind]:
                name = self.name_cell(weapon)
                lead = "| " if self.often(0.9) else ""
                rows.append(f"{lead}{name} | |||||||")
                rows.append(f"{lead}{name} | {' | '.join(weapon.cells)} |{' |' if self.often(0.8) else ''}")
            if rows and self.unit.headed:
                lead = "" if self.often(0.8) else "|"
                rows.insert(0, f"{lead}{kind.upper()} WEAPONS | RANGE | A | {skill} | S | AP | D | |")
            if rows:
                tables.append(rows)
        return tables

    def abilities(self) -> list[list[str]]:
        made = []
        kinds = list(dict.fromkeys(a.kind for a in self.unit.abilities if a.kind not in ("core", "faction")))
        listed = [a for a in self.unit.abilities if a.kind in ("core", "faction")]
        if listed and "datasheet" not in kinds:
            kinds.append("datasheet")
        for kind in kinds:
            lines: list[str] = []
            if kind == "datasheet":
                for label in ("core", "faction"):
                    names = [" ".join(filter(None, (a.name, a.value))) for a in listed if a.kind == label]
                    if names:
                        lines.append(f"{label.upper()}: {', '.join(names)}")
            bare = True  # a line of names alone stands in a paragraph of its own
            for ability in [a for a in self.unit.abilities if a.kind == kind]:
                printed = _lines(
                    (
                        replace(_text(ability.runs[0]), text=f"{ability.name}: {_text(ability.runs[0]).text}"),
                        *ability.runs[1:],
                    )
                )
                if not bare and lines and self.often(0.3) and not lines[-1].startswith("- "):
                    lines[-1] += printed[0]
                    printed = printed[1:]
                lines += printed
                bare = False
            made.append(headed("ABILITIES" if kind == "datasheet" else "WARGEAR ABILITIES", lines))
        return made

    def composition(self) -> list[str]:
        lines = ["UNIT COMPOSITION"]
        for models in self.unit.composition:
            count = str(models.least) if models.least == models.most else f"{models.least}-{models.most}"
            lines.append(f"- {count} {models.name}")
        if self.unit.loadout:
            lines.append(self.unit.loadout)
        tier: tuple[int | None, int | None] | None = None
        for cost in self.unit.costs:
            if cost.kind == "unit" and cost.tier != tier and self.unit.edition == "11e":
                lines.append(f"| {_tier(cost.tier)} | |")
            tier = cost.tier if cost.kind == "unit" else tier
            lines.append(f"| {'per ' if cost.kind == 'wargear' else ''}{cost.description} | {cost.points} |")
        return lines

    def keywords(self) -> list[str]:
        joint = "; " if self.unit.edition == "11e" else ", "
        groups: dict[str, list[str]] = {}
        for keyword, model in self.unit.keywords:
            groups.setdefault(model, []).append(keyword)
        parts = [
            (f"KEYWORDS – ALL MODELS: {joint.join(words)}" if len(groups) > 1 else f"KEYWORDS: {joint.join(words)}")
            if model == "*"
            else f"{model}: {joint.join(words)}"
            for model, words in groups.items()
        ]
        faction = self.unit.faction.upper()
        return ["".join(parts), "FACTION KEYWORDS:", faction, faction]

    def sections(self) -> list[list[str]]:
        """The datasheet's blocks, in the order of no page in particular."""
        unit = self.unit
        made = [*self.abilities(), self.composition(), self.keywords()]
        if unit.headed:
            made += self.weapon_tables()
        if unit.options:
            lines = []
            for option in unit.options:
                lines += [f"- {option.text}", *(f"- {choice}" for choice in option.choices)]
            made.append(headed("WARGEAR OPTIONS", lines))
        if unit.damaged:
            low, high, text = unit.damaged
            made.append(
                [f"DAMAGED: {low}-{high} WOUNDS REMAINING" if low != high else f"DAMAGED: {low} WOUNDS REMAINING", text]
            )
        if unit.transport:
            made.append(headed("TRANSPORT", self.block(unit.transport[1])))
        if unit.leader:
            made.append(["LEADER", unit.leader])
        made += [headed(heading, self.block(runs)) for heading, runs in unit.named]
        self.random.shuffle(made)
        return made if unit.headed else [*self.weapon_tables(), *made]

    def block(self, runs: Sequence[Run]) -> list[str]:
        """A block of the datasheet: a paragraph for each run, or one block of its own."""
        return own_block(runs) if self.often(0.3) else _lines(runs)

    def preamble(self) -> list[str]:
        lines: list[str] = []
        for number, stat_line in enumerate(self.unit.stat_lines):
            for label, value in zip(("M", "T", "Sv", "W", "Ld", "OC"), stat_line.printed, strict=True):
                lines += [label, value] if number == 0 else [value]
            lines.append(f"{stat_line.name.upper()}(⌀{stat_line.base})")
        return lines

    def lists(self) -> list[list[str]]:
        made = []
        listed = [card for card in self.unit.cards if card.listed]
        if listed:
            lines = ["STRATAGEMS"]
            for card in listed:
                kind = f" – {card.type}" if card.type else ""
                lines += [
                    card.name,
                    f"{card.points}CP",
                    f"{card.owner}{kind}" if card.type or card.owner == "Core" else f"{card.owner} Stratagem",
                ]
                lines += {"Core": ["C"], "Boarding Actions": ["BA"]}.get(card.owner, [])
            made.append(lines)
        of_detachments = [rule.title for rule in self.unit.rules if rule.kind == "detachment-rule"]
        if of_detachments:
            made.append(["DETACHMENT ABILITY" if len(of_detachments) == 1 else "DETACHMENT ABILITIES", *of_detachments])
        return made

    # --- tooltips: (lines, whether the first line can be run into the line before, whether the next can be run into the last)

    def card(self, card: Card) -> Tooltip:
        kind = f" – {card.type}" if card.type else ""
        lines = [f"{card.name}{card.number or ''}", f"{card.points}CP", f"{card.owner}{kind} Stratagem"]
        if card.flavour:
            lines += self.wrapped(card.flavour)
        lines += own_block([run for label in card.labels for run in label.runs])
        return Tooltip(lines)

    def wrapped(self, text: str) -> list[str]:
        """A flavour text, sometimes with the line breaks of the page inside its sentence."""
        words = text.split(" ")
        places = [i for i in range(2, len(words) - 1) if words[i][0].islower() and words[i - 1][-1].isalpha()]
        if not places or self.often(0.7):
            return [text]
        place = self.random.choice(places)
        return [" ".join(words[:place]), " ".join(words[place:])]

    def rule(self, rule: Rule) -> Tooltip:
        if rule.number is None:
            title = rule.title
        elif rule.kind == "core-rule":
            title = f"{rule.number} {rule.title}"
        else:
            title = f"{rule.title}{rule.number}"
        lines = [title]
        if rule.detachment:
            lines.append(f"{rule.detachment} Detachment")
        if rule.flavour:
            lines.append(rule.flavour)
        runs = [*rule.runs, *self.labelled(rule)]
        if rule.sections and rule.sections[0].label == "MAXIMUM DISTANCE":  # stands in a box of its own
            lines.append(_text(runs[0]).text)
            runs = runs[1:]
        lines += own_block(runs) if rule.own_block else tooltip(runs)
        for example in rule.examples:
            self.behind(lines, f"Example: {example}")
        if rule.note:
            self.behind(lines, f"Designer’s Note: {rule.note}")
        lines += [f"{name} {text} |" for name, text in rule.cells]
        for heading, texts in rule.sidebars:
            lines += [heading, *texts]
        if rule.see_also:
            self.behind(lines, "SEE ALSO")
            lines += [f"- {target}" for target in rule.see_also]
        return Tooltip(lines, ends=not rule.see_also and not rule.cells and lines[-1] != "|")

    def labelled(self, rule: Rule) -> list[Run]:
        """Runs of the labelled sections. A label behind a list without a break is lost, and its list stays."""
        runs: list[Run] = []
        for section in rule.sections:
            if rule.lost_label and section is rule.sections[-1]:
                runs.append(Bullets(section.items))
            else:
                runs += section.runs
        return runs

    def behind(self, lines: list[str], text: str) -> None:
        """Text on the next line, or run into the end of the last."""
        if self.often(0.4) and lines[-1][-1] in ".!?" and "|" not in lines[-1]:
            lines[-1] += text
        else:
            lines.append(text)

    def index(self, index: Index) -> Tooltip:
        names = " and ".join(index.keywords)
        faction = f"{index.faction} " if index.faction else ""
        plural = "keywords are" if len(index.keywords) > 1 else "keyword is"
        lines = [f"The {names} {plural} used in the following {faction}datasheets:", *index.groups]
        return Tooltip(lines, ends=False)

    def text(self) -> str:
        unit = self.unit
        lines = [f"{unit.faction} – {unit.name}"] if unit.titled else []
        lines += self.preamble()
        for section in self.sections():
            lines += section
        for section in self.lists():
            lines += section
        tooltips = [*map(self.card, unit.cards), *map(self.rule, unit.rules), *map(self.index, unit.indexes)]
        if self.often(0.3):
            tooltips.append(
                Tooltip(["Before selecting targets for this weapon, select one way to fire it."], False, False)
            )
        self.random.shuffle(tooltips)
        can = False
        for tip in tooltips:
            printed = list(tip.lines)
            if can and tip.starts and self.often(0.2):
                lines[-1] += printed.pop(0)
            lines += printed
            can = tip.ends and lines[-1][-1] in ".!?"
        lines += ["Army List", "Datasheets collatedInfantry Character", "Vehicle"] if self.often(0.5) else []
        return "\n".join(lines) + ("\n" if self.often(0.5) else "")


@dataclass(frozen=True)
class Tooltip:
    lines: Sequence[str]
    starts: bool = True
    ends: bool = True


def _text(run: Run) -> Text:
    assert isinstance(run, Text)
    return run


def _tier(tier: tuple[int | None, int | None]) -> str:
    first, last = tier
    if first is None:
        return "YOUR UNIT COSTS"
    if last is None:
        return f"YOUR {_ordinal(first)} + UNIT COSTS"
    return (
        f"YOUR {_ordinal(first)} TO {_ordinal(last)} UNITS COST"
        if first != last
        else f"YOUR {_ordinal(first)} UNIT COSTS"
    )


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'ST', 2: 'ND', 3: 'RD'}.get(number, 'TH') }"


def dump(unit: Unit, random: Random) -> str:
    """The dump text of a datasheet's page."""
    return _Page(unit, random).text()
