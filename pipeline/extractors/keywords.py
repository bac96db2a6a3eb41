"""Keywords of a datasheet, and the keyword indexes that pages print.

KEYWORDS: VEHICLE; FLY; TRANSPORT                                          11e; `, ` in 10e
KEYWORDS – ALL MODELS: INFANTRY, PLATOON, COMMAND SQUADSOME LEADER: CHARACTER
FACTION KEYWORDS:
ASHEN COMPACT                                                              printed twice
The FLY keyword is used in the following Ashen Compact datasheets:
Vehicle Character                                                          role headings; the datasheets' names are lost
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline import ids
from pipeline.document import Block, BlockKind, Claim, Claimed, Span
from pipeline.extractors.texts import clean
from pipeline.factions import declared_name, faction_id
from pipeline.ids import fold
from pipeline.records import ALL_MODELS, Faction, Keyword, KeywordIndex

_EMPTY = (BlockKind.BLANK, BlockKind.RUIN)
_HEAD = re.compile(r"KEYWORDS?(?:\s*[–—-]\s*(?P<model>[^:]+))?:\s*")
_ALL_PRINTED = frozenset({fold("ALL MODELS"), fold("ALL")})
_OTHER_SEPARATOR = re.compile("[•·|\uff1b\uff0c\u3001]")  # of a page that parts its keywords with neither `; ` nor `, `
_TOKEN = re.compile(r"[^,;]+")
_AFTER_COLON = re.compile(r":\s*")
_USED = re.compile(
    r"The (?P<keywords>.+?) keywords? (?:is|are) used in the following (?P<faction>.*?) ?datasheets(?: \([^()]*\))?:$"
)
_FACTIONS = re.compile(r"The datasheets using (?P<keyword>.+) keyword can be found in the following Factions:$")
_LOST = re.compile(r"keywords? (?:is|are) used in the following .*datasheets(?: \([^()]*\))?:$")
_AND_MORE = (" AND ", " & ")
_AND = re.compile(r"\s*(?:, | and )\s*")


class Keywords(NamedTuple):
    """Keywords with the place of each, and what could not be divided."""

    records: list[tuple[Keyword, Span]]
    claims: list[Claimed]
    open_groups: list[tuple[str, Span]]


def read_keywords(
    blocks: Sequence[Block], datasheet_id: str, names: Sequence[str], unit_words: str, position: int
) -> Keywords:
    """Keywords of a `KEYWORDS:` section. `names`: model names that the page prints, to divide groups that were run together."""
    made: list[tuple[Keyword, Span]] = []
    claims: list[Claimed] = []
    open_groups: list[tuple[str, Span]] = []
    model = ALL_MODELS
    seen: set[tuple[str, str]] = set()
    for index, block in enumerate(blocks):
        if block.kind in _EMPTY:
            claims.append(Claimed(block.start, block.end, Claim.FURNITURE))
            continue
        text, at = block.text, 0
        if index == 0 and (head := _HEAD.match(text)):
            model = group_model(head["model"])
            at = head.end()
        claims.append(Claimed(block.start, block.end, Claim.VALUE))
        offset = block.start
        while at < len(text):
            colon = text.find(":", at)
            end = len(text) if colon < 0 else max(at, text.rfind(",", at, colon) + 1, text.rfind(";", at, colon) + 1)
            for keyword, start in _tokens(text, at, end):
                if _OTHER_SEPARATOR.search(keyword):
                    open_groups.append((keyword, Span(offset + start, offset + start + len(keyword))))
                position = _add(
                    made,
                    seen,
                    datasheet_id,
                    keyword,
                    model,
                    position,
                    Span(offset + start, offset + start + len(keyword)),
                )
            if colon < 0:
                break
            before = text[end:colon]
            start = end + len(before) - len(before.lstrip())
            behind = _AFTER_COLON.match(text, colon).end()  # type: ignore[union-attr]
            own_line = index > 0 and not block.glued and start == 0
            last, name = (None, before.strip()) if own_line else _divide(before.strip(), names, unit_words)
            if name is None:
                open_groups.append((before.strip(), Span(offset + start, offset + behind)))
                model = clean(before)
            else:
                if last:
                    position = _add(
                        made,
                        seen,
                        datasheet_id,
                        last,
                        model,
                        position,
                        Span(offset + start, offset + start + len(last)),
                    )
                model = group_model(name)
            at = behind
    return Keywords(made, claims, open_groups)


def group_model(printed: str | None) -> str:
    """Model of a group of keywords, as it is printed before its colon; `ALL`, `ALL MODELS` and nothing are all of them."""
    return ALL_MODELS if not printed or fold(printed) in _ALL_PRINTED else clean(printed)


def _tokens(text: str, start: int, end: int) -> list[tuple[str, int]]:
    found = []
    for token in _TOKEN.finditer(text, start, end):
        word = token[0].strip()
        if word:
            found.append((word, token.start() + token[0].index(word)))
    return found


def _add(
    made: list[tuple[Keyword, Span]],
    seen: set[tuple[str, str]],
    datasheet_id: str,
    keyword: str,
    model: str,
    position: int,
    span: Span,
) -> int:
    name = clean(keyword)
    if (fold(name), model) in seen:
        return position
    seen.add((fold(name), model))
    made.append(
        (Keyword(datasheet_id=datasheet_id, keyword=name, model_name=model, position=position, is_faction=False), span)
    )
    return position + 1


def _divide(before: str, names: Sequence[str], unit_words: str) -> tuple[str | None, str | None]:
    """Last keyword of a group and model name of the next, which the dump ran together: `COMMAND SQUADSOME LEADER`.

    A model name that the page prints elsewhere decides; else the unit's name, which ends the group before. What is left of
    `ASH GUARDSERGEANT AND VETERANS` by the model `Veterans` is the beginning of a longer name, and no keyword.
    """
    folded = fold(before)
    for name in sorted(names, key=len, reverse=True):
        key = fold(name)
        if folded == key or folded in _ALL_PRINTED:
            return None, before
        if folded.endswith(key):
            cut = len(before) - len(name)
            if before[:cut].endswith(_AND_MORE):
                break
            return before[:cut].strip() or None, before[cut:].strip()
    unit = fold(unit_words)
    words = unit.split(" ")
    for start in range(len(words)):
        tail = " ".join(words[start:])
        if tail and folded.startswith(tail) and len(folded) > len(tail) and before[len(tail)].isalpha():
            return before[: len(tail)], before[len(tail) :].strip()
    return None, None


def read_faction_keywords(blocks: Sequence[Block], datasheet_id: str, position: int) -> Keywords:
    """Faction keywords; the line stands twice and the first is an echo."""
    made: list[tuple[Keyword, Span]] = []
    claims: list[Claimed] = []
    lines = [b for b in blocks if b.kind not in _EMPTY]
    claims += [Claimed(b.start, b.end, Claim.FURNITURE) for b in blocks if b.kind in _EMPTY]
    seen: set[tuple[str, str]] = set()
    last = {fold(block.text): index for index, block in enumerate(lines)}
    for index, block in enumerate(lines):
        start = block.text.index(":") + 1 if index == 0 and ":" in block.text else 0
        if index and last[fold(block.text)] > index:
            claims.append(Claimed(block.start, block.end, Claim.ECHO))
            continue
        claims.append(Claimed(block.start, block.end, Claim.VALUE))
        for word, at in _tokens(block.text, start, len(block.text)):
            name = clean(word)
            if (fold(name), ALL_MODELS) in seen:
                continue
            seen.add((fold(name), ALL_MODELS))
            keyword = Keyword(
                datasheet_id=datasheet_id, keyword=name, model_name=ALL_MODELS, position=position, is_faction=True
            )
            made.append((keyword, Span(block.start + at, block.start + at + len(word))))
            position += 1
    return Keywords(made, claims, [])


class Index(NamedTuple):
    """A printed keyword index; `lost` when the dump lost a keyword of it."""

    record: KeywordIndex | None
    lost: str | None = None
    faction: Faction | None = None


def read_index(blocks: Sequence[Block]) -> Index:
    """The sentence that names keyword and faction, and the role headings or factions below it."""
    content = [b for b in blocks if b.kind is not BlockKind.BLANK]
    if content[0].text == "The":
        return Index(None, "its keyword")
    sentence = content[0].text
    below = [
        clean(b.text)
        for b in content[1:]
        if b.kind in (BlockKind.HEADING, BlockKind.TEXT) and not b.text.startswith("and others")
    ]
    if found := _FACTIONS.match(sentence):
        keywords: tuple[str, ...] = (clean(found["keyword"]),)
        names = [name.strip(" .") for b in below for name in b.partition(":")[2].split(",")]
        return Index(KeywordIndex(keyword_index_id=ids.keyword_index(None, keywords), keywords=keywords,
                                  printed_factions=tuple(n for n in names if n)))  # fmt: skip
    found = _USED.match(sentence)
    if found is None:
        return Index(None, "its keyword" if _LOST.match(sentence) else "its sentence")
    keywords = tuple(clean(k) for k in _AND.split(found["keywords"]) if k)
    plural = "keywords are used" in sentence
    if plural and len(keywords) < 2 and content[0].element is None:  # a saved page has lost none
        return Index(None, "one of its keywords")
    faction = faction_id(found["faction"]) if found["faction"] else None
    made = KeywordIndex(
        keyword_index_id=ids.keyword_index(faction, keywords),
        keywords=keywords,
        faction_id=faction,
        printed_groups=tuple(dict.fromkeys(below)),
    )
    name = (declared_name(faction) or clean(found["faction"])) if faction else ""
    return Index(made, None, Faction(faction_id=faction, name=name) if faction else None)
