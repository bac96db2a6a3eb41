"""Stratagems: the list on a datasheet, and the cards.

COMMAND RE-ROLL        name; on a card with its rule number glued behind it in 11e, `COMMAND RE-ROLL15.02`
1CP
Core Stratagem         `Kauyon – Battle Tactic Stratagem`, `Auxiliary Cadre Stratagem` (no type printed), `Grizzled Company – Stratagem`
flavour
WHEN: … TARGET: … EFFECT: … RESTRICTIONS: …     printed twice, see `texts`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim, Span
from pipeline.extractors.pages import Page
from pipeline.extractors.sections import Section
from pipeline.extractors.texts import clean, heading, paragraphs, unfold
from pipeline.factions import detachment_name
from pipeline.ids import fold
from pipeline.records import DatasheetStratagem, Detachment, LabelledText, Rule, Stratagem
from pipeline.vocabulary import vocabulary

_PAGE = vocabulary("page")
_TYPES = {fold(name): name for name in _PAGE["stratagem_types"]}
_RULE_SETS: dict[str, str] = {fold(name): identity for name, identity in _PAGE["rule_sets"].items()}
_LABELS: tuple[str, ...] = tuple(_PAGE["labels"]["stratagem"])
_TYPE_LINE = re.compile(r"(?P<owner>.+?)(?:\s+[-–—](?:\s+(?P<type>[^–—]+?))?)?\s*$")
_PHASES = ("command", "movement", "shooting", "charge", "fight")
_PHASE = re.compile(r"\b(Command|Movement|Shooting|Charge|Fight)\b(?=[^.]*?\b(?:phase|step)\b)")
_ANY_PHASE = re.compile(r"\b[Aa]ny phase\b")
_YOURS = re.compile(r"\b[Yy]our\b(?! opponent)")
_OPPONENTS = re.compile(r"\b[Oo]pponent[’']s\b")
_BARE_PHASE = re.compile(
    r"(?:^(?:[Tt]he )?(?:[Ss]tart of |[Ee]nd of )?(?:any |the )?(?:Command|Movement|Shooting|Charge|Fight)"
    r"|\b(?:or|and) (?:the )?(?:start of |end of )?(?:(?:any |the )(?:Command|Movement|Shooting|Charge|Fight)|Fight)) phase"
)
_ENTRY = 4  # blocks of an entry of a list: name, points, detachment and type, tag
_LONGEST_TYPE_LINE = 200
_LONGEST_CLAUSE = 1_000
_BROKEN = re.compile(r"(?<=[\w,])\n(?=[a-z])|(?<=,)\n")  # a line break inside a sentence
_TRIGGER = re.compile(r",\s*(?:just|when|after|before|at|in which|once|each)\b|[.;]")


class Owner(NamedTuple):
    """What a type line says: rule set or detachment, and the type if one is printed."""

    source: str  # core | boarding-actions | detachment
    detachment: str | None  # its name
    type: str | None
    unknown_type: str | None


_CORE = Owner("core", None, None, None)  # where no type is printed


@lru_cache(maxsize=16384)
def owner_of(line: str) -> Owner:
    """`Kauyon – Battle Tactic Stratagem` → detachment Kauyon, Battle Tactic. The last part is a type only if it is one."""
    text = clean(line).removesuffix("Stratagem").strip()
    found = _TYPE_LINE.match(text) if len(text) <= _LONGEST_TYPE_LINE else None
    name = found["owner"].strip() if found else text
    printed = found["type"] if found else None
    kind = _TYPES.get(fold(printed)) if printed else None
    unknown = printed if printed and kind is None else None
    rule_set = _RULE_SETS.get(fold(name))
    if rule_set:
        return Owner(rule_set, None, kind, unknown)
    return Owner("detachment", name, kind, unknown)


class Card(NamedTuple):
    """What a card holds."""

    stratagem: Stratagem
    detachment: Detachment | None
    rule: Rule | None  # core stratagems with a number are rules of the core rules too
    echoes: list[Block]
    behind: list[Block]  # text below the card that is none of it
    faults: list[tuple[str, str]]
    used: list[Block]


def stratagem_id(owner: Owner, faction_id: str | None, name: str) -> tuple[str, str | None]:
    """Id of the stratagem and of its detachment."""
    if owner.detachment is None or faction_id is None:
        return ids.stratagem(owner.source if owner.detachment is None else ids.slug(owner.detachment), name), None
    detachment_id = ids.detachment(faction_id, detachment_name(faction_id, owner.detachment))
    return ids.stratagem(detachment_id, name), detachment_id


@lru_cache(maxsize=16384)
def detachment_record(faction_id: str, printed: str) -> Detachment:
    """A detachment under the name that it goes by; other printings are its aliases."""
    name = clean(detachment_name(faction_id, printed))
    aliases = () if fold(name) == fold(printed) else (clean(printed),)
    return Detachment(detachment_id=ids.detachment(faction_id, name), faction_id=faction_id, name=name, aliases=aliases)


def timing(when: str | None) -> tuple[tuple[str, ...], str | None]:
    """Phases and turn of a WHEN text.

    >>> timing("Your Shooting phase or the Fight phase.")
    (('shooting', 'fight'), 'either')
    >>> timing("End of your opponent’s Movement phase.")
    (('movement',), 'opponents')
    """
    if not when:
        return (), None
    first = when.split("\n")[0]
    trigger = _TRIGGER.search(first)
    return _timing((first[: trigger.start()] if trigger else first)[:_LONGEST_CLAUSE])


@lru_cache(maxsize=4096)
def _timing(clause: str) -> tuple[tuple[str, ...], str | None]:
    if _ANY_PHASE.search(clause):
        return ("any",), "either"
    named = {m.group(1).lower() for m in _PHASE.finditer(clause)}
    phases = tuple(p for p in _PHASES if p in named)
    yours, theirs = bool(_YOURS.search(clause)), bool(_OPPONENTS.search(clause))
    if not phases and not yours and not theirs:
        return (), None
    # a phase that is neither player's own (`the Fight phase`) comes in both turns; `Your opponent’s Movement or Charge phase` is theirs
    bare = _BARE_PHASE.search(clause)
    if (yours and theirs) or (bare and not clause[: bare.end()].endswith(" your")) or (not yours and not theirs):
        return phases, "either"
    return phases, "yours" if yours else "opponents"


def shown_timing(points: Block) -> tuple[tuple[str, ...], str | None]:
    """Phases and turn that a page's markup shows beside a stratagem's points, as icons and a colour."""
    if points.detail[:1] != ("timing",) or len(points.detail) < 3:
        return (), None
    phases = points.detail[2:]
    return (_PHASES if "any" in phases else tuple(p for p in _PHASES if p in phases)), points.detail[1] or None


def read_card(blocks: Sequence[Block], faction_id: str | None) -> Card:
    """A card: name, points, type, then flavour and labels."""
    content = [b for b in blocks if b.kind is not BlockKind.BLANK]
    title, *rest = content
    points = rest.pop(0) if rest and rest[0].kind is BlockKind.COMMAND_POINTS else None
    number, name = heading(title)
    owner = _CORE
    typed = bool(rest) and (
        rest[0].kind is BlockKind.STRATAGEM_TYPE
        or (rest[0].kind is BlockKind.TEXT and rest[0].text.endswith("Stratagem"))
    )
    faults: list[tuple[str, str]] = []
    used = [title, points] if points else [title]
    if typed:
        owner = owner_of(rest[0].text)
        used.append(rest[0])
        rest = rest[1:]
        if owner.unknown_type:
            faults.append(("unknown-stratagem-type", _unknown_type(owner.unknown_type)))
    labelled: dict[str, list[Block]] = {}
    flavour: list[Block] = []
    unfolded = unfold(rest)
    kept, behind = _without_what_follows(unfolded.kept, unfolded.echoes)
    current: list[Block] = flavour
    for block in kept:
        if block.kind is BlockKind.LABELLED and (label := block.text.partition(":")[0]) in _LABELS:
            if label in labelled:
                faults.append(
                    ("duplicate-section", f"{label} of {name} stands twice with different texts; the last stands.")
                )
            current = labelled[label] = []
        current.append(block)
        used.append(block)
    texts = {label: _without_label(label, found) for label, found in labelled.items()}
    phases, turn = timing(texts.get("WHEN"))
    if not phases and points:
        phases, turn = shown_timing(points)
    identity, detachment_id = stratagem_id(owner, faction_id, name)
    cost = _cost(points) if points else None
    if points and cost is None:
        faults.append(("unreadable-value", f"{points.text} of {name} are no command points."))
    complete = typed and cost is not None and all(texts.get(label) for label in ("WHEN", "TARGET", "EFFECT"))
    if not complete:
        missing = [label for label in ("WHEN", "TARGET", "EFFECT") if not texts.get(label)]
        missing += [] if points else ["its command points"]
        faults.append(
            (
                "incomplete-stratagem",
                f"The card of {name} lacks {', '.join(missing) or ('a cost' if typed else 'its type line')}.",
            )
        )
    made = Stratagem(
        stratagem_id=identity, name=name, cp_cost=cost,
        source=owner.source, faction_id=faction_id if owner.detachment else None, detachment_id=detachment_id, type=owner.type, rule_number=number,
        flavour=_flavour(flavour), when_text=texts.get("WHEN"), target_text=texts.get("TARGET"),
        effect_text=texts.get("EFFECT"), restrictions_text=texts.get("RESTRICTIONS"), phases=phases, turn=turn, complete=complete,
    )  # fmt: skip
    rule = None
    if number:
        rule = Rule(
            rule_id=number, number=number, title=name, kind="core-stratagem", flavour=made.flavour, complete=complete,
            sections=tuple(LabelledText(label, texts[label] or "") for label in _LABELS if label in texts),
        )  # fmt: skip
    detachment = detachment_record(faction_id, owner.detachment) if owner.detachment and faction_id else None
    return Card(made, detachment, rule, unfolded.echoes, behind, faults, used)


def _without_what_follows(kept: list[Block], echoes: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Parts a doubled card from the text below it: the first copy names all texts of the card, so one behind them is none of it."""
    if not echoes:
        return kept, []
    last = max((i for i, b in enumerate(kept) if b.text == echoes[-1].text), default=len(kept))
    end = last + 1
    while end < len(kept) and kept[end].kind in (BlockKind.BULLET, BlockKind.RUIN):
        end += 1
    return kept[:end], kept[end:]


def _flavour(blocks: Sequence[Block]) -> str | None:
    """Flavour text; lines that break inside a sentence are one paragraph."""
    text = paragraphs(blocks)
    return _BROKEN.sub(" ", text) if text and "\n" in text else text


def _without_label(label: str, blocks: Sequence[Block]) -> str | None:
    text = paragraphs(blocks)
    return text[len(label) + 1 :].strip() or None if text else None


def listed(section: Section, page: Page, datasheet_id: str | None) -> None:
    """The list below STRATAGEMS: name, points, detachment and type, tag; its places, where it is a datasheet's."""
    content = [b for b in section.blocks[1:] if b.kind is not BlockKind.BLANK]
    starts = [i for i, (b, below) in enumerate(pairwise(content)) if _has_points(below) and not _has_points(b)]
    if not starts:
        return
    surplus: set[int] = set()
    for position, (start, end) in enumerate(zip(starts, (*starts[1:], len(content)), strict=True), 1):
        entry = content[start:end]
        used = [*entry[:2], *(b for b in entry[2:] if not _has_points(b))][:_ENTRY]
        surplus |= {b.start for b in entry} - {
            b.start for b in used
        }  # of an entry without its points, or with two of them
        _entry(used, page, datasheet_id, position)
    page.claim(Claim.VALUE, [b for b in section.blocks if b.start not in surplus])


def _has_points(block: Block) -> bool:
    return block.kind is BlockKind.COMMAND_POINTS


def _entry(blocks: Sequence[Block], page: Page, datasheet_id: str | None, position: int) -> None:
    """An entry of a list of stratagems."""
    title, points, line, tag = (*blocks, None, None)[:4]
    assert title is not None and points is not None
    name = clean(title.text)
    owner = owner_of(line.text) if line else _CORE
    identity, detachment_id = stratagem_id(owner, page.faction, name)
    cost = _cost(points)
    if cost is None:
        message = f"{points.text} of {name} are no command points."
        page.say("unreadable-value", message, Span(points.start, points.end), "stratagems", identity)
    record = Stratagem(
        stratagem_id=identity, name=name, cp_cost=cost, source=owner.source,
        faction_id=page.faction if owner.detachment else None, detachment_id=detachment_id, type=owner.type,
    )  # fmt: skip
    page.add(record, *blocks)
    if line and owner.detachment and page.faction:
        page.add(detachment_record(page.faction, owner.detachment), line)
    if datasheet_id is not None:
        place = DatasheetStratagem(
            datasheet_id=datasheet_id, position=position, stratagem_id=identity, tag=tag.text if tag else None
        )
        page.add(place, *blocks)
    if owner.unknown_type:
        message = _unknown_type(owner.unknown_type)
        page.say("unknown-stratagem-type", message, Span(blocks[-1].start, blocks[-1].end), "stratagems", identity)


def _cost(points: Block) -> int | None:
    return values.points(points.text.removesuffix("CP"))


def _unknown_type(printed: str) -> str:
    return f"“{printed}” is no type of stratagem."
