"""Typed records, one class per table of a release; the field names are the column names.

`schemas/<table>.json` defines a table in full (descriptions, units, constraints, keys); a test holds these classes to it.
Extractors and exports make records and wrap each in a `Sighting`, with the characters that it was read from; `merge` makes
one row per id of them. The tables that no extractor makes (`observations`, `conflicts`, `agreement`, `source_pairs`,
`diagnostics`, `documents`, `migrations`) are rows of `merge`, `link`, `run` and `validate`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from pipeline.document import Span


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="_table"):
    """A row of a table. `key` names the columns that identify it."""

    key: ClassVar[tuple[str, ...]]

    @classmethod
    def table_name(cls) -> str:
        """Name of the table."""
        return str(cls.__struct_config__.tag)

    @property
    def identity(self) -> str:
        """The key's values, joined by `#`: the one column for most tables, `tau-empire/devilfish#2` for composite keys."""
        if len(self.key) == 1:
            return str(getattr(self, self.key[0]))
        return "#".join([str(getattr(self, column)) for column in self.key])

    def row(self) -> dict[str, Any]:
        """The record as column → value, columns in the order of the table."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in self.__struct_fields__}


class TitledText(msgspec.Struct, frozen=True):
    """A sidebar of a rule."""

    title: str
    text: str


class LabelledText(msgspec.Struct, frozen=True):
    """A labelled section of a rule (`ELIGIBLE IF`); the text of a label that stands alone is empty."""

    label: str
    text: str


class Table(msgspec.Struct, frozen=True):
    """A table inside a rule; `header` is empty where the table has none."""

    caption: str | None
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class HeadedText(msgspec.Struct, frozen=True):
    """A section of a datasheet that has no column of its own (`ORDERS`)."""

    heading: str
    text: str


class Faction(Record, tag="factions", frozen=True, kw_only=True):
    key = ("faction_id",)
    faction_id: str
    name: str
    aliases: tuple[str, ...] = ()


class Datasheet(Record, tag="datasheets", frozen=True, kw_only=True):
    key = ("datasheet_id",)
    datasheet_id: str
    faction_id: str
    name: str
    role: str | None = None
    is_legends: bool | None = None
    base_size: str | None = None
    loadout_text: str | None = None
    transport_capacity: int | None = None
    transport_text: str | None = None
    damaged_low: int | None = None
    damaged_high: int | None = None
    damaged_text: str | None = None
    leader_text: str | None = None
    other_sections: tuple[HeadedText, ...] = ()


class Model(Record, tag="models", frozen=True, kw_only=True):
    key = ("model_id",)
    model_id: str
    datasheet_id: str
    position: int
    name: str
    base_size: str | None = None
    movement_inches: int | None = None
    movement_inches_printed: str | None = None
    toughness: int | None = None
    toughness_printed: str | None = None
    save: int | None = None
    save_printed: str | None = None
    invulnerable_save: int | None = None
    invulnerable_save_printed: str | None = None
    invulnerable_save_text: str | None = None
    wounds: int | None = None
    wounds_printed: str | None = None
    leadership: int | None = None
    leadership_printed: str | None = None
    objective_control: int | None = None
    objective_control_printed: str | None = None


class WeaponProfile(Record, tag="weapon_profiles", frozen=True, kw_only=True):
    key = ("profile_id",)
    profile_id: str
    datasheet_id: str
    position: int
    kind: str
    weapon_name: str
    profile_name: str | None
    range_inches: int | None
    range_printed: str | None
    attacks: str | None
    attacks_min: int | None
    attacks_max: int | None
    attacks_mean: float | None
    skill: int | None
    skill_printed: str | None
    strength: str | None
    strength_min: int | None
    strength_max: int | None
    strength_mean: float | None
    armour_penetration: int | None
    armour_penetration_printed: str | None
    damage: str | None
    damage_min: int | None
    damage_max: int | None
    damage_mean: float | None
    abilities: tuple[str, ...]
    printed_name: str
    split_certain: bool


class WeaponAbility(Record, tag="weapon_abilities", frozen=True, kw_only=True):
    key = ("profile_id", "position")
    profile_id: str
    position: int
    ability: str
    value: str | None = None
    target: str | None = None
    condition: str | None = None
    text: str | None = None
    rule_id: str | None = None


class Ability(Record, tag="abilities", frozen=True, kw_only=True):
    key = ("ability_id",)
    ability_id: str
    datasheet_id: str
    position: int
    kind: str
    name: str
    value: str | None = None
    text: str | None = None
    rule_id: str | None = None


class WargearOption(Record, tag="wargear_options", frozen=True, kw_only=True):
    key = ("option_id",)
    option_id: str
    datasheet_id: str
    position: int
    text: str
    choices: tuple[str, ...] = ()


class UnitComposition(Record, tag="unit_composition", frozen=True, kw_only=True):
    key = ("datasheet_id", "position")
    datasheet_id: str
    position: int
    model_name: str | None
    models_min: int | None
    models_max: int | None
    text: str


class UnitCost(Record, tag="unit_costs", frozen=True, kw_only=True):
    key = ("datasheet_id", "position")
    datasheet_id: str
    position: int
    kind: str
    from_unit: int | None
    to_unit: int | None
    models: int | None
    description: str
    points: int | None


class Leader(Record, tag="leaders", frozen=True, kw_only=True):
    key = ("leader_id", "led_name")
    leader_id: str
    led_name: str
    led_id: str | None = None


ALL_MODELS = "*"
"""`Keyword.model_name` of a keyword that all models of the datasheet have."""

INVULNERABLE_SAVE = "INVULNERABLE SAVE"
"""The heading over this save as pages print it; where an export has a note on the save, it stands under it."""


class Keyword(Record, tag="keywords", frozen=True, kw_only=True):
    key = ("datasheet_id", "keyword", "model_name")
    datasheet_id: str
    keyword: str
    model_name: str
    position: int
    is_faction: bool


class KeywordIndex(Record, tag="keyword_index", frozen=True, kw_only=True):
    key = ("keyword_index_id",)
    keyword_index_id: str
    keywords: tuple[str, ...]
    faction_id: str | None = None
    datasheet_ids: tuple[str, ...] = ()
    printed_groups: tuple[str, ...] = ()
    printed_factions: tuple[str, ...] = ()
    printed_datasheets: tuple[str, ...] = ()
    members_known: bool = False


class Stratagem(Record, tag="stratagems", frozen=True, kw_only=True):
    key = ("stratagem_id",)
    stratagem_id: str
    name: str
    cp_cost: int | None
    source: str
    faction_id: str | None = None
    detachment_id: str | None = None
    type: str | None = None
    rule_number: str | None = None
    flavour: str | None = None
    when_text: str | None = None
    target_text: str | None = None
    effect_text: str | None = None
    restrictions_text: str | None = None
    phases: tuple[str, ...] = ()
    turn: str | None = None
    complete: bool = False


class DatasheetStratagem(Record, tag="datasheet_stratagems", frozen=True, kw_only=True):
    key = ("datasheet_id", "position")
    datasheet_id: str
    position: int
    stratagem_id: str
    tag: str | None = None


class Detachment(Record, tag="detachments", frozen=True, kw_only=True):
    key = ("detachment_id",)
    detachment_id: str
    faction_id: str
    name: str
    aliases: tuple[str, ...] = ()
    detachment_points: int | None = None
    force_disposition: str | None = None


class Enhancement(Record, tag="enhancements", frozen=True, kw_only=True):
    key = ("enhancement_id",)
    enhancement_id: str
    faction_id: str
    detachment_id: str | None
    name: str
    points: int | None = None
    flavour: str | None = None
    text: str | None = None


class Faq(Record, tag="faqs", frozen=True, kw_only=True):
    key = ("faq_id",)
    faq_id: str
    faction_id: str | None
    question: str
    answer: str


class Book(Record, tag="books", frozen=True, kw_only=True):
    key = ("book_id",)
    book_id: str
    name: str
    kind: str | None
    edition: str | None
    version: str | None
    updated: str | None


class Rule(Record, tag="rules", frozen=True, kw_only=True):
    key = ("rule_id",)
    rule_id: str
    number: str | None
    title: str | None
    kind: str
    faction_id: str | None = None
    detachment_id: str | None = None
    parent_id: str | None = None
    flavour: str | None = None
    text: str | None = None
    sections: tuple[LabelledText, ...] = ()
    examples: tuple[str, ...] = ()
    sidebars: tuple[TitledText, ...] = ()
    tables: tuple[Table, ...] = ()
    complete: bool = True


class CrossReference(Record, tag="cross_references", frozen=True, kw_only=True):
    key = ("reference_id",)
    reference_id: str
    from_table: str
    from_id: str
    position: int
    printed: str
    kind: str
    to_number: str | None = None
    to_table: str | None = None
    to_id: str | None = None
    status: str = "dangling"


class DocumentRow(Record, tag="documents", frozen=True, kw_only=True):
    key = ("document_id",)
    document_id: str
    path: str
    member: str | None
    format: str
    kind: str
    edition: str | None
    faction_id: str | None
    title: str | None
    url: str | None
    captured_at: str | None
    bytes: int
    sha256: str
    characters: int
    characters_claimed: int
    characters_echo: int
    characters_furniture: int
    status: str


class Observation(Record, tag="observations", frozen=True, kw_only=True):
    key = ("table", "record_id", "document_id", "start")
    table: str
    record_id: str
    document_id: str
    start: int
    end: int
    line: int


class Agreement(Record, tag="agreement", frozen=True, kw_only=True):
    key = ("table", "record_id")
    datasheet_id: str
    table: str
    record_id: str
    sources: tuple[str, ...]
    differing: tuple[str, ...] = ()


class SourcePair(Record, tag="source_pairs", frozen=True, kw_only=True):
    key = ("table", "source", "other_source")
    table: str
    source: str
    other_source: str
    rows: int
    rows_agreeing: int
    values: int
    values_agreeing: int


class Conflict(Record, tag="conflicts", frozen=True, kw_only=True):
    """`kept` and `other` are the column's values as compact JSON; `document_id` is the document that says `other`."""

    key = ("table", "record_id", "column", "document_id")
    table: str
    record_id: str
    column: str
    document_id: str
    kept: str
    other: str


class DiagnosticRow(Record, tag="diagnostics", frozen=True, kw_only=True):
    key = ("diagnostic_id",)
    diagnostic_id: str
    code: str
    severity: str
    message: str
    document_id: str | None
    line: int | None
    start: int | None
    end: int | None
    table: str | None
    record_id: str | None


class Migration(Record, tag="migrations", frozen=True, kw_only=True):
    """An id of earlier releases that is no longer used, as `schemas/renamed_ids.json` declares it."""

    key = ("table", "old_id")
    table: str
    old_id: str
    new_id: str | None
    kind: str
    reason: str


class DatasheetEnhancement(Record, tag="datasheet_enhancements", frozen=True, kw_only=True):
    key = ("datasheet_id", "enhancement_id")
    datasheet_id: str
    enhancement_id: str


class DatasheetDetachmentRule(Record, tag="datasheet_detachment_rules", frozen=True, kw_only=True):
    key = ("datasheet_id", "rule_id")
    datasheet_id: str
    rule_id: str


class Crosswalk(Record, tag="crosswalk", frozen=True, kw_only=True):
    """Our record ↔ the id that another data set has for it."""

    key = ("table", "record_id", "source", "source_id")
    table: str
    record_id: str
    source: str
    source_id: str
    name: str | None


AnyRecord = (
    Faction | Datasheet | Model | WeaponProfile | WeaponAbility | Ability | WargearOption | UnitComposition | UnitCost | Leader
    | Keyword | KeywordIndex | Stratagem | DatasheetStratagem | Detachment | Enhancement | Faq | Book | Rule | CrossReference
    | DatasheetEnhancement | DatasheetDetachmentRule | Crosswalk
)  # fmt: skip
"""What a sighting can hold."""

AnyRow = AnyRecord | DocumentRow | Observation | Conflict | Agreement | SourcePair | DiagnosticRow | Migration
"""What a table can hold."""

TABLES: dict[str, type[Record]] = {record.table_name(): record for record in AnyRow.__args__}
"""Every table's record class by name."""


class Sighting(msgspec.Struct, frozen=True):
    """A record as one document shows it, with the stretches of text behind it (at least one for anything read from a page)."""

    record: AnyRecord
    spans: tuple[Span, ...]
