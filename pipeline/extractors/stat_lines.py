"""Stat lines of a text dump: the values above the weapons, one a line.

M / 6" / T / 3 / Sv / 4+ / W / 1 / Ld / 7+ / OC / 2       labels stand only at the first profile
WICK KEEPER(⌀28.5mm)                                       the model's name with its base, before or behind its values
INVULNERABLE SAVE / 5+* / * Against ranged attacks only   a box below the profile that has it, with its footnote
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline import ids, values
from pipeline.document import Block, BlockKind, Claim
from pipeline.extractors.sheets import RecaseFunction, Sheet
from pipeline.extractors.texts import clean, is_clause
from pipeline.ids import fold
from pipeline.records import INVULNERABLE_SAVE, Model
from pipeline.vocabulary import vocabulary

_CHARACTERISTICS: tuple[str, ...] = tuple(vocabulary("page")["characteristics"])
_BASE = re.compile(r"(?P<name>.*?)\s*\((?P<base>⌀?[^()]*(?:mm|base|model)[^()]*)\)$", re.IGNORECASE)
_LONGEST_NAME = 300


def stat_lines(blocks: Sequence[Block], sheet: Sheet, recase: RecaseFunction) -> None:
    """Models of the lines before the weapons. What has not the form of a stat line stays unclaimed."""
    found = _StatLines(fold(sheet.name))
    for block in blocks:
        found.take(block)
    found.next()
    for stat_line in found.lines:
        _model(stat_line, sheet, recase)


@dataclass(slots=True)
class _StatLine:
    name: str | None = None
    base: str | None = None
    printed: dict[str, str] = field(default_factory=dict)  # label → value
    note: str | None = None  # on the invulnerable save
    blocks: list[Block] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return all(label in self.printed for label in _CHARACTERISTICS)


class _StatLines:
    """Stat lines, block by block."""

    def __init__(self, unit: str) -> None:
        self.unit = unit  # folded
        self.lines: list[_StatLine] = []
        self.current = _StatLine()
        self.order: list[str] = []  # of the labels at the first profile
        self.label: str | None = None  # whose value comes next
        self.boxed: _StatLine | None = None  # whose invulnerable save is being read

    def next(self) -> None:
        """Ends the current line."""
        self.lines.append(self.current)
        self.current = _StatLine()

    def take(self, block: Block) -> None:
        """Adds a block to the line that it belongs to, if to any."""
        text = block.text
        if text in _CHARACTERISTICS:
            if self.label is None and text in self.current.printed:
                self.next()
            self.label = text
            self.order = [*self.order, text] if text not in self.order else self.order
        elif text == INVULNERABLE_SAVE or self.boxed is not None:
            self._box(block)
            return
        elif self.label is not None and _is_stat(text):
            self.current.printed[self.label] = text
            self.label = None
        elif self.order and _is_stat(text):
            self._unlabelled(text)
        else:
            self._name(block)
            return
        self.current.blocks.append(block)

    def _box(self, block: Block) -> None:
        """The invulnerable save of a line: its label, its value or its footnote; what is none of them ends the box."""
        text = block.text
        if text == INVULNERABLE_SAVE:
            self.label, self.boxed = text, self._above()
        elif self.boxed is not None and self.label == INVULNERABLE_SAVE and _is_stat(text):
            self.boxed.printed[INVULNERABLE_SAVE] = text
            self.label = None
        elif self.boxed is not None and self.label is None and self.boxed.note is None and self._is_note(block):
            self.boxed.note = clean(text)
        else:
            self.label = self.boxed = None
            self.take(block)
            return
        if self.boxed is not None:
            self.boxed.blocks.append(block)

    def _above(self) -> _StatLine:
        """The line above a box: the current one, or the last if nothing was read since. A second box of a line is nobody's."""
        above = self.lines[-1] if self.lines and not self.current.blocks else self.current
        return _StatLine() if INVULNERABLE_SAVE in above.printed else above

    def _is_note(self, block: Block) -> bool:
        """`* Against ranged attacks only`; not a value, and not the name of a model."""
        if _is_stat(block.text) or (block.kind is BlockKind.HEADING and not is_clause(block.text)):
            return False
        return fold(block.text) != self.unit and not _BASE.match(block.text[:_LONGEST_NAME])

    def _unlabelled(self, text: str) -> None:
        """A value of a later profile: its label is that of the same place in the first."""
        if self._count() == len(self.order):
            self.next()
        self.current.printed[self.order[self._count()]] = text

    def _count(self) -> int:
        return sum(label in _CHARACTERISTICS for label in self.current.printed)

    def _name(self, block: Block) -> None:
        """The name of a model, its base, or both; the name may stand above the values, and the base on a line of its own."""
        text = block.text
        found = _BASE.match(text[:_LONGEST_NAME])
        if not found and fold(text) != self.unit and not self._names_model(block):
            return
        if found and not found["name"]:
            self.current.base = clean(found["base"].removeprefix("⌀"))
        else:
            if self.current.name is not None and fold(self.current.name) != fold(text):
                self.next()
            self.current.name = found["name"] if found else text
            self.current.base = clean(found["base"].removeprefix("⌀")) if found else self.current.base
        self.current.blocks.append(block)
        if self.current.name is not None and len(self.current.printed) >= len(_CHARACTERISTICS):
            self.next()

    def _names_model(self, block: Block) -> bool:
        """`FIRE COORDINATOR` behind its values, without its base."""
        unnamed = self.current.name is None and self.current.is_whole
        return unnamed and block.kind is BlockKind.HEADING and not _is_stat(block.text)


def _is_stat(text: str) -> bool:
    return (
        values.characteristic(text) is not None
        or values.inches(text) is not None
        or values.is_absent(text)
        or text.rstrip("*").endswith('+"')
    )


def _model(stat_line: _StatLine, sheet: Sheet, recase: RecaseFunction) -> None:
    printed = stat_line.printed
    if not stat_line.is_whole:
        if printed:
            message = f"A stat line has {', '.join(printed)} alone."
            sheet.fault("unreadable-row", message, stat_line.blocks[0], "models", sheet.datasheet_id)
        elif stat_line.base and stat_line.name:
            sheet.set("base_size", stat_line.base, *stat_line.blocks)
            sheet.claim(Claim.VALUE, *stat_line.blocks)
        elif stat_line.name:
            sheet.claim(Claim.ECHO, *stat_line.blocks)
        return
    name = recase(clean(stat_line.name)) if stat_line.name else sheet.name
    numbers = {label: values.characteristic(text) for label, text in printed.items()}
    record = Model(
        model_id=ids.model(sheet.datasheet_id, name), datasheet_id=sheet.datasheet_id, position=sheet.position("models"), name=name,
        base_size=stat_line.base,
        movement_inches=values.inches(printed["M"]), movement_inches_printed=printed["M"],
        toughness=numbers["T"], toughness_printed=printed["T"], save=numbers["Sv"], save_printed=printed["Sv"],
        invulnerable_save=numbers.get(INVULNERABLE_SAVE), invulnerable_save_printed=printed.get(INVULNERABLE_SAVE),
        invulnerable_save_text=stat_line.note,
        wounds=numbers["W"], wounds_printed=printed["W"], leadership=numbers["Ld"], leadership_printed=printed["Ld"],
        objective_control=numbers["OC"], objective_control_printed=printed["OC"],
    )  # fmt: skip
    sheet.add(record, *stat_line.blocks)
    sheet.claim(Claim.VALUE, *stat_line.blocks)
