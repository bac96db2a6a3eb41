"""Enhancements: the list on a datasheet, and the texts on a faction page.

ENHANCEMENTS
Death Mask                       a name with its points, on a datasheet
10
- Veil of Dusk 20 pts            on a faction page
Flavour and rule in one cell. |  which ends with the cell's border

Neither prints the detachment beside the name. `homes` tells what the order of a faction page shows of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim, Span
from pipeline.extractors import marked, rule_sections, stratagems
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import ENHANCEMENT, Section
from pipeline.extractors.texts import clean, paragraphs
from pipeline.records import Detachment, Enhancement, Sighting


class Home(NamedTuple):
    """The detachment of an enhancement, and where the page says so."""

    detachment: Detachment
    span: Span


def listed(section: Section, page: Page) -> None:
    """The list: names with points of the faction's enhancements."""
    page.claim(Claim.VALUE, section.blocks)
    blocks = [b for b in section.blocks[1:] if b.kind is not BlockKind.BLANK]
    for block, following in zip_longest(blocks, blocks[1:]):
        if page.faction is None or _price(block) is not None:
            continue
        points = _price(following) if following else None
        record = Enhancement(
            enhancement_id=ids.enhancement(page.faction, None, block.text), faction_id=page.faction, detachment_id=None,
            name=clean(block.text), points=points,
        )  # fmt: skip
        page.add(record, block, *([following] if following and points is not None else []))


def _price(block: Block) -> int | None:
    return values.points(block.text.removeprefix("+"))


def printed(section: Section, page: Page, home: Home | None) -> None:
    """An enhancement with its text."""
    if page.faction is None:
        return
    if page.is_marked:
        shown, of, spans = marked.enhancement(section, page.faction)
        page.sightings += [Sighting(shown, spans), *([Sighting(of, spans[:1])] if of else [])]
        page.claim(Claim.VALUE, section.blocks)
        return
    content = [b for b in section.blocks if b.kind is not BlockKind.BLANK]
    end = next((i for i, b in enumerate(content, 1) if b.text.endswith(" |")), len(content))
    record = _record(content[:end], page.faction, home.detachment.detachment_id if home else None)
    if record is None:
        return
    spans = tuple(Span(b.start, b.end) for b in content[:end])
    page.sightings.append(Sighting(record, (*spans, home.span) if home else spans))
    page.claim(Claim.VALUE, content[:end])
    page.claim(Claim.FURNITURE, [b for b in section.blocks if b.kind is BlockKind.BLANK])
    if content[end:]:
        rule_sections.take_text(content[end:], page)
    if home is None:
        message = f"The dump no longer shows the detachment of the enhancement {record.name}."
        page.say("detachment-not-shown", message, spans[0], "enhancements", record.enhancement_id)


def _record(blocks: Sequence[Block], faction_id: str, detachment_id: str | None) -> Enhancement | None:
    found = ENHANCEMENT.match(blocks[0].text)
    if found is None:
        return None
    name = clean(found["name"])
    return Enhancement(
        enhancement_id=ids.enhancement(faction_id, detachment_id, name), faction_id=faction_id, detachment_id=detachment_id,
        name=name, points=int(found["points"]), text=paragraphs(blocks[1:]),
    )  # fmt: skip


def homes(page: Page) -> dict[int, Home]:
    """The detachment of each enhancement, by the number of its section.

    A faction page prints per detachment its rule, its enhancements and its stratagems. Where the first card of a detachment
    follows a run of enhancements without anything between them, the run is that detachment's.
    """
    found: dict[int, Home] = {}
    if not page.of_kind("enhancement"):
        return found
    seen: set[str] = set()
    run: list[int] = []
    for number, section in enumerate(page.sections):
        if section.kind == "enhancement":
            run = [*run, number] if _is_whole(section) else []
            continue
        home = _of_card(section, page.faction) if section.kind == "stratagem" else None
        if home is not None:
            if home.detachment.detachment_id not in seen:
                found.update(dict.fromkeys(run, home))
            seen.add(home.detachment.detachment_id)
        run = []
    return found


def _is_whole(section: Section) -> bool:
    """Whether one cell, whose border ends the section, is all that stands below the name."""
    ends = [b.text.endswith(" |") for b in section.blocks if b.kind is not BlockKind.BLANK]
    return ends[-1] and sum(ends) == 1


def _of_card(section: Section, faction: str | None) -> Home | None:
    """The detachment whose stratagem a card is."""
    line = next((b for b in section.blocks if b.kind is BlockKind.STRATAGEM_TYPE), None)
    owner = stratagems.owner_of(line.text) if line else None
    if line is None or owner is None or owner.detachment is None or faction is None:
        return None
    return Home(stratagems.detachment_record(faction, owner.detachment), Span(line.start, line.end))
