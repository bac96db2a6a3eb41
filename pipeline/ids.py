"""The only maker of ids: slugs of named natural keys, joined by `/`.

    >>> slug("T’au Empire"), slug("BRÊKK ÂLDER"), slug("Emperor’s Will")
    ('tau-empire', 'brekk-alder', 'emperors-will')

The slug function is frozen by the vectors in `tests/cases/slugs.json`; changing it moves every id that was ever published.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

APOSTROPHES = "'’‘ʼ‛`´＇"
HYPHENS = "‐‑‒–—−﹘﹣－"

_DROPPED = {ord(c): None for c in APOSTROPHES}
_FOLDED = {ord(c): "’" for c in APOSTROPHES} | {ord(c): "-" for c in HYPHENS} | {0xA0: " ", 0x202F: " ", 0xAD: None}
_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+")
_TO_BE_FOLDED = re.compile(f"[{re.escape(''.join(chr(c) for c in _FOLDED if chr(c) != '’'))}]")


@lru_cache(maxsize=65536)
def slug(printed: str) -> str:
    """Readable, stable form of a printed name: NFKD, marks stripped, apostrophes dropped, the rest of non-alphanumerics → one `-`."""
    plain = printed.translate(_DROPPED)
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in decomposed if not unicodedata.combining(c)).translate(_DROPPED)
    return _NOT_ALPHANUMERIC.sub("-", plain.casefold()).strip("-")


@lru_cache(maxsize=65536)
def fold(printed: str) -> str:
    """Key under which two printings of one name are the same: case, apostrophes, hyphens and runs of spaces do not count."""
    return _folded(printed)


def _folded(printed: str) -> str:
    text = printed if printed.isascii() else unicodedata.normalize("NFC", printed)
    if _TO_BE_FOLDED.search(text):
        text = text.translate(_FOLDED)
    return " ".join(text.split()).casefold()


LONGEST_PART = 120
"""Characters of a part of an id: it is the name of a file as well, and no name on a page comes near it."""


def can_be_part(slugged: str) -> bool:
    """Whether a slug can be a part of an id: a name without a Latin letter or digit leaves nothing, a text is no name."""
    return 0 < len(slugged) <= LONGEST_PART


def is_whole(identity: str) -> bool:
    """Whether no part of an id is empty."""
    return "//" not in f"/{identity}/" and "/#" not in identity


# One function per natural key. All ids of the project come from these.


def datasheet(faction_id: str, name: str) -> str:
    """`tau-empire/devilfish`"""
    return f"{faction_id}/{slug(name)}"


def model(datasheet_id: str, name: str) -> str:
    """`tau-empire/devilfish/model/devilfish`"""
    return f"{datasheet_id}/model/{slug(name)}"


def weapon_profile(datasheet_id: str, kind: str, weapon: str, profile: str | None) -> str:
    """`tau-empire/devilfish/ranged/seeker-missile`, `…/ranged/plasma-gun/supercharge`"""
    weapon_id = f"{datasheet_id}/{kind}/{slug(weapon)}"
    return weapon_id if profile is None else f"{weapon_id}/{slug(profile)}"


def ability(datasheet_id: str, kind: str, name: str) -> str:
    """`tau-empire/devilfish/ability/core/deadly-demise`"""
    return f"{datasheet_id}/ability/{slug(kind)}/{slug(name)}"


def option(datasheet_id: str, position: int) -> str:
    """`tau-empire/devilfish/option/1`: options have no name, their place is all they have."""
    return f"{datasheet_id}/option/{position}"


def detachment(faction_id: str, name: str) -> str:
    """`tau-empire/kauyon`"""
    return f"{faction_id}/{slug(name)}"


def stratagem(owner: str, name: str) -> str:
    """`core/command-re-roll`, `boarding-actions/command-re-roll`, `tau-empire/kauyon/a-tempting-trap`.

    `owner` is the rule set, or the detachment's id.
    """
    return f"{owner}/{slug(name)}"


def enhancement(faction_id: str, detachment_id: str | None, name: str) -> str:
    """`necrons/awakened-dynasty/enhancement/veil-of-darkness`; `necrons/enhancement/…` while the detachment is unknown."""
    return f"{detachment_id or faction_id}/enhancement/{slug(name)}"


def text_hash(text: str) -> str:
    """Twelve hex digits for a text that has no name: the same text, folded, has the same."""
    return hashlib.sha256(_folded(text).encode()).hexdigest()[:12]


def faq(faction_id: str | None, question: str) -> str:
    """`necrons/faq/<hash of the folded question>`: a question has no shorter name."""
    return f"{faction_id or 'core'}/faq/{text_hash(question)}"


def book(name: str, kind: str | None, version: str | None) -> str:
    """`necrons/faction-pack/1-1`: two versions of a book are two."""
    return "/".join(slug(part) for part in (name, kind, version) if part)


def keyword_index(faction_id: str | None, keywords: tuple[str, ...]) -> str:
    """`tau-empire/keyword/fly`, `imperial-agents/keyword/deathwatch+infantry`, `any/keyword/fortification`"""
    return f"{faction_id or 'any'}/keyword/{'+'.join(slug(keyword) for keyword in keywords)}"


def core_rule(title: str) -> str:
    """`core/hit-roll`: a core rule without a number."""
    return f"core/{slug(title)}"


def army_rule(faction_id: str, title: str) -> str:
    """`army-rule/tau-empire/for-the-greater-good`"""
    return f"army-rule/{faction_id}/{slug(title)}"


def detachment_rule(faction_id: str, title: str) -> str:
    """`detachment-rule/tau-empire/patient-hunter`"""
    return f"detachment-rule/{faction_id}/{slug(title)}"


def cross_reference(from_table: str, from_id: str, position: int) -> str:
    """`stratagems/core/rapid-ingress/1`"""
    return f"{from_table}/{from_id}/{position}"
