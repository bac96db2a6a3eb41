"""Claims: what blocks were read as, in order and each character once.

>>> in_order([Claimed(4, 9, Claim.ECHO), Claimed(0, 6, Claim.VALUE)])
[Claimed(start=0, end=6, claim=<Claim.VALUE: 'value'>), Claimed(start=6, end=9, claim=<Claim.ECHO: 'echo'>)]
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from pipeline.document import Block, BlockKind, Claim, Claimed

EMPTY = frozenset([BlockKind.BLANK, BlockKind.RUIN, BlockKind.FURNITURE])
"""Kinds of blocks without content."""
_START = attrgetter("start")
_WEIGHT = {Claim.VALUE: 0, Claim.ECHO: 1, Claim.FURNITURE: 2}


def of_blocks(blocks: Sequence[Block], claim: Claim) -> list[Claimed]:
    """What blocks are read as, those without content as furniture; those that follow each other as one."""
    made: list[Claimed] = []
    start = end = -1
    last = claim
    for block in blocks:
        own = Claim.FURNITURE if block.kind in EMPTY else claim
        if block.start != end or own is not last:
            if end > start:
                made.append(Claimed(start, end, last))
            start, last = block.start, own
        end = block.end
    if end > start:
        made.append(Claimed(start, end, last))
    return made


def of_section(blocks: Sequence[Block], taken: Sequence[Block], echoes: Sequence[Block]) -> list[Claimed]:
    """What the blocks of a section are read as: those that were taken, those that repeat them, and blank ones."""
    made = of_blocks(taken, Claim.VALUE)
    if echoes:
        made += of_blocks(echoes, Claim.ECHO)
    if len(taken) + len(echoes) < len(blocks):
        made += of_blocks([b for b in blocks if b.kind is BlockKind.BLANK], Claim.FURNITURE)
    return made


def in_order(claims: Sequence[Claimed]) -> list[Claimed]:
    """Claims as stretches that follow each other. What is claimed twice counts once, as value before echo before furniture."""
    if len(claims) < 2:
        return list(claims)
    made: list[Claimed] = []
    at = run = 0
    last: Claim | None = None
    alone = len({c.start for c in claims}) == len(claims)
    for claimed in sorted(claims, key=_START if alone else _start_and_weight):
        start, end, claim = claimed.start, claimed.end, claimed.claim
        if end <= at:
            continue
        if claim is not last or start > at:
            if last is not None:
                made.append(Claimed(run, at, last))
            run, last = (start if start > at else at), claim
        at = end
    if last is not None:
        made.append(Claimed(run, at, last))
    return made


def _start_and_weight(claimed: Claimed) -> tuple[int, int, int]:
    return claimed.start, _WEIGHT[claimed.claim], -claimed.end
