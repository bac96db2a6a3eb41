"""Invented datasheets, drawn at random: what `render` makes pages of, and what is to be read back.

Left out is what the dumps make undecidable (`SOURCES.md`): two equal paragraphs in one block, two model names of which one ends
like the other. Weapons' names that end like an ability are there; `is_open` says of which nobody can tell name and abilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from pipeline.ids import slug
from tests.render import (
    Ability,
    Bullets,
    Card,
    Cost,
    Index,
    Labelled,
    Models,
    Option,
    Rule,
    Run,
    StatLine,
    Table,
    Text,
    Unit,
    Weapon,
)

T = TypeVar("T")

NOUNS = (
    "ember", "rivet", "coil", "hail", "slag", "rust", "maw", "bell", "tide", "lamp", "wick", "ash", "reef", "cinder", "spur", "anvil",
    "gale", "thorn", "brine", "tallow", "drum", "oar", "shale", "moth", "kelp", "furnace", "gannet", "quern", "tether", "lantern",
)  # fmt: skip
VERBS = (
    "carries",
    "breaks",
    "finds",
    "turns",
    "holds",
    "guards",
    "leaves",
    "follows",
    "burns",
    "hears",
    "opens",
    "bears",
)
OWNERS = (
    "old",
    "second",
    "broken",
    "nearest",
    "last",
    "silent",
    "tall",
    "drowned",
    "patient",
    "grey",
    "young",
    "hollow",
)
TAILS = (
    "", "", "", ' within 6"', " on a 4+", " until the next toll", " once per battle", ", or throws D3 more", " (see above)", " [HUSH]", ' up to 2D6"',
    "; the rest waits", " – and waits", ", unless it is ‘still’", " (but for the last of them)",
)  # fmt: skip
NAMELIKE = {"ranged": ("assault", "blast", "melta", "pistol", "psychic", "torrent"), "melee": ("lance", "psychic")}
PLAIN = {
    "ranged": ("ASSAULT", "BLAST", "HEAVY", "IGNORES COVER", "INDIRECT FIRE", "PISTOL", "TORRENT"),
    "melee": ("EXTRA ATTACKS", "LANCE"),
    "both": ("DEVASTATING WOUNDS", "HAZARDOUS", "LETHAL HITS", "PRECISION", "PSYCHIC", "TWIN-LINKED"),
}
ROLE_WORDS = (
    "Infantry",
    "Vehicle",
    "Character",
    "Epic Hero",
    "Battleline",
    "Mounted",
    "Beast",
    "Walker",
    "Dedicated Transport",
    "Monster",
    "Other",
)
WHEN: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
    ("Your Command phase", ("command",), "yours"),
    ("Your Shooting phase or the Fight phase", ("shooting", "fight"), "either"),
    ("End of your opponent’s Movement phase", ("movement",), "opponents"),
    ("Your opponent’s Shooting phase", ("shooting",), "opponents"),
    ("Fight phase", ("fight",), "either"),
    ("Any phase", ("any",), "either"),
    ("Your Movement phase or your Charge phase", ("movement", "charge"), "yours"),
)
TRIGGERS = ("", ", just after an enemy unit falls", ", when a friendly unit is picked")
TYPES = ("Battle Tactic", "Strategic Ploy", "Epic Deed", "Wargear")
CORE_10E = ("Mortal Wounds", "Hit Roll", "Engagement Range", "Advance Moves", "Visibility", "Destroyed", "Pile In")
ABILITIES_10E = ("Deep Strike", "Stealth", "Lone Operative", "Fights First", "Infiltrators", "Hover")
WEAPON_RULES_10E = ("Sustained Hits", "Lethal Hits", "Heavy", "Twin-linked", "Ignores Cover", "Hazardous", "Precision")


def unit(random: Random) -> Unit:
    """A datasheet with everything around it."""
    return _Inventor(random).unit()


def is_open(weapon: Weapon, marks: str, others: Sequence[Weapon]) -> bool:
    """Whether the printed cell alone leaves open where its name ends: a word that is both stands there once, and no page names it.

    With brackets nothing is open, as soon as some row has them.
    """
    if marks == "brackets" and any(other.abilities for other in others):
        return False
    words = NAMELIKE[weapon.kind]
    last = weapon.printed.split(" ")[-1]
    first = weapon.abilities[0].lower() if weapon.abilities else ""
    if first in words and first == last:
        return False  # the word stands twice
    if first not in words and last not in words:
        return False
    return not weapon.known or weapon.profile is not None


class _Inventor:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.said: set[str] = set()
        self.numbers: set[str] = set()
        self.edition = ""

    def one(self, words: Sequence[T]) -> T:
        return words[self.random.randrange(len(words))]

    def some(self, words: Sequence[T], least: int, most: int) -> list[T]:
        return self.random.sample(list(words), min(len(words), self.random.randint(least, most)))

    def often(self, share: float) -> bool:
        return self.random.random() < share

    # --- words

    def sentence(self, end: str = ".") -> str:
        while True:
            tail = self.one(TAILS)
            if self.edition == "11e" and self.often(0.15):
                tail = f" ({self.random.randint(1, 24):02}.{self.random.randint(1, 20):02})"
            who = f"{self.one(('The', 'Each', 'Any', 'No'))} {self.one(OWNERS)} {self.one(NOUNS)}"
            made = f"{who} {self.one(VERBS)} the {self.one(OWNERS)} {self.one(NOUNS)}{tail}{end}"
            if made not in self.said:
                self.said.add(made)
                return made

    def flavour(self) -> str:
        return self.sentence(self.one((".", ".", ".", "!", "?", ".’")))

    def item(self) -> str:
        if self.often(0.2):
            return f"{self.name(1)}: {self.sentence()}"
        return self.sentence() if self.often(0.8) else self.sentence("")

    def items(self) -> tuple[str, ...]:
        return tuple(self.item() for _ in range(self.random.randint(1, 3)))

    def name(self, most: int = 3, *, joint: str = " ") -> str:
        """A new name in Title Case."""
        while True:
            words = [self.one(NOUNS).capitalize() for _ in range(self.random.randint(1, most))]
            if len(words) > 2 and self.often(0.3):
                words[1] = self.one(("of", "and", "the"))
            if self.often(0.1):
                words[0] = f"{words[0][:3]}’{words[0][3:]}" if len(words[0]) > 4 else f"{words[0]}s’"
            made = joint.join(words)
            key = slug(made)
            if key not in self.said and len(made) > 4:
                self.said.add(key)
                return made

    def number(self, chapter: int) -> str:
        while True:
            made = f"{chapter:02}.{self.random.randint(1, 40):02}"
            if made not in self.numbers:
                self.numbers.add(made)
                return made

    def runs(self, *, tables: bool = False) -> tuple[Run, ...]:
        """Paragraphs and lists; a list is announced."""
        made: list[Run] = []
        for _ in range(self.random.randint(1, 3)):
            if self.often(0.3):
                made += [Text(self.sentence(":")), Bullets(self.items())]
            else:
                made.append(Text(self.sentence()))
        if tables and self.often(0.15):
            made.insert(self.random.randint(1, len(made)), Table())
        return tuple(made)

    # --- weapons

    def weapons(self) -> list[Weapon]:
        made: list[Weapon] = []
        names: dict[str, set[str]] = {"ranged": set(), "melee": set()}
        for _ in range(self.random.randint(1, 5)):
            kind = self.one(("ranged", "melee"))
            name = self.weapon_name(kind, made)
            if name.casefold() in names[kind]:
                continue
            names[kind].add(name.casefold())
            profiles: list[str | None] = [None]
            if self.often(0.25):
                profiles = [self.one(NOUNS), self.one(("full blast", "low", "second lance", "wide-open"))]
            for profile in profiles:
                made.append(self.weapon(kind, name, profile))
        return made

    def weapon_name(self, kind: str, others: Sequence[Weapon]) -> str:
        stem = self.one(NOUNS).capitalize()
        if self.often(0.6):
            stem += f" {self.one(NOUNS)}"
        if self.often(0.15):
            stem = f"{stem}-pattern {self.one(NOUNS)}"
        if others and self.often(0.15):
            stem = self.one(others).name
        if self.often(0.3):
            ending = self.one(("pistol", "lance", "blast", "torrent", "psychic", "melta"))
            stem += "" if stem.endswith(ending) else f" {ending}"
        return stem

    def weapon(self, kind: str, name: str, profile: str | None) -> Weapon:
        abilities = self.weapon_abilities(kind)
        reach = self.one((12, 18, 24, 36)) if kind == "ranged" else None
        attacks = self.one(("1", "4", "D6", "2D6", "D3+3", "D6+1"))
        strength = self.one(("4", "9", "14", "D6+6"))
        damage = self.one(("1", "3", "D3", "D6+1"))
        skill = self.one((2, 3, 4, 5, 6, None)) if "TORRENT" not in abilities else None
        penetration = -self.random.randint(0, 4)
        shown = f"{self.one(('-', '−', '–'))}{-penetration}" if penetration or self.often(0.2) else "0"
        cells = (
            f'{reach}"' if reach else "Melee", attacks, f"{skill}+" if skill else self.one(("N/A", "-")), strength, shown, damage,
        )  # fmt: skip
        return Weapon(kind, name, profile, abilities, cells, (reach, attacks, skill, strength, penetration, damage))

    def weapon_abilities(self, kind: str) -> tuple[str, ...]:
        if self.often(0.4):
            return ()
        found = self.some((*PLAIN[kind], *PLAIN["both"]), 0, 3)
        if self.often(0.3):
            found.insert(self.random.randint(0, len(found)), f"SUSTAINED HITS {self.one(('1', '2', 'D3'))}")
        if self.often(0.3):
            target = self.one(("INFANTRY", "EPIC HERO", "FLY", "non-MONSTER/VEHICLE"))
            found.insert(self.random.randint(0, len(found)), f"ANTI-{target} {self.one(('2+', '4+'))}")
        if kind == "ranged" and self.often(0.3):
            number = self.one(("RAPID FIRE 2", "RAPID FIRE D6+3", "MELTA 4"))
            found.insert(self.random.randint(0, len(found)), number)
        return tuple(found)

    # --- the datasheet

    def unit(self) -> Unit:
        self.edition = self.one(("10e", "11e"))
        faction = self.name(2)
        name = self.name()
        titled = self.often(0.7)
        marks = "small" if self.edition == "11e" else self.one(("brackets", "small", "capitals"))
        weapons = self.weapons()
        composition = self.composition(name, titled)
        named = [w for w in weapons if w.profile is None and self.often(0.4)]
        loadout = None
        if named:
            loadout = f"Every model is equipped with: {'; '.join(w.name for w in named)}."
        weapons = [self.with_known(w, named) for w in weapons]
        army = self.name() if self.often(0.7) else None
        unit = Unit(
            edition=self.edition, faction=faction, name=name, titled=titled, weapons=tuple(weapons), headed=self.often(0.85), marks=marks,
            stat_lines=self.stat_lines() if self.often(0.3) else (), abilities=self.abilities(army), options=self.options(weapons),
            composition=composition, loadout=loadout, costs=self.costs(), keywords=self.keywords(name, composition),
            damaged=(1, self.random.randint(1, 5), self.sentence()) if self.often(0.3) else None, transport=self.transport(),
            leader=f"This model can be attached to {self.one(NOUNS)} units such as these:" if self.often(0.3) else None,
            named=tuple((self.name(2).upper(), self.runs()) for _ in range(self.random.randint(0, 2))), cards=self.cards(),
            rules=self.rules(army), indexes=self.indexes(faction),
        )  # fmt: skip
        return unit

    def with_known(self, weapon: Weapon, named: Sequence[Weapon]) -> Weapon:
        known = any(weapon.name == other.name for other in named)
        return Weapon(weapon.kind, weapon.name, weapon.profile, weapon.abilities, weapon.cells, weapon.values, known)

    def composition(self, name: str, titled: bool) -> tuple[Models, ...]:
        names = [name] if not titled or self.often(0.3) else []
        names += [self.name(2) for _ in range(self.random.randint(1 - len(names), 2))]
        made = []
        for one in names:
            least = self.random.randint(0, 4)
            made.append(Models(one, least, max(1, least + self.one((0, 0, 5)))))
        return tuple(made)

    def stat_lines(self) -> tuple[StatLine, ...]:
        def printed() -> tuple[str, ...]:
            return (
                f'{self.one((4, 6, 12))}"', str(self.random.randint(2, 13)), f"{self.random.randint(2, 6)}+",
                str(self.random.randint(1, 20)), f"{self.random.randint(5, 8)}+", str(self.random.randint(0, 5)),
            )  # fmt: skip

        return tuple(StatLine(self.name(2), self.one(("32mm", "28.5mm", "60 x 35mm")), printed()) for _ in range(2))

    def abilities(self, army: str | None) -> tuple[Ability, ...]:
        core = [
            ("Deadly Demise", "D3"),
            ("Feel No Pain", "5+"),
            ("Scouts", '8"'),
            ("Stealth", None),
            ("Deep Strike", None),
        ]
        made = [Ability("core", name, value) for name, value in self.some(core, 0, 3)]
        if army:
            made.append(Ability("faction", army))
        for kind in ("datasheet", "wargear"):
            for _ in range(self.random.randint(0, 2)):
                name = self.name() + self.one(("", "", " (Aura)", " (Psychic)"))
                runs = (
                    (Text(self.sentence()),) if self.often(0.7) else (Text(self.sentence(":")), Bullets(self.items()))
                )
                made.append(Ability(kind, name, None, runs))
        return tuple(made)

    def options(self, weapons: Sequence[Weapon]) -> tuple[Option, ...]:
        made = []
        for _ in range(self.random.randint(0, 2)):
            if self.often(0.5):
                made.append(
                    Option(
                        f"{self.one(('This model', 'Each bearer', 'One of them'))} can take 1 {self.one(OWNERS)} {self.one(NOUNS)}."
                    )
                )
            else:
                choices = tuple(f"1 {self.one(OWNERS)} {noun}" for noun in self.some(NOUNS, 2, 3))
                made.append(Option(f"This model can take one {self.one(OWNERS)} thing of these:", choices))
        return tuple(made)

    def costs(self) -> tuple[Cost, ...]:
        tiers: list[tuple[int | None, int | None]] = [(None, None)]
        if self.edition == "11e" and self.often(0.5):
            first = self.random.randint(1, 3)
            tiers = [(1, first), (first + 1, None)]
        made = []
        for tier in tiers:
            for models in sorted(self.some((1, 3, 5, 10), 1, 2)):
                made.append(
                    Cost(
                        "unit",
                        tier,
                        models,
                        f"{models} model{'s' if models > 1 else ''}",
                        self.random.randint(1, 60) * 5,
                    )
                )
        for noun in self.some(NOUNS, 0, 1):
            made.append(Cost("wargear", (None, None), None, f"{self.one(OWNERS)} {noun}", 5))
        return tuple(made)

    def keywords(self, name: str, composition: Sequence[Models]) -> tuple[tuple[str, str], ...]:
        made = [
            (word, "*")
            for word in self.some(
                ("INFANTRY", "FLY", "GRENADES", "EPIC HERO", "BOOM BOOM", "TINKER", "BIG TINKER"), 1, 4
            )
        ]
        made.append((name.upper(), "*"))
        if len(composition) > 1 and self.often(0.5):
            for models in composition[1:]:
                made += [(word, models.name.upper()) for word in self.some(("CHARACTER", "PSYKER", "SMOKE"), 1, 2)]
        return tuple(made)

    def transport(self) -> tuple[int, tuple[Run, ...]] | None:
        if self.often(0.7):
            return None
        capacity = self.random.randint(5, 30)
        who = self.one(("INFANTRY models", "TINKER INFANTRY models (but for GRAV models)"))
        return capacity, (
            Text(f"This model has a transport capacity of {capacity} {who}."),
            *(self.runs() if self.often(0.5) else ()),
        )

    # --- cards, rules, indexes

    def cards(self) -> tuple[Card, ...]:
        made = []
        for _ in range(self.random.randint(0, 4)):
            owner = self.one(("Core", "Boarding Actions", self.name(2)))
            kind = None if owner == "Core" and self.edition == "11e" else self.one(TYPES)
            if owner not in ("Core", "Boarding Actions") and self.often(0.2):
                kind = None
            number = self.number(15) if owner == "Core" and self.edition == "11e" else None
            when, phases, turn = self.one(WHEN)
            trigger = self.one(TRIGGERS)
            items = self.items() if self.often(0.3) else ()
            labels = [Labelled("WHEN", f"{when}{trigger}{':' if items else '.'}", items)]
            for label in ("TARGET", "EFFECT", "RESTRICTIONS"):
                if label == "RESTRICTIONS" and self.often(0.6):
                    continue
                items = self.items() if self.often(0.3) else ()
                labels.append(Labelled(label, self.sentence(":" if items else "."), items))
            name = self.name().upper() + self.one(("", "", "", "!"))
            flavour = self.flavour() if self.often(0.8) else None
            listed = self.often(0.8)
            made.append(
                Card(name, self.random.randint(0, 2), owner, kind, number, flavour, tuple(labels), phases, turn, listed)
            )
        return tuple(made)

    def rules(self, army: str | None) -> tuple[Rule, ...]:
        made: list[Rule] = []
        if army and self.often(0.8):
            made.append(Rule("army-rule", army, flavour=self.flavour(), runs=self.runs(tables=True)))
        for _ in range(self.random.randint(0, 2)):
            made.append(self.detachment_rule())
        make = self.numbered if self.edition == "11e" else self.unnumbered
        titles: set[str] = set()
        for _ in range(self.random.randint(0, 5)):
            rule = make()
            if rule.title.casefold() not in titles:
                titles.add(rule.title.casefold())
                made.append(rule)
        return tuple(made)

    def detachment_rule(self) -> Rule:
        cells: tuple[tuple[str, str], ...] = ()
        runs = self.runs()
        if self.often(0.3):
            cells = tuple((self.name(2), f"While it rains, {self.sentence().lower()}") for _ in range(2))
        return Rule(
            "detachment-rule", self.name(), flavour=self.flavour(), runs=runs, detachment=self.name(2), cells=cells
        )

    def numbered(self) -> Rule:
        kind = self.one(("weapon-ability", "core-ability", "core-rule", "core-rule", "move", "shooting-type"))
        examples = tuple(self.sentence() for _ in range(self.one((0, 0, 1, 2))))
        note = self.sentence() if self.often(0.15) else None
        if kind == "core-rule":
            sidebars = tuple(
                (self.name(2).upper() + self.one(("", "?")), (self.sentence(),)) for _ in range(self.one((0, 0, 1)))
            )
            see_also = tuple(f"{self.name(2)} {self.number(7)}" for _ in range(self.one((0, 0, 1, 2))))
            number = self.number(self.random.randint(1, 14))
            if self.often(0.2):
                number += f".{self.random.randint(1, 9):02}"
            return Rule(
                kind,
                self.name(),
                number,
                runs=self.runs(tables=True),
                examples=examples,
                note=note,
                sidebars=sidebars,
                see_also=see_also,
            )
        if kind in ("weapon-ability", "core-ability"):
            title = f"[{self.name(2).upper()}]" if kind == "weapon-ability" else self.name(2).upper()
            return Rule(
                kind,
                title,
                self.number(24),
                flavour=self.flavour(),
                runs=self.runs(tables=True),
                examples=examples,
                note=note,
            )
        return self.movement() if kind == "move" else self.shooting()

    def movement(self) -> Rule:
        sections = [
            Labelled("MAXIMUM DISTANCE", self.sentence()),
            Labelled("ELIGIBLE IF", self.sentence()),
            Labelled("EFFECT", self.sentence()),
        ]
        lost = self.often(0.2)
        if lost:
            first, second = self.name(1), self.name(1)
            sections.append(
                Labelled(
                    "BEFORE MOVING", self.sentence(":"), (f"{first}: {self.sentence()}", f"{second}: {self.sentence()}")
                )
            )
            sections.append(Labelled("WHILE MOVING", "", (f"{second}: {self.sentence()}", self.sentence())))
        else:
            if self.often(0.5):
                sections.append(Labelled("BEFORE MOVING", self.sentence()))
            if self.often(0.7):
                sections.append(Labelled("AFTER MOVING", "", self.items()))
        return Rule("move", f"{self.name(2).upper()} MOVE", self.number(9), sections=tuple(sections), lost_label=lost)

    def shooting(self) -> Rule:
        sections = (
            Labelled("ELIGIBLE IF", self.sentence()), Labelled("EFFECT", self.sentence()), Labelled("WHILE SHOOTING", "", self.items()),
        )  # fmt: skip
        return Rule(
            "shooting-type",
            f"{self.name(2).upper()} SHOOTING",
            self.number(10),
            sections=sections,
            own_block=self.often(0.6),
        )

    def unnumbered(self) -> Rule:
        kind = self.one(("weapon-ability", "core-ability", "core-rule"))
        titles = {"weapon-ability": WEAPON_RULES_10E, "core-ability": ABILITIES_10E, "core-rule": CORE_10E}[kind]
        title = self.one(titles)
        if kind == "core-ability" and self.often(0.5):
            title = title.upper()
        examples = tuple(self.sentence() for _ in range(self.one((0, 0, 1, 2))))
        flavour = None if kind == "core-rule" else self.flavour()
        return Rule(kind, title, flavour=flavour, runs=self.runs(tables=True), examples=examples)

    def indexes(self, faction: str) -> tuple[Index, ...]:
        made: dict[tuple[str | None, tuple[str, ...]], Index] = {}
        for _ in range(self.random.randint(0, 3)):
            keywords = tuple(self.some(("FLY", "TINKER", "RETINUE", "SK’ARN", "EPIC HERO", "BULL-WARK"), 1, 2))
            of = faction if self.often(0.8) else None
            made[of, keywords] = Index(keywords, of, tuple(self.some(ROLE_WORDS, 0, 3)))
        return tuple(made.values())
