"""What is expected of a sound release, as data: every constraint of the schemas, and what no single column can say.

In: the schemas and vocabularies. Out: `Expectation`s per table, in the words of great-expectations; `validate` sends
them. An expectation speaks of columns of the table or of columns that `evidence` derives for it.

    >>> [one.code for one in suite("leaders") if one.arguments.get("column") == "led_name"]
    ['missing-value', 'name-without-letter']

A new rule on values is a constraint in a schema, or one entry in `ACROSS_COLUMNS`. Each has a code of
`pipeline.diagnostics`, which tells whether it stops the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline import evidence, schema, weapon_abilities

ITEM_SEPARATOR = evidence.ITEM_SEPARATOR


@dataclass(frozen=True, slots=True, eq=False)  # each is one of its suite
class Expectation:
    """One expectation on a table's rows: `kind` and `arguments` are great-expectations' type and keyword arguments.

    `where` limits it to some rows (a pandas query). `about` names the table and the column with the id of the record
    that a finding is about, where that is not the row itself.
    """

    table: str
    code: str
    says: str
    kind: str
    arguments: Mapping[str, Any]
    where: str | None = None
    about: str | None = None
    is_complaint: bool = False

    @property
    def subject(self) -> str:
        """The column that a finding quotes."""
        found = self.arguments.get("column") or self.arguments.get("column_A")
        return str(found or ", ".join(self.arguments["column_list"]))

    def configuration(self) -> dict[str, Any]:
        """The expectation as a great-expectations suite holds it."""
        condition = {"row_condition": {"type": "pass_through", "pass_through_filter": self.where}} if self.where else {}
        return {"type": f"expect_{self.kind}", "kwargs": {**self.arguments, **condition}}


@cache
def suite(table: str) -> tuple[Expectation, ...]:
    """All expectations of a table, in a fixed order."""
    definition = schema.table(table)
    crossing = tuple(one for one in ACROSS_COLUMNS if one.table == table)
    return (*_of_key(definition), *_of_columns(definition), *_of_texts(definition), *crossing)


# From the schemas


def _of_key(definition: schema.Table) -> Iterator[Expectation]:
    if len(definition.key) > 1:
        arguments = {"column_list": list(definition.key)}
        yield _constraint(
            definition.name, "duplicate-id", "the key is unique", "compound_columns_to_be_unique", arguments
        )
    else:
        arguments_one = {"column": definition.key[0]}
        yield _constraint(
            definition.name, "duplicate-id", "the key is unique", "column_values_to_be_unique", arguments_one
        )


def _of_columns(definition: schema.Table) -> Iterator[Expectation]:
    for one in definition.fields:
        if one.required and one.type != "array":
            says = f"{one.name} is not null"
            yield _constraint(
                definition.name, "missing-value", says, "column_values_to_not_be_null", {"column": one.name}
            )
        if one.array_item is None:
            yield from _limits(definition.name, one.name, one.constraints)
        else:
            yield from _item_limits(definition.name, one)


def _constraint(table: str, code: str, says: str, kind: str, arguments: Mapping[str, Any]) -> Expectation:
    return Expectation(table, code, says, kind, arguments)


def _limits(table: str, column: str, limits: schema.Constraints) -> Iterator[Expectation]:
    def expect(says: str, kind: str, **arguments: Any) -> Expectation:
        return _constraint(table, "broken-constraint", f"{column} {says}", kind, {"column": column, **arguments})

    if limits.unique:
        yield expect("is unique", "column_values_to_be_unique")
    if limits.enum is not None:
        allowed = list(limits.enum)
        yield expect(f"is one of {', '.join(allowed)}", "column_values_to_be_in_set", value_set=allowed)
    if limits.pattern is not None:
        says = f"has the form {limits.pattern}"
        yield expect(says, "column_values_to_match_regex", regex=schema.whole(limits.pattern))
    if limits.minimum is not None:
        yield expect(f"is at least {limits.minimum}", "column_values_to_be_between", min_value=limits.minimum)
    if limits.maximum is not None:
        yield expect(f"is at most {limits.maximum}", "column_values_to_be_between", max_value=limits.maximum)
    if limits.min_length is not None:
        says = f"has at least {limits.min_length} characters"
        yield expect(says, "column_value_lengths_to_be_between", min_value=limits.min_length)


def _item_limits(table: str, one: schema.Field) -> Iterator[Expectation]:
    # a list column reaches the frame as one text, its items divided by a character that no text holds
    for column, limits in evidence.flat_columns(one):
        form = _item_form(limits)
        if form is not None:
            regex = rf"\A(?:{form})(?:{ITEM_SEPARATOR}(?:{form}))*\Z"
            says = f"each item of {column} {f'has the form {limits.pattern}' if limits.pattern else 'says something'}"
            arguments = {"column": column, "regex": regex}
            yield _constraint(table, "broken-constraint", says, "column_values_to_match_regex", arguments)


def _item_form(limits: schema.Constraints) -> str | None:
    if limits.pattern is not None:
        return limits.pattern.removeprefix("^").removesuffix("$")
    if limits.min_length is not None:
        return rf"[^{ITEM_SEPARATOR}]{{{limits.min_length},}}"
    return None


NAME_FORM = r"\A[^\n]*[^\W\d_][^\n]*\Z"  # on one line, with a letter; `5` is the name of nothing


def _of_texts(definition: schema.Table) -> Iterator[Expectation]:
    for one in definition.fields:
        if one.role == "name":
            says = f"{one.name} has a letter and is one line"
            arguments = {"column": one.name, "regex": NAME_FORM}
            yield Expectation(definition.name, "name-without-letter", says, "column_values_to_match_regex", arguments)
    for column, (code, says) in evidence.TEXT_FAULTS.items():
        if column in evidence.derived_columns(definition.name):
            yield _complaint(definition.name, code, column, says)


# What no single column can say


def _complaint(table: str, code: str, column: str, says: str) -> Expectation:
    """A derived column holds what is wrong with the row, or null."""
    return Expectation(table, code, says, "column_values_to_be_null", {"column": column}, is_complaint=True)


def _null(table: str, code: str, column: str, says: str, where: str, **more: Any) -> Expectation:
    return Expectation(table, code, says, "column_values_to_be_null", {"column": column}, where, **more)


def _not_null(table: str, code: str, column: str, says: str, where: str, **more: Any) -> Expectation:
    return Expectation(table, code, says, "column_values_to_not_be_null", {"column": column}, where, **more)


def _not_less(table: str, code: str, greater: str, lesser: str, or_equal: bool = True) -> Expectation:
    arguments = {
        "column_A": greater,
        "column_B": lesser,
        "or_equal": or_equal,
        "ignore_row_if": "either_value_is_missing",
    }
    says = f"{greater} is {'not less' if or_equal else 'greater'} than {lesser}"
    return Expectation(table, code, says, "column_pair_values_a_to_be_greater_than_b", arguments)


def _not_in(table: str, code: str, column: str, values: list[str], says: str, where: str, **more: Any) -> Expectation:
    arguments = {"column": column, "value_set": values}
    return Expectation(table, code, says, "column_values_to_not_be_in_set", arguments, where, **more)


def _weapons() -> Iterator[Expectation]:
    table = "weapon_profiles"
    yield _null(table, "melee-with-range", "range_inches", "a melee profile has no range", 'kind == "melee"')
    yield Expectation(
        table,
        "melee-with-range",
        "the range cell of a melee profile says Melee",
        "column_values_to_be_in_set",
        {"column": "range_printed", "value_set": ["Melee"]},
        'kind == "melee"',
    )
    yield _not_in(
        table,
        "ranged-without-range",
        "range_printed",
        ["Melee"],
        "the range cell of a ranged profile does not say Melee",
        'kind == "ranged"',
    )
    yield _not_null(
        table,
        "ranged-without-range",
        "range_inches",
        "a ranged profile has a range, unless the cell says N/A or -",
        'kind == "ranged" and range_printed not in ["N/A", "-"]',
    )
    yield _null(
        table,
        "skill-without-reason",
        "skill_printed",
        "skill is null only where the cell says N/A or -",
        'skill.isnull() and skill_printed not in ["N/A", "-"]',
    )
    for value in ("attacks", "strength", "damage"):
        yield _not_less(table, "dice-out-of-order", f"{value}_mean", f"{value}_min")
        yield _not_less(table, "dice-out-of-order", f"{value}_max", f"{value}_mean")
    typed = "typed values are what their printed form says"
    yield _complaint(table, "typed-differs-from-printed", "typed_otherwise", typed)
    yield _complaint("models", "typed-differs-from-printed", "typed_otherwise", typed)


def _weapon_abilities() -> Iterator[Expectation]:
    table, profile = "weapon_abilities", "weapon_profiles"
    entries = weapon_abilities.entries()
    for kind in ("ranged", "melee"):
        elsewhere = sorted(set(entries) - weapon_abilities.names_in(kind))
        says = f"a {kind} profile has only abilities of {kind} weapons"
        where = f'weapon_kind == "{kind}"'
        yield _not_in(table, "ability-of-other-section", "ability", elsewhere, says, where, about=profile)
    valued = sorted(name for name, entry in entries.items() if entry.value == "required")
    yield _not_null(
        table,
        "ability-without-value",
        "value",
        "an ability that takes a value has it",
        f"ability in {valued}",
        about=profile,
    )
    yield _not_null(
        table,
        "unknown-ability",
        "rule_id",
        "an ability is in the vocabulary, has a rule, or explains itself in a footnote",
        f"ability not in {sorted(entries)} and text.isnull()",
        about=profile,
    )


def _datasheets() -> Iterator[Expectation]:
    yield _not_less("datasheets", "damaged-bracket", "damaged_high", "damaged_low", or_equal=False)
    yield _not_less("datasheets", "damaged-bracket", "wounds", "damaged_high", or_equal=False)
    yield _not_null(
        "datasheets", "damaged-bracket", "damaged_high", "a damaged bracket has its upper end", "damaged_low.notnull()"
    )
    yield _not_null(
        "datasheets", "damaged-bracket", "damaged_low", "a damaged bracket has its lower end", "damaged_high.notnull()"
    )
    yield _not_less("unit_composition", "broken-constraint", "models_max", "models_min")
    yield _complaint("unit_costs", "price-tiers", "tier_fault", "price tiers begin with the first unit, without a gap")
    yield _complaint(
        "keywords", "keyword-spelling", "commoner_keyword", "no keyword is one letter away from a much commoner one"
    )
    yield _complaint(
        "keyword_index", "keyword-index-differs", "index_fault", "a printed keyword index says what the datasheets say"
    )


def _texts() -> Iterator[Expectation]:
    for column in ("cp_cost", "when_text", "target_text", "effect_text"):
        says = f"a complete stratagem has {column}"
        yield _not_null("stratagems", "complete-without-part", column, says, "complete == True")
    yield Expectation(
        "stratagems",
        "incomplete-stratagem",
        "a stratagem has its whole card",
        "column_values_to_be_in_set",
        {"column": "complete", "value_set": [True]},
    )
    yield _complaint("rules", "rule-nesting", "nesting_fault", "rule numbers nest")
    yield _complaint(
        "rules", "glossary-without-user", "unused_on", "a page with the rule of a weapon ability has a weapon with it"
    )
    status = "cross_references"
    for column in ("to_id", "to_table"):
        says = f"{column} is given just where a reference is resolved"
        yield _not_null(status, "reference-status", column, says, 'status == "resolved"')
        yield _null(status, "reference-status", column, says, 'status != "resolved"')


def _sources() -> Iterator[Expectation]:
    yield _not_less("documents", "broken-constraint", "characters", "characters_claimed")
    yield _not_less("documents", "broken-constraint", "characters_claimed", "characters_not_value")
    yield Expectation(
        "documents",
        "mixed-editions",
        "a release is of one edition",
        "column_pair_values_to_be_equal",
        {"column_A": "edition", "column_B": "release_edition", "ignore_row_if": "either_value_is_missing"},
        'status != "rejected"',
    )
    yield _not_less("observations", "broken-constraint", "end", "start", or_equal=False)
    yield _not_less("diagnostics", "broken-constraint", "end", "start")
    yield _null("migrations", "broken-constraint", "new_id", "a retired id has no successor", 'kind == "retired"')
    yield _not_null("migrations", "broken-constraint", "new_id", "a renamed id has a successor", 'kind != "retired"')
    yield _complaint("migrations", "migrated-id-in-use", "still_in_use", "a migrated id is no longer used")


ACROSS_COLUMNS: tuple[Expectation, ...] = (
    *_weapons(),
    *_weapon_abilities(),
    *_datasheets(),
    *_texts(),
    *_sources(),
)
"""The expectations that take more than one column, table or row."""
