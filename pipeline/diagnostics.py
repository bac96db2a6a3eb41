"""Everything that can be said of an input or a record, as codes: the catalogue, and a diagnostic with its place.

A code says how grave it is (`error`, `warning`) and whether it stops the release. A rejected document is an error that
does not stop the rest; a broken table stops everything.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec


class Code(NamedTuple):
    """An entry of the catalogue."""

    severity: str
    stops_release: bool
    meaning: str


def _rejects(meaning: str) -> Code:
    return Code("error", False, meaning)


def _stops(meaning: str) -> Code:
    return Code("error", True, meaning)


def _fails(meaning: str) -> Code:
    return Code("error", False, meaning)


def _warns(meaning: str) -> Code:
    return Code("warning", False, meaning)


CODES: dict[str, Code] = {
    # a whole document: rejected, the rest of the run goes on
    "empty-file": _rejects("The file holds no text."),
    "binary-file": _rejects("The file is not text."),
    "undecodable-text": _rejects("The bytes are no text in any encoding that was declared or is likely."),
    "too-large": _rejects("The file is larger than the reader takes."),
    "unsafe-path": _rejects("A member of an archive would leave its folder, or is a link."),
    "unreadable-file": _rejects("The file or folder cannot be opened, or is a device, a pipe or a link to nothing."),
    "unreadable-archive": _rejects(
        "The archive, or this member of it, is damaged, or packed in a way that is not known."
    ),
    "encrypted-member": _rejects("The member of an archive is encrypted."),
    "nested-too-deep": _rejects("The archive lies in too many other archives."),
    "worker-died": _rejects("The process that read the document was killed, each time."),
    "reader-failed": _rejects("The program has a fault that this document showed; nothing of it was taken."),
    "unknown-format": _rejects("No reader is registered for this kind of file."),
    "not-a-datasheet-page": _rejects("Nothing of a datasheet, rules or faction page was found."),
    "other-game": _rejects("The page belongs to another edition that is not read, or to another game."),
    "redirect-page": _rejects("The file is a redirect, or a page under the name of another kind of file."),
    "error-page": _rejects("The file is what a server sends instead of a page: an error, or a check for robots."),
    "consent-page": _rejects("The file is a page that asks for consent, not the page behind it."),
    "search-page": _rejects("The file is a list of search results."),
    "foreign-page": _rejects("The page has no mark of the site whose pages are read."),
    "damaged-header": _rejects("A table's header lacks a column, or does not fit its rows."),
    "damaged-json": _rejects("The file is no JSON, or ends in the middle of it."),
    "damaged-yaml": _rejects("The file is no YAML, or ends in the middle of it."),
    # a whole document: read, with a doubt
    "uncertain-edition": _fails("Nothing on the page says which edition it belongs to; give one with --edition."),
    "overruled-edition": _warns(
        "The document speaks for another edition than --edition or its side-car gives; it was read as that."
    ),
    "uncertain-unit-name": _warns("The unit's name was taken from the last keyword alone."),
    "truncated-page": _warns(
        "The page ends in the middle of a block, or has elements nested so deep that their text is lost."
    ),
    "guessed-encoding": _warns("The bytes declare no encoding, or not their own; it was told by their content."),
    "damaged-characters": _warns("Bytes that are no characters; each is U+FFFD in the text."),
    "control-characters": _warns("Characters that no page prints."),
    "damaged-sidecar": _warns(
        "A side-car or manifest, or a field of it, was not understood; its page is read without."
    ),
    "missing-page": _warns("A manifest lists a page that is not there."),
    "duplicate-document": _warns("The same bytes were read once already."),
    "older-capture": _warns("The page was captured again later; the newer capture is read."),
    "missing-column": _warns("A column that the reader knows is not in the table; its values are null."),
    "unknown-column": _warns("A column that the reader does not know; reported once for each table."),
    "unknown-field": _warns("A field that the reader does not know; reported once for each kind."),
    "placeholder-rows": _warns("Rows that name nothing, and so hold no record."),
    # text
    "unclaimed-text": _warns("Text that was not understood."),
    "unknown-heading": _warns("A heading that neither the page's lists nor the vocabulary know; kept as a section."),
    "title-lost": _warns("The dump lost the title of this record."),
    "duplicate-section": _warns("A section stands twice on the page with different content."),
    # records
    "unknown-faction-alias": _stops("A page's faction and its faction keyword differ, and no alias joins them."),
    "open-division": _warns("Name and abilities of a weapon could be divided in more than one way."),
    "unknown-ability": _warns("An ability that neither the vocabulary nor a rule knows."),
    "ability-without-value": _fails("An ability that always takes a value was printed without one."),
    "unreadable-value": _fails("A value that does not have the form of its column."),
    "unreadable-row": _fails("A row of a table with too few or too many cells, or of unknown content."),
    "orphan-rows": _warns("Rows that belong to a record that their export does not hold; they are left out."),
    "source-contradiction": _warns(
        "Two columns of one row contradict each other, and the one that identifies was followed; or two prices of one size."
    ),
    "unknown-weapon-section": _fails("A weapon table whose heading is neither ranged nor melee."),
    "single-profile": _warns("A weapon that should have several profiles has one."),
    "open-keyword-groups": _warns("Keywords that the dump ran together could not be divided with certainty."),
    "open-invulnerable-save": _warns(
        "The page does not tell for certain which of its models has an invulnerable save."
    ),
    "stratagem-without-card": _fails("A stratagem of the page's list has no card on any page of the run."),
    "incomplete-stratagem": _warns("A stratagem's card lacks a label that every card has."),
    "unknown-stratagem-type": _warns("A word in the place of a stratagem's type that is no type."),
    "detachment-not-shown": _warns("The dump no longer shows to which detachment this belongs."),
    "damaged-rule": _warns("The dump lost a part of this rule."),
    "glossary-without-user": _warns("A weapon ability's rule stands on the page, and no weapon there has it."),
    "dangling-reference": _warns("A reference whose target no document of the run holds."),
    "ambiguous-reference": _warns("A reference with more than one candidate."),
    "conflict": _warns("Two sources disagree; one value was kept, the other stands in conflicts."),
    # tables: nothing is published
    "duplicate-id": _stops("Two different things have one id."),
    "missing-value": _stops("A column that must have a value is null."),
    "wrong-type": _stops("A value is not of its column's type."),
    "broken-constraint": _stops("A value breaks a constraint of the schema."),
    "dangling-key": _stops("A foreign key points to no row."),
    "empty-release": _stops("No document of the run was read."),
    "mixed-editions": _stops("A document of another edition is among those that were read."),
    "migrated-id-in-use": _stops("An id that is declared as renamed or retired is used by a record."),
    # values that contradict each other or their printed form: nothing is published
    "name-without-letter": _stops("A name without a letter, or of several lines."),
    "melee-with-range": _stops("A melee profile with a range."),
    "ability-of-other-section": _stops("A weapon with an ability that only the other kind of weapons has."),
    "dice-out-of-order": _stops("Minimum, mean and maximum of a dice value are not in this order."),
    "typed-differs-from-printed": _stops("A typed value is not what its printed form says."),
    "damaged-bracket": _stops("A damaged bracket that is not 1 ≤ low < high < wounds."),
    "price-tiers": _stops("Price tiers that do not begin with the first unit, overlap or leave a gap."),
    "complete-without-part": _stops("A stratagem that is called complete lacks its cost, WHEN, TARGET or EFFECT."),
    "rule-nesting": _stops("A rule number is not below its parent's, or has no parent though there is one."),
    "reference-status": _stops("A reference has a target and is not resolved, or the reverse."),
    "markup-left": _stops("Markup or an entity was left in a text."),
    # values that are missing or doubtful
    "ranged-without-range": _fails("A ranged profile has no range, and its cell does not say why."),
    "skill-without-reason": _fails("A skill is null, and its cell says neither N/A nor -."),
    "label-left": _fails("The label of a section was left inside a text."),
    "keyword-spelling": _warns("A rare keyword that is one letter away from a common one."),
    "keyword-index-differs": _warns("A printed keyword index does not say what the datasheets' own keywords say."),
    "untraced-records": _warns("Records of a table that no observation leads back to a document."),
    # a sound release that is not to replace the published one unless a flag says so
    "rows-lost": _stops("A table lost more than 5 % of its rows."),
    "older-sources": _stops("The sources are older than those of the published release."),
    "ids-dropped": _stops("Ids of the published release are gone without a declared migration."),
}


class Diagnostic(msgspec.Struct, frozen=True, order=True, kw_only=True):
    """One thing to be said, with its place. `line` counts from 1; `start` and `end` are characters of the document."""

    code: str
    message: str
    document_id: str | None = None
    line: int | None = None
    start: int | None = None
    end: int | None = None
    table: str | None = None
    record_id: str | None = None

    @property
    def severity(self) -> str:
        """`error` or `warning`, from the catalogue."""
        return CODES[self.code].severity

    @property
    def diagnostic_id(self) -> str:
        """Stable id: the code and a hash of place and message."""
        place = (self.document_id, self.start, self.end, self.table, self.record_id, self.message)
        return f"{self.code}/{hashlib.sha256(repr(place).encode()).hexdigest()[:12]}"


EXCERPT = 80


def excerpt(text: str) -> str:
    """The beginning of a stretch of text, on one line, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
