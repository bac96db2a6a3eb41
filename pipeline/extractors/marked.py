"""Pages whose markup says what belongs together: the parts of their document → sections, and what only such pages tell.

A saved page needs no guess at where a rule begins or which words of a cell are a weapon's abilities. What its reader found is
turned here into the same sections that `sections` finds in a text dump, so that the same extractors read both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim, Document, Part, Span
from pipeline.extractors import rules, saves
from pipeline.extractors.keywords import group_model
from pipeline.extractors.sections import Expected, Section
from pipeline.extractors.sheets import RecaseFunction, Sheet
from pipeline.extractors.stratagems import detachment_record
from pipeline.extractors.texts import clean, paragraphs
from pipeline.extractors.weapons import Division, WeaponRow
from pipeline.factions import by_address, is_declared
from pipeline.ids import fold
from pipeline.records import Book, Detachment, Enhancement, HeadedText, Keyword, KeywordIndex, Model, Sighting

_RULES = frozenset(
    ["core-rule", "core-ability", "weapon-ability", "army-rule", "detachment-rule", "faction-rule", "rule"]
)
_ANNOUNCING = frozenset({"abilities", "detachment-list"})
_OF_FACTION = re.compile(r"/factions/(?P<faction>[^/?#]+)")
_FACTION_PAGE = re.compile(r"/factions/[^/?#]+/?$")
_ANCHOR = re.compile(r"#(?P<anchor>.+)$")
# `Faction Pack. Tyranids (10th edition, version 1.0)`
_SOURCE = re.compile(
    r"(?P<kind>[^.]+)\. (?P<name>.+?) \((?P<edition>[0-9]+)\w* edition(?:, version (?P<version>[\w.]+))?\)$"
)
_ALL_MODELS = re.compile(r"KEYWORDS?(?:\s*[–—-]\s*(?P<model>.+))?$")


def sections(parts: Sequence[Part], expected: Expected) -> list[Section]:
    """The sections of a marked page. Titles are settled by the page's lists and the vocabulary, else by what they link to."""
    own = {fold(p.title.text): p.kind for p in parts if p.title is not None and p.kind == "army-rule"}
    made = [_section(part, expected, own) for part in parts]
    named = {ids.slug(s.title.text): s for s in made if s.title is not None and s.kind in _RULES}
    above = {
        fold(s.title.text): parent
        for s in made
        if s.kind == "sub-rule" and s.title is not None and (parent := dict(s.facts).get("parent"))
    }
    return [_below(section, named, above) if section.kind == "sub-rule" else section for section in made]


def _section(part: Part, expected: Expected, own: dict[str, str]) -> Section:
    kind = part.kind
    if part.title is not None and kind == "titled":
        kind = _kind_of_titled(part.title, dict(part.facts), expected, own)
    elif kind == "named-rule":
        kind = "faction-rule" if len(part.blocks) > 1 else "heading"
    elif kind == "text" and all(b.kind is BlockKind.FURNITURE for b in part.blocks):
        kind = "furniture"
    return Section(kind, part.blocks, part.title, part.facts)


def _kind_of_titled(title: Block, facts: dict[str, str], expected: Expected, own: dict[str, str]) -> str:
    if title.kind is BlockKind.RULE:
        return "rule"
    if facts.get("detachment"):
        return "detachment-rule"
    if facts.get("within"):
        return "sub-rule"
    known = own.get(fold(title.text)) or expected.kind_of(title.text)
    if known and known != "detachment-rule":  # a detachment's rule prints its detachment
        return known
    href = facts.get("href")
    return "faction-rule" if not href or _OF_FACTION.search(href) else "core-rule"


def _below(section: Section, named: dict[str, Section], above: dict[str, str]) -> Section:
    """The sub-rule with the id of the rule that it is a part of: the one it stands in, or the one that its link names."""
    facts = dict(section.facts)
    assert section.title is not None
    anchor = _ANCHOR.search(facts.get("href", ""))
    printed = (facts.get("parent"), anchor and anchor["anchor"], above.get(fold(section.title.text)))
    parent = next((named[ids.slug(name)] for name in printed if name and ids.slug(name) in named), None)
    if parent is None or parent.title is None:
        return section
    of = dict(parent.facts)
    kept = {
        "parent": parent.title.text,
        "parent-kind": parent.kind,
        **({"detachment": of["detachment"]} if of.get("detachment") else {}),
    }
    return section._replace(facts=tuple(sorted({**facts, **kept}.items())))


def faction_title(document: Document) -> Block | None:
    """The title of a faction's own page, where the page is marked: its address ends with the faction, or the name is declared."""
    title = document.parts[0].title if document.parts else None
    if title is None or title.detail != ("title",):
        return None
    return title if is_declared(title.text) or _FACTION_PAGE.search(document.url or "") else None


def announcing(parts: Sequence[Part]) -> list[Block]:
    """The blocks that announce titles: the card's lists; and the numbered titles, as they tell that core rules have numbers."""
    numbered = [part.title for part in parts if part.title is not None and part.title.kind is BlockKind.RULE]
    return numbered + [block for part in parts if part.kind in _ANNOUNCING for block in part.blocks]


@lru_cache(maxsize=16384)
def context(
    facts: tuple[tuple[str, str], ...], faction: str | None, printed: str | None
) -> tuple[rules.Context, str | None]:
    """What the markup says of a rule beyond its text; and its faction, the one that its link names or the page's."""
    known = dict(facts)
    found = _OF_FACTION.search(known.get("href", ""))
    owner = by_address(found["faction"], printed) if found else faction
    parent = rules.rule_id(known["parent"], known["parent-kind"], None, owner) if "parent-kind" in known else None
    return rules.Context(
        parent_id=parent, detachment=known.get("detachment"), foreign=owner != faction, marked=True
    ), owner


def divided(rows: Sequence[WeaponRow], blocks: Iterable[Block]) -> list[WeaponRow]:
    """Weapon rows with the one division that the markup of the name cell shows, whatever their words might say."""
    shown = {b.start: b.detail for b in blocks if b.detail[:1] == ("weapon",)}
    made = []
    for row in rows:
        detail = shown.get(row.spans[0].start)
        if detail is not None:
            row = msgspec.structs.replace(row, divisions=(Division(clean(detail[1]), detail[2:]),), doubtful=False)
        made.append(row)
    return made


def members(blocks: Sequence[Block], record: KeywordIndex) -> KeywordIndex:
    """The keyword index with the names of the datasheets that stand below its role headings, where they do."""
    named = [clean(name) for b in blocks if b.detail[:1] == ("datasheets",) for name in b.text.split("\n")]
    if not named:
        return record
    all_of_them = not any(b.text.startswith("and others") for b in blocks)
    return msgspec.structs.replace(record, printed_datasheets=tuple(dict.fromkeys(named)), members_known=all_of_them)


def role_of(parts: Sequence[Part], name: str) -> str | None:
    """The role heading under which the page's keyword indexes print a datasheet; None where they print it under several."""
    found: set[str] = set()
    for part in parts:
        if part.kind != "index":
            continue
        role = None
        for block in part.blocks:
            if block.kind is BlockKind.HEADING:
                role = block.text
            elif (
                role and block.detail[:1] == ("datasheets",) and fold(name) in {fold(n) for n in block.text.split("\n")}
            ):
                found.add(role)
    return found.pop() if len(found) == 1 else None


def enhancement(section: Section, faction: str) -> tuple[Enhancement, Detachment | None, tuple[Span, ...]]:
    """Name, price, detachment, flavour and text of an enhancement, each in an element of its own."""
    facts = dict(section.facts)
    detachment = detachment_record(faction, facts["detachment"]) if facts.get("detachment") else None
    of = detachment.detachment_id if detachment else None
    body = [b for b in section.blocks if b is not section.title and b.kind is not BlockKind.BLANK]
    if detachment and body and body[0].text == f"{facts['detachment']} Detachment":
        body = body[1:]
    name = clean(facts["name"])
    made = Enhancement(
        enhancement_id=ids.enhancement(faction, of, name), faction_id=faction, detachment_id=of, name=name,
        points=values.points(facts.get("points", "").removesuffix("pts")), flavour=paragraphs(b for b in body if b.detail == ("flavour",)),
        text=paragraphs(b for b in body if b.detail != ("flavour",)),
    )  # fmt: skip
    return made, detachment, tuple(Span(b.start, b.end) for b in section.blocks)


def source(section: Section) -> Book | None:
    """The book that a datasheet's card names as its source."""
    found = _SOURCE.match(dict(section.facts).get("source", ""))
    if found is None:
        return None
    name, kind = clean(found["name"]), clean(found["kind"])
    return Book(
        book_id=ids.book(name, kind, found["version"]),
        name=name,
        kind=kind,
        edition=found["edition"],
        version=found["version"],
        updated=None,
    )


def card_head(section: Section, sheet: Sheet, recase: RecaseFunction) -> None:
    """Name, base, stat lines and invulnerable save of a card.

    Each profile begins with a block of its own; labels stand at the first profile only. Whose an invulnerable save is, `saves` tells.
    A base beside the unit's name is the unit's, one beside a profile the model's.
    """
    blocks = section.blocks
    facts = dict(section.facts)
    sheet.spans.extend(Span(b.start, b.end) for b in blocks if b.detail == ("unit",))
    if facts.get("source"):
        sheet.columns["is_legends"] = facts.get("legends") == "yes"
    starts = [i for i, b in enumerate(blocks) if b.detail == ("profile",)]
    profiles = [blocks[start:end] for start, end in pairwise((*starts, len(blocks)))]
    found = saves.of_profiles(blocks, [_model_name(profile, sheet) for profile in profiles])
    for message, block in found.left_open:
        sheet.fault("open-invulnerable-save", message, block, "models", sheet.datasheet_id)
    base = next((b for b in blocks[: starts[0] if starts else len(blocks)] if b.detail == ("base",)), None)
    if base is not None:
        sheet.set("base_size", _base(base), base)
    for place, profile in enumerate(profiles):
        _model(profile, sheet, recase, base if len(starts) == 1 else None, found.of_profiles.get(place))
    for block in blocks:
        if block.kind is BlockKind.NOTE:
            _note(block, sheet)
        elif block.detail:
            sheet.claim(Claim.FURNITURE if block.kind is BlockKind.BLANK else Claim.VALUE, block)


def _note(block: Block, sheet: Sheet) -> None:
    """`Designer’s Note: …` below the head, without a heading over it: a section of its own."""
    label, _, text = block.text.partition(":")
    sheet.other.append(HeadedText(clean(label), clean(text)))
    sheet.spans.append(Span(block.start, block.end))
    sheet.claim(Claim.VALUE, block)


def _base(block: Block) -> str:
    return clean(block.text.strip("()").removeprefix("⌀"))


def _model_name(profile: Sequence[Block], sheet: Sheet) -> str:
    return next((clean(b.text) for b in profile if b.detail == ("model",)), sheet.name)


def _model(
    blocks: Sequence[Block], sheet: Sheet, recase: RecaseFunction, unit_base: Block | None, box: saves.Box | None
) -> None:
    stats = {b.detail[1]: b for b in blocks if b.detail[:1] == ("stat",)}
    named = next((b for b in blocks if b.detail == ("model",)), None)
    base = next((b for b in blocks if b.detail == ("base",)), unit_base)
    name = recase(_model_name(blocks, sheet)) if named else sheet.name
    printed = {label: block.text for label, block in stats.items()}
    numbers = {label: values.characteristic(text) for label, text in printed.items()}
    for label, text in printed.items():
        read = values.inches(text) if label == "M" else numbers[label]
        if read is None and not values.is_absent(text):
            sheet.fault(
                "unreadable-value",
                f"{label} “{text}” of {name} is no number.",
                stats[label],
                "models",
                ids.model(sheet.datasheet_id, name),
            )
    shown = box.save.text if box else None
    movement = printed.get("M")
    record = Model(
        model_id=ids.model(sheet.datasheet_id, name), datasheet_id=sheet.datasheet_id, position=sheet.position("models"), name=name,
        base_size=_base(base) if base else None,
        movement_inches=values.inches(movement) if movement else None, movement_inches_printed=movement,
        toughness=numbers.get("T"), toughness_printed=printed.get("T"), save=numbers.get("Sv"), save_printed=printed.get("Sv"),
        invulnerable_save=values.characteristic(shown) if shown else None, invulnerable_save_printed=shown,
        invulnerable_save_text=paragraphs(box.note) if box else None,
        wounds=numbers.get("W"), wounds_printed=printed.get("W"), leadership=numbers.get("Ld"), leadership_printed=printed.get("Ld"),
        objective_control=numbers.get("OC"), objective_control_printed=printed.get("OC"),
    )  # fmt: skip
    used = [*stats.values(), *(b for b in (named, base) if b is not None), *((box.save, *box.note) if box else ())]
    sheet.add(record, *used)


def keyword_groups(section: Section, sheet: Sheet) -> None:
    """One block for the keywords of all models, one for each model that has some of its own."""
    seen: set[tuple[str, str]] = set()
    for block in section.blocks:
        sheet.claim(Claim.VALUE, block)
        if block.detail[:1] != ("keywords",):
            continue
        label, *words = block.detail[1:]
        head = _ALL_MODELS.match(label)
        model = group_model(head["model"] if head else label)
        at = block.start + len(label)
        for word in words:
            at = block.start + block.text.index(word, at - block.start)
            if (fold(word), model) not in seen:
                seen.add((fold(word), model))
                record = Keyword(
                    datasheet_id=sheet.datasheet_id,
                    keyword=clean(word),
                    model_name=model,
                    position=sheet.position("keywords"),
                    is_faction=False,
                )
                sheet.sightings.append(Sighting(record, (Span(at, at + len(word)),)))
            at += len(word)
