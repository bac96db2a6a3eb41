r"""Reader for text dumps: a page's text, one block of the page after the other → blocks that tile it.

The dumps run the end of one block and the start of the next together (`… (13.08).[IGNORES COVER]24.18`). A line is therefore
cut wherever a new sentence, bullet, label or title starts without a space; each piece is a block of its own, marked `glued`.
Whether a piece is a title is not decided here: a capital letter after a full stop alone never makes one.

    >>> [(b.kind.value, b.text) for b in blocks("…against that attack (13.08).[HUSH]24.18\n- One model")]
    [('text', '…against that attack (13.08).'), ('rule', '[HUSH]24.18'), ('bullet', '- One model')]

Pages repeat each other, so what is found out about a line is kept and used for every line that reads the same.
"""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec

from pipeline.document import RULE_NUMBER, Block, BlockKind, Document
from pipeline.vocabulary import vocabulary

_PAGE = vocabulary("page")
_WEAPON_SECTIONS = frozenset(_PAGE["weapon_sections"])
_COLUMNS = frozenset(_PAGE["weapon_columns"])
_FURNITURE_STARTS = tuple(_PAGE["furniture"]["starts"])
_LABELS = sorted({label for labels in _PAGE["labels"].values() for label in labels}, key=len, reverse=True)

# `RETREAT.06.03 Hazard Rolls`, `unit:- First`, `attack (13.08).[IGNORES COVER]24.18`, `still.EFFECT: It turns`, `roll.The unit`
_SENTENCE_GLUE = (
    r"(?<=[\w)\]”’\"'%+*–-][.!?])(?=[A-Z\[‘“])(?![A-Z]\.)"  # not inside `S.A.G.E.`
    r"|(?<=[.!?)])(?<![0-9][0-9]\.)(?=" + RULE_NUMBER + r" [A-Z])"  # not inside `05.04.04`
)
# `following:- First`, `in that unit. - Resolve Damage: …`
_BULLET_GLUE = r"(?<=[.:!?)\]])(?=- \S)|(?<=[.:!?] )(?=- [A-Z][\w’' -]{2,40}: )"
# `ELIGIBLE IF: Any unit.EFFECT: …` is caught as a sentence; a label can also follow a bracket or a quotation mark
_LABEL_GLUE = r"(?<=[:)\]”’\"])(?=(?:" + "|".join(map(re.escape, _LABELS)) + r"): )"
# `datasheets:Characters`, `Factions:Chaos: …`
_INDEX_GLUE = r"(?<=datasheets:)(?=\S)|(?<=Factions:)(?=\S)"
# `Chaos: Death Guard.Imperium: …` is a sentence; `that unit is withinInvasion Fleet Detachment`, `,Grizzled Company Detachment`
_DETACHMENT_GLUE = re.compile(r"(?<=[a-z,])(?=[A-Z][\w’'‑-]*(?: (?:of|the|and|for|to|in|[A-Z][\w’'‑-]*))* Detachment$)")
_DETACHMENT = " Detachment"
_LONGEST_NAME = 200  # characters from the end of a line in which a detachment's name is looked for
# `While a friendlyFIGHTS FIRST`, `roll.VIOLENT ACQUISITION` is a sentence; a title in capitals at the end of the line
_CAPITALS_GLUE = r"(?<=[a-z])(?=[A-Z][A-Z’'‑ -]{3,}(?:" + RULE_NUMBER + r")?$)"
# `Datasheets collatedInfantry Character`
_COLLATED = "Datasheets collated"
_FURNITURE_GLUE = rf"(?<=^{_COLLATED})(?=\S)"
# `andEmbark`, `,Other`: what stood around a keyword that the dump lost, run into the next line
_REMNANT_GLUE = r"(?<=^and)(?=[A-Z])|(?<=^,)(?=[A-Z])"
# `one of these to apply:Light the Way Select one … |`: the first cell of a table, run into the sentence above
_CELL_GLUE = re.compile(r"(?<=[a-z]:)(?=[A-Z][\w’]+ )")
# `- 1 Brindle HaulerThis model is equipped with: rivet gun`
_LOADOUT_GLUE = r"(?<=[a-z])(?=(?:This|Every|Each) [a-z ]{2,40} equipped with:)"
# `CONTRA-MORTIS PROTOCOLIf you have …`: a title in capitals with its text behind it
_GLUE = re.compile(
    "|".join(
        (
            _SENTENCE_GLUE,
            _BULLET_GLUE,
            _LABEL_GLUE,
            _INDEX_GLUE,
            _CAPITALS_GLUE,
            _FURNITURE_GLUE,
            _REMNANT_GLUE,
            _LOADOUT_GLUE,
        )
    )
)
# `ABILITIESCORE: Stealth`, `UNIT COMPOSITION- 1 Brindle Hauler`, `SEE ALSO- Stealth 24.33`
_HEADED = re.compile(
    "(?:"
    + "|".join(map(re.escape, sorted(("SEE ALSO", *_PAGE["sections"]), key=len, reverse=True)))
    + r")(?=- \S|(?:CORE|FACTION): )"
)
# `FLY; BRINDLE HAULERFACTION KEYWORDS:`
_FACTION_KEYWORDS = "FACTION KEYWORDS:"
# `- 1 spare wheel- 1 ward plate`
_CHOICE_GLUE = re.compile(r"(?<=[a-z])(?=- [0-9]{1,3} [a-z])")
# The only places where one of the above can be: before a capital, or behind one of these marks. They are soon found.
_BEFORE_CAPITAL = re.compile(r"[A-Z\[‘“](?<=[a-z,.:!?)\]”’\"].)")
_BEHIND_MARK = re.compile(r"[.:!?)\]](?:(?=[0-9][0-9]\.|- |(?<=datasheets:)\S|(?<=Factions:)\S)| (?=- ))")
_CAPITALS_BEFORE_TEXT = re.compile(
    r"(?=[A-Z0-9’'‑! -]{4,200}[a-z]+ )"
    r"(?:[A-Z0-9][A-Z0-9’'‑!-]* )*(?:[A-Z0-9][A-Z0-9’'‑!-]*-)?[A-Z][A-Z’'‑!-]{2,}(?=[A-Z][a-z]+ )"
)

# Shapes of a line, the first that fits is it. `.{1,300}`: a hostile line shall not be searched through again and again.
_SHAPES = {
    BlockKind.SECTION: r"(?:FACTION )?KEYWORDS?(?: [–—-] .+?)?:|KEYWORDS?(?: [–—-] .+)?$|DAMAGED: ?[0-9]",
    BlockKind.COMMAND_POINTS: r"[0-9]{1,3}CP$",
    BlockKind.INDEX: (
        r"(?:The .{1,300} )?keywords? (?:is|are) used in the following .{0,300}datasheets(?: \([^()]*\))?:$"
        r"|The datasheets using .{1,300} keyword can be found in the following Factions:$"
    ),
    BlockKind.LABELLED: r"(?:" + "|".join(map(re.escape, _LABELS)) + r"|[A-Z][A-Z’'/ -]{2,30}[A-Z]):(?: |$)",
    BlockKind.EXAMPLE: r"Examples?: ",
    BlockKind.NOTE: r"Designer[’']s Notes?: ",
    BlockKind.RULE: rf"{RULE_NUMBER} \S|\[[^\[\]]+\]{RULE_NUMBER}$|[A-Z0-9][^a-z.:;|]*[^a-z.:;|(\s]{RULE_NUMBER}$",
    BlockKind.URL: r"https?://\S+$",
    BlockKind.STRATAGEM_TYPE: r"[^.]{2,80} Stratagem$",
}
_SHAPE = re.compile("|".join(f"(?P<{kind.name}>{shape})" for kind, shape in _SHAPES.items()))
_KINDS = {kind.name: kind for kind in _SHAPES}
_BULLET = re.compile(r"(?:[-•*]|–) +\S")
_TITLE = re.compile(r"(?P<faction>[^|.:]{2,60}) – (?P<unit>[^|.:]{2,80})$")
_BULLETS = frozenset("-•*–")
_EXACTLY = {
    "SEE ALSO": BlockKind.SEE_ALSO,
    **dict.fromkeys(_PAGE["sections"], BlockKind.SECTION),
    **dict.fromkeys(_PAGE["furniture"]["lines"], BlockKind.FURNITURE),
}
_SENTENCE_END = re.compile(r"[.!?…][’”]?$")
_SMALL_WORDS = frozenset(
    ["a", "an", "and", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with"]
)
_HEADING_ENDS_NOT = tuple(".:,;|”")
_ASKED = ("Q: |", "A: |")  # the first cell of a row, also where the page was cut in the second
OR = "OR"  # stands alone between two ways to use a rule, or two sizes of a unit
MAXIMUM_HEADING = 70


class _Piece(msgspec.Struct, frozen=True, gc=False):
    """What a line holds, relative to its start."""

    kind: BlockKind
    start: int
    text: str
    glued: bool


_known_lines: dict[str, tuple[_Piece, ...]] = {}
_KNOWN_LINES_LIMIT = 200_000
_KNOWN_LINE_LIMIT = 5_000  # characters; a longer line hardly comes again


def blocks(text: str) -> list[Block]:
    """Blocks that tile `text`: joined, they give it back character by character."""
    made: list[Block] = []
    append = made.append
    known = _known_lines
    at = 0
    for line in text.split("\n"):
        pieces = known.get(line)
        if pieces is None:
            pieces = _pieces(line)
            if len(line) <= _KNOWN_LINE_LIMIT:
                if len(known) >= _KNOWN_LINES_LIMIT:
                    known.clear()
                known[line] = pieces
        after = at + len(line) + 1
        if len(pieces) == 1:
            piece = pieces[0]
            append(Block(piece.kind, at, after, piece.text))
        else:
            ends = [at + piece.start for piece in pieces[1:]]
            for piece, end in zip(pieces, (*ends, after), strict=True):
                append(Block(piece.kind, at + piece.start, end, piece.text, piece.glued))
        at = after
    last = made[-1]
    made[-1] = Block(last.kind, last.start, len(text), last.text, last.glued)
    return _first_lines(made)


def read(document: Document) -> Document:
    """The document with its blocks."""
    document.blocks = blocks(document.text)
    return document


def _first_lines(made: list[Block]) -> list[Block]:
    """Title and address: only on the first lines, where a heading of the same form means nothing else."""
    for i, block in enumerate(made[:3]):
        if block.kind is BlockKind.HEADING and _TITLE.match(block.text):
            made[i] = Block(BlockKind.TITLE, block.start, block.end, block.text)
            break
        if block.kind not in (BlockKind.URL, BlockKind.BLANK):
            break
    return made


def _pieces(line: str) -> tuple[_Piece, ...]:
    stripped = line.strip()
    if not stripped:
        return (_Piece(BlockKind.BLANK, 0, "", False),)
    if "|" in stripped and (
        stripped[0] == "|"
        or stripped.count("|") > 1
        or (stripped[-1] == "|" and " | " in stripped)
        or stripped.startswith(_ASKED)
    ):
        return (_Piece(_pipe_kind(stripped), 0, stripped, False),)
    starts = _starts(stripped)
    if len(starts) == 1:
        return (_Piece(shape(stripped), 0, stripped, False),)
    lead = len(line) - len(line.lstrip())
    pieces = []
    for start, end in pairwise((*starts, len(stripped))):
        text = stripped[start:end].strip()
        pieces.append(_Piece(shape(text), lead + start if start else 0, text, start > 0))
    return tuple(pieces)


def _starts(stripped: str) -> list[int]:
    """Where the pieces of a line start."""
    starts = [0]
    if (
        not stripped[1:2].islower()
        and (title := _CAPITALS_BEFORE_TEXT.match(stripped))
        and len(stripped) - title.end() > 20
    ):
        starts.append(title.end())
    elif headed := _HEADED.match(stripped):
        starts.append(headed.end())
    first = starts[-1]
    if (faction := stripped.rfind(_FACTION_KEYWORDS)) > first:
        starts.append(faction)
    if stripped[0] in _BULLETS:
        starts += [m.start() for m in _CHOICE_GLUE.finditer(stripped)]
    if not (_BEFORE_CAPITAL.search(stripped) or _BEHIND_MARK.search(stripped) or stripped.startswith(_COLLATED)):
        return sorted(set(starts))
    places = [m.start() for m in _BEFORE_CAPITAL.finditer(stripped)]
    places += [m.end() for m in _BEHIND_MARK.finditer(stripped)]
    if stripped.startswith(_COLLATED):
        places.append(len(_COLLATED))
    starts += [place for place in places if place > first and _GLUE.match(stripped, place)]
    if stripped.endswith(_DETACHMENT):
        found = _DETACHMENT_GLUE.finditer(stripped, max(0, len(stripped) - _LONGEST_NAME))
        starts += [m.start() for m in found if m.start() > first]
    if stripped.endswith(" |"):
        starts += [m.start() for m in _CELL_GLUE.finditer(stripped)]
    return sorted(set(starts))


def _pipe_kind(stripped: str) -> BlockKind:
    cells = [cell.strip() for cell in stripped.split("|")]
    words = [cell for cell in cells if cell]
    if not words:
        return BlockKind.RUIN
    if len(words) > 3 and sum(word in _COLUMNS for word in words) >= 4:
        return BlockKind.TABLE_HEADER
    return BlockKind.ROW


def is_furniture(text: str) -> bool:
    """Whether a line is boilerplate that the vocabulary names."""
    return _EXACTLY.get(text) is BlockKind.FURNITURE or text.startswith(_FURNITURE_STARTS)


def shape(text: str) -> BlockKind:
    """The shape of a line without outer white space, as far as the line alone tells."""
    if text[0] in _BULLETS and _BULLET.match(text):
        return BlockKind.BULLET
    if (kind := _EXACTLY.get(text)) is not None:
        return kind
    if text.startswith(_FURNITURE_STARTS):
        return BlockKind.FURNITURE
    if found := _SHAPE.match(text):
        return _KINDS[found.lastgroup or ""]
    if len(text) > MAXIMUM_HEADING:
        return BlockKind.TEXT
    if text.rstrip(":").upper() in _WEAPON_SECTIONS:
        return BlockKind.TABLE_HEADER
    return BlockKind.HEADING if _may_be_title(text) else BlockKind.TEXT


def _is_sentence(text: str) -> bool:
    """Whether a line that ends like a sentence is one: `Let them come!`; not `Let Them Come!`, `WHAT IS ENGAGEMENT?`."""
    if not _SENTENCE_END.search(text) or text.isupper():
        return False
    return text[-1] in "’”" or any(w[0].islower() and w not in _SMALL_WORDS for w in text.split())


def _may_be_title(text: str) -> bool:
    return (
        text != OR
        and not _is_sentence(text)
        and (
            text[-1] not in _HEADING_ENDS_NOT
            and text.count("(") == text.count(")")
            and any(c.isalpha() for c in text)
            and (text[0].isupper() or not text[0].isalpha())
        )
    )
