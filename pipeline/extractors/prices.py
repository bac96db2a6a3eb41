"""Prices of a datasheet → `unit_costs`: in a table, or one cell a line.

| YOUR 1ST TO 3RD UNITS COST | |        a tier
| 5 models | 70 |
| per Killsaw | 5 |                     a price of wargear
+5 per mauler and ward plate            the same, below the table
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline import values
from pipeline.document import Block, BlockKind, Claim
from pipeline.extractors.sections import Section
from pipeline.extractors.sheets import Sheet, content
from pipeline.extractors.texts import cells, clean
from pipeline.records import UnitCost

# `YOUR 1ST TO 3RD UNITS COST`, `YOUR 4TH+ UNITS COST`
_TIER = re.compile(
    r"YOUR (?P<from>[0-9]{1,6})(?:ST|ND|RD|TH)(?:\s*(?P<open>\+)|(?:\s*(?:TO|AND|-|–)\s*(?P<to>[0-9]{1,6})(?:ST|ND|RD|TH)))?"
    r" ?(?:ONWARDS )?UNITS?(?: COSTS?)?$",
    re.IGNORECASE,
)
_PLAIN_TIER = re.compile(r"YOUR UNITS? COSTS?$", re.IGNORECASE)
_MODELS = re.compile(r"(?P<models>[0-9]{1,6}) models?\b", re.IGNORECASE)
_SIZES = re.compile(
    r"[0-9]+ ?[-–] ?[0-9]+ models?\b", re.IGNORECASE
)  # `5-10 models`: a price of the unit, for no one size
_EACH = re.compile(
    r"\+(?P<points>[0-9]{1,6})(?: pts)? per (?P<what>\S.*)"
)  # `+5 per mauler and ward plate` below the prices


class _Tier(NamedTuple):
    """Which units of an army a price is for, `to_unit` None for all that follow; both None: for any."""

    from_unit: int | None = None
    to_unit: int | None = None


_Size = tuple[str, _Tier, int | None, str]  # what a price is for: kind, tier, models, description


class _Row(NamedTuple):
    """Cells of a price table's row, and the blocks that they stand in."""

    cells: list[str]
    blocks: Sequence[Block]


def costs(section: Section, sheet: Sheet) -> None:
    """A price table that stands alone."""
    read_prices([block for block in content(section, sheet) if block.kind is BlockKind.ROW], sheet)


def is_price(blocks: Sequence[Block], i: int) -> bool:
    """Whether block i of a section is of a price table, in which a cell may be a line: `2 models` with `90` on the next."""
    block, text = blocks[i], blocks[i].text
    if block.kind is BlockKind.ROW or _EACH.fullmatch(text) or _tier(text) is not None:
        return True
    if values.points(text) is not None:
        return i > 0 and bool(_MODELS.match(blocks[i - 1].text))
    return bool(_MODELS.fullmatch(text)) and i + 1 < len(blocks) and values.points(blocks[i + 1].text) is not None


def read_prices(blocks: Sequence[Block], sheet: Sheet) -> None:
    """The rows of a price table; a tier counts for the rows below it, and those below a heading that is none are not read."""
    tier: _Tier | None = _Tier()
    known: dict[_Size, int] = {}
    for row in _rows(blocks):
        alone = row.cells[0] if len(row.cells) == 1 else None
        below = _tier(alone) if alone is not None else None
        if below is not None:
            tier = below
            sheet.claim(Claim.VALUE, *row.blocks)
        elif alone is not None and (each := _EACH.fullmatch(alone)):
            _price(_Row([each["what"], each["points"]], row.blocks), tier, sheet, known)
        else:
            _price(row, tier, sheet, known)
            if alone is not None and not _MODELS.match(alone):
                tier = None


def _rows(blocks: Sequence[Block]) -> Iterator[_Row]:
    i = 0
    while i < len(blocks):
        block = blocks[i]
        if block.kind is BlockKind.ROW:
            yield _Row([cell for cell in cells(block) if cell], [block])
        elif _EACH.fullmatch(block.text) or _tier(block.text) is not None:
            yield _Row([block.text], [block])
        else:
            stacked = blocks[i : i + 2]
            yield _Row([b.text for b in stacked], stacked)
            i += 1
        i += 1


def _tier(printed: str) -> _Tier | None:
    if _PLAIN_TIER.match(printed):
        return _Tier()
    found = _TIER.match(printed)
    if found is None:
        return None
    return _Tier(int(found["from"]), None if found["open"] else int(found["to"] or found["from"]))


def _price(row: _Row, tier: _Tier | None, sheet: Sheet, known: dict[_Size, int]) -> None:
    """`| 1 model | 75 |` and `| 1 Warden and 4 Guards | 75 |` are prices of the unit, `| per Killsaw | 5 |` of wargear."""
    price = values.points(row.cells[1].lstrip("+")) if len(row.cells) == 2 else None
    if price is None:
        message = f"A row of the price table is neither a price nor a tier: {row.blocks[0].text}"
        sheet.fault("unreadable-row", message, row.blocks[0], "unit_costs")
        return
    printed = clean(row.cells[0])
    description = printed.removeprefix("per ").removeprefix("+")
    models = values.counted_models(description) if description == printed else None
    is_wargear = models is None and not _SIZES.match(description)
    of = _Tier() if is_wargear else tier
    if of is None:
        message = f"The price {description}, {price} stands below a heading that is no tier: which units it is for is not known."
        sheet.fault("unreadable-row", message, row.blocks[0], "unit_costs")
        return
    record = UnitCost(
        datasheet_id=sheet.datasheet_id, position=sheet.position("unit_costs"), kind="wargear" if is_wargear else "unit",
        from_unit=of.from_unit, to_unit=of.to_unit,
        models=models, description=description, points=price,
    )  # fmt: skip
    size = (record.kind, of, models, description)
    if known.setdefault(size, price) != price:
        message = f"Two prices for {description}: {known[size]} above, and {price} here."
        sheet.fault("source-contradiction", message, row.blocks[0], "unit_costs")
    sheet.add(record, *row.blocks)
    sheet.claim(Claim.VALUE, *row.blocks)
