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
from typing import NamedTuple

from pipeline.document import Block, BlockKind, Document
from pipeline.vocabulary import vocabulary

_PAGE = vocabulary("page")
_SECTIONS = frozenset(_PAGE["sections"])
_WEAPON_SECTIONS = frozenset(_PAGE["weapon_sections"])
_COLUMNS = frozenset(_PAGE["weapon_columns"])
_FURNITURE_LINES = frozenset(_PAGE["furniture"]["lines"])
_FURNITURE_STARTS = tuple(_PAGE["furniture"]["starts"])
_LABELS = sorted({label for labels in _PAGE["labels"].values() for label in labels}, key=len, reverse=True)

NUMBER = r"\d\d\.\d\d(?:\.\d\d)?"

# `RETREAT.06.03 Hazard Rolls`, `unit:- First`, `attack (13.08).[IGNORES COVER]24.18`, `still.EFFECT: It turns`, `roll.The unit`
_SENTENCE_GLUE = (
    r"(?<=[\w)\]”’\"'%+*–-][.!?])(?=[A-Z\[‘“])(?![A-Z]\.)"  # not inside `S.A.G.E.`
    r"|(?<=[.!?)])(?<!\d\d\.)(?=" + NUMBER + r" [A-Z])"  # not inside `05.04.04`
)
# `following:- First`, `in that unit. - Resolve Damage: …`
_BULLET_GLUE = r"(?<=[.:!?)\]])(?=- \S)|(?<=[.:!?] )(?=- [A-Z][\w’' -]{2,40}: )"
# `ELIGIBLE IF: Any unit.EFFECT: …` is caught as a sentence; a label can also follow a bracket or a quotation mark
_LABEL_GLUE = r"(?<=[)\]”’\"])(?=(?:" + "|".join(map(re.escape, _LABELS)) + r"): )"
# `datasheets:Characters`, `Factions:Chaos: …`
_INDEX_GLUE = r"(?<=datasheets:)(?=\S)|(?<=Factions:)(?=\S)"
# `Chaos: Death Guard.Imperium: …` is a sentence; `that unit is withinInvasion Fleet Detachment`, `,Grizzled Company Detachment`
_DETACHMENT_GLUE = r"(?<=[a-z,])(?=[A-Z][\w’'‑-]*(?: (?:of|the|and|for|to|in|[A-Z][\w’'‑-]*))* Detachment$)"
# `While a friendlyFIGHTS FIRST`, `roll.VIOLENT ACQUISITION` is a sentence; a title in capitals at the end of the line
_CAPITALS_GLUE = r"(?<=[a-z])(?=[A-Z][A-Z’'‑ -]{3,}(?:" + NUMBER + r")?$)"
# `Datasheets collatedInfantry Character`
_FURNITURE_GLUE = r"(?<=^Datasheets collated)(?=\S)"
# `andEmbark`, `,Other`: what stood around a keyword that the dump lost, run into the next line
_REMNANT_GLUE = r"(?<=^and)(?=[A-Z])|(?<=^,)(?=[A-Z])"
# `one of the following to apply:Eliminate At All Costs Select one … |`: the first cell of a table, run into the sentence above
_CELL_GLUE = re.compile(r"(?<=[a-z]:)(?=[A-Z][\w’]+ )")
# `CONTRA-MORTIS PROTOCOLIf you have …`: a title in capitals with its text behind it
_GLUE = re.compile(
    "|".join(
        (
            _SENTENCE_GLUE,
            _BULLET_GLUE,
            _LABEL_GLUE,
            _INDEX_GLUE,
            _DETACHMENT_GLUE,
            _CAPITALS_GLUE,
            _FURNITURE_GLUE,
            _REMNANT_GLUE,
        )
    )
)
_CAPITALS_BEFORE_TEXT = re.compile(r"^((?:[A-Z0-9][A-Z0-9’'‑!-]*[ -])*[A-Z][A-Z’'‑!-]{2,})(?=[A-Z][a-z]+ )")

_RULE = re.compile(
    rf"(?P<front>{NUMBER}) (?P<title>\S.*)$|(?P<bracketed>\[[^\[\]]+\])(?P<behind>{NUMBER})$"
    rf"|(?P<capitals>[A-Z0-9][^a-z.:;|]*[^a-z.:;|(\s])(?P<last>{NUMBER})$"
)
_CP = re.compile(r"\d+CP$")
_TYPE = re.compile(r".{2,80} Stratagem$")
_INDEX = re.compile(
    r"The .+ keywords? (?:is|are) used in the following .*datasheets(?: \([^()]*\))?:$"
    r"|keywords? (?:is|are) used in the following .*datasheets(?: \([^()]*\))?:$"
    r"|The datasheets using .+ keyword can be found in the following Factions:$"
)
_EXAMPLE = re.compile(r"Examples?: ")
_NOTE = re.compile(r"Designer[’']s Notes?: ")
_LABEL = re.compile(r"(?:" + "|".join(map(re.escape, _LABELS)) + r"|[A-Z][A-Z’'/ -]{2,30}[A-Z]):(?: |$)")
_KEYWORDS = re.compile(r"(?:FACTION )?KEYWORDS?(?: [–—-] .+?)?:|KEYWORDS?(?: [–—-] .+)?$")
_DAMAGED = re.compile(r"DAMAGED: ?\d")
_URL = re.compile(r"https?://\S+$")
_TITLE = re.compile(r"(?P<faction>[^|.:]{2,60}) – (?P<unit>[^|.:]{2,80})$")
_BULLET = re.compile(r"(?:[-•*]|–) +\S")
_HEADING_ENDS_NOT = tuple(".:,;|”")
MAXIMUM_HEADING = 70


class _Piece(NamedTuple):
    """What a line holds, relative to its start."""

    kind: BlockKind
    start: int
    text: str
    glued: bool


_known_lines: dict[str, tuple[_Piece, ...]] = {}
_KNOWN_LINES_LIMIT = 200_000


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
            if len(known) >= _KNOWN_LINES_LIMIT:
                known.clear()
            known[line] = pieces
        after = at + len(line) + 1
        if len(pieces) == 1:
            piece = pieces[0]
            append(Block(piece.kind, at, after, piece.text))
        else:
            for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
                end = after if following is None else at + following.start
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
    lead = len(line) - len(line.lstrip())
    if stripped[0] == "|" or stripped.count("|") > 1 or (stripped[-1] == "|" and " | " in stripped):
        return (_Piece(_pipe_kind(stripped), 0, stripped, False),)
    starts = [0]
    if (title := _CAPITALS_BEFORE_TEXT.match(stripped)) and len(stripped) - title.end() > 20:
        starts.append(title.end())
    starts += [m.start() for m in _GLUE.finditer(stripped) if m.start() > starts[-1]]
    if stripped.endswith(" |"):
        starts = sorted({*starts, *(m.start() for m in _CELL_GLUE.finditer(stripped))})
    pieces = []
    for i, start in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(stripped)
        text = stripped[start:end].strip()
        pieces.append(_Piece(shape(text), 0 if i == 0 else lead + start, text, i > 0))
    return tuple(pieces)


def _pipe_kind(stripped: str) -> BlockKind:
    cells = [cell.strip() for cell in stripped.split("|")]
    words = [cell for cell in cells if cell]
    if not words:
        return BlockKind.RUIN
    if len(words) > 3 and sum(word in _COLUMNS for word in words) >= 4:
        return BlockKind.TABLE_HEADER
    return BlockKind.ROW


def shape(text: str) -> BlockKind:
    """The shape of a line without outer white space, as far as the line alone tells."""
    if _BULLET.match(text):
        return BlockKind.BULLET
    if text in _FURNITURE_LINES or text.startswith(_FURNITURE_STARTS):
        return BlockKind.FURNITURE
    if text in _SECTIONS or _KEYWORDS.match(text) or _DAMAGED.match(text):
        return BlockKind.SECTION
    if text == "SEE ALSO":
        return BlockKind.SEE_ALSO
    if _CP.match(text):
        return BlockKind.COMMAND_POINTS
    if _INDEX.match(text):
        return BlockKind.INDEX
    if _LABEL.match(text):
        return BlockKind.LABELLED
    if _EXAMPLE.match(text):
        return BlockKind.EXAMPLE
    if _NOTE.match(text):
        return BlockKind.NOTE
    if _RULE.match(text):
        return BlockKind.RULE
    if _URL.match(text):
        return BlockKind.URL
    if text.rstrip(":").upper() in _WEAPON_SECTIONS:
        return BlockKind.TABLE_HEADER
    if _TYPE.match(text) and "." not in text:
        return BlockKind.STRATAGEM_TYPE
    return BlockKind.HEADING if _may_be_title(text) else BlockKind.TEXT


def _may_be_title(text: str) -> bool:
    return (
        len(text) <= MAXIMUM_HEADING
        and text[-1] not in _HEADING_ENDS_NOT
        and text.count("(") == text.count(")")
        and any(c.isalpha() for c in text)
        and (text[0].isupper() or not text[0].isalpha())
    )
