"""A sighting together with the document that shows it, and how far a source is trusted."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from pipeline.document import Span
from pipeline.records import DocumentRow
from pipeline.vocabulary import vocabulary


class Seen(NamedTuple):
    """A record, the characters behind it, and the document that they are of."""

    record: Any  # a Record; its columns depend on its table
    spans: tuple[Span, ...]
    document: DocumentRow


@cache
def trust(table: str, column: str | None, source: str) -> int:
    """Place of a source format in the order of trust for a table or a column of it: 0 is trusted most.

    The orders stand in `schemas/vocabulary/trust.json` and nowhere else.
    """
    declared = vocabulary("trust")
    orders: dict[str, list[str]] = declared["tables"]
    order: list[str] = orders.get(f"{table}.{column}") or orders.get(table) or declared["formats"]
    return order.index(source) if source in order else len(order)


def has_own_trust(table: str, column: str) -> bool:
    """Whether an order of trust is declared for a column alone."""
    return f"{table}.{column}" in vocabulary("trust")["tables"]


def is_foreign(identity: str, document: DocumentRow) -> bool:
    """Whether a file of one faction speaks of a unit of another; the unit's own faction knows better."""
    return document.faction_id is not None and not identity.startswith(f"{document.faction_id}/")
