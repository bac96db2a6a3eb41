"""Dumps of a whole invented game: datasheet pages as text, with the glue, the doubling and the furniture of real ones.

    >>> first = dump(0, seed=1)
    >>> first == dump(0, seed=1), first.name.endswith(".txt")
    (True, True)

A page is a datasheet with weapons, options, abilities, keywords and a stratagem list of its own, then rules, stratagem cards and
keyword indexes. Half of what it prints (`REPEATED`) stands on other pages of its edition too: core rules, weapon abilities, the
army rule, detachments of its faction. The other half is its own: detachments with their cards, rules, texts without a title.
Every second page is of the 11th edition, with numbered rules, the others are of the 10th.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.prose import Prose, stem
from pipeline.vocabulary import vocabulary

DOCUMENTS = 1_600
BYTES = 45_000
REPEATED = 0.5
FACTIONS = (
    "Saltmarch Compact", "Order of the Ninth Bell", "Free Ferries", "Cinder Court", "Hollow Crown", "Brass Orchard", "Weir Folk",
    "Kelmaren Hosts",
)  # fmt: skip
_TYPES = ("Battle Tactic", "Strategic Ploy", "Epic Deed", "Wargear")
_SHELF = "Lockhouse"  # first word of what belongs to no page: keeps names of pages and of the shelf apart
_VALUES = {"ANTI": "-INFANTRY 4+", "CLEAVE": " 1", "MELTA": " 2", "RAPID FIRE": " 2", "SUSTAINED HITS": " 1"}
_ABILITIES = {"ranged": ("ANTI", "BLAST", "DEVASTATING WOUNDS", "HEAVY", "IGNORES COVER", "MELTA", "RAPID FIRE", "TWIN-LINKED"),
              "melee": ("ANTI", "DEVASTATING WOUNDS", "EXTRA ATTACKS", "LETHAL HITS", "PRECISION", "SUSTAINED HITS")}  # fmt: skip
_CORE_ABILITIES = ("Deadly Demise", "Deep Strike", "Feel No Pain", "Infiltrators", "Scouts", "Stealth")
_WITH_VALUE = {"Deadly Demise": " D3", "Feel No Pain": " 5+", "Scouts": ' 6"'}
_MODES = "Before selecting targets for this weapon, select one mode."
_GROUPS = ("Infantry Character", "Battleline", "Infantry", "Vehicle", "Transport", "Monster", "Epic Hero")
_BULK = ("INFANTRY", "VEHICLE", "MONSTER", "MOUNTED", "BEASTS")


class Dump(NamedTuple):
    """A raw file: its name, which names faction and unit as files of real dumps do, and its text."""

    name: str
    text: str


class Item(NamedTuple):
    """Lines that belong together below the datasheet. `glues`: they can begin at the end of the line before."""

    lines: tuple[str, ...]
    glues: bool = False

    @property
    def size(self) -> int:
        """Characters."""
        return sum(map(len, self.lines)) + len(self.lines)


class Stratagem(NamedTuple):
    """A card and what a datasheet's list prints of it."""

    entry: tuple[str, ...]
    card: Item


class Detachment(NamedTuple):
    """A detachment of a faction: the title of its rule, the rule, its stratagems."""

    title: str
    rule: Item
    stratagems: tuple[Stratagem, ...]


class Shelf(NamedTuple):
    """What many pages of one edition print."""

    abilities: dict[str, Item]  # by printed name
    core_rules: tuple[Item, ...]
    core_stratagems: tuple[Stratagem, ...]
    army_rules: dict[str, tuple[str, Item]]
    detachments: dict[str, tuple[Detachment, ...]]
    indexes: dict[str, tuple[Item, ...]]


def dumps(documents: int = DOCUMENTS, *, seed: int = 1, repeated: float = REPEATED) -> Iterator[Dump]:
    """All pages of the game."""
    return (dump(number, seed=seed, repeated=repeated) for number in range(documents))


def write(folder: Path, documents: int = DOCUMENTS, *, seed: int = 1, repeated: float = REPEATED) -> int:
    """The dumps as files of a folder; gives their size in bytes."""
    size = 0
    for made in dumps(documents, seed=seed, repeated=repeated):
        data = made.text.encode()
        (folder / made.name).write_bytes(data)
        size += len(data)
    return size


def dump(number: int, *, seed: int = 1, repeated: float = REPEATED) -> Dump:
    """One page."""
    numbered = number % 2 == 0
    return _Page(number, Prose(f"{seed}/{number}"), shelf(seed, numbered=numbered), numbered=numbered).dump(repeated)


# --- what stands below datasheets ----------------------------------------------------------------------------------------


def rule(prose: Prose, title: str, *, numbered: bool, flavour: bool = False) -> Item:
    """A rule: flavour, text, a list, an example, now and then a box or what is left of a table."""
    lines = [title, *([prose.flavour()] if flavour else []), prose.text(2, 4)]
    if prose.chance(0.5):
        lines[-1] += " This is done as follows:"
        bullets = [f"- {prose.clause()}" for _ in range(prose.number(2, 4))]
        if prose.chance(0.5):  # `follows:- First`
            lines[-1] += bullets.pop(0)
        lines += bullets
    if prose.chance(0.5):
        lines.append(prose.text(1, 3))
        example = f"Example: {prose.sentence()}"
        if prose.chance(0.5):  # `once.Example: …`
            lines[-1] += example
        else:
            lines.append(example)
    if numbered and prose.chance(0.15):
        lines += [
            "SEE ALSO",
            f"- Hazard Rolls 06.{prose.number(10, 20)}",
            f"- {prose.one(_CORE_ABILITIES)} 24.{prose.number(10, 40)}",
        ]
    if prose.chance(0.02):
        lines.append("|")
    return Item(tuple(lines), numbered)


def card(prose: Prose, name: str, type_line: str) -> Item:
    """A stratagem's card, printed in part and then again, lists in place the second time."""
    when = f"WHEN: {prose.one(('Your', 'Your opponent’s'))} {prose.one(('Movement', 'Shooting', 'Charge', 'Fight'))} phase, {prose.clause().lower()}"
    behind = [f"TARGET: {prose.sentence()}", f"EFFECT: {prose.text(1, 2)}"]
    if prose.chance(0.3):
        behind.append(f"RESTRICTIONS: {prose.sentence()}")
    bullets = [f"- {prose.clause()}" for _ in range(prose.number(2, 4))] if prose.chance(0.3) else []
    if bullets:
        when = f"{when[:-1]}, and one of these holds:"
    return Item(
        (name, f"{prose.number(1, 2)}CP", type_line, prose.flavour(), when, *behind, *bullets, *behind), glues=True
    )


def index(prose: Prose, keyword: str, faction: str) -> Item:
    """A keyword index, its datasheets lost."""
    below = [prose.one(_GROUPS) for _ in range(prose.number(1, 4))]
    sentence = f"The {keyword} keyword is used in the following {faction} datasheets:"
    if prose.chance(0.1):
        below.append("and others...")
    return Item((sentence + below[0], *below[1:]) if prose.chance(0.2) else (sentence, *below))


def detachment(prose: Prose, name: str, stratagems: int) -> Detachment:
    """A detachment's rule, some with a table of sub-rules, and its cards."""
    title = f"{prose.one(_ADJECTIVE_TITLES)} {name}"
    lines = [title, f"{name} Detachment", prose.flavour()]
    if prose.chance(0.25):
        cells = [
            f"{name.split(' ')[0]} {word} While this doctrine is in force, {prose.sentence().lower()} |"
            for word in ("Kindling", "Shroud")
        ]
        lines += [f"As your Command phase begins, one of these may be chosen to apply:{cells[0]}", *cells[1:]]
    else:
        lines += [prose.text(1, 3), *([prose.text(1, 2)] if prose.chance(0.5) else [])]
    made = [stratagem(prose, f"{name.split(' ')[0].upper()} {prose.title()}", name) for _ in range(stratagems)]
    return Detachment(title, Item(tuple(lines)), tuple(made))


def stratagem(
    prose: Prose, name: str, owner: str, tag: str | None = None, number: str = "", *, typed: bool = True
) -> Stratagem:
    """A list entry and its card."""
    line = f"{owner} – {prose.one(_TYPES)}" if typed else owner
    made = card(prose, name + number, f"{line} Stratagem")
    return Stratagem((name, made.lines[1], line, *([tag] if tag else [])), made)


_ADJECTIVE_TITLES = (
    "Oaths of the",
    "Bells of the",
    "Debts of the",
    "Lamps of the",
    "Silence of the",
    "Patience of the",
)


# --- what many pages print -----------------------------------------------------------------------------------------------


@cache
def shelf(seed: int, *, numbered: bool) -> Shelf:
    """Rules, cards and indexes that the pages of an edition share."""
    prose = Prose(f"{seed}/shelf/{numbered}")
    abilities: dict[str, Item] = {}
    for place, entry in enumerate(vocabulary("weapon_abilities"), 10):
        name: str = entry["name"]
        title = f"[{name}]24.{place}" if numbered else name.title()
        abilities[name] = rule(prose, title, numbered=numbered, flavour=True)
    for place, name in enumerate(vocabulary("rules")["core_abilities"], 50):
        title = f"{name.upper()}24.{place}" if numbered else name
        abilities[name] = rule(prose, title, numbered=numbered, flavour=True)
    return Shelf(
        abilities,
        tuple(_core_rules(prose, numbered=numbered)),
        tuple(_core_stratagems(prose, numbered=numbered)),
        {f: _army_rule(prose, f) for f in FACTIONS},
        {f: tuple(detachment(prose, f"{stem(4000 + 8 * i + n)} Vanguard", 5) for n in range(6)) for i, f in enumerate(FACTIONS)},
        {f: tuple(index(prose, keyword, f) for keyword in (*_BULK, "CHARACTER", "GRENADES", "TRANSPORT", f.upper())) for f in FACTIONS},
    )  # fmt: skip


def _core_rules(prose: Prose, *, numbered: bool) -> Iterator[Item]:
    if not numbered:
        for title in vocabulary("rules")["core_rules"]:
            yield rule(prose, title, numbered=False)
        return
    for chapter in range(1, 13):
        for part in range(1, 6):
            yield rule(prose, f"{chapter:02}.{part:02} {_SHELF} {prose.title().title()}", numbered=True)
    for part in range(1, 9):
        yield _shooting_type(prose, f"{prose.title()} SHOOTING15.{part + 40}")
    for title in vocabulary("rules")["unnumbered_steps"]:
        yield rule(prose, title, numbered=False)


def _shooting_type(prose: Prose, title: str) -> Item:
    """Labels printed in part, then again with the list."""
    effect = f"EFFECT: {prose.sentence()}"
    bullets = [f"- {prose.clause()}" for _ in range(3)]
    return Item(
        (title, f"ELIGIBLE IF: {prose.sentence()}", effect, "WHILE SHOOTING:", effect, "WHILE SHOOTING:", *bullets),
        glues=True,
    )


def _core_stratagems(prose: Prose, *, numbered: bool) -> Iterator[Stratagem]:
    for place in range(10):
        name = f"{_SHELF.upper()} {prose.title()}"
        if numbered:
            yield stratagem(prose, name, "Core", "C", f"15.{place + 10}", typed=False)
        else:
            yield stratagem(prose, name, "Core", "C")
        if place % 2:
            yield stratagem(prose, name, "Boarding Actions", "BA")


def _army_rule(prose: Prose, faction: str) -> tuple[str, Item]:
    title = f"Oath of the {faction}"
    return title, rule(prose, title, numbered=False, flavour=True)


# --- a page --------------------------------------------------------------------------------------------------------------


class _Page:
    """A page while it is written."""

    def __init__(self, number: int, prose: Prose, shared: Shelf, *, numbered: bool) -> None:
        self.number = number
        self.prose = prose
        self.shared = shared
        self.numbered = numbered
        self.word = stem(number)
        self.faction = FACTIONS[number // 2 % len(FACTIONS)]
        self.unit = (
            f"{self.word} {prose.one(('Reavers', 'Sappers', 'Colossus', 'Lancers', 'Tollkeeper', 'Barge', 'Wardens'))}"
        )
        self.bulk = prose.one(_BULK)
        self.used: list[str] = []  # abilities whose rules the page prints
        self.has_modes = False
        self.led = not numbered and prose.chance(0.4)
        self.others = prose.random.sample(shared.detachments[self.faction], 2)
        self.own = [detachment(prose, f"{self.word} {kind}", prose.number(3, 5)) for kind in ("Column", "Muster")]
        self.of_core = prose.random.sample(shared.core_stratagems, 5)

    def dump(self, repeated: float) -> Dump:
        """The page as a file."""
        size = int(BYTES * (0.6 + 0.8 * self.prose.random.random()))
        head = self._datasheet()
        wanted = size - sum(len(line.encode()) + 1 for line in head)
        items = self._items(wanted, repeated)
        if self.has_modes:
            items.insert(0, Item((_MODES,)))
        below = "".join(self._joined(items))
        end = ["", "Army List", f"Datasheets collated{self.prose.one(_GROUPS)}", *self.prose.random.sample(_GROUPS, 3)]
        name = f"{self.faction.lower().replace(' ', '-')}__{self.unit.replace(' ', '_')}.txt"
        return Dump(name, "\n".join(head) + below + "\n".join(end) + "\n")

    def _joined(self, items: list[Item]) -> Iterator[str]:
        """Items below each other; one in five that can begins in the line above."""
        above = ""
        for item in items:
            glued = item.glues and above.endswith(".") and not above.endswith("..") and self.prose.chance(0.3)
            yield "" if glued else "\n"
            yield "\n".join(item.lines)
            above = item.lines[-1]

    def _items(self, wanted: int, repeated: float) -> list[Item]:
        """Rules, cards and indexes of about the wanted size: first what the datasheet refers to, then whatever fits."""
        prose = self.prose
        listed = [s.card for s in self.of_core] + [s.card for d in self.others for s in d.stratagems]
        rules = [self.shared.abilities[name] for name in dict.fromkeys(self.used)] + [d.rule for d in self.others]
        known = [*self.shared.indexes[self.faction], *rules, *listed]
        rest = prose.random.sample(self.shared.core_rules, len(self.shared.core_rules))
        items = _filled(wanted * repeated, iter([*known, *rest]))
        own = _filled(wanted * (1 - repeated), self._own())
        made = [*items, *own]
        prose.random.shuffle(made)
        return [self.shared.army_rules[self.faction][1], *made]

    def _own(self) -> Iterator[Item]:
        """What no other page prints."""
        for own in self.own:
            yield own.rule
            yield from (s.card for s in own.stratagems)
        for keyword in (self.word, self.unit):
            yield index(self.prose, keyword.upper(), self.faction)
        place = 0
        while True:
            place += 1
            if self.numbered:  # a number that no other page has
                code = f"{30 + self.number // 40 % 60:02}.{10 + self.number % 40:02}.{place:02}"
                yield rule(self.prose, f"{code} {self.prose.title().title()}", numbered=True)
            else:
                printed = f"{self.others[place % 2].rule.lines[1]}"
                yield Item((printed, self.prose.flavour(), self.prose.text(3, 5)))

    # --- the datasheet ---------------------------------------------------------------------------------------------------

    def _datasheet(self) -> list[str]:
        parts: list[Callable[[], list[str]]] = [
            self._weapons, self._options, self._abilities, self._composition, self._damaged, self._transport, self._leader, self._keywords,
        ]  # fmt: skip
        if self.prose.chance(0.3):
            self.prose.random.shuffle(parts)
        lines = [f"{self.faction} – {self.unit}"] if self.numbered else []
        for part in parts:
            lines += part()
        return [*lines, *self._lists()]

    def _weapons(self) -> list[str]:
        lines = []
        for kind, count in (("ranged", self.prose.number(2, 5)), ("melee", self.prose.number(1, 3))):
            skill = "BS" if kind == "ranged" else "WS"
            lines.append(f"{kind.upper()} WEAPONS | RANGE | A | {skill} | S | AP | D | |")
            for _ in range(count):
                name = self.prose.weapon(f"{self.word} {stem(self.prose.number(0, 4000)).lower()}")
                modes = (" – standard", " – overcharge") if self.prose.chance(0.15) else ("",)
                for mode in modes:
                    lines += self._weapon(kind, name + mode)
                self.has_modes = self.has_modes or len(modes) > 1
        return lines

    def _weapon(self, kind: str, name: str) -> list[str]:
        prose = self.prose
        abilities = prose.random.sample(_ABILITIES[kind], prose.number(0, 2))
        self.used += abilities
        printed = [name + _VALUES.get(name, "") for name in abilities]
        bracketed = f"{name} [{', '.join(printed)}]" if printed else name
        cell = " ".join([name, *(p.lower() for p in printed)]) if self.numbered else bracketed
        reach = "Melee" if kind == "melee" else f'{prose.one((12, 18, 24, 36, 48))}"'
        values = (
            reach, prose.one(("1", "2", "3", "D6", "D3+3", "2D6")), f"{prose.number(2, 5)}+", prose.number(3, 14), -prose.number(0, 4),
            prose.one(("1", "2", "3", "D3", "D6+1")),
        )  # fmt: skip
        return [f"| {cell} | |||||||", f"| {cell} | {' | '.join(map(str, values))} | |"]

    def _options(self) -> list[str]:
        prose = self.prose
        lines = ["WARGEAR OPTIONS"]
        for _ in range(prose.number(1, 3)):
            if prose.chance(0.4):
                lines.append("- This model can carry one of the following:")
                lines += [f"- 1 {prose.weapon(self.word.lower())}" for _ in range(3)]
            else:
                old, new = prose.weapon(self.word.lower()), prose.weapon(self.word.lower())
                lines.append(f"- Any number of models can each have their {old} replaced with 1 {new}.")
        return lines

    def _abilities(self) -> list[str]:
        prose = self.prose
        core = prose.random.sample(_CORE_ABILITIES, prose.number(1, 3))
        self.used += core
        lines = [
            "ABILITIES", f"CORE: {', '.join(name + _WITH_VALUE.get(name, '') for name in core)}",
            f"FACTION: {self.shared.army_rules[self.faction][0]}",
        ]  # fmt: skip
        own = [f"{self.word} {prose.title().title()}: {prose.text(1, 3)}" for _ in range(prose.number(1, 3))]
        lines += ["".join(own)] if prose.chance(0.3) else own
        if prose.chance(0.3):
            lines += ["WARGEAR ABILITIES", f"{self.word} Lantern: {prose.text(1, 2)}"]
        return lines

    def _composition(self) -> list[str]:
        prose = self.prose
        lines = ["UNIT COMPOSITION"]
        if self.led:
            lines.append(f"- 1 {self.word} Serjeant")
        lines += [
            f"- {prose.number(2, 5)}-{prose.number(6, 10)} {self.unit}",
            f"Every model is equipped with: {prose.weapon(self.word.lower())}.",
        ]
        if self.numbered:
            cost = prose.number(50, 300)
            return [
                *lines,
                "| YOUR 1ST TO 3RD UNITS COST | |",
                f"| 5 models | {cost} |",
                "| YOUR 4TH + UNIT COSTS | |",
                f"| 5 models | {cost + 10} |",
            ]
        return [*lines, f"| 5 models | {prose.number(50, 300)} |", f"| 10 models | {prose.number(300, 500)} |"]

    def _damaged(self) -> list[str]:
        if self.bulk not in ("VEHICLE", "MONSTER"):
            return []
        return ["DAMAGED: 1-5 WOUNDS REMAINING", "With 1-5 wounds left, this model subtracts 1 from its hit rolls."]

    def _transport(self) -> list[str]:
        if self.bulk != "VEHICLE":
            return []
        return [
            "TRANSPORT",
            f"This model has a transport capacity of {self.prose.number(6, 20)} {self.word.upper()} INFANTRY models.",
        ]

    def _leader(self) -> list[str]:
        if self.prose.chance(0.7):
            return []
        return ["LEADER", "This model can be attached to these units:"]

    def _keywords(self) -> list[str]:
        words = (self.bulk, "GRENADES", self.word.upper(), self.unit.upper())
        faction = self.faction.upper()
        if self.led:  # two groups, run together
            last = f"{', '.join(words)}{self.word.upper()} SERJEANT: CHARACTER, LEADER OF {self.word.upper()}"
            return [f"KEYWORDS – ALL MODELS: {last}", "FACTION KEYWORDS:", faction, faction]
        return [f"KEYWORDS: {('; ' if self.numbered else ', ').join(words)}", "FACTION KEYWORDS:", faction, faction]

    def _lists(self) -> list[str]:
        listed = [*self.of_core, *(s for d in (*self.own, *self.others) for s in d.stratagems)]
        lines = ["STRATAGEMS", *(line for s in listed for line in s.entry)]
        return [*lines, "DETACHMENT ABILITY", *(d.title for d in (*self.own, *self.others))]


def _filled(size: float, source: Iterator[Item]) -> list[Item]:
    """Items until their sizes make up the wanted one."""
    made: list[Item] = []
    for item in source:
        if size <= item.size / 2:
            break
        size -= item.size
        made.append(item)
    return made
