"""The books of rules and the FAQs of the datacards → records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.document import Span
from pipeline.exports.clean_text import optional
from pipeline.exports.datacard_ids import Target, Targets
from pipeline.exports.json_cards import cards, know, object_of, objects, text, text_of, title, value_of
from pipeline.exports.reading import ExportReading
from pipeline.factions import declared_name, faction_id, is_declared
from pipeline.records import CrossReference, Faction, Faq, LabelledText, Rule

_CORE = "core-rules"
_ROOT = ("id", "name", "source", "cardType", "compatibleDataVersion", "updated", "isCombatPatrol", "sections")
_SECTION = ("id", "name", "order", "containers")
_CONTAINER = ("id", "type", "order", "title", "subTitle", "components", "behaviour", "stratagem_id")
_COMPONENT = ("order", "type", "text", "title", "imageUrl")
_LABELS = {
    "eligibleIf": "ELIGIBLE IF",
    "maximumDistance": "MAXIMUM DISTANCE",
    "setupDistance": "SET-UP DISTANCE",
    "effect": "EFFECT",
    "beforeMoving": "BEFORE MOVING",
    "whileMoving": "WHILE MOVING",
    "afterMoving": "AFTER MOVING",
    "whileShooting": "WHILE SHOOTING",
    "afterShooting": "AFTER SHOOTING",
}
_BEHAVIOUR = ("id", "name", "ruleReference", *_LABELS)
_FAQS = ("source", "cardType", "compatibleDataVersion", "updated", "faqs")
_FAQ = ("id", "order", "publication", "errataHeader", "errataText", "targets", "question", "answer")
_TABLES = {
    "datasheet": "datasheets",
    "stratagem": "stratagems",
    "enhancement": "enhancements",
    "detachment": "detachments",
    "ruleContainer": "rules",
    "armyRule": "rules",
}
_NUMBER = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2})+")
_NUMBERED = re.compile(rf"({_NUMBER.pattern})\s*[-–]\s*(.+)")  # `01.01.01 - You`
_EXAMPLE = re.compile(r"Example:\s*")
_NOTHING = frozenset({"", "-", "'-'"})  # `'-'`: no maximum distance
_PICTURE = "image"
_BOOK = re.compile(r"[^:]+: (.+)")  # `Codex: Ash Compact`


class _Found(NamedTuple):
    """A rule before it has its id."""

    number: str | None
    title: str
    kind: str
    parent: str | None
    components: list[dict[str, Any]]
    behaviour: Mapping[str, Any]
    source_id: object
    span: Span


def core_rules(reading: ExportReading, found: Mapping[str, msgspec.Raw], targets: Targets) -> None:
    """Rules of a book. Those of the core rules go by their numbers.

    A number belongs to one book: combat patrol counts its sections from 01.00, too. Rules of other books thus have ids
    from their titles, and no number, which a reference to a core rule would find.
    """
    know(reading, "book", found, _ROOT, None)
    book = ids.slug(title({"name": value_of(found["name"])})) if "name" in found else ""
    reading.title = book
    if not book:
        reading.tell("unreadable-row", "The file does not say which book it is.")
        return
    rules: list[_Found] = []
    for section in cards(reading, reading.text.encode(), found["sections"], "sections"):
        know(reading, "section", section.fields, _SECTION, section.span)
        reading.claim(section.span)
        name = title(section.fields)
        for container in objects(section.fields, "containers"):
            know(reading, "container", container, _CONTAINER, section.span)
            rules += _container(reading, container, section.span, name)
    taken: dict[str, str] = {}
    for rule in sorted(rules, key=lambda rule: (rule.number or "", ids.slug(rule.title))):
        _see(reading, rule, book, taken, targets)


def _container(reading: ExportReading, container: Mapping[str, Any], span: Span, section: str) -> list[_Found]:
    """A numbered section, and the numbered parts that it folds up."""
    printed, number = title(container, "title"), _number(title(container, "subTitle"))
    components = objects(container, "components")
    behaviour = object_of(container, "behaviour")
    know(reading, "behaviour", behaviour, _BEHAVIOUR, span)
    parts: list[_Found] = []
    own: list[dict[str, Any]] = []
    for component in components:
        know(reading, "component", component, _COMPONENT, span)
        folded = _NUMBERED.fullmatch(title(component, "title"))
        if folded is None:
            own.append(component)
        else:
            parts.append(
                _Found(_number(folded[1]), folded[2], "core-rule", number, [component], {}, component.get("id"), span)
            )
    chapter = f"{number.partition('.')[0]}.00" if number else None
    parent = number.rpartition(".")[0] if number and number.count(".") > 1 else chapter
    kind = _kind(printed, number, str(container.get("type")))
    rule = _Found(
        number,
        printed if number else f"{section}: {printed}",
        kind,
        None if parent == number else parent,
        own,
        behaviour,
        container.get("id"),
        span,
    )
    return [rule, *parts]


def _number(printed: str) -> str | None:
    """`5.3.2` → `05.03.02`: two digits each, as all other numbers of the book have."""
    if not _NUMBER.fullmatch(printed):
        return None
    return ".".join(part.zfill(2) for part in printed.split("."))


def _kind(printed: str, number: str | None, type_of: str) -> str:
    if printed.startswith("["):
        return "weapon-ability"
    if type_of == "stratagem":
        return "core-stratagem"
    if type_of == "behaviourType":
        return "shooting-type" if "Shooting" in printed else "fight-type" if "Fight" in printed else "move"
    if number and number.startswith("24.") and number > "24.02":
        return "core-ability"
    return "core-rule"


def _see(reading: ExportReading, rule: _Found, book: str, taken: dict[str, str], targets: Targets) -> None:
    core = book == _CORE
    identity = rule.number if core and rule.number else f"{'core' if core else book}/{ids.slug(rule.title)}"
    if identity in taken and core:
        reading.tell(
            "source-contradiction",
            f"{taken[identity]!r} and {rule.title!r} have one number; the second goes by its title.",
            rule.span,
            table="rules",
            record_id=identity,
        )
        identity = ids.core_rule(rule.title)
    taken[identity] = rule.title
    paragraphs, complete = _paragraphs(rule.components)
    sections = tuple(
        LabelledText(label, body)
        for field, label in _LABELS.items()
        if (body := text(rule.behaviour, field)) not in _NOTHING
    )
    record = Rule(
        rule_id=identity,
        number=rule.number if core else None,
        title=rule.title,
        kind=rule.kind if core else f"{book}-rule",
        parent_id=rule.parent if core else None,
        text=optional("\n".join(line for line in paragraphs if not _EXAMPLE.match(line))),
        sections=sections,
        examples=tuple(_EXAMPLE.sub("", line, count=1) for line in paragraphs if _EXAMPLE.match(line)),
        complete=complete and rule.kind != "core-stratagem",  # the card of a core stratagem is in none of the files
    )
    reading.see(record, rule.span)
    targets.add(reading, rule.span, rule.source_id, Target("rules", identity), rule.title)


def _paragraphs(components: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """Lines of a rule; whether it has all that is printed: a picture may be a table."""
    lines: list[str] = []
    for component in components:
        if component.get("type") == _PICTURE:
            continue
        heading = title(component, "title")
        if heading and not _NUMBERED.fullmatch(heading):
            lines.append(heading)
        lines += text(component, "text").split("\n")
    return [line for line in lines if line], all(component.get("type") != _PICTURE for component in components)


def faqs(reading: ExportReading, found: Mapping[str, msgspec.Raw], targets: Targets) -> None:
    """Questions with their answers, errata with their texts, and the records that each is about."""
    know(reading, "faqs", found, _FAQS, None)
    reading.title = "faqs"
    for card in cards(reading, reading.text.encode(), found["faqs"], "faqs"):
        fields, span = card
        know(reading, "faq", fields, _FAQ, span)
        question = text(fields, "question") or text(fields, "errataHeader")
        answer = text(fields, "answer") or text(fields, "errataText")
        if not question or not answer:
            reading.tell("unreadable-row", f"No answer, or nothing to answer: {question[:60]!r}", span)
            continue
        reading.claim(span)
        book = _BOOK.fullmatch(title(object_of(fields, "publication")))
        owner = faction_id(book[1]) if book and is_declared(book[1]) else None
        if owner is not None:
            reading.see(Faction(faction_id=owner, name=declared_name(owner) or owner), span)
        # errata of many units stand under one header; what they say tells them apart
        identity = ids.faq(owner, question if "question" in fields else f"{question}\n{answer}")
        reading.see(Faq(faq_id=identity, faction_id=owner, question=question, answer=answer), span)
        targets.add(reading, span, fields.get("id"), Target("faqs", identity), None)
        for position, target in enumerate(objects(fields, "targets"), start=1):
            _see_reference(reading, span, identity, position, target, targets)


def _see_reference(
    reading: ExportReading, span: Span, faq_id: str, position: int, target: Mapping[str, Any], targets: Targets
) -> None:
    candidates = targets.of(target.get("id"))
    table = _TABLES.get(text_of(target.get("type")))
    record = CrossReference(
        reference_id=ids.cross_reference("faqs", faq_id, position),
        from_table="faqs",
        from_id=faq_id,
        position=position,
        printed=title(target) or text_of(target.get("id")),
        kind="name",
        to_table=candidates[0].table if candidates else table,
        to_id=candidates[0].record_id if len(candidates) == 1 else None,
        status=("dangling", "resolved")[len(candidates)] if len(candidates) < 2 else "ambiguous",
    )
    reading.see(record, span)
