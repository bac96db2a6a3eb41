"""Sections of rules, stratagem cards, keyword indexes and texts without a title → what a page says in them.

Half of every page is such sections, and other pages hold most of them too. One that reads the same is read once: what it says is
kept with places relative to its start, under all that the reading depends on (`_Key`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pipeline import ids
from pipeline.diagnostics import excerpt
from pipeline.document import Block, BlockKind, Claim, Claimed, Span, joined, spans_of
from pipeline.extractors import claims, keywords, marked, nameless, rules, stratagems
from pipeline.extractors.pages import Fault, Page
from pipeline.extractors.sections import Section, detachment_of
from pipeline.extractors.texts import paragraphs
from pipeline.factions import declared_name
from pipeline.ids import fold
from pipeline.records import CrossReference, Faction, Rule, Sighting

KINDS = frozenset(
    [
        *("rule", "core-rule", "core-ability", "weapon-ability", "army-rule", "detachment-rule", "sub-rule", "faction-rule"),
        *("unknown", "stratagem", "index", "untitled", "text"),
    ]
)  # fmt: skip
"""The kinds of sections that are read here."""
_OF_ALL_FACTIONS = frozenset({"rule", "core-rule", "core-ability", "weapon-ability"})
_NAMESAKES = frozenset({"faction-rule", "sub-rule"})
_NO_CONTEXT = rules.Context()
_MOST_KNOWN = 50_000
_MOST_SEEN = 1_000_000


class _Reading(msgspec.Struct):
    """What a section says; stretches that touch are one."""

    sightings: list[Sighting] = []
    claims: list[Claimed] = []
    faults: list[Fault] = []

    def moved(self, by: int) -> _Reading:
        """The same, said of a section that stands further on."""
        return _Reading(
            [Sighting(s.record, tuple([Span(p.start + by, p.end + by) for p in s.spans])) for s in self.sightings],
            [Claimed(c.start + by, c.end + by, c.claim) for c in self.claims],
            [fault._replace(span=Span(fault.span.start + by, fault.span.end + by)) for fault in self.faults],
        )


# of a block: kind, whether it is glued, depth, what the markup says
_Shape = tuple[BlockKind, bool, int, tuple[str, ...]]
_Key = tuple[str, str | None, rules.Context, str, tuple[_Shape, ...]]  # kind, faction, context, text, shapes
_known: dict[_Key, _Reading] = {}
_seen: set[int] = set()  # hashes of what was read once: most of it never comes again, and is not kept


def forget() -> None:
    """Forgets what was read of earlier pages, as a new process would."""
    _known.clear()
    _seen.clear()


def _remember(key: _Key, reading: _Reading, start: int) -> None:
    """Keeps what a section that starts there says, when it comes for the second time: with places relative to its start."""
    mark = hash(key)
    if mark not in _seen:
        if len(_seen) >= _MOST_SEEN:
            _seen.clear()
        _seen.add(mark)
        return
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[key] = reading.moved(-start)


def take(section: Section, page: Page) -> None:
    """Adds to the page what a section of `KINDS` says."""
    _add(_reading(section, page), page)


def take_text(blocks: Sequence[Block], page: Page) -> None:
    """Adds text that belongs to nothing around it, such as what stands below a table of books."""
    _add(_read(Section("text", blocks), page.faction, _NO_CONTEXT), page)


def _add(reading: _Reading, page: Page) -> None:
    page.named_sightings += reading.sightings
    page.claims += reading.claims
    page.say_all(reading.faults)


def _reading(section: Section, page: Page) -> _Reading:
    """What a section says; one that reads the same was read before."""
    blocks = section.blocks
    base = blocks[0].start
    document = page.document
    if document.parts is not None:
        context, faction = marked.context(section.facts, page.faction, page.faction_printed)
    else:
        context = _context(section, page)
        faction = None if section.kind in _OF_ALL_FACTIONS else page.faction
    shapes = tuple([(b.kind, b.glued, b.depth, b.detail) for b in blocks])
    key = (section.kind, faction, context, document.text[base : blocks[-1].end], shapes)
    known = _known.get(key)
    if known is not None:
        return known.moved(base)
    found = _read(section, faction, context)
    _remember(key, found, base)
    return found


def _context(section: Section, page: Page) -> rules.Context:
    cells = page.expected.cells
    found = tuple([(b.text, cells[b.text]) for b in section.blocks if b.text in cells]) if cells else ()
    parent = _parent_of(section, page) if section.kind == "sub-rule" and section.title else None
    return rules.Context(found, parent) if found or parent else _NO_CONTEXT


def _parent_of(section: Section, page: Page) -> str | None:
    """Title of the rule that has a cell with the title of this sub-rule; of several, the one whose cell has its words."""
    assert section.title is not None
    cells = page.expected.parents.get(fold(section.title.text), {})
    if len(cells) == 1:
        return next(iter(cells))
    words = " ".join(page.document.text[section.blocks[0].start : section.blocks[-1].end].split())
    same = [parent for parent, texts in cells.items() if words in texts]
    return same[0] if len(same) == 1 else None


def _read(section: Section, faction: str | None, context: rules.Context) -> _Reading:
    made = _Reading()
    if section.kind == "index":
        _index(section, made)
    elif section.kind == "stratagem":
        _card(section, faction, made)
    elif section.kind in ("untitled", "text"):
        _untitled(section, faction, made)
    else:
        _rule(section, faction, context, made)
    named, faults = nameless.dropped(made.sightings)
    made.sightings = [Sighting(found.record, joined(found.spans)) for found in named]
    made.faults += faults
    made.claims = claims.in_order(made.claims)
    return made


def _whole(blocks: Sequence[Block]) -> Span:
    return Span(blocks[0].start, blocks[-1].end)


def _index(section: Section, made: _Reading) -> None:
    blocks = section.blocks
    found = keywords.read_index([b for b in blocks if not b.detail])
    if found.record is None:
        message = f"A keyword index lost {found.lost}: “{excerpt(blocks[0].text)}”"
        made.faults.append(Fault("title-lost", message, _whole(blocks), "keyword_index"))
        return
    made.sightings.append(Sighting(marked.members(blocks, found.record), spans_of(blocks)))
    if found.faction:
        made.sightings.append(Sighting(found.faction, spans_of(blocks[:1])))
    made.claims += claims.of_blocks(blocks, Claim.VALUE)


def _card(section: Section, faction: str | None, made: _Reading) -> None:
    card = stratagems.read_card(section.blocks, faction)
    spans = spans_of(card.used)
    made.sightings.append(Sighting(card.stratagem, spans))
    if card.detachment:
        made.sightings.append(Sighting(card.detachment, spans_of(card.used[2:3])))
    if card.rule:
        made.sightings.append(Sighting(card.rule, spans))
    made.claims += claims.of_section(section.blocks, card.used, card.echoes)
    if card.behind:
        _untitled(Section("text", card.behind), faction, made)
    for code, message in card.faults:
        made.faults.append(
            Fault(code, message, _whole(section.blocks), "stratagems", card.stratagem.stratagem_id)
        )  # fmt: skip


def _rule(section: Section, faction: str | None, context: rules.Context, made: _Reading) -> None:
    kind = "faction-rule" if section.kind == "unknown" else section.kind
    found = rules.read(Section(kind, section.blocks, section.title), faction, context)
    made.sightings += [Sighting(record, spans) for record, spans in found.rules]
    if found.detachment:
        made.sightings.append(Sighting(found.detachment, found.detachment_spans))
    if context.foreign and faction:
        of = Faction(faction_id=faction, name=declared_name(faction) or faction)
        made.sightings.append(Sighting(of, found.title_spans))
    made.claims += claims.of_section(section.blocks, found.taken, found.echoes)
    for position, (identity, see) in enumerate(found.see_also, 1):
        reference = CrossReference(
            reference_id=f"rules/{identity}/see-also/{position}", from_table="rules", from_id=identity, position=position,
            printed=see.printed, kind="see-also", to_number=see.number,
        )  # fmt: skip
        made.sightings.append(Sighting(reference, (see.span,)))
    made.faults += [Fault(code, message, span, "rules", identity) for code, message, span, identity in found.faults]
    if section.kind == "unknown":
        message = f"“{section.blocks[0].text}” is a title that neither the page's lists nor the vocabulary know."
        identity = found.rules[0][0].rule_id
        made.faults.append(Fault("unknown-heading", message, _whole(section.blocks[:1]), "rules", identity))


def _untitled(section: Section, faction: str | None, made: _Reading) -> None:
    """Text whose title the dump lost: below `Recon Element Detachment`, an enhancement; else a part of the page that is named nowhere."""
    content = [b for b in section.blocks if b.kind not in claims.EMPTY]
    made.claims += claims.of_blocks(section.blocks, Claim.VALUE)
    if not content:
        return
    printed = detachment_of(content[0].text) if section.kind == "untitled" else None
    text = paragraphs(content[1:] if printed else content)
    detachment = stratagems.detachment_record(faction, printed) if printed and faction else None
    if detachment:
        made.sightings.append(Sighting(detachment, spans_of(content[:1])))
    if text is None:
        return
    identity = f"untitled/{faction or 'any'}/{ids.text_hash(text)}"
    rule = Rule(
        rule_id=identity, number=None, title=None, kind="enhancement" if printed else "untitled", faction_id=faction,
        detachment_id=detachment.detachment_id if detachment else None, text=text, complete=False,
    )  # fmt: skip
    made.sightings.append(Sighting(rule, spans_of(content)))
    message = f"The dump lost the title of: “{excerpt(text)}”"
    made.faults.append(Fault("title-lost", message, _whole(content), "rules", identity))


def part_namesakes(sightings: list[Sighting]) -> list[Sighting]:
    """Sightings of a page with ids of their own for different rules that are titled alike (`DETACHMENT RULE`, of no detachment)."""
    several = _several(s.record for s in sightings if isinstance(s.record, Rule) and s.record.kind in _NAMESAKES)
    return [_parted(s, several) for s in sightings] if several else sightings


def _several(found: Iterable[Rule]) -> set[str]:
    """Ids under which different texts stand."""
    of_id: dict[str, list[Rule]] = {}
    for rule in found:
        of_id.setdefault(rule.rule_id, []).append(rule)
    return {i for i, some in of_id.items() if len(some) > 1 and len({_words(rule) for rule in some}) > 1}


def _parted(sighting: Sighting, several: set[str]) -> Sighting:
    rule = sighting.record
    if not isinstance(rule, Rule) or rule.rule_id not in several:
        return sighting
    own = f"{rule.rule_id}/{ids.text_hash(_words(rule))}"
    return Sighting(msgspec.structs.replace(rule, rule_id=own), sighting.spans)


def _words(rule: Rule) -> str:
    """The rule's words, however they are divided into flavour and text."""
    parts = (rule.flavour, rule.text, *(s.text for s in rule.sections), *(s.text for s in rule.sidebars))
    return " ".join(word for part in parts if part for word in part.split())
