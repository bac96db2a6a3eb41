"""Who a page is about: what kind of page it is, which faction, which unit. Its sections → ids and names, by the order of evidence.

No single place can be relied on: dumps lose titles, files are renamed, a keyword is not always a name. So each question has its
witnesses in an order of trust, quoted at its function; the first that speaks decides, and a guess among them is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from pipeline import ids
from pipeline.document import Block, BlockKind, Document, Span
from pipeline.extractors import keywords, marked
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import clean, counted_in
from pipeline.factions import declared_name, faction_id
from pipeline.ids import fold
from pipeline.records import ALL_MODELS, Faction, Sighting

_SHEET_SECTIONS = frozenset(["keywords", "keyword-groups", "stat-lines", "composition", "options", "abilities"])
_RULES_SECTIONS = frozenset(["stratagem", "rule", "faq", "books", "index"])
_INDEX_FACTION = re.compile(r"used in the following (?P<faction>.+?) datasheets:$")
_FACTION_ADDRESS = re.compile(r"/factions/([^/?#]+)")
_SEPARATORS = re.compile(r"[-_\s]+")
_COUNTED = re.compile(r"(?:[0-9]+(?:-[0-9]+)?) (.+)$")  # `4-9 Rough Riders`
_BRACKET = re.compile(r"\s*\(.*\)$")
_MOST_KEYWORDS_IN_NAME = 12


def kind_of(sections: list[Section]) -> str:
    """`datasheet`, `faction`, `rules`, or `other` for what is no page of this game."""
    kinds = {s.kind for s in sections}
    if kinds & _SHEET_SECTIONS or ("weapons" in kinds and "books" not in kinds):
        return "datasheet"
    if "books" in kinds and kinds & {"stratagem", "enhancement"}:
        return "faction"
    return "rules" if kinds & _RULES_SECTIONS else "other"


# --- the faction


def settle_faction(page: Page) -> None:
    """The page's faction: title, faction keyword, keyword indexes, side-car or address, in this order; and a sighting of it.

    Of several faction keywords it is the one that the side-car or the address names, else the first.
    """
    of_keywords = _faction_keywords(page)
    title = page.title() or marked.faction_title(page.document)
    printed = _printed_faction(page, title, of_keywords)
    if printed is not None:
        page.faction, page.faction_printed = faction_id(printed), clean(printed)
    elif told := page.document.sidecar_faction or _addressed_faction(page.document):
        page.faction = faction_id(told)
    if page.faction is not None and not ids.can_be_part(page.faction):
        page.faction = None
    if page.faction:
        _see_faction(page, page.faction, title, of_keywords)


def _addressed_faction(document: Document) -> str | None:
    found = _FACTION_ADDRESS.search(document.url) if document.url else None
    return found[1] if found else None


def _printed_faction(page: Page, title: Block | None, of_keywords: list[str]) -> str | None:
    """The faction's name as the page prints it."""
    if title is not None:
        printed = title.text.split(" – ")[0] if title.kind is BlockKind.TITLE else title.text
        if title.kind is BlockKind.TITLE and of_keywords and faction_id(printed) not in map(faction_id, of_keywords):
            page.say("unknown-faction-alias", f"The title says {printed}, the faction keywords say {', '.join(of_keywords)}; "
                     "no alias in schemas/vocabulary/factions.json joins them.", Span(title.start, title.end))  # fmt: skip
        return printed
    indexed = _indexed_faction(page.document.blocks)
    if not of_keywords:
        return indexed
    told = page.document.sidecar_faction or _addressed_faction(page.document)
    if told and (of_page := next((k for k in of_keywords if faction_id(k) == faction_id(told)), None)):
        return of_page  # of several factions that may use the unit, the one whose page it is
    # an index prints the same name in small letters
    return indexed if indexed and faction_id(indexed) == faction_id(of_keywords[0]) else of_keywords[0]


def _see_faction(page: Page, faction: str, title: Block | None, of_keywords: list[str]) -> None:
    name = declared_name(faction) or page.faction_printed or faction
    aliases = {clean(k) for k in of_keywords if faction_id(k) == faction}
    if page.faction_printed:
        aliases.add(page.faction_printed)
    place = Span(title.start, title.end) if title else _faction_place(page)
    if place is not None:
        record = Faction(faction_id=faction, name=name, aliases=tuple(sorted(aliases - {name})))
        page.sightings.append(Sighting(record, (place,)))


def _faction_keywords(page: Page) -> list[str]:
    for section in page.of_kind("faction-keywords")[:1]:
        return [k.keyword for k, _ in keywords.read_faction_keywords(section.blocks, "", 1).records]
    return []


def _indexed_faction(blocks: list[Block]) -> str | None:
    """The faction that most keyword indexes of the page speak of."""
    counts: dict[str, int] = {}
    for block in blocks:
        if block.kind is BlockKind.INDEX and (found := _INDEX_FACTION.search(block.text)):
            counts[found["faction"]] = counts.get(found["faction"], 0) + 1
    return max(sorted(counts), key=lambda name: counts[name]) if counts else None


def _faction_place(page: Page) -> Span | None:
    """Where a page without a title shows its faction."""
    for section in page.of_kind("faction-keywords"):
        return Span(section.blocks[0].start, section.blocks[-1].end)
    shown = [s.blocks[0] for s in page.of_kind("index", "books")] or page.document.blocks
    return Span(shown[0].start, shown[0].end) if shown else None


# --- the unit


def unit_name(page: Page) -> str | None:
    """The unit's name: title, side-car, or what the page's keywords, composition and file name agree on."""
    title = page.title()
    if title is not None:
        return clean(title.text.split(" – ", 1)[1])
    if page.document.sidecar_name:
        return clean(page.document.sidecar_name)
    of_unit = _unit_keywords(page)
    hints = _hints(page)
    if name := _hinted_name(page, of_unit, hints):
        return name
    composed = _composed_names(page)
    for keyword in reversed(of_unit):
        if fold(keyword) in composed:
            return composed[fold(keyword)]
    words = {word for keyword in of_unit for word in fold(keyword).split()}
    if len(composed) == 1 and words.issuperset(next(iter(composed)).split()):
        return next(iter(composed.values()))  # `1 Warden Tallow`, and the keywords WARDEN, TALLOW
    if of_unit:
        page.say("uncertain-unit-name", f"The unit's name is taken from its last keyword, {of_unit[-1]}.")
        return page.recased(of_unit[-1])
    if len(composed) == 1:
        return next(iter(composed.values()))
    hint = next(filter(None, hints), None)
    if hint is not None:
        page.say("uncertain-unit-name", f"Nothing on the page names the unit; its address or file says {hint}.")
    return hint


def _hints(page: Page) -> tuple[str, str]:
    """The last part of the address, and of the file's name behind `__`, with spaces; empty where there is none."""
    url = page.document.url or ""
    stem = PurePosixPath(page.document.member or page.document.path).stem
    filed = re.sub(r"[_\s]+", " ", stem.rpartition("__")[2])
    return _SEPARATORS.sub(" ", url.rstrip("/").rpartition("/")[2]), filed


def _hinted_name(page: Page, of_unit: list[str], hints: tuple[str, str]) -> str | None:
    """The keywords at the end of the list that together are what the address or the file's name says."""
    for hint in filter(None, hints):
        for count in range(1, min(len(of_unit), _MOST_KEYWORDS_IN_NAME) + 1):
            joined = " ".join(of_unit[-count:])
            if _letters(hint) == _letters(joined):
                recased = page.recased(joined)
                return recased if recased != joined else hint
    return None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, ids.slug(name)))


def _unit_keywords(page: Page) -> list[str]:
    """The keywords of all models, as printed."""
    for section in page.of_kind("keywords")[:1]:
        found = keywords.read_keywords(section.blocks, "", model_names(page), "", 1)
        return [k.keyword for k, _ in found.records if k.model_name == ALL_MODELS]
    return []


def model_names(page: Page) -> list[str]:
    """Names of models that the page prints in its composition and above its weapons, in singular and plural."""
    names = list(_composed_names(page).values())
    for section in page.of_kind("preamble"):
        names += [_BRACKET.sub("", b.text) for b in section.blocks if b.text.isupper() and 3 < len(b.text) < 200]
    return names + [name[:-1] for name in names if name.endswith("s")]


def _composed_names(page: Page) -> dict[str, str]:
    """Model names of the composition, folded → printed."""
    return {fold(name): name for name in _composed(page)}


def _composed(page: Page) -> Iterator[str]:
    for section in page.of_kind("composition"):
        for block in section.blocks:
            if block.kind is BlockKind.BULLET:
                for part in counted_in(block):
                    if found := _COUNTED.match(part):
                        yield found[1]
