"""A second opinion of a saved page: another parser, and nothing of ours, reads what can be told without knowing the game."""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag

from pipeline.extract import Extract
from pipeline.records import DatasheetStratagem, Keyword, Sighting, Stratagem

Cells = tuple[str, tuple[str, ...], tuple[str, ...]]  # the name without its abilities, these, the cells behind it


def weapon_cells(page: str) -> list[Cells]:
    """The rows of the weapon tables of a page's card."""
    rows = _card(page).select("table.wTable tr")
    return [_cells(name) for row in rows if (name := row.select_one("td.wTable2_short")) is not None]


def keywords(page: str) -> set[str]:
    """All words in the keyword line of a page's card."""
    return {_words(found) for found in _card(page).select("div.ds2colKW span.kwb") if not found.find("span")}


def stratagems(page: str) -> list[tuple[str, int]]:
    """Name and command points of each entry of the list on a page's card."""
    found = []
    for name in _card(page).select("div.s10Name"):
        points = name.find_next_sibling("div")
        assert isinstance(points, Tag)
        found.append((_words(name), int(_words(points).removesuffix("CP"))))
    return found


def our_weapon_cells(found: Extract) -> list[Cells]:
    """The same as the pipeline has it, as printed."""
    return [(row.divisions[0].name, row.divisions[0].abilities, row.cells) for row in found.weapon_rows]


def our_keywords(found: Extract) -> set[str]:
    """The words of the keywords that the pipeline has."""
    return {word for s in found.sightings if isinstance(s.record, Keyword) for word in s.record.keyword.split()}


def our_stratagems(found: Extract) -> list[tuple[str, int | None]]:
    """The list as the pipeline has it."""
    listed = [s for s in found.sightings if isinstance(s.record, DatasheetStratagem)]
    return [_listed(place, found.sightings) for place in listed]


def _listed(place: Sighting, sightings: list[Sighting]) -> tuple[str, int | None]:
    """The stratagem that stands where a place of the list does."""
    record = next(s.record for s in sightings if isinstance(s.record, Stratagem) and s.spans == place.spans)
    return record.name, record.cp_cost


def _card(page: str) -> Tag:
    card = BeautifulSoup(page, "html.parser").select_one("div.dsOuterFrame.datasheet")
    assert card is not None
    return card


def _cells(name: Tag) -> Cells:
    values = tuple(_words(cell) for cell in name.find_next_siblings("td"))
    abilities = tuple(
        ability.strip() for found in name.select("span.kwbw") for ability in _words(found).strip("[] ").split(",")
    )
    for found in name.select("span.kwbw"):
        found.decompose()
    return _words(name), tuple(ability for ability in abilities if ability), values


def _words(tag: Tag) -> str:
    return " ".join(tag.get_text().split())
