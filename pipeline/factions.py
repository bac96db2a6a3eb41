"""Which faction a printed name means: by its own slug, or by an alias that `schemas/vocabulary/factions.json` declares.

Never by a part of the name: `Space Marines` is not found in `Chaos Space Marines`.

    >>> faction_id("AGENTS OF THE IMPERIUM")
    'imperial-agents'
"""

from __future__ import annotations

import re
from functools import cache

from pipeline.ids import fold, slug
from pipeline.vocabulary import vocabulary

_NOT_IN_ADDRESSES = re.compile(r"[^a-z0-9]+")


@cache
def _by_alias() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in vocabulary("factions"):
        for printed in (entry["name"], *entry["aliases"]):
            found[fold(printed)] = slug(entry["name"])
    return found


@cache
def _names() -> dict[str, str]:
    return {slug(entry["name"]): entry["name"] for entry in vocabulary("factions")}


def faction_id(printed: str) -> str:
    """Id of the faction that a printed name or faction keyword stands for: its alias' faction, else its own slug."""
    return _by_alias().get(fold(printed)) or slug(printed)


def by_address(part: str, printed: str | None = None) -> str:
    """Id of the faction that an address names: `t-au-empire` is `T’au Empire`, as sites put a hyphen where an apostrophe stands.

    `printed`: the name of the faction whose page it is, which need not be declared.
    """
    written = part.casefold()
    if printed is not None and _as_in_addresses(printed) == written:
        return faction_id(printed)
    return next((slug(name) for name in _names().values() if _as_in_addresses(name) == written), None) or faction_id(
        part
    )


@cache
def _as_in_addresses(name: str) -> str:
    return _NOT_IN_ADDRESSES.sub("-", name.casefold())


def is_declared(printed: str) -> bool:
    """Whether the vocabulary knows this printed name."""
    return fold(printed) in _by_alias()


def declared_name(identity: str) -> str | None:
    """The faction's name as the vocabulary prints it, where it is declared."""
    return _names().get(identity)


@cache
def _detachments() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for entry in vocabulary("detachments"):
        for printed in (entry["name"], *entry["aliases"]):
            found[slug(entry["faction"]), fold(printed)] = entry["name"]
    return found


def detachment_name(faction: str, printed: str) -> str:
    """The name that a detachment goes by: what a declared alias stands for, else the printed name itself."""
    return _detachments().get((faction, fold(printed)), printed)
