"""The datasheet of a page: its sections in whatever order they stand, the weapon tables of all of them together.

What a page holds behind its datasheet (rules, cards, lists) is not read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from pipeline import ids
from pipeline.document import Block, BlockKind, Claim, Span
from pipeline.extractors import (
    claims,
    datasheets,
    identity,
    keywords,
    marked,
    prices,
    rule_sections,
    stat_lines,
    weapons,
)
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import DATASHEET_KINDS, Section
from pipeline.extractors.sheets import Sheet
from pipeline.records import Sighting, WargearOption


class DatasheetPage(NamedTuple):
    """What a datasheet says beyond the sightings on its page."""

    datasheet_id: str
    name: str
    weapon_rows: list[weapons.WeaponRow]
    wargear: list[str]  # folded names of wargear that the page prints alone


def read(page: Page) -> DatasheetPage | None:
    """Adds the datasheet to its page. None where nothing names unit or faction, which is said."""
    name = identity.unit_name(page)
    if name is None or page.faction is None or not ids.can_be_part(ids.slug(name)):
        what = "faction" if name and page.faction is None else "unit"
        page.say("not-a-datasheet-page", f"Nothing on the page names its {what} so that an id can be made of it.")
        return None
    sheet = Sheet(ids.datasheet(page.faction, name), page.faction, name)
    title = page.title()
    if title is not None:
        sheet.spans.append(Span(title.start, title.end))
    sections = list(_own_sections(page))
    rows = _weapon_rows(sections, page, sheet)
    for section in sections:
        _take(section, page, sheet)
    if not sheet.spans:
        seen = [s.spans for s in sheet.sightings[:1]] or [row.spans for row in rows[:1]]
        sheet.spans = [span for spans in seen for span in spans]
    options = [s.record for s in sheet.sightings if isinstance(s.record, WargearOption)]
    wargear = datasheets.names_in([text for o in options for text in (o.text, *o.choices)] + sheet.loadout)
    page.sightings += [sheet.datasheet(), *sheet.sightings]
    page.claims += sheet.claims
    page.say_all(sheet.faults)
    return DatasheetPage(sheet.datasheet_id, name, rows, sorted(wargear))


def _own_sections(page: Page) -> Iterator[Section]:
    """Sections of the datasheet, and such as any page can have; one of the datasheet that stands again word by word is an echo."""
    seen: set[tuple[str, ...]] = set()
    for section in page.sections:
        if section.kind in rule_sections.KINDS:
            continue
        if section.kind in DATASHEET_KINDS:
            key = (section.kind, *(b.text for b in section.blocks if b.kind is not BlockKind.BLANK))
            if key in seen:
                page.claim(Claim.ECHO, section.blocks)
                continue
            seen.add(key)
        yield section


def _weapon_rows(sections: list[Section], page: Page, sheet: Sheet) -> list[weapons.WeaponRow]:
    """Rows of all weapon tables. Footnotes and the style of one table tell how the others' name cells are read."""
    rows: list[weapons.WeaponRow] = []
    footnotes: list[tuple[str, str]] = []
    for section in sections:
        if section.kind != "weapons":
            continue
        table = weapons.read_table(section, sheet.datasheet_id, len(rows) + 1)
        rows += table.rows
        page.claims += table.claims
        footnotes += table.footnotes
        for code, message, block in table.faults:
            page.say(code, message, Span(block.start, block.end), "weapon_profiles", sheet.datasheet_id)
    rows = [
        msgspec.structs.replace(weapons.footnoted(row, footnotes), line=page.document.line_of(row.spans[0].start))
        for row in rows
    ]
    rows = weapons.in_style_of_page(rows)
    if page.is_marked:  # footnotes and style are guessed from, the markup is believed
        rows = marked.divided(rows, (b for section in sections if section.kind == "weapons" for b in section.blocks))
    for row in weapons.lone_profiles(rows):  # a weapon that is divided into profiles has two at least
        message = f"“{row.printed_name}” is the only profile of its weapon on the page."
        page.say("single-profile", message, row.spans[0], "weapon_profiles", sheet.datasheet_id)
    return rows


def _take(section: Section, page: Page, sheet: Sheet) -> None:
    """Adds a section of the datasheet; weapons apart, and what is none of its sections not at all."""
    if take := _OF_SHEET.get(section.kind):
        take(section, sheet)
    elif take_with_page := _WITH_PAGE.get(section.kind):
        take_with_page(section, page, sheet)


def _preamble(section: Section, page: Page, sheet: Sheet) -> None:
    rest: list[Block] = []
    for block in section.blocks:
        if block.kind in (BlockKind.TITLE, BlockKind.URL):
            page.claim(Claim.VALUE, [block])
        elif block.kind not in claims.EMPTY:
            rest.append(block)
    page.claims += claims.of_blocks([b for b in section.blocks if b.kind in claims.EMPTY], Claim.FURNITURE)
    stat_lines.stat_lines(rest, sheet, page.recased)


def _card_head(section: Section, page: Page, sheet: Sheet) -> None:
    """What stands above the weapons of a marked page; its role stands in the keyword indexes."""
    marked.card_head(section, sheet, page.recased)
    if role := marked.role_of(page.document.parts or (), sheet.name):
        sheet.columns["role"] = role
    if book := marked.source(section):
        page.sightings.append(Sighting(book, tuple(sheet.spans[:1])))


def _keywords(section: Section, page: Page, sheet: Sheet) -> None:
    names, position = identity.model_names(page), sheet.counts.get("keywords", 0) + 1
    found = keywords.read_keywords(section.blocks, sheet.datasheet_id, names, sheet.name, position)
    _add_keywords(found, page, sheet)


def _faction_keywords(section: Section, page: Page, sheet: Sheet) -> None:
    position = sheet.counts.get("keywords", 0) + 1
    _add_keywords(keywords.read_faction_keywords(section.blocks, sheet.datasheet_id, position), page, sheet)


def _add_keywords(found: keywords.Keywords, page: Page, sheet: Sheet) -> None:
    page.claims += found.claims
    sheet.sightings += [Sighting(record, (span,)) for record, span in found.records]
    sheet.counts["keywords"] = sheet.counts.get("keywords", 0) + len(found.records)
    for text, span in found.open_groups:
        message = f"“{text}” is more than one keyword, or the end of one group and the model of the next; they cannot be told apart."
        page.say("open-keyword-groups", message, span, "keywords", sheet.datasheet_id)


_OF_SHEET: dict[str, Callable[[Section, Sheet], None]] = {
    "abilities": datasheets.abilities,
    "wargear-abilities": datasheets.wargear_abilities,
    "options": datasheets.options,
    "composition": datasheets.composition,
    "costs": prices.costs,
    "damaged": datasheets.damaged,
    "transport": datasheets.transport,
    "leader": datasheets.leader,
    "led-by": datasheets.led_by,
    "named": datasheets.named,
    "keyword-groups": marked.keyword_groups,
}
_WITH_PAGE: dict[str, Callable[[Section, Page, Sheet], None]] = {
    "preamble": _preamble,
    "stat-lines": _card_head,
    "keywords": _keywords,
    "faction-keywords": _faction_keywords,
}
