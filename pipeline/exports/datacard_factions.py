"""A faction's file of the datacards → records: detachments, rules, stratagems, enhancements and datasheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from pipeline import ids
from pipeline.document import Span
from pipeline.exports.clean_text import optional
from pipeline.exports.datacard_ids import Target, Targets
from pipeline.exports.datacard_units import see_datasheet
from pipeline.exports.json_cards import Card, cards, know, object_of, objects, text, text_of, title, value_of
from pipeline.exports.reading import ExportReading
from pipeline.factions import declared_name, detachment_name, faction_id
from pipeline.ids import fold
from pipeline.records import Detachment, Enhancement, Faction, Rule, Stratagem
from pipeline.values import points
from pipeline.vocabulary import vocabulary

_ROOT = (
    "id", "name", "source", "colours", "compatibleDataVersion", "updated", "parent_id", "parent_name", "rules",
    "detachments", "stratagems", "enhancements", "datasheets",
)  # fmt: skip
_DETACHMENT = ("id", "name", "faction", "detachmentPoints", "forceDisposition")
_STRATAGEM = (
    "id", "name", "cost", "turn", "type", "phase", "target", "when", "effect", "restrictions", "fluff", "faction_id",
    "detachment", "detachment_id", "detachment_faction", "source", "cardType",
)  # fmt: skip
_ENHANCEMENT = (
    "id", "name", "cost", "keywords", "excludes", "description", "faction_id", "detachment", "detachment_id",
    "detachment_faction", "source", "cardType",
)  # fmt: skip
_RULE = ("name", "rules", "source", "cardType")
_GROUP = ("detachment", "detachment_id", "faction", "rules")
_PART = ("order", "type", "text", "title", "subTitle")
_TURNS = {"your": "yours", "opponents": "opponents", "either": "either"}
_PICTURE = "image"  # a table, which the export holds as a picture only
_FLAVOUR = "quote"


class _File(NamedTuple):
    """A faction's file while it is read."""

    reading: ExportReading
    found: Mapping[str, msgspec.Raw]
    data: bytes
    faction_id: str
    targets: Targets

    def cards(self, field: str) -> list[Card]:
        """The objects of one of its lists; each counts as read."""
        if field not in self.found:
            self.reading.tell("missing-column", f"Field {field} is not there.")
            return []
        found = list(cards(self.reading, self.data, self.found[field], field))
        for card in found:
            self.reading.claim(card.span)
        return found


def read(reading: ExportReading, found: Mapping[str, msgspec.Raw], targets: Targets) -> None:
    """Read a faction's file."""
    printed = title({"name": value_of(found["name"])}) if "name" in found else ""
    if not ids.slug(printed):
        reading.tell("unreadable-row", "The file does not say whose it is.")
        return
    know(reading, "file", found, _ROOT, None)
    faction = faction_id(printed)
    reading.faction_id, reading.title = faction, printed
    known, head = declared_name(faction) or printed, Span(0, len(reading.text))
    reading.see(Faction(faction_id=faction, name=known, aliases=() if known == printed else (printed,)), head)
    if "id" in found:
        targets.add(reading, head, value_of(found["id"]), Target("factions", faction), printed)
    file = _File(reading, found, reading.text.encode(), faction, targets)
    armies = _detachments(file)
    army_rules = _rules(file, armies)
    _stratagems(file, armies)
    _enhancements(file, armies)
    sheets = file.cards("datasheets")
    names = {fold(title(sheet.fields)): title(sheet.fields) for sheet in sheets}
    for sheet in sheets:
        see_datasheet(reading, sheet, faction, names, army_rules, targets)


def _detachments(file: _File) -> dict[str, str]:
    """Detachments. Returns their ids by those of the export."""
    armies: dict[str, str] = {}
    for card in file.cards("detachments"):
        know(file.reading, "detachment", card.fields, _DETACHMENT, card.span)
        printed = title(card.fields)
        if not ids.slug(printed):
            file.reading.tell("unreadable-row", "A detachment without a name.", card.span)
            continue
        known = detachment_name(file.faction_id, printed)
        identity = ids.detachment(file.faction_id, known)
        armies[str(card.fields.get("id"))] = identity
        record = Detachment(
            detachment_id=identity,
            faction_id=file.faction_id,
            name=known,
            aliases=() if known == printed else (printed,),
            detachment_points=points(text_of(card.fields.get("detachmentPoints"))),
            force_disposition=optional(title(object_of(card.fields, "forceDisposition")).upper()),
        )
        file.reading.see(record, card.span)
        file.targets.add(file.reading, card.span, card.fields.get("id"), Target("detachments", identity), printed)
    return armies


def _owner(file: _File, card: Card, armies: Mapping[str, str]) -> str | None:
    """The detachment of a stratagem, an enhancement or a group of rules; one that the file lacks is reported."""
    identity = armies.get(str(card.fields.get("detachment_id")))
    if identity is None:
        file.reading.tell(
            "orphan-rows", f"No detachment {text_of(card.fields.get('detachment'))!r} is in the file.", card.span
        )
    return identity


def _rules(file: _File, armies: Mapping[str, str]) -> dict[str, str]:
    """Army and detachment rules. Returns the army rules' ids by their folded names."""
    groups: dict[str, msgspec.Raw] = {}
    if "rules" in file.found:
        try:
            groups = msgspec.json.decode(file.found["rules"], type=dict[str, msgspec.Raw])
        except msgspec.DecodeError:
            file.reading.tell("unreadable-row", "rules is no object.")
            return {}
    know(file.reading, "rules", groups, ("army", "detachment"), None)
    within = file._replace(found=groups)
    army: dict[str, str] = {}
    for card in within.cards("army"):
        printed = title(card.fields)
        if not ids.slug(printed):
            file.reading.tell("unreadable-row", "An army rule without a name.", card.span)
            continue
        army[fold(printed)] = ids.army_rule(file.faction_id, printed)
        _see_rule(file, card.fields, card.span, "army-rule", army[fold(printed)], None)
    detachment_cards = within.cards("detachment")
    printed_names = Counter(
        ids.slug(title(rule)) for card in detachment_cards for rule in objects(card.fields, "rules")
    )
    for card in detachment_cards:
        know(file.reading, "rules.detachment", card.fields, _GROUP, card.span)
        detachment_id = _owner(file, card, armies)
        for rule in objects(card.fields, "rules"):
            printed = title(rule)
            if not ids.slug(printed):
                file.reading.tell("unreadable-row", "A detachment rule without a name.", card.span)
                continue
            # two detachments may have rules of one name
            alone = printed_names[ids.slug(printed)] == 1
            named = printed if alone else f"{printed} {text_of(card.fields.get('detachment'))}"
            rule_id = ids.detachment_rule(file.faction_id, named)
            _see_rule(file, rule, card.span, "detachment-rule", rule_id, detachment_id)
    return army


def _see_rule(
    file: _File, fields: Mapping[str, Any], span: Span, kind: str, rule_id: str, detachment_id: str | None
) -> None:
    know(file.reading, kind, fields, _RULE, span)
    lines: list[str] = []
    flavour: list[str] = []
    parts = objects(fields, "rules")
    for part in parts:
        know(file.reading, f"{kind} part", part, _PART, span)
        if part.get("type") == _PICTURE:
            continue
        heading, price = title(part, "title"), title(part, "subTitle")
        lines.append(f"{heading} {price}".strip())
        (flavour if part.get("type") == _FLAVOUR else lines).append(text(part, "text"))
    record = Rule(
        rule_id=rule_id,
        number=None,
        title=title(fields),
        kind=kind,
        faction_id=file.faction_id,
        detachment_id=detachment_id,
        flavour=optional("\n".join(flavour)),
        text=optional("\n".join(line for line in lines if line)),
        complete=all(part.get("type") != _PICTURE for part in parts),
    )
    file.reading.see(record, span)


def _stratagems(file: _File, armies: Mapping[str, str]) -> None:
    for card in file.cards("stratagems"):
        fields = card.fields
        know(file.reading, "stratagem", fields, _STRATAGEM, card.span)
        printed, army = title(fields), _owner(file, card, armies)
        if army is None or not ids.slug(printed):
            continue
        identity = ids.stratagem(army, printed)
        kind, cost = title(fields, "type"), points(text_of(fields.get("cost")))
        phases, turn = fields.get("phase"), _TURNS.get(text_of(fields.get("turn")))
        phases = tuple(text_of(phase) for phase in phases) if isinstance(phases, list) else ()
        known = {phase.lower() for phase in vocabulary("wahapedia")["phases"]}
        if cost is None or turn is None or not set(phases) <= known:
            file.reading.tell(
                "unreadable-value",
                f"phase {fields.get('phase')!r}, turn {fields.get('turn')!r}, cost {fields.get('cost')!r}",
                card.span,
                table="stratagems",
                record_id=identity,
            )
        if kind and kind not in vocabulary("page")["stratagem_types"]:
            file.reading.tell("unknown-stratagem-type", f"{kind!r}", card.span, table="stratagems", record_id=identity)
            kind = ""
        sections = [optional(text(fields, section)) for section in ("when", "target", "effect")]
        if None in sections:
            file.reading.tell(
                "incomplete-stratagem",
                "It has no WHEN, TARGET or EFFECT.",
                card.span,
                table="stratagems",
                record_id=identity,
            )
        record = Stratagem(
            stratagem_id=identity,
            name=printed,
            cp_cost=cost,
            source="detachment",
            faction_id=file.faction_id,
            detachment_id=army,
            type=optional(kind),
            flavour=optional(text(fields, "fluff")),
            when_text=sections[0],
            target_text=sections[1],
            effect_text=sections[2],
            restrictions_text=optional(text(fields, "restrictions")),
            phases=phases if set(phases) <= known else (),
            turn=turn,
            complete=None not in (cost, *sections),
        )
        file.reading.see(record, card.span)
        file.targets.add(file.reading, card.span, fields.get("id"), Target("stratagems", identity), printed)


def _enhancements(file: _File, armies: Mapping[str, str]) -> None:
    for card in file.cards("enhancements"):
        know(file.reading, "enhancement", card.fields, _ENHANCEMENT, card.span)
        printed, army = title(card.fields), _owner(file, card, armies)
        if not ids.slug(printed):
            file.reading.tell("unreadable-row", "An enhancement without a name.", card.span)
            continue
        identity = ids.enhancement(file.faction_id, army, printed)
        price = points(text_of(card.fields.get("cost")))
        if price is None:
            file.reading.tell(
                "unreadable-value",
                f"cost: {card.fields.get('cost')!r}",
                card.span,
                table="enhancements",
                record_id=identity,
            )
        record = Enhancement(
            enhancement_id=identity,
            faction_id=file.faction_id,
            detachment_id=army,
            name=printed,
            points=price,
            text=optional(text(card.fields, "description")),
        )
        file.reading.see(record, card.span)
        file.targets.add(file.reading, card.span, card.fields.get("id"), Target("enhancements", identity), printed)
