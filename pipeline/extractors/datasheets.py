"""The datasheet itself: stat lines, abilities, options, composition, costs, damaged bracket, transport, leaders, other sections.

Each function reads one section and adds to a `Sheet`; sections may come in any order. Shapes are quoted at each function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim, Claimed, Span
from pipeline.extractors.faction_pages import cells
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import bullet, clean, paragraphs, unfold
from pipeline.ids import fold
from pipeline.records import (
    Ability,
    AnyRecord,
    Datasheet,
    HeadedText,
    Leader,
    Model,
    Sighting,
    UnitComposition,
    UnitCost,
    WargearOption,
)
from pipeline.vocabulary import vocabulary

RecaseFunction = Callable[[str], str]
"""Gives a name in capitals as it is printed elsewhere on the page, or as it is."""

OR = "OR"  # stands alone between two sizes of a unit
_CHARACTERISTICS: tuple[str, ...] = tuple(vocabulary("page")["characteristics"])
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "da",
        "dat",
        "de",
        "for",
        "from",
        "in",
        "into",
        "is",
        "la",
        "le",
        "n",
        "not",
        "of",
        "on",
        "or",
        "our",
        "the",
        "to",
        "’n’",
        "un",
        "upon",
        "with",
    ]
)

# `Deadly Demise D3`, `Scouts 8"`, `Feel No Pain 5+`
_WITH_VALUE = re.compile(r"(?P<name>.*?\S)\s+(?P<value>\d*D\d+(?:\+\d+)?|\d+\+?[\"″]?)$")
_NAMED = re.compile(r"(?P<name>[^.:;|]{2,80}?)\s*:\s*(?P<text>\S.*)", re.DOTALL)
_SUFFIX = re.compile(r"\s*\([^()]{2,40}\)$")
_DAMAGED = re.compile(r"DAMAGED: ?(?P<low>\d{1,6})(?:\s*[-–]\s*(?P<high>\d{1,6}))? WOUNDS? REMAINING")
_CAPACITY = re.compile(r"transport capacity of (\d{1,6})")
_TIER = re.compile(
    r"YOUR (?P<from>\d{1,6})(?:ST|ND|RD|TH)(?:\s*(?P<open>\+)|(?:\s*(?:TO|AND|-|–)\s*(?P<to>\d{1,6})(?:ST|ND|RD|TH)))?"
    r" ?(?:ONWARDS )?UNITS?(?: COSTS?)?$",
    re.IGNORECASE,
)
_PLAIN_TIER = re.compile(r"YOUR UNITS? COSTS?$", re.IGNORECASE)
_MODELS = re.compile(r"(?P<models>\d{1,6}) models?\b", re.IGNORECASE)
_SIZES = re.compile(r"\d+ ?[-–] ?\d+ models?\b", re.IGNORECASE)  # `5-10 models`: a price of the unit, for no one size
_EACH = re.compile(
    r"\+(?P<points>\d{1,6})(?: pts)? per (?P<what>\S.*)"
)  # `+5 per mauler and ward plate` below the prices
_CHOICE = re.compile(r"\d+ \S")
_OPTION = re.compile(r"\b(?:can|cannot|must|may)\b|[.:]$")
_LONGEST_NAME = 300
_BASE = re.compile(r"(?P<name>.*?)\s*\((?P<base>⌀?[^()]*(?:mm|base|model)[^()]*)\)$", re.IGNORECASE)
# what stands around the names of wargear: `Its 2 ember pistols can be replaced with 2 coil lances.`
_PIECES = re.compile(
    r"[;,.:|()]|\b(?:and|or|with|to|its|their|the|can|have|has|be|is|are|each|one|of|a|an)\b|[’']s?\s|\b\d+\b",
    re.IGNORECASE,
)
_MARK = re.compile(r"\s+[–—-]\s+[A-Z][A-Z ]+$")  # `1 Wickfather Oren Dusk – EPIC HERO`
_AND_MORE = re.compile(r" and (?=\d)")


@dataclass(slots=True)
class Sheet:
    """What the sections of a page say of its datasheet."""

    datasheet_id: str
    faction_id: str
    name: str
    sightings: list[Sighting] = field(default_factory=list)
    claims: list[Claimed] = field(default_factory=list)
    faults: list[tuple[str, str, Span, str | None, str | None]] = field(
        default_factory=list
    )  # code, message, place, table, record
    columns: dict[str, object] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    other: list[HeadedText] = field(default_factory=list)
    loadout: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    seen_abilities: set[str] = field(default_factory=set)

    def position(self, what: str) -> int:
        """The next position in a table, from 1."""
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what]

    def add(self, record: AnyRecord, *blocks: Block) -> None:
        """A record, and the blocks that it was read from."""
        self.sightings.append(Sighting(record, tuple(Span(b.start, b.end) for b in blocks)))

    def claim(self, claim: Claim, *blocks: Block) -> None:
        """Says what blocks were read as."""
        self.claims.extend(Claimed(b.start, b.end, claim) for b in blocks)

    def fault(self, code: str, message: str, block: Block, table: str | None = None, record: str | None = None) -> None:
        """A diagnostic with its place."""
        self.faults.append((code, message, Span(block.start, block.end), table, record))

    def set(self, column: str, value: object, *blocks: Block) -> None:
        """A column of the datasheet's own row."""
        if column in self.columns and self.columns[column] != value:
            self.fault(
                "duplicate-section",
                f"{column} stands twice with different content; the first stands.",
                blocks[0],
                "datasheets",
                self.datasheet_id,
            )
            return
        self.columns[column] = value
        self.spans.extend(Span(b.start, b.end) for b in blocks)

    def datasheet(self) -> Sighting:
        """The datasheet's own row."""
        if self.loadout:
            self.columns["loadout_text"] = "\n".join(self.loadout)
        record = Datasheet(
            datasheet_id=self.datasheet_id, faction_id=self.faction_id, name=self.name, other_sections=tuple(self.other),
            **self.columns,  # type: ignore[arg-type]
        )  # fmt: skip
        return Sighting(record, tuple(self.spans))


def _content(section: Section, sheet: Sheet) -> list[Block]:
    """Blocks of a section behind its heading; blank ones and ruins claimed as furniture, repeats as echoes."""
    blocks = []
    for block in section.blocks:
        if block.kind in (BlockKind.BLANK, BlockKind.RUIN):
            sheet.claim(Claim.FURNITURE, block)
        else:
            blocks.append(block)
    if section.title is not None and blocks and blocks[0] == section.title:
        sheet.claim(Claim.VALUE, blocks[0])
        blocks = blocks[1:]
    if len(blocks) > 1:
        unfolded = unfold(blocks, lists=False)
        sheet.claim(Claim.ECHO, *unfolded.echoes)
        blocks = unfolded.kept
    return blocks


def ability_name(text: str) -> tuple[str, str] | None:
    """Name and text of `Cadia Stands!: While …`; None when what stands before the colon is no name.

    A name is capitalised but for small words, `Wrath of the Deep (Psychic)`.
    """
    found = _NAMED.match(text)
    if found is None:
        return None
    name = found["name"]
    words = re.findall(r"[^\s(),]+", _SUFFIX.sub("", name))
    if not words or not any(c.isalpha() for c in name):
        return None
    if not all(w in _SMALL_WORDS or not w[0].isalpha() or w[0].isupper() for w in words) or not (
        words[0][0].isupper() or not words[0][0].isalpha()
    ):
        return None
    return clean(name), clean(found["text"])


def abilities(section: Section, sheet: Sheet, kind: str) -> None:
    """`CORE: Deadly Demise D3, Hover`, `FACTION: …`, `Name: text` with its bullets; several in one line."""
    current: list[Block] = []

    def close() -> None:
        if not current:
            return
        first = current[0]
        named = ability_name(first.text)
        if named is None:
            return
        name, text = named
        rest = paragraphs(current[1:])
        _ability(sheet, kind, name, None, "\n".join(filter(None, (text, rest))), current)
        current.clear()

    for block in _content(section, sheet):
        label = _listing(block)
        if label is not None:
            close()
            names, listed_kind = label
            for printed in names:
                name, value = with_value(printed)
                _ability(sheet, listed_kind, name, value, None, [block])
            sheet.claim(Claim.VALUE, block)
            continue
        if (
            block.kind in (BlockKind.TEXT, BlockKind.LABELLED, BlockKind.HEADING)
            and ability_name(block.text) is not None
        ):
            close()
            current.append(block)
            sheet.claim(Claim.VALUE, block)
        elif current:
            current.append(block)
            sheet.claim(Claim.VALUE, block)
    close()


def _listing(block: Block) -> tuple[list[str], str] | None:
    """Names and kind of `CORE: …`, `FACTION: …`, or of the same as a row of a table."""
    if block.kind is BlockKind.LABELLED:
        label, _, names = block.text.partition(":")
    elif block.kind is BlockKind.ROW:
        row = cells(block)
        if len(row) < 2:
            return None
        label, names = row[0].rstrip(":"), row[1]
    else:
        return None
    if label not in ("CORE", "FACTION"):
        return None
    return [clean(n) for n in re.split(r"[,;]", names) if n.strip()], label.lower()


def with_value(printed: str) -> tuple[str, str | None]:
    """`Deadly Demise D3` → (`Deadly Demise`, `D3`)"""
    found = _WITH_VALUE.match(printed)
    return (found["name"], found["value"]) if found else (printed, None)


def _ability(sheet: Sheet, kind: str, name: str, value: str | None, text: str | None, blocks: Sequence[Block]) -> None:
    identity = ids.ability(sheet.datasheet_id, kind, name)
    if identity in sheet.seen_abilities:
        sheet.fault(
            "duplicate-section", f"The ability {name} stands twice; the first stands.", blocks[0], "abilities", identity
        )
        return
    sheet.seen_abilities.add(identity)
    record = Ability(
        ability_id=identity,
        datasheet_id=sheet.datasheet_id,
        position=sheet.position("abilities"),
        kind=kind,
        name=name,
        value=value,
        text=text,
    )
    sheet.add(record, *blocks)


def named(section: Section, sheet: Sheet) -> None:
    """A heading of its own, `ORDERS`: abilities when all its lines are such, else a section."""
    blocks = _content(section, sheet)
    title = clean(section.title.text) if section.title else ""
    if (
        blocks
        and all(b.kind is BlockKind.BULLET or ability_name(b.text) for b in blocks)
        and blocks[0].kind is not BlockKind.BULLET
    ):
        rest = Section(section.kind, blocks)
        abilities(rest, sheet, ids.slug(title))
        return
    sheet.claim(Claim.VALUE, *blocks)
    sheet.other.append(HeadedText(title, paragraphs(blocks) or ""))
    sheet.spans.extend(Span(b.start, b.end) for b in section.blocks)


def options(section: Section, sheet: Sheet) -> None:
    """`- … can be equipped with one of the following:` with its choices as further bullets, `- 1 plasma gun`."""
    current: list[Block] = []
    choices: list[str] = []

    def close() -> None:
        if not current:
            return
        text = paragraphs([b for b in current if not _is_choice(b, current[0])]) or ""
        position = sheet.position("wargear_options")
        record = WargearOption(
            option_id=ids.option(sheet.datasheet_id, position), datasheet_id=sheet.datasheet_id, position=position,
            text=text.removeprefix("- "), choices=tuple(choices),
        )  # fmt: skip
        sheet.add(record, *current)
        current.clear()
        choices.clear()

    for block in _content(section, sheet):
        sheet.claim(Claim.VALUE, block)
        if block.kind is BlockKind.BULLET:
            if current and _is_choice(block, current[0]):
                current.append(block)
                choices.append(bullet(block.text))
            elif fold(bullet(block.text)).rstrip(".") != "none":
                close()
                current.append(block)
        elif current:
            current.append(block)
        else:
            current.append(block)
    close()


def _is_choice(block: Block, option: Block) -> bool:
    if block.depth > option.depth:
        return block is not option
    text = bullet(block.text)
    return (
        block is not option and block.kind is BlockKind.BULLET and option.text.rstrip().endswith(":")
        and bool(_CHOICE.match(text)) and not _OPTION.search(text)
    )  # fmt: skip


def composition(section: Section, sheet: Sheet) -> None:
    """`- 4-9 Rough Riders`, `Every model is equipped with: …`, and the price table that follows without a heading."""
    rows: list[Block] = []
    blocks = _content(section, sheet)
    for i, block in enumerate(blocks):
        if block.kind is BlockKind.ROW or _is_stacked_price(blocks, i) or _EACH.fullmatch(block.text):
            rows.append(block)
        elif block.kind is BlockKind.BULLET:
            sheet.claim(Claim.VALUE, block)
            for part in _AND_MORE.split(bullet(block.text)):
                counted = values.models_range(_MARK.sub("", part))
                record = UnitComposition(
                    datasheet_id=sheet.datasheet_id, position=sheet.position("unit_composition"),
                    model_name=counted[2] if counted else None, models_min=counted[0] if counted else None,
                    models_max=counted[1] if counted else None, text=bullet(block.text),
                )  # fmt: skip
                sheet.add(record, block)
        elif "equipped with" in block.text or block.kind in (BlockKind.TEXT, BlockKind.HEADING, BlockKind.LABELLED):
            sheet.claim(Claim.VALUE, block)
            if block.text == OR:
                continue
            sheet.loadout.append(clean(block.text))
            sheet.spans.append(Span(block.start, block.end))
    _prices(rows, sheet)


def _is_stacked_price(blocks: Sequence[Block], i: int) -> bool:
    """`2 models` with `90` on the next line: a price table with one cell per line."""
    text = blocks[i].text
    if values.points(text) is not None:
        return i > 0 and bool(_MODELS.match(blocks[i - 1].text))
    return bool(_MODELS.fullmatch(text)) and i + 1 < len(blocks) and values.points(blocks[i + 1].text) is not None


def costs(section: Section, sheet: Sheet) -> None:
    """A price table that stands alone."""
    rows = []
    for block in _content(section, sheet):
        if block.kind is BlockKind.ROW:
            rows.append(block)
    _prices(rows, sheet)


def _prices(blocks: Sequence[Block], sheet: Sheet) -> None:
    """`| YOUR 1ST TO 3RD UNITS COST | |` is a tier, `| 1 model | 75 |` a price, `| per Killsaw | 5 |` a price of wargear."""
    from_unit: int | None = None
    to_unit: int | None = None
    i = 0
    while i < len(blocks):
        block = blocks[i]
        used = [block]
        if block.kind is BlockKind.ROW:
            row = [cell for cell in cells(block) if cell]
        elif _EACH.fullmatch(block.text):
            row = [block.text]
        else:
            row = [block.text, blocks[i + 1].text] if i + 1 < len(blocks) else [block.text]
            used = list(blocks[i : i + 2])
            i += 1
        i += 1
        if len(row) == 1 and _PLAIN_TIER.match(row[0]):
            from_unit = to_unit = None
            sheet.claim(Claim.VALUE, *used)
            continue
        if len(row) == 1 and (tier := _TIER.match(row[0])):
            from_unit = int(tier["from"])
            to_unit = None if tier["open"] else int(tier["to"] or tier["from"])
            sheet.claim(Claim.VALUE, *used)
            continue
        if len(row) == 1 and (each := _EACH.fullmatch(row[0])):
            row = [each["what"], each["points"]]
        price = values.points(row[1].lstrip("+")) if len(row) == 2 else None
        if price is None:
            sheet.fault(
                "unreadable-row",
                f"A row of the price table is neither a price nor a tier: {block.text}",
                block,
                "unit_costs",
            )
            continue
        description = clean(row[0]).removeprefix("per ").removeprefix("+")
        models = _MODELS.match(description)
        is_wargear = models is None and not _SIZES.match(description)
        record = UnitCost(
            datasheet_id=sheet.datasheet_id, position=sheet.position("unit_costs"), kind="wargear" if is_wargear else "unit",
            from_unit=None if is_wargear else from_unit, to_unit=None if is_wargear else to_unit,
            models=int(models["models"]) if models else None, description=description, points=price,
        )  # fmt: skip
        sheet.add(record, *used)
        sheet.claim(Claim.VALUE, *used)


def damaged(section: Section, sheet: Sheet) -> None:
    """`DAMAGED: 1-5 WOUNDS REMAINING` and its text."""
    title = section.title
    blocks = _content(section, sheet)
    found = _DAMAGED.match(title.text) if title else None
    if title is None or found is None:
        return
    low = int(found["low"])
    sheet.set("damaged_low", low, title)
    sheet.set("damaged_high", int(found["high"] or low), title)
    if text := paragraphs(blocks):
        sheet.set("damaged_text", text, *blocks)
    sheet.claim(Claim.VALUE, *blocks)


def transport(section: Section, sheet: Sheet) -> None:
    """Text `This model has a transport capacity of 12 …`, kept whole; the capacity is the first number."""
    blocks = _content(section, sheet)
    text = paragraphs(blocks)
    sheet.claim(Claim.VALUE, *blocks)
    if text is None:
        return
    sheet.set("transport_text", text, *blocks)
    if found := _CAPACITY.search(text):
        sheet.set("transport_capacity", int(found[1]), *blocks)


def leader(section: Section, sheet: Sheet) -> None:
    """Text `… can be attached to the following units:` with one unit per bullet; dumps lose the units."""
    blocks = _content(section, sheet)
    sheet.claim(Claim.VALUE, *blocks)
    if text := paragraphs(blocks):
        sheet.set("leader_text", text, *blocks)
    for block in blocks:
        if block.kind is BlockKind.BULLET and len(block.text) < 80 and not block.text.endswith("."):
            name = bullet(block.text)
            sheet.add(Leader(leader_id=sheet.datasheet_id, led_name=name), block)


def led_by(section: Section, sheet: Sheet) -> None:
    """Text `… can be led by the following units:`, a section; its bullets are leaders of this unit."""
    blocks = _content(section, sheet)
    sheet.claim(Claim.VALUE, *blocks)
    sheet.other.append(HeadedText("LED BY", paragraphs(blocks) or ""))
    sheet.spans.extend(Span(b.start, b.end) for b in section.blocks)
    for block in blocks:
        if block.kind is BlockKind.BULLET and len(block.text) < 80 and not block.text.endswith("."):
            leader_id = ids.datasheet(sheet.faction_id, bullet(block.text))
            sheet.add(Leader(leader_id=leader_id, led_name=sheet.name, led_id=sheet.datasheet_id), block)


def stat_lines(blocks: Sequence[Block], sheet: Sheet, recase: RecaseFunction) -> None:
    """The lines before the weapons: `M` / `6"` / `T` / `3` … / `CAPTAIN(⌀28.5mm)`; labels stand only at the first profile.

    A name may also stand above the values (with its base on a line of its own). What has not this form stays unclaimed.
    """
    lines: list[_StatLine] = []
    current = _StatLine()
    order: list[str] = []
    label: str | None = None
    for block in blocks:
        text = block.text
        if text in _CHARACTERISTICS:
            if label is None and text in current.printed:
                lines.append(current)
                current = _StatLine()
            label = text
            order = [*order, text] if text not in order else order
            current.blocks.append(block)
        elif text == "INVULNERABLE SAVE":
            label = text
            current.blocks.append(block)
        elif label is not None and _is_stat(text):
            current.printed[label] = text
            current.blocks.append(block)
            label = None
        elif _is_stat(text) and order:
            if len([k for k in current.printed if k in _CHARACTERISTICS]) == len(order):
                lines.append(current)
                current = _StatLine()
            current.printed[order[len([k for k in current.printed if k in _CHARACTERISTICS])]] = text
            current.blocks.append(block)
        elif (
            (found := _BASE.match(text[:_LONGEST_NAME]))
            or fold(text) == fold(sheet.name)
            or _names_model(block, current)
        ):
            if found and not found["name"]:
                current.base = clean(found["base"].removeprefix("⌀"))
            else:
                if current.name is not None and fold(current.name) != fold(text):
                    lines.append(current)
                    current = _StatLine()
                current.name = found["name"] if found else text
                current.base = clean(found["base"].removeprefix("⌀")) if found else current.base
            current.blocks.append(block)
            if current.name is not None and len(current.printed) >= len(_CHARACTERISTICS):
                lines.append(current)
                current = _StatLine()
    lines.append(current)
    for stat_line in lines:
        _model(stat_line, sheet, recase)


@dataclass(slots=True)
class _StatLine:
    name: str | None = None
    base: str | None = None
    printed: dict[str, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def _names_model(block: Block, current: _StatLine) -> bool:
    """`FIRE COORDINATOR` behind its values, without its base."""
    complete = all(label in current.printed for label in _CHARACTERISTICS)
    return current.name is None and complete and block.kind is BlockKind.HEADING and not _is_stat(block.text)


def _is_stat(text: str) -> bool:
    return (
        values.characteristic(text) is not None
        or values.inches(text) is not None
        or values.is_absent(text)
        or text.rstrip("*").endswith('+"')
    )


def _model(stat_line: _StatLine, sheet: Sheet, recase: RecaseFunction) -> None:
    printed = stat_line.printed
    if not all(label in printed for label in _CHARACTERISTICS):
        if printed:
            sheet.fault(
                "unreadable-row",
                f"A stat line has {', '.join(printed)} alone.",
                stat_line.blocks[0],
                "models",
                sheet.datasheet_id,
            )
        elif stat_line.base and stat_line.name:
            sheet.set("base_size", stat_line.base, *stat_line.blocks)
            sheet.claim(Claim.VALUE, *stat_line.blocks)
        elif stat_line.name:
            sheet.claim(Claim.ECHO, *stat_line.blocks)
        return
    name = recase(clean(stat_line.name)) if stat_line.name else sheet.name
    numbers = {label: values.characteristic(text) for label, text in printed.items()}
    record = Model(
        model_id=ids.model(sheet.datasheet_id, name), datasheet_id=sheet.datasheet_id, position=sheet.position("models"), name=name,
        base_size=stat_line.base,
        movement_inches=values.inches(printed["M"]), movement_inches_printed=printed["M"],
        toughness=numbers["T"], toughness_printed=printed["T"], save=numbers["Sv"], save_printed=printed["Sv"],
        invulnerable_save=numbers.get("INVULNERABLE SAVE"), invulnerable_save_printed=printed.get("INVULNERABLE SAVE"),
        wounds=numbers["W"], wounds_printed=printed["W"], leadership=numbers["Ld"], leadership_printed=printed["Ld"],
        objective_control=numbers["OC"], objective_control_printed=printed["OC"],
    )  # fmt: skip
    sheet.add(record, *stat_line.blocks)
    sheet.claim(Claim.VALUE, *stat_line.blocks)


def names_in(texts: Sequence[str]) -> set[str]:
    """Folded names of wargear that options and loadouts print: `… replaced with 1 flamer and 1 close combat weapon`.

    Several of a weapon are printed in the plural, `2 seeker missiles`; both forms are given.
    """
    found: set[str] = set()
    for text in texts:
        for piece in _PIECES.split(text):
            name = fold(piece.strip(" *"))
            if name and any(c.isalpha() for c in name):
                found.add(name)
                found.add(name.removesuffix("s"))
    return found
