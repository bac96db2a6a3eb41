"""Sections of a datasheet: abilities, options, composition, damaged bracket, transport, leaders, sections with a heading of their own.

Each function reads one section and adds to a `Sheet`; sections may come in any order. Shapes are quoted at each function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim, Span
from pipeline.extractors import prices
from pipeline.extractors.sections import Section
from pipeline.extractors.sheets import Sheet, content
from pipeline.extractors.texts import bullet, cells, clean, counted_in, line, paragraphs
from pipeline.ids import fold
from pipeline.records import Ability, HeadedText, Leader, UnitComposition, WargearOption

_PROSE = (BlockKind.TEXT, BlockKind.HEADING, BlockKind.LABELLED, BlockKind.NOTE)
_ORS = ("OR", "or:")  # stand alone between two sizes of a unit
_SMALL_WORDS = frozenset(
    [
        *("a", "an", "an’", "and", "as", "at", "but", "by", "da", "dat", "de", "for", "from", "in", "into", "is", "it", "la", "le", "n", "not", "of"),
        *("its", "on", "or", "our", "the", "to", "’n’", "un", "upon", "with"),
    ]
)  # fmt: skip

_LONGEST_NAME = 80  # characters
_NAMED = re.compile(r"(?P<name>[^.:;|]{2,80}?)\s*:\s*(?P<text>\S.*)", re.DOTALL)
# the name of the next ability in a line: `… for that unitMartial Calm: Once …`, `… of this model. Ram: If …`
_NEXT_NAME = re.compile(
    r"(?:(?<=[a-z])|(?<=[.!?][’”]))(?=[A-Z][^\s.:;|]* [^.:;|]{1,60}: [A-Z])|(?<=[^.\s]\. )(?=[A-Z][^.:;|]{1,60}: [A-Z])"
)
_REMARK = re.compile(r"(?:Designer[’']s )?(?:Note|Example)s?:")
_WARGEAR_NAME = re.compile(r"(?P<name>[A-Z][\w’'‑-]*(?: [\w’'‑-]+){1,4}): (?P<text>[A-Z].*)", re.DOTALL)
_LISTED = re.compile(r"(?:[^,;()]+|\([^()]*\)|[()])+")  # `Scouts 6" (Warden, Piper only)` is one
_SUFFIX = re.compile(r"\s*\([^()]{2,40}\)$")
_DAMAGED = re.compile(r"DAMAGED: ?(?P<low>[0-9]{1,6})(?:\s*[-–]\s*(?P<high>[0-9]{1,6}))? WOUNDS? REMAINING")
_CAPACITY = re.compile(r"transport capacity of ([0-9]{1,6})")
# `… one of the following`, `… the following list:*`, `… up to two of the following, but none twice`
_PROMPT = re.compile(r"(?::|\bfollowing\b[^.]{0,60})[ *:;]*$")
# `For every 5 models in this unit:`, `If this unit has 9 models or fewer:`: its bullets are sentences
_CONDITION = re.compile(r"^\W*(?:For every|If) (?:(?!\b(?:can|must|may)\b).){1,100}:$")
_OPTION = re.compile(r"\b(?:can|cannot|must|may)\b|^(?:For every|If|Any number of|All|Each|Every|This) ")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# what stands around the names of wargear: `Its 2 ember pistols can be replaced with 2 coil lances.`
_PIECES = re.compile(
    r"[;,.:|()]|\b(?:and|or|with|to|its|their|the|can|have|has|be|is|are|each|one|of|a|an)\b|[’']s?\s|\b[0-9]+\b",
    re.IGNORECASE,
)
# of the lines of a composition that are no bullets: `One of the following:`, `… a maximum of 10 models.`
_OF_MODELS = re.compile(r"(?:One|Two) of the following:$|.{1,80}\bmaximum of [0-9]{1,3} models\.?$", re.IGNORECASE)
_MARK = re.compile(r"\s+[–—-]\s+[A-Z][A-Z ]+$")  # `1 Wickfather Oren Dusk – EPIC HERO`


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


def _begun(blocks: Sequence[Block]) -> dict[int, tuple[str, str]]:
    """Name and text of the abilities that blocks begin, by where they start: as the page's markup says, or else as the words do."""
    kinds = (BlockKind.TEXT, BlockKind.LABELLED, BlockKind.HEADING)
    able = [b for b in blocks if b.kind in kinds and _listing(b) is None]
    told = {b.start: named for b in able if (named := _told_name(b))}
    return told or _named_by_words(blocks, able)


def _named_by_words(blocks: Sequence[Block], able: Sequence[Block]) -> dict[int, tuple[str, str]]:
    """The same by the words: a name before its text or alone above a list, or `Lamp shield: Add 1 …` where no ability stands before."""
    named: dict[int, tuple[str, str]] = {}
    lists = {b.start for b, below in pairwise(blocks) if below.kind is BlockKind.BULLET and b.text.endswith(":")}
    for block in able:
        if found := ability_name(block.text):
            named[block.start] = found
        elif block.start in lists and (found := ability_name(f"{block.text} –")):
            named[block.start] = (found[0], "")
        elif not named and (first := _WARGEAR_NAME.match(block.text)):
            named[block.start] = (clean(first["name"]), clean(first["text"]))
    return named


def _one_by_one(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks, those of a dump that hold several abilities cut where the next one's name begins."""
    for block in blocks:
        text = block.text
        names: list[int] = []
        if block.kind is BlockKind.TEXT and block.element is None and (colon := text.find(": ")) > 0:
            names = [m.start() for m in _NEXT_NAME.finditer(text, colon) if _is_next_name(text, m.start())]
        if not names:
            yield block
            continue
        for start, end in pairwise((0, *names, len(text))):
            yield Block(
                block.kind,
                block.start + start,
                block.start + end if end < len(text) else block.end,
                text[start:end].strip(),
                block.glued or start > 0,
            )


def _is_next_name(text: str, start: int) -> bool:
    head = text[start : start + 2 * _LONGEST_NAME]
    return ability_name(head) is not None and not _REMARK.match(head)


def _told_name(block: Block) -> tuple[str, str] | None:
    """Name and text where the markup tells them, `<b>Rain falls. Ash stays:</b> …`; a bold sentence is no name."""
    if block.detail[:1] != ("named",):
        return None
    name = clean(block.detail[1].rstrip(": "))
    if len(name) > _LONGEST_NAME or not any(c.isalpha() for c in name):
        return None
    return name, clean(block.text.removeprefix(block.detail[1]))


def abilities(section: Section, sheet: Sheet) -> None:
    """Abilities of the datasheet."""
    _abilities(section, sheet, "datasheet")


def wargear_abilities(section: Section, sheet: Sheet) -> None:
    """Abilities of its wargear."""
    _abilities(section, sheet, "wargear")


def _abilities(section: Section, sheet: Sheet, kind: str) -> None:
    """`CORE: Deadly Demise D3, Hover`, `FACTION: …`, `Name: text` with its bullets; several in one line."""
    current: list[Block] = []
    blocks = list(_one_by_one(content(section, sheet)))
    begun = _begun(blocks)

    def close() -> None:
        if not current:
            return
        name, text = begun[current[0].start]
        rest = paragraphs(current[1:])
        _ability(sheet, kind, name, None, "\n".join(filter(None, (text, rest))) or None, current)
        current.clear()

    for block in blocks:
        label = _listing(block)
        if label is not None:
            close()
            names, listed_kind = label
            for printed in names:
                name, value, remark = values.with_value_and_remark(printed)
                _ability(sheet, listed_kind, name, value, remark, [block])
            sheet.claim(Claim.VALUE, block)
            continue
        if block.start in begun:
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
    return [clean(n) for n in _LISTED.findall(names) if n.strip()], label.lower()


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
    blocks = content(section, sheet)
    title = clean(section.title.text) if section.title else ""
    begun = _begun(blocks)
    goes_on = (BlockKind.BULLET, BlockKind.NOTE)
    if blocks and blocks[0].start in begun and all(b.kind in goes_on or b.start in begun for b in blocks):
        rest = Section(section.kind, blocks)
        _abilities(rest, sheet, ids.slug(title))
        return
    sheet.claim(Claim.VALUE, *blocks)
    sheet.other.append(HeadedText(title, paragraphs(blocks) or ""))
    sheet.spans.extend(Span(b.start, b.end) for b in section.blocks)


def options(section: Section, sheet: Sheet) -> None:
    """`- … can be equipped with one of the following:` with its choices as further bullets, `- 1 plasma gun`; `* …` is a footnote."""
    current: list[Block] = []
    choices: list[Block] = []
    prompt = ""  # what the choices follow

    def close() -> None:
        if not current:
            return
        position = sheet.position("wargear_options")
        lines = (clean(b.text) if b.text.startswith("*") else line(b) for b in current)
        record = WargearOption(
            option_id=ids.option(sheet.datasheet_id, position), datasheet_id=sheet.datasheet_id, position=position,
            text="\n".join(lines).removeprefix("- "), choices=tuple(bullet(b.text) for b in choices),
        )  # fmt: skip
        sheet.add(record, *sorted((*current, *choices), key=attrgetter("start")))
        current.clear()
        choices.clear()

    for block in content(section, sheet):
        sheet.claim(Claim.VALUE, block)
        if current and block.text.startswith("*") and not current[0].text.startswith("*"):
            current.append(block)
        elif block.kind is not BlockKind.BULLET:
            current.append(block)
            prompt = block.text
        elif current and _is_choice(block, current[0], prompt, choices):
            choices.append(block)
        elif fold(bullet(block.text)).rstrip(".") != "none":
            close()
            current.append(block)
            prompt = block.text
    close()


def _is_choice(block: Block, option: Block, prompt: str, choices: Sequence[Block]) -> bool:
    """Whether a bullet is a choice of an option: nested in it, or of a list below what asks for one.

    What can be done is an option of its own, `1 model’s ember pistol can be …`, but where the prompt is no sentence without it:
    then a full stop parts the options that follow from the choices, if these have none.
    """
    if block.depth > option.depth:
        return True
    text = bullet(block.text)
    if (choices and choices[0].depth > option.depth) or text.endswith(":"):
        return False
    if _CONDITION.search(prompt):
        return not choices or choices[0].text.endswith(".") or not text.endswith(".")
    return bool(_PROMPT.search(prompt)) and not _OPTION.search(_BRACKETS.sub("", text))


def composition(section: Section, sheet: Sheet) -> None:
    """`- 4-9 Rough Riders`, `Every model is equipped with: …`, and the price table that follows without a heading."""
    rows: list[Block] = []
    blocks = content(section, sheet)
    for i, block in enumerate(blocks):
        if prices.is_price(blocks, i):
            rows.append(block)
        elif block.kind is BlockKind.BULLET or _OF_MODELS.match(block.text):
            sheet.claim(Claim.VALUE, block)
            for part in counted_in(block):
                counted = values.models_range(_MARK.sub("", part))
                record = UnitComposition(
                    datasheet_id=sheet.datasheet_id, position=sheet.position("unit_composition"),
                    model_name=counted[2] if counted else None, models_min=counted[0] if counted else None,
                    models_max=counted[1] if counted else None, text=bullet(block.text),
                )  # fmt: skip
                sheet.add(record, block)
        elif "equipped with" in block.text or block.kind in _PROSE:
            sheet.claim(Claim.VALUE, block)
            if block.text in _ORS:
                continue
            sheet.loadout.append(clean(block.text))
            sheet.spans.append(Span(block.start, block.end))
    prices.read_prices(rows, sheet)


def damaged(section: Section, sheet: Sheet) -> None:
    """`DAMAGED: 1-5 WOUNDS REMAINING` and its text."""
    title = section.title
    blocks = content(section, sheet)
    found = _DAMAGED.match(title.text) if title else None
    if title is None or found is None:
        return
    low = int(found["low"])
    sheet.set("damaged_low", low, title)
    sheet.set("damaged_high", int(found["high"] or low), title)
    behind = clean(title.text[found.end() :])  # of a dump that ran the heading and its text together
    if text := "\n".join(filter(None, (behind, paragraphs(blocks)))):
        sheet.set("damaged_text", text, *([title] if behind else []), *blocks)
    sheet.claim(Claim.VALUE, *blocks)


def transport(section: Section, sheet: Sheet) -> None:
    """Text `This model has a transport capacity of 12 …`, kept whole; the capacity is the first number."""
    blocks = content(section, sheet)
    text = paragraphs(blocks)
    sheet.claim(Claim.VALUE, *blocks)
    if text is None:
        return
    sheet.set("transport_text", text, *blocks)
    if found := _CAPACITY.search(text):
        sheet.set("transport_capacity", int(found[1]), *blocks)


def leader(section: Section, sheet: Sheet) -> None:
    """Text `… can be attached to the following units:` with one unit per bullet; dumps lose the units."""
    blocks = content(section, sheet)
    sheet.claim(Claim.VALUE, *blocks)
    if text := paragraphs(blocks):
        sheet.set("leader_text", text, *blocks)
    for block in blocks:
        if block.kind is BlockKind.BULLET and len(block.text) < 80 and not block.text.endswith("."):
            name = bullet(block.text)
            sheet.add(Leader(leader_id=sheet.datasheet_id, led_name=name), block)


def led_by(section: Section, sheet: Sheet) -> None:
    """Text `… can be led by the following units:`, a section; its bullets are leaders of this unit."""
    blocks = content(section, sheet)
    sheet.claim(Claim.VALUE, *blocks)
    sheet.other.append(HeadedText("LED BY", paragraphs(blocks) or ""))
    sheet.spans.extend(Span(b.start, b.end) for b in section.blocks)
    for block in blocks:
        if block.kind is BlockKind.BULLET and len(block.text) < 80 and not block.text.endswith("."):
            leader_id = ids.datasheet(sheet.faction_id, bullet(block.text))
            sheet.add(Leader(leader_id=leader_id, led_name=sheet.name, led_id=sheet.datasheet_id), block)


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
