"""Which of several values is kept, and what the rows of `conflicts` say of the others."""

from __future__ import annotations

from pipeline.document import Span
from pipeline.extract import Extract
from pipeline.merge import merge
from pipeline.records import AnyRecord, Conflict, DocumentRow, Enhancement, Rule, Sighting


def document(number: int, form: str) -> DocumentRow:
    return DocumentRow(
        document_id=f"{number:016x}", path=f"{number}.{form}", member=None, format=form, kind="faction", edition="11e",
        faction_id="ashen-compact", title=None, url=None, captured_at=None, bytes=9, sha256=f"{number:064x}", characters=9,
        characters_claimed=9, characters_echo=0, characters_furniture=0, status="read",
    )  # fmt: skip


def merged(*said: tuple[str, AnyRecord]) -> tuple[AnyRecord, list[Conflict]]:
    """The record that documents of these formats make, each of which shows it in one way."""
    made = merge([
        Extract(document=document(number, form), sightings=[Sighting(record, (Span(0, 9),))], line_starts=[0])
        for number, (form, record) in enumerate(said)
    ])  # fmt: skip
    (records,) = [found for found in made.records.values() if found]
    (record,) = records.values()
    return record, made.conflicts  # type: ignore[return-value]


def rule(text: str) -> Rule:
    return Rule(rule_id="core/fog", number=None, title="Fog", kind="core-rule", text=text)


def test_conflicts_name_what_was_kept_in_the_end() -> None:
    """The dump lost words of the page, and another dump of it lost others."""
    whole = "Each unit in the fog has cover until it moves."
    record, conflicts = merged(
        ("html", rule("Each in the fog has cover until it moves.")),
        ("text", rule("Each in the fog has until it moves.")),
        ("wahapedia-csv", rule(whole)),
    )
    assert isinstance(record, Rule)
    assert record.text == whole
    assert {(c.document_id[-1], c.other) for c in conflicts} == {
        ("0", '"Each in the fog has cover until it moves."'), ("1", '"Each in the fog has until it moves."')
    }  # fmt: skip
    assert {c.kept for c in conflicts} == {f'"{whole}"'}


def test_a_column_may_have_an_order_of_trust_of_its_own() -> None:
    def priced(points: int, text: str | None) -> Enhancement:
        return Enhancement(
            enhancement_id="ashen-compact/veil", faction_id="ashen-compact", detachment_id=None, name="Veil", points=points, text=text
        )  # fmt: skip

    record, conflicts = merged(("html", priced(20, "Hides.")), ("price-yaml", priced(15, None)))
    assert isinstance(record, Enhancement)
    assert (record.points, record.text) == (15, "Hides.")
    assert [(c.column, c.document_id[-1], c.kept, c.other) for c in conflicts] == [("points", "0", "15", "20")]
