"""Weapon tables → weapon rows, and the division of a name cell into name and abilities.

    | Seeker missile one shot | |||||||                       the name alone: an echo
    | Seeker missile one shot | 48" | 1 | 4+ | 14 | -3 | D6+1 | |
    One Shot: The bearer …                                    a footnote that explains a one-off ability

A dump prints name and abilities in one cell. `Bright lance` has no ability, `Goad lance lance` has one: the cell alone does not
say. A row is therefore kept with all its possible divisions (`WeaponRow`); `divide` chooses when the names of the whole run are
known, and marks what stays open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from pipeline import values
from pipeline.document import Block, BlockKind, Claim, Claimed, Span
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import clean
from pipeline.ids import fold, weapon_profile
from pipeline.records import WeaponAbility, WeaponProfile
from pipeline.vocabulary import vocabulary
from pipeline.weapon_abilities import entries, names_in, parse

_WEAPON_SECTIONS: dict[str, str] = vocabulary("page")["weapon_sections"]
_COLUMNS = frozenset(vocabulary("page")["weapon_columns"])
_ORDERS = ((), *(("RANGE", "A", skill, "S", "AP", "D") for skill in ("BS", "WS")))  # (): a section's name alone
_BRACKETS = re.compile(r"(?P<name>[^\[]+?)\s*\[(?P<abilities>[^\[\]]*)\]$")
_ROUND_BRACKETS = re.compile(r"\((?P<inside>[a-z][^()]{2,60})\)$")
_MARKS = (",", ";", ":", "(", "/", "-", "–", "—", "‑", "‐")
_VALUE_BEHIND = re.compile(r" (?:[0-9]+\+?|[dD][0-9]+(?:\+[0-9]+)?)$")
_FOOTNOTE = re.compile(r"(?P<name>[^.:|]{2,60}): \S")
_MOST_WORDS = max(len(name.split()) for name in entries()) + 4
CELLS = 7
_LONGEST_NAME = 40  # words; a longer cell is no weapon, and is not searched for abilities inside it
_MOST_FOOTNOTES = 50  # of a page


class Division(msgspec.Struct, frozen=True):
    """A way to read a name cell: the name, and the abilities behind it as printed."""

    name: str
    abilities: tuple[str, ...]


class WeaponRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a weapon table as printed. `divisions`: the readings of its name cell, most abilities first."""

    datasheet_id: str
    kind: str
    position: int
    printed_name: str
    divisions: tuple[Division, ...]
    doubtful: bool
    cells: tuple[str, ...]  # range, A, BS/WS, S, AP, D
    footnotes: tuple[tuple[str, str], ...]
    above: tuple[str, ...] = ()  # abilities that stand in a row of their own
    spans: tuple[Span, ...]
    line: int = 0


class WeaponTable(msgspec.Struct):
    """What a weapon section holds."""

    rows: list[WeaponRow] = []
    claims: list[Claimed] = []
    footnotes: list[tuple[str, str]] = []  # name, text
    faults: list[tuple[str, str, Block]] = []  # code, message, block


def read_table(section: Section, datasheet_id: str, first_position: int) -> WeaponTable:
    """Rows and footnotes of one weapon section."""
    table = WeaponTable()
    blocks = list(section.blocks)
    kind: str | None = None
    unknown = False
    if section.title is not None:
        heading = section.title.text.lstrip("| ").split("|")[0].strip().rstrip(":")
        kind = _WEAPON_SECTIONS.get(heading.upper())
        unknown = kind is None
        if unknown:
            table.faults.append(
                (
                    "unknown-weapon-section",
                    f"“{heading}” is neither ranged nor melee; its rows are not read.",
                    blocks[0],
                )
            )
            return table
        if (shown := _columns(section.title.text)) not in _ORDERS:
            message = f"The columns are {', '.join(shown)}, in which its rows are not read."
            table.faults.append(("unreadable-row", message, blocks[0]))
            return table
        table.claims.append(_claim(blocks[0], Claim.FURNITURE if not heading else Claim.VALUE))
        blocks = blocks[1:]
    cells_of = _piped(blocks, table) if any(b.kind is BlockKind.ROW for b in blocks) else _stacked(blocks, table)
    above: list[tuple[str, list[Span]]] = []
    position = first_position
    for cells, spans in cells_of:
        name, rest = cells[0], tuple(cells[1:])
        if not any(rest):
            above.append((name, spans))
            continue
        row_kind = "melee" if rest[0].casefold() == "melee" else kind or "ranged"
        extra = _announced(above, name, table)
        above = []
        table.claims.extend(Claimed(s.start, s.end, Claim.VALUE) for s in spans)
        readings, doubtful = divisions(clean(name), row_kind)
        table.rows.append(
            WeaponRow(
                datasheet_id=datasheet_id,
                kind=row_kind,
                position=position,
                printed_name=clean(name),
                divisions=readings,
                doubtful=doubtful,
                cells=rest,
                footnotes=(),
                above=extra,
                spans=tuple(spans),
            )
        )
        position += 1
    _announced(above, "", table)
    return table


def _columns(header: str) -> tuple[str, ...]:
    """Names of the columns in a table's header, as far as it has them."""
    return tuple(name for cell in header.split("|") if (name := cell.strip().upper()) in _COLUMNS)


def _announced(above: Sequence[tuple[str, list[Span]]], name: str, table: WeaponTable) -> tuple[str, ...]:
    """What the rows without values above a weapon say: its name, an echo, or an ability of it (`HUNTER: INFANTRY`)."""
    abilities: list[str] = []
    for printed, spans in above:
        if fold(printed) == fold(name):
            claim = Claim.ECHO
        elif parse(printed) is not None:
            claim = Claim.VALUE
            abilities.append(printed)
        else:
            place = Block(BlockKind.ROW, spans[0].start, spans[-1].end, printed)
            table.faults.append(("unreadable-row", f"The weapon “{printed}” has no values.", place))
            continue
        table.claims.extend(Claimed(s.start, s.end, claim) for s in spans)
    return tuple(abilities)


def _claim(block: Block, claim: Claim) -> Claimed:
    return Claimed(block.start, block.end, claim)


def _piped(blocks: Sequence[Block], table: WeaponTable) -> Iterable[tuple[list[str], list[Span]]]:
    """Rows between pipes, with and without a leading one."""
    found = []
    for block in blocks:
        span = Span(block.start, block.end)
        if block.kind is BlockKind.ROW:
            cells = [cell.strip() for cell in block.text.split("|")]
            if block.text.startswith("|"):
                cells = cells[1:]
            values_only = cells[:CELLS]
            surplus = [cell for cell in cells[CELLS:] if cell]
            if any(values_only[1:]) and not all(values_only[1:CELLS] + [""] * (CELLS - len(values_only))):
                # a value that is lost moves the ones behind it, and none is printed as nothing
                table.faults.append(
                    ("unreadable-row", f"A weapon row lacks one of its {CELLS} cells: {block.text}", block)
                )
            elif surplus or not any(c.isalpha() for c in values_only[0]):  # a weapon was once called `5`
                table.faults.append(
                    ("unreadable-row", f"A weapon row has a cell too many, or no name: {block.text}", block)
                )
            else:
                found.append((values_only + [""] * (CELLS - len(values_only)), [span]))
        else:
            _other(block, table)
    return found


def _stacked(blocks: Sequence[Block], table: WeaponTable) -> Iterable[tuple[list[str], list[Span]]]:
    """One cell per line: the column heads, then per weapon its name twice and six values."""
    queue = [b for b in blocks if b.kind is not BlockKind.BLANK]
    table.claims.extend(_claim(b, Claim.FURNITURE) for b in blocks if b.kind is BlockKind.BLANK)
    found: list[tuple[list[str], list[Span]]] = []
    i = 0
    while i < len(queue) and queue[i].text in _COLUMNS:
        table.claims.append(_claim(queue[i], Claim.VALUE))
        i += 1
    while i + CELLS <= len(queue):
        name = queue[i]
        if queue[i + 1].text == name.text:
            table.claims.append(_claim(name, Claim.ECHO))
            i += 1
        cells = queue[i : i + CELLS]
        if len(cells) < CELLS or not _looks_like_values([c.text for c in cells[1:]]):
            break
        found.append(([c.text for c in cells], [Span(c.start, c.end) for c in cells]))
        i += CELLS
    for block in queue[i:]:
        _other(block, table)
    return found


def _looks_like_values(cells: Sequence[str]) -> bool:
    reach, attacks, skill, strength, penetration, damage = cells
    return (
        (values.inches(reach) is not None or values.is_absent(reach) or reach.casefold() == "melee")
        and all(values.dice(cell) is not None or values.is_absent(cell) for cell in (attacks, strength, damage))
        and (values.skill(skill) is not None or values.is_absent(skill))
        and (values.armour_penetration(penetration) is not None or values.is_absent(penetration))
    )


def _other(block: Block, table: WeaponTable) -> None:
    if block.kind in (BlockKind.RUIN, BlockKind.BLANK):
        table.claims.append(_claim(block, Claim.FURNITURE))
    elif block.kind is BlockKind.TEXT and (found := _FOOTNOTE.match(block.text)):
        table.footnotes.append((clean(found["name"]), clean(block.text[len(found["name"]) + 1 :])))
        table.claims.append(_claim(block, Claim.VALUE))


def in_style_of_page(rows: Sequence[WeaponRow]) -> list[WeaponRow]:
    """Where a page marks abilities with brackets, a name without brackets has none."""
    if not any(_BRACKETS.match(row.printed_name) for row in rows):
        return list(rows)
    return [
        row
        if _BRACKETS.match(row.printed_name)
        else msgspec.structs.replace(row, divisions=(Division(row.printed_name, ()),), doubtful=False)
        for row in rows
    ]


def footnoted(row: WeaponRow, footnotes: Sequence[tuple[str, str]]) -> WeaponRow:
    """The row with the footnotes of its page, and the divisions that their names make possible."""
    if not footnotes:
        return row
    footnotes = footnotes[:_MOST_FOOTNOTES]
    one_offs = tuple(sorted({fold(name) for name, _ in footnotes if fold(name).upper() not in entries()}))
    readings, doubtful = divisions(row.printed_name, row.kind, one_offs)
    return msgspec.structs.replace(row, footnotes=tuple(footnotes), divisions=readings, doubtful=doubtful)


@lru_cache(maxsize=65536)
def divisions(cell: str, kind: str, one_offs: tuple[str, ...] = ()) -> tuple[tuple[Division, ...], bool]:
    """The ways in which a name cell can be read, most abilities first, and whether even these are in doubt.

    Brackets mark the division. Else abilities are taken from the right: only such as weapons of this kind have, none twice, and
    the name keeps at least one word. The first of them may be the last word of the name instead, if weapons are named like that
    (`Coil lance`) or it is capitalised like a name (`Ember Lance`), unless the word stands twice (`Coil lance Lance`).
    """
    if marked := _BRACKETS.match(cell):
        abilities = tuple(part.strip() for part in marked["abilities"].split(",") if part.strip())
        return (Division(clean(marked["name"]), abilities),), False
    words = cell.split(" ")
    best = _greedy(words, kind, one_offs)
    inner = _inner_ability(best.name, kind)
    if inner is not None:
        name, rest = inner
        return (Division(name, (*rest, *best.abilities)),), True
    found = [best]
    while (last := found[-1]).abilities and _may_end_a_name(last.abilities[0]):
        word = last.abilities[0]
        if fold(last.name.split(" ")[-1]) == fold(word):
            break
        found.append(Division(f"{last.name} {word}", last.abilities[1:]))
    # MELTA always takes a value: without one it is the end of a name, or has lost it
    sound = [reading for reading in found if "melta" not in map(fold, reading.abilities)]
    doubtful = (
        0 < len(sound) < len(found)
        or _ends_like_an_ability(best.name)
        or _ends_with_a_mark(best.name)
        or _keeps_an_ability(best, kind)
    )
    return tuple(sound or found), doubtful


def _may_end_a_name(ability: str) -> bool:
    """Whether an ability's printed form is also how names end: `Coil lance`, `Ember Precision`."""
    return fold(ability) in _NAMELIKE or _is_titled(ability)


def _is_titled(text: str) -> bool:
    """Whether a text is one word, capitalised as in a name: `Pistol`; not `pISTOl`, `PISTOL`, `Ignores Cover`, `Melta 2`."""
    return " " not in text and text.istitle()


def _keeps_an_ability(reading: Division, kind: str) -> bool:
    """Whether the name's last word may be an ability in other letters than those behind it: `Ember blast HEAVY`, `Mind Lance psychic`."""
    word = fold(reading.name.rpartition(" ")[2])
    if not reading.abilities or word not in _NAMELIKE or word.upper() not in names_in(kind):
        return False
    return all(word != fold(ability) for ability in reading.abilities)


def _ends_with_a_mark(name: str) -> bool:
    """Whether a name ends as none does: at what parts it from its abilities on some page, or with abilities in round brackets."""
    bracketed = _ROUND_BRACKETS.search(name)
    return name.endswith(_MARKS) or (bracketed is not None and parse(bracketed["inside"]) is not None)


def _ends_like_an_ability(name: str) -> bool:
    """Whether a name ends with what is an ability for certain, but none that weapons of its kind have: `Ember cannon cleave 1`.

    No weapon's name ends with a value: `Coral stave fizzing 3` has an ability that nobody knows.
    """
    if _VALUE_BEHIND.search(name):
        return True
    words = name.split(" ")
    for start in range(max(1, len(words) - _MOST_WORDS), len(words) - 1):
        text = " ".join(words[start:])
        if text[:1].islower() and parse(text) is not None:
            return True
    return False


def _greedy(words: list[str], kind: str, one_offs: tuple[str, ...]) -> Division:
    """As many abilities from the right as there are."""
    taken: list[str] = []
    names: set[str] = set()
    end = len(words)
    while end > 1:
        step = _last_ability(words, end, kind, one_offs)
        if step is None or step[0] < 1 or step[1] in names:
            break
        start, name = step
        if taken and _is_name_beside(words, start, end, taken[0]):
            break
        names.add(name)
        taken.insert(0, " ".join(words[start:end]))
        end = start
    return Division(" ".join(words[:end]), tuple(taken))


def _is_name_beside(words: Sequence[str], start: int, end: int, ability: str) -> bool:
    """Whether words before an ability end the name, by their letters: the lances of `Coil lance HEAVY` and `Mind Lance heavy`.

    A cell that prints one ability in capitals prints them all so; but a word that stands twice is not in the name twice, and no
    name ends like `ignores cover`.
    """
    if start and fold(words[start - 1]) == fold(words[start]):
        return False
    if ability.replace("-non-", "-").isupper():
        return end - start == 1 and words[start].islower() and words[start] in _NAMELIKE
    return ability[:1].islower() and _is_titled(" ".join(words[start:end]))


def _last_ability(words: Sequence[str], end: int, kind: str, one_offs: tuple[str, ...]) -> tuple[int, str] | None:
    """Start and identity of the longest ability that ends before word `end`."""
    for start in range(max(0, end - _MOST_WORDS), end):
        text = " ".join(words[start:end])
        if (text[:1].islower() or text.isupper()) and fold(text) in one_offs:  # capitalised: a part of the name
            return start, fold(text)
        printed = parse(text)
        if printed is not None and printed.ability in names_in(kind):
            return start, printed.ability + (f"-{printed.target}" if printed.target else "")
    return None


def _inner_ability(name: str, kind: str) -> tuple[str, tuple[str, ...]] | None:
    """An ability inside a name, of several words or such that no name has it: what follows it is an ability that nobody knows.

    `Impaler spear anti-monster 2+ impaled` → `Impaler spear`, (`anti-monster 2+`, `impaled`)
    """
    words = name.split(" ")
    if len(words) > _LONGEST_NAME:
        return None
    for start in range(1, len(words)):
        for end in range(len(words) - 1, start, -1):
            text = " ".join(words[start:end])
            if (" " not in text and text not in _NEVER_IN_NAMES) or not text[:1].islower():
                continue
            printed = parse(text)
            if printed is not None and printed.ability in names_in(kind):
                return " ".join(words[:start]), (text, *_chunks(words[end:], kind))
    return None


def _chunks(words: list[str], kind: str) -> list[str]:
    """Abilities from the left; what stands between two of them is one that nobody knows."""
    chunks: list[str] = []
    unknown: list[str] = []
    at = 0
    while at < len(words):
        for end in range(len(words), at, -1):
            printed = parse(" ".join(words[at:end]))
            if printed is not None and printed.ability in names_in(kind):
                chunks += [" ".join(unknown)] if unknown else []
                chunks.append(" ".join(words[at:end]))
                unknown = []
                at = end
                break
        else:
            unknown.append(words[at])
            at += 1
    return chunks + ([" ".join(unknown)] if unknown else [])


class KnownNames(msgspec.Struct, frozen=True):
    """Folded names that stand alone somewhere in the run: in options and loadouts; of a kind of weapons in exports and rows.

    `possible`: all names that rows of a kind can have. A name in an option that a weapon of the other kind can have may mean that.
    """

    weapons: frozenset[str] = frozenset()
    of_kind: frozenset[tuple[str, str]] = frozenset()
    possible: frozenset[tuple[str, str]] = frozenset()
    profiles: frozenset[str] = frozenset()

    def knows(self, name: str, kind: str) -> bool:
        """Whether this name, with its profile if it has one, is known for a weapon of this kind."""
        if profile := profile_of(name):
            return fold(profile) in self.profiles
        key = fold(base_name(name))
        if (kind, key) in self.of_kind:
            return True
        other = "melee" if kind == "ranged" else "ranged"
        return key in self.weapons and (other, key) not in self.possible


def without_namesakes(rows: Sequence[WeaponRow]) -> list[WeaponRow]:
    """Rows without the readings that would make two rows of a page one weapon: beside `Hail`, `Hail pistol` is a name."""
    alone = [(row.kind, row.divisions[0].name) for row in rows if len(row.divisions) == 1 and not row.doubtful]
    names = {(kind, fold(form)) for kind, name in alone for form in (name, base_name(name))}
    made = []
    for row in rows:
        left = (
            tuple(d for d in row.divisions if (row.kind, fold(d.name)) not in names) if len(row.divisions) > 1 else ()
        )
        made.append(msgspec.structs.replace(row, divisions=left) if left and left != row.divisions else row)
    return made


def contested(rows: Sequence[WeaponRow]) -> frozenset[tuple[str, str]]:
    """Kinds and folded names that several rows of a page can have: of `Ember blast` and `Ember blast pistol`, which is it?"""
    counts = Counter((row.kind, fold(division.name)) for row in rows for division in row.divisions)
    return frozenset(name for name, count in counts.items() if count > 1)


def divide(
    row: WeaponRow, known: KnownNames, contested: frozenset[tuple[str, str]] = frozenset()
) -> tuple[Division, bool]:
    """The division of a row's name cell, and whether it is certain: one reading only, or one whose name is known.

    Where it stays open the first reading stands, as it is the right one in 99 of 100 cases (measured on 2,035 open cells of a
    whole game); but `… pistol` alone, and one word and `lance`, are how weapons are named, and stay whole, unless the words before
    are all capitalised: no name goes on in small letters.
    """
    if len(row.divisions) == 1:
        (reading,) = row.divisions
        told = {fold(name) for name, _ in row.footnotes}
        explained = all(parse(ability) is not None or fold(ability) in told for ability in reading.abilities)
        return reading, not row.doubtful or (explained and known.knows(reading.name, row.kind))
    of_known_name = [reading for reading in row.divisions if known.knows(reading.name, row.kind)]
    if len(of_known_name) == 1:
        reading = of_known_name[0]
        if (row.kind, fold(reading.name)) not in contested:
            return reading, True
        if not reading.abilities:
            return reading, False
    first, second = row.divisions[:2]
    word = fold(first.abilities[0])
    alone = len(first.abilities) == 1 and profile_of(second.name) is None and not _is_proper(first.name)
    if alone and (word == "pistol" or (word == "lance" and " " not in first.name)):
        return second, False
    return first, False


def _is_proper(name: str) -> bool:
    """Whether a name is of several words, all capitalised but those like `of`: `Dusk’s Righteous Eye`."""
    words = name.split(" ")
    return len(words) > 1 and all(word[:1].isupper() or len(word) < 4 for word in words)


def lone_profiles(rows: Sequence[WeaponRow]) -> list[WeaponRow]:
    """Rows that name a profile (`Ember pistol – standard`) of a weapon whose other profiles the page lacks."""
    profiled = [row for row in rows if profile_of(row.printed_name)]
    weapons = [fold(base_name(row.printed_name)) for row in profiled]
    return [row for row, weapon in zip(profiled, weapons, strict=True) if weapons.count(weapon) == 1]


_NEVER_IN_NAMES = frozenset({"hazardous", "twin-linked"})
_NAMELIKE = frozenset({"assault", "blast", "lance", "melta", "pistol", "psychic", "torrent"})
"""Abilities that are also last words of weapons' names."""


def base_name(name: str) -> str:
    """The weapon's name without its profile: `Plasma gun – supercharge` → `Plasma gun`."""
    return values.profile(name)[0]


def profile_of(name: str) -> str | None:
    """`Plasma gun – supercharge` → `supercharge`"""
    return values.profile(name)[1]


class DividedRow(msgspec.Struct):
    """The records of a row."""

    profile: WeaponProfile
    abilities: list[WeaponAbility]
    unknown: list[str]
    without_value: list[str]
    unreadable: list[str]


def records(row: WeaponRow, division: Division, *, certain: bool) -> DividedRow:
    """Weapon profile and weapon abilities of a row, its name cell divided."""
    weapon, profile = values.profile(division.name)
    profile_id = weapon_profile(row.datasheet_id, row.kind, weapon, profile)
    reach, attacks, skill, strength, penetration, damage = row.cells[:6]
    made = DividedRow(profile=None, abilities=[], unknown=[], without_value=[], unreadable=[])  # type: ignore[arg-type]
    notes = {fold(name): text for name, text in row.footnotes}
    canonical = []
    for position, printed in enumerate((*division.abilities, *row.above), 1):
        ability = parse(printed)
        key = fold(printed)
        text = notes.get(key) or notes.get(fold(ability.ability) if ability else key)
        if ability is None:
            canonical.append(printed.upper())
            if text is None:
                made.unknown.append(printed)
            made.abilities.append(
                WeaponAbility(profile_id=profile_id, position=position, ability=printed.upper(), text=text)
            )
            continue
        if ability.value_missing:
            made.without_value.append(ability.canonical)
        canonical.append(ability.canonical)
        made.abilities.append(
            WeaponAbility(
                profile_id=profile_id, position=position, ability=ability.ability, value=ability.value,
                target=ability.target, condition=ability.condition, text=text,
            )
        )  # fmt: skip
    dice = {"attacks": values.dice(attacks), "strength": values.dice(strength), "damage": values.dice(damage)}
    for column, cell in (("attacks", attacks), ("strength", strength), ("damage", damage)):
        if dice[column] is None and not values.is_absent(cell):
            made.unreadable.append(f"{column} “{cell}”")
    ap = values.armour_penetration(penetration)
    if ap is None and not values.is_absent(penetration):
        made.unreadable.append(f"AP “{penetration}”")
    if values.skill(skill) is None and not values.is_absent(skill):
        made.unreadable.append(f"skill “{skill}”")
    inches = None if row.kind == "melee" else values.inches(reach)
    if inches is None and row.kind == "ranged" and not values.is_absent(reach):
        made.unreadable.append(f"range “{reach}”")
    a, s, d = dice["attacks"], dice["strength"], dice["damage"]
    made.profile = WeaponProfile(
        profile_id=profile_id, datasheet_id=row.datasheet_id, position=row.position, kind=row.kind,
        weapon_name=weapon, profile_name=profile, range_inches=inches, range_printed=reach or None,
        attacks=a.printed if a else None, attacks_min=a.minimum if a else None, attacks_max=a.maximum if a else None,
        attacks_mean=a.mean if a else None, skill=values.skill(skill), skill_printed=skill or None,
        strength=s.printed if s else None, strength_min=s.minimum if s else None, strength_max=s.maximum if s else None,
        strength_mean=s.mean if s else None, armour_penetration=ap, armour_penetration_printed=penetration or None,
        damage=d.printed if d else None, damage_min=d.minimum if d else None, damage_max=d.maximum if d else None,
        damage_mean=d.mean if d else None, abilities=tuple(canonical), printed_name=row.printed_name, split_certain=certain,
    )  # fmt: skip
    return made
