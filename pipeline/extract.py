"""One document → everything that it says: `Extract`.

In: a `Document` with its blocks. Out: sightings of records, weapon rows whose names are still to be divided, claims that say what
each stretch of text was read as, and diagnostics for the rest. Pure: the same document gives the same extract on any worker.

Half of every page is rules that other pages hold too. A section that reads the same is read once (`_known_sections`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import PurePosixPath

import msgspec

from pipeline import editions, ids
from pipeline.diagnostics import CODES, Diagnostic, excerpt
from pipeline.document import Block, BlockKind, Claim, Claimed, Document, Span, joined, spans_of
from pipeline.exports.reading import ExportReading
from pipeline.extractors import datasheets, faction_pages, keywords, marked, rules, stratagems, weapons
from pipeline.extractors.datasheets import Sheet
from pipeline.extractors.sections import DATASHEET_KINDS, Section, detachment_of, expected_titles, sections
from pipeline.extractors.texts import clean, paragraphs
from pipeline.factions import declared_name, faction_id
from pipeline.ids import fold
from pipeline.records import (
    CrossReference,
    DatasheetStratagem,
    Detachment,
    DocumentRow,
    Enhancement,
    Faction,
    Rule,
    Sighting,
    WargearOption,
)

_RULE_KINDS = frozenset(
    [
        "rule",
        "core-rule",
        "core-ability",
        "weapon-ability",
        "army-rule",
        "detachment-rule",
        "sub-rule",
        "faction-rule",
        "unknown",
        "stratagem",
        "index",
        "untitled",
        "text",
    ]
)
_OF_ALL_FACTIONS = frozenset({"rule", "core-rule", "core-ability", "weapon-ability"})
_NAMESAKES = frozenset({"faction-rule", "sub-rule"})
_INDEX_FACTION = re.compile(r"used in the following (?P<faction>.+?) datasheets:$")
_SITE_SLUG = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"\w")
_NO_CONTEXT = rules.Context()
_POINTS = re.compile(r"\d{1,6}$")
_MOST_KEYWORDS_IN_NAME = 12
KNOWN_LIMIT = 50_000
SEEN_LIMIT = 1_000_000


class Extract(msgspec.Struct, kw_only=True):
    """Everything that one document says."""

    document: DocumentRow
    sightings: list[Sighting] = []
    weapon_rows: list[weapons.WeaponRow] = []
    names: list[str] = []  # folded names of wargear that the page prints alone
    claims: list[Claimed] = []
    diagnostics: list[Diagnostic] = []
    listed: list[str] = []  # ids of the stratagems on the datasheet's list
    line_starts: list[int] = []


class _Reading(msgspec.Struct):
    """What a section says, with places relative to its start; stretches that touch are one."""

    sightings: list[Sighting] = []
    claims: list[Claimed] = []
    faults: list[tuple[str, str, Span, str | None, str | None]] = []


_Key = tuple[str, str | None, rules.Context, str, tuple[tuple[str, ...], ...]]
_known_sections: dict[_Key, _Reading] = {}
_seen_sections: set[int] = set()  # hashes of what was read once: most of it never comes again, and is not kept


def _remember(key: _Key, reading: _Reading) -> None:
    """Keeps what a section says when it comes for the second time."""
    mark = hash(key)
    if mark not in _seen_sections:
        if len(_seen_sections) >= SEEN_LIMIT:
            _seen_sections.clear()
        _seen_sections.add(mark)
        return
    if len(_known_sections) >= KNOWN_LIMIT:
        _known_sections.clear()
    _known_sections[key] = reading


def extract(document: Document, edition: str | None = None) -> Extract:
    """Reads a document. `edition` overrules the evidence on the page; a rejected document has no sightings."""
    return _Page(document, edition).read()


def rejected(document: Document, code: str, message: str) -> Extract:
    """The extract of a document that is not read, and why."""
    row = _row(document, kind="other", status="rejected")
    return Extract(
        document=row,
        diagnostics=[Diagnostic(code=code, message=message, document_id=document.document_id, line=1, start=0, end=0)],
    )


def _row(document: Document, *, kind: str, status: str, edition: str | None = None, faction: str | None = None, title: str | None = None,
         counts: tuple[int, int, int] = (0, 0, 0)) -> DocumentRow:  # fmt: skip
    return DocumentRow(
        document_id=document.document_id, path=document.path, member=document.member, format=document.format, kind=kind,
        edition=edition, faction_id=faction, title=title, url=document.url, captured_at=document.captured_at,
        bytes=document.bytes, sha256=document.sha256, characters=len(document.text), characters_claimed=counts[0],
        characters_echo=counts[1], characters_furniture=counts[2], status=status,
    )  # fmt: skip


def of_export(document: Document, reading: ExportReading) -> Extract:
    """The extract of one file of a structured export."""
    document.captured_at = reading.captured_at or document.captured_at
    diagnostics = [msgspec.structs.replace(d, document_id=document.document_id) for d in reading.diagnostics]
    claims = sorted(reading.claims)
    at = claimed = 0
    for claim in claims:
        claimed += max(0, claim.end - max(at, claim.start))
        at = max(at, claim.end)
    refused = not reading.sightings and any(CODES[d.code].severity == "error" for d in diagnostics)
    row = _row(
        document, kind="export", status="rejected" if refused or reading.edition is None else "read", edition=reading.edition,
        faction=reading.faction_id, title=reading.title, counts=(claimed, 0, 0),
    )  # fmt: skip
    return Extract(
        document=row, sightings=[] if reading.edition is None else reading.sightings, claims=claims, diagnostics=diagnostics,
        line_starts=document.line_starts(),
    )  # fmt: skip


class _Page:
    """One document while it is read."""

    def __init__(self, document: Document, edition: str | None) -> None:
        self.document = document
        self.blocks = document.blocks
        self.given_edition = edition
        self.sightings: list[Sighting] = []
        self.claims: list[Claimed] = []
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)
        self.rows: list[weapons.WeaponRow] = []
        self.listed: dict[str, None] = {}  # in order, each once
        self.faction: str | None = None
        self.faction_printed: str | None = None
        self.text = document.text
        self.lowered: str | None = None

    def read(self) -> Extract:
        """The whole way through one page."""
        document = self.document
        url = document.url or next((b.text for b in self.blocks[:2] if b.kind is BlockKind.URL), None)
        document.url = url
        edition, other = editions.of_address(url) if url else (None, None)
        if other or (edition is None and editions.of_other_edition(self.text)):
            return rejected(
                document, "other-game", f"The page belongs to {other or 'another edition'}, which is not read."
            )
        parts = document.parts
        self.expected = expected_titles(self.blocks if parts is None else marked.announcing(parts))
        self.cut = sections(self.blocks, self.expected) if parts is None else marked.sections(parts, self.expected)
        kind = self._kind()
        if kind == "other":
            return rejected(
                document,
                "not-a-datasheet-page",
                f"Nothing of a datasheet, rules or faction page: “{excerpt(self.text[:200])}”",
            )
        if self.given_edition is None and edition is None:
            found = editions.evidence(self.blocks)
            if len(found) != 1:
                what = f"it has marks of {' and '.join(sorted(found))}" if found else "nothing on it names one"
                return rejected(
                    document, "uncertain-edition", f"The page's edition is uncertain: {what}. Give it with --edition."
                )
            (edition,) = found
        self.edition = self.given_edition or edition
        self._find_faction()
        title: str | None = None
        if kind == "datasheet":
            title = self._datasheet()
        else:
            self._rest(None)
        return self._finish(kind, title)

    def _kind(self) -> str:
        kinds = {s.kind for s in self.cut}
        if kinds & {"keywords", "keyword-groups", "stat-lines", "composition", "options", "abilities"} or (
            "weapons" in kinds and "books" not in kinds
        ):
            return "datasheet"
        if "books" in kinds and kinds & {"stratagem", "enhancement"}:
            return "faction"
        if kinds & {"stratagem", "rule", "faq", "books", "index"}:
            return "rules"
        return "other"

    # --- who it is about -------------------------------------------------------------------------------------------------

    def _find_faction(self) -> None:
        """The page's faction: title, faction keyword, keyword indexes, books, side-car or address, in this order."""
        title = next((b for b in self.blocks[:3] if b.kind is BlockKind.TITLE), None)
        printed_keywords = self._faction_keywords()
        if title is not None:
            printed = title.text.split(" – ")[0]
            self.faction, self.faction_printed = faction_id(printed), clean(printed)
            if printed_keywords and self.faction not in {faction_id(k) for k in printed_keywords}:
                self._say("unknown-faction-alias", f"The title says {printed}, the faction keywords say {', '.join(printed_keywords)}; "
                          "no alias in schemas/vocabulary/factions.json joins them.", title)  # fmt: skip
        elif shown := marked.faction_title(self.document):
            title = shown
            self.faction, self.faction_printed = faction_id(shown.text), clean(shown.text)
        elif printed_keywords:
            self.faction_printed = printed_keywords[0]
            self.faction = faction_id(printed_keywords[0])
            indexed = self._indexed_faction()
            if indexed and faction_id(indexed) == self.faction:
                self.faction_printed = indexed
        elif indexed := self._indexed_faction():
            self.faction, self.faction_printed = faction_id(indexed), indexed
        elif self.document.sidecar_faction:
            self.faction = faction_id(self.document.sidecar_faction)
        elif self.document.url and (found := re.search(r"/factions/([^/?#]+)", self.document.url)):
            self.faction = faction_id(found[1])
        if self.faction:
            name = declared_name(self.faction) or self.faction_printed or self.faction
            aliases = {clean(k) for k in printed_keywords if faction_id(k) == self.faction}
            if self.faction_printed:
                aliases.add(self.faction_printed)
            spans = (Span(title.start, title.end),) if title else self._faction_places()
            if spans:
                self.sightings.append(
                    Sighting(
                        Faction(faction_id=self.faction, name=name, aliases=tuple(sorted(aliases - {name}))), spans
                    )
                )

    def _faction_keywords(self) -> list[str]:
        for section in self.cut:
            if section.kind == "faction-keywords":
                found = keywords.read_faction_keywords(section.blocks, "", 1).records
                return [k.keyword for k, _ in found]
        return []

    def _faction_places(self) -> tuple[Span, ...]:
        for section in self.cut:
            if section.kind == "faction-keywords":
                return (Span(section.blocks[0].start, section.blocks[-1].end),)
        for section in self.cut:
            if section.kind in ("index", "books"):
                return (Span(section.blocks[0].start, section.blocks[0].end),)
        return (Span(self.blocks[0].start, self.blocks[0].end),) if self.blocks else ()

    def _indexed_faction(self) -> str | None:
        counts: dict[str, int] = {}
        for block in self.blocks:
            if block.kind is BlockKind.INDEX and (found := _INDEX_FACTION.search(block.text)):
                counts[found["faction"]] = counts.get(found["faction"], 0) + 1
        return max(sorted(counts), key=lambda name: counts[name]) if counts else None

    def _unit_name(self) -> str | None:
        """The unit's name: title, side-car, or what the page's keywords, composition and file name agree on."""
        title = next((b for b in self.blocks[:3] if b.kind is BlockKind.TITLE), None)
        if title is not None:
            return clean(title.text.split(" – ", 1)[1])
        if self.document.sidecar_name:
            return clean(self.document.sidecar_name)
        unit_keywords = self._unit_keywords()
        stem = PurePosixPath(self.document.member or self.document.path).stem
        filed = re.sub(r"[_\s]+", " ", stem.rpartition("__")[2])
        addressed = (
            re.sub(r"[-_\s]+", " ", self.document.url.rstrip("/").rpartition("/")[2]) if self.document.url else ""
        )
        for hint in (addressed, filed):
            for count in range(1, min(len(unit_keywords), _MOST_KEYWORDS_IN_NAME) + 1):
                joined = " ".join(unit_keywords[-count:])
                if hint and _SITE_SLUG.sub("", ids.slug(hint)) == _SITE_SLUG.sub("", ids.slug(joined)):
                    recased = self.recase(joined)
                    return recased if recased != joined else hint
        composed = self._composed_names()
        for keyword in reversed(unit_keywords):
            if fold(keyword) in composed:
                return composed[fold(keyword)]
        if unit_keywords:
            self._say(
                "uncertain-unit-name", f"The unit's name is taken from its last keyword, {unit_keywords[-1]}.", None
            )
            return self.recase(unit_keywords[-1])
        if len(composed) == 1:
            return next(iter(composed.values()))
        if addressed or filed:
            self._say(
                "uncertain-unit-name",
                f"Nothing on the page names the unit; its address or file says {addressed or filed}.",
                None,
            )
            return addressed or filed
        return None

    def _unit_keywords(self) -> list[str]:
        for section in self.cut:
            if section.kind == "keywords":
                found = keywords.read_keywords(section.blocks, "", self._model_names(), "", 1)
                return [k.keyword for k, _ in found.records if k.model_name == keywords.ALL]
        return []

    def _composed_names(self) -> dict[str, str]:
        """Model names of the composition, folded → printed."""
        found: dict[str, str] = {}
        for section in self.cut:
            if section.kind == "composition":
                for block in section.blocks:
                    if block.kind is BlockKind.BULLET:
                        for part in re.split(r" and (?=\d)", clean(block.text.lstrip("-•*– "))):
                            if counted := re.match(r"(?:\d+(?:-\d+)?) (.+)$", part):
                                found[fold(counted[1])] = counted[1]
        return found

    def _model_names(self) -> list[str]:
        names = list(self._composed_names().values())
        for section in self.cut:
            if section.kind == "preamble":
                names += [
                    re.sub(r"\s*\(.*\)$", "", b.text)
                    for b in section.blocks
                    if b.text.isupper() and 3 < len(b.text) < 200
                ]
        return names + [name[:-1] for name in names if name.endswith("s")]

    def recase(self, name: str) -> str:
        """A name in capitals as the page prints it elsewhere in small letters; else as it is."""
        if not name.isupper():
            return name
        if self.lowered is None:
            self.lowered = self.text.lower()
        if len(self.lowered) != len(self.text):  # `İ` is two characters in small letters
            return name
        at = -1
        while (at := self.lowered.find(name.lower(), at + 1)) >= 0:
            found = self.text[at : at + len(name)]
            if (
                not found.isupper()
                and found[0].isupper()
                and all(w[0].isupper() or len(w) < 4 for w in found.split())
                and not _WORD.match(self.text, at + len(name))
                and not (at and _WORD.match(self.text, at - 1))
            ):
                return found
        return name

    # --- the datasheet ---------------------------------------------------------------------------------------------------

    def _datasheet(self) -> str | None:
        name = self._unit_name()
        if name is None or self.faction is None:
            what = "unit" if name is None else "faction"
            self._say("not-a-datasheet-page", f"Nothing on the page names its {what}.", None)
            self._rest(None)
            return None
        sheet = Sheet(ids.datasheet(self.faction, name), self.faction, name)
        title = next((b for b in self.blocks[:3] if b.kind is BlockKind.TITLE), None)
        if title is not None:
            sheet.spans.append(Span(title.start, title.end))
        footnotes: list[tuple[str, str]] = []
        for section in self._each_once():
            self._sheet_section(section, sheet, footnotes)
        self.rows = [
            msgspec.structs.replace(weapons.footnoted(row, footnotes), line=self.document.line_of(row.spans[0].start))
            for row in self.rows
        ]
        self.rows = weapons.in_style_of_page(self.rows)
        self._lone_profiles(sheet)
        if not sheet.spans:
            sheet.spans = [s for found in sheet.sightings[:1] for s in found.spans] or [
                s for row in self.rows[:1] for s in row.spans
            ]
        options = [s.record for s in sheet.sightings if isinstance(s.record, WargearOption)]
        self.names = datasheets.names_in([text for o in options for text in (o.text, *o.choices)] + sheet.loadout)
        self.sightings += [sheet.datasheet(), *sheet.sightings]
        self.claims += sheet.claims
        for code, message, span, table, record in sheet.faults:
            self._say_at(code, message, span, table, record)
        self._rest(sheet)
        return name

    def _each_once(self) -> Iterator[Section]:
        """Sections; one of the datasheet that stands again word by word is an echo."""
        seen: set[tuple[str, ...]] = set()
        for section in self.cut:
            if section.kind in DATASHEET_KINDS:
                key = (section.kind, *(b.text for b in section.blocks if b.kind is not BlockKind.BLANK))
                if key in seen:
                    self._claim_all(section, Claim.ECHO)
                    continue
                seen.add(key)
            yield section

    def _lone_profiles(self, sheet: Sheet) -> None:
        """A weapon that is divided into profiles has two at least."""
        for row in weapons.lone_profiles(self.rows):
            message = f"“{row.printed_name}” is the only profile of its weapon on the page."
            self._say_at("single-profile", message, row.spans[0], "weapon_profiles", sheet.datasheet_id)

    def _sheet_section(self, section: Section, sheet: Sheet, footnotes: list[tuple[str, str]]) -> None:
        kind = section.kind
        if kind in _RULE_KINDS:
            return
        if kind == "weapons":
            table = weapons.read_table(section, sheet.datasheet_id, len(self.rows) + 1)
            self.rows += marked.divided(table.rows, section) if self.document.parts is not None else table.rows
            self.claims += table.claims
            footnotes += [(name, text) for name, text, _ in table.footnotes]
            for code, message, block in table.faults:
                self._say_at(code, message, Span(block.start, block.end), "weapon_profiles", sheet.datasheet_id)
        elif kind in ("abilities", "wargear-abilities"):
            datasheets.abilities(section, sheet, "datasheet" if kind == "abilities" else "wargear")
        elif kind == "options":
            datasheets.options(section, sheet)
        elif kind == "composition":
            datasheets.composition(section, sheet)
        elif kind == "costs":
            datasheets.costs(section, sheet)
        elif kind == "damaged":
            datasheets.damaged(section, sheet)
        elif kind == "transport":
            datasheets.transport(section, sheet)
        elif kind == "leader":
            datasheets.leader(section, sheet)
        elif kind == "led-by":
            datasheets.led_by(section, sheet)
        elif kind == "named":
            datasheets.named(section, sheet)
        elif kind == "preamble":
            self._preamble(section, sheet)
        elif kind == "stat-lines":
            self._card_head(section, sheet)
        elif kind == "keyword-groups":
            marked.keyword_groups(section, sheet)
        elif kind == "keywords":
            found = keywords.read_keywords(
                section.blocks, sheet.datasheet_id, self._model_names(), sheet.name, sheet.counts.get("keywords", 0) + 1
            )
            self._keywords(found, sheet)
        elif kind == "faction-keywords":
            self._keywords(
                keywords.read_faction_keywords(section.blocks, sheet.datasheet_id, sheet.counts.get("keywords", 0) + 1),
                sheet,
            )

    def _preamble(self, section: Section, sheet: Sheet) -> None:
        rest = []
        for block in section.blocks:
            if block.kind in (BlockKind.TITLE, BlockKind.URL):
                self.claims.append(Claimed(block.start, block.end, Claim.VALUE))
            elif block.kind in (BlockKind.BLANK, BlockKind.FURNITURE, BlockKind.RUIN):
                self.claims.append(Claimed(block.start, block.end, Claim.FURNITURE))
            else:
                rest.append(block)
        datasheets.stat_lines(rest, sheet, self.recase)

    def _card_head(self, section: Section, sheet: Sheet) -> None:
        """What stands above the weapons of a marked page; its role stands in the keyword indexes."""
        marked.card_head(section, sheet, self.recase)
        if role := marked.role_of(self.document.parts or (), sheet.name):
            sheet.columns["role"] = role
        if book := marked.source(section):
            self.sightings.append(Sighting(book, tuple(sheet.spans[:1])))

    def _keywords(self, found: keywords.Keywords, sheet: Sheet) -> None:
        self.claims += found.claims
        for record, span in found.records:
            sheet.sightings.append(Sighting(record, (span,)))
        sheet.counts["keywords"] = sheet.counts.get("keywords", 0) + len(found.records)
        for text, span in found.open_groups:
            self._say_at("open-keyword-groups", f"“{text}” is the end of one group and the model of the next; neither can be told.", span,
                         "keywords", sheet.datasheet_id)  # fmt: skip

    # --- lists, rules, stratagems ----------------------------------------------------------------------------------------

    def _rest(self, sheet: Sheet | None) -> None:
        """Everything that can stand on any page."""
        homes = self._enhancement_homes()
        for number, section in enumerate(self.cut):
            kind = section.kind
            if kind in _RULE_KINDS:
                reading = self._section(section)
                base = section.blocks[0].start
                self.sightings += [
                    Sighting(found.record, tuple([Span(s.start + base, s.end + base) for s in found.spans]))
                    for found in reading.sightings
                ]
                self.claims += [Claimed(c.start + base, c.end + base, c.claim) for c in reading.claims]
                for code, message, span, table, record in reading.faults:
                    self._say_at(code, message, Span(span.start + base, span.end + base), table, record)
            elif kind == "stratagem-list":
                self._stratagem_list(section, sheet)
            elif kind == "detachment-list":
                self._claim_all(section, Claim.VALUE)
            elif kind == "enhancement-list":
                self._enhancement_list(section)
            elif kind == "enhancement":
                self._enhancement(section, homes.get(number))
            elif kind == "books":
                self._books(section)
            elif kind == "faq":
                self._faqs(section)
            elif kind == "furniture":
                self._furniture(section)
            elif kind == "heading":
                self._claim_all(section, Claim.VALUE)
            elif sheet is None and kind == "preamble":
                self._prose(section)

    def _part_namesakes(self) -> None:
        """Gives different rules of a page that are titled alike (`DETACHMENT RULE`, of no detachment) ids of their own."""
        rules_of: dict[str, list[Rule]] = {}
        for sighting in self.sightings:
            if isinstance(sighting.record, Rule) and sighting.record.kind in _NAMESAKES:
                rules_of.setdefault(sighting.record.rule_id, []).append(sighting.record)
        several = {
            identity
            for identity, found in rules_of.items()
            if len(found) > 1 and len({_content_of(rule) for rule in found}) > 1
        }
        if not several:
            return
        for i, sighting in enumerate(self.sightings):
            rule = sighting.record
            if isinstance(rule, Rule) and rule.rule_id in several:
                own = f"{rule.rule_id}/{ids.text_hash(_content_of(rule))}"
                self.sightings[i] = Sighting(msgspec.structs.replace(rule, rule_id=own), sighting.spans)

    def _claim_all(self, section: Section, claim: Claim) -> None:
        for block in section.blocks:
            self.claims.append(
                Claimed(block.start, block.end, Claim.FURNITURE if block.kind is BlockKind.BLANK else claim)
            )

    def _furniture(self, section: Section) -> None:
        self._claim_all(section, Claim.FURNITURE)

    def _section(self, section: Section) -> _Reading:
        """What a rules section says; one that reads the same was read before."""
        blocks = section.blocks
        base = blocks[0].start
        details: tuple[tuple[str, ...], ...] = ()
        if self.document.parts is not None:
            context, faction = marked.context(section.facts, self.faction, self.faction_printed)
            details = tuple([b.detail for b in blocks])
        else:
            context = self._context(section)
            faction = None if section.kind in _OF_ALL_FACTIONS else self.faction
        key = (section.kind, faction, context, self.text[base : blocks[-1].end], details)
        known = _known_sections.get(key)
        if known is None:
            shifted = [
                Block(b.kind, b.start - base, b.end - base, b.text, b.glued, b.place, b.depth, b.detail) for b in blocks
            ]
            title = shifted[0] if section.title else None
            known = read_section(Section(section.kind, shifted, title), faction, context)
            _remember(key, known)
        return known

    def _context(self, section: Section) -> rules.Context:
        cells = self.expected.cells
        found = tuple([(b.text, cells[b.text]) for b in section.blocks if b.text in cells]) if cells else ()
        parent = self._parent_of(section) if section.kind == "sub-rule" and section.title else None
        return rules.Context(found, parent) if found or parent else _NO_CONTEXT

    def _parent_of(self, section: Section) -> str | None:
        """Title of the rule that has a cell with the title of this sub-rule; of several, the one whose cell has its words."""
        assert section.title is not None
        cells = self.expected.parents.get(fold(section.title.text), {})
        if len(cells) == 1:
            return next(iter(cells))
        words = " ".join(self.text[section.blocks[0].start : section.blocks[-1].end].split())
        same = [parent for parent, texts in cells.items() if words in texts]
        return same[0] if len(same) == 1 else None

    def _stratagem_list(self, section: Section, sheet: Sheet | None) -> None:
        entries = stratagems.read_list(section.blocks[1:], self.faction)
        if not entries:
            return
        self._claim_all(section, Claim.VALUE)
        for position, entry in enumerate(entries, 1):
            spans = tuple(Span(b.start, b.end) for b in entry.blocks)
            self.sightings.append(Sighting(entry.stratagem, spans))
            if entry.detachment:
                self.sightings.append(Sighting(entry.detachment, spans[2:3]))
            identity = entry.stratagem.stratagem_id
            self.listed[identity] = None
            if sheet is not None:
                link = DatasheetStratagem(
                    datasheet_id=sheet.datasheet_id, position=position, stratagem_id=identity, tag=entry.tag
                )
                self.sightings.append(Sighting(link, spans))
            for code, message in entry.faults:
                self._say_at(code, message, spans[-1], "stratagems", identity)

    def _enhancement_list(self, section: Section) -> None:
        """`Death Mask` / `10`: names with points of the faction's enhancements; the detachment is not printed here."""
        self._claim_all(section, Claim.VALUE)
        blocks = [b for b in section.blocks[1:] if b.kind is not BlockKind.BLANK]
        for block, following in zip(blocks, (*blocks[1:], None), strict=True):
            if _POINTS.match(block.text) or self.faction is None:
                continue
            points = following if following is not None and _POINTS.match(following.text) else None
            record = Enhancement(
                enhancement_id=ids.enhancement(self.faction, None, block.text), faction_id=self.faction, detachment_id=None,
                name=clean(block.text), points=int(points.text) if points else None,
            )  # fmt: skip
            used = (block, points) if points else (block,)
            self.sightings.append(Sighting(record, tuple(Span(b.start, b.end) for b in used)))

    def _enhancement(self, section: Section, home: tuple[Detachment, Span] | None) -> None:
        """An enhancement of a faction page. `home`: its detachment, and where the page says so."""
        if self.faction is None:
            return
        if self.document.parts is not None:
            shown, of, spans = marked.enhancement(section, self.faction)
            self.sightings += [Sighting(shown, spans), *([Sighting(of, spans[:1])] if of else [])]
            self._claim_all(section, Claim.VALUE)
            return
        made = faction_pages.read_enhancement(section.blocks, self.faction, home[0].detachment_id if home else None)
        if made is None:
            return
        record = made.record
        spans = tuple(Span(b.start, b.end) for b in made.blocks)
        self.sightings.append(Sighting(record, (*spans, home[1]) if home else spans))
        self.claims += [Claimed(b.start, b.end, Claim.VALUE) for b in made.blocks]
        self.claims += [Claimed(b.start, b.end, Claim.FURNITURE) for b in section.blocks if b.kind is BlockKind.BLANK]
        if made.behind:
            self._prose(Section("text", made.behind))
        if home is None:
            message = f"The dump no longer shows the detachment of the enhancement {record.name}."
            self._say_at("detachment-not-shown", message, spans[0], "enhancements", record.enhancement_id)

    def _enhancement_homes(self) -> dict[int, tuple[Detachment, Span]]:
        """The detachment of each enhancement, by the number of its section.

        A faction page prints per detachment its rule, its enhancements and its stratagems. Where the first card of a detachment
        follows a run of enhancements without anything between them, the run is that detachment's.
        """
        homes: dict[int, tuple[Detachment, Span]] = {}
        if not any(section.kind == "enhancement" for section in self.cut):
            return homes
        seen: set[str] = set()
        run: list[int] = []
        for i, section in enumerate(self.cut):
            if section.kind == "enhancement":
                ends = [b.text.endswith(" |") for b in section.blocks if b.kind is not BlockKind.BLANK]
                if ends[-1] and sum(ends) == 1:
                    run.append(i)
                else:
                    run = []
                continue
            if section.kind == "stratagem" and self.faction is not None:
                printed = next((b for b in section.blocks if b.kind is BlockKind.STRATAGEM_TYPE), None)
                owner = stratagems.owner_of(printed.text) if printed else None
                if printed is not None and owner is not None and owner.detachment:
                    detachment = stratagems.detachment_record(self.faction, owner.detachment)
                    if detachment.detachment_id not in seen:
                        homes.update({k: (detachment, Span(printed.start, printed.end)) for k in run})
                    seen.add(detachment.detachment_id)
            run = []
        return homes

    def _books(self, section: Section) -> None:
        found = faction_pages.read_books(section.blocks)
        self.claims += found.claims
        self.sightings += [Sighting(record, spans) for record, spans in found.records]
        if found.rest:
            self._prose(Section("text", found.rest))

    def _faqs(self, section: Section) -> None:
        found = faction_pages.read_faqs(section.blocks, self.faction)
        self.claims += found.claims
        self.sightings += [Sighting(record, spans) for record, spans in found.records]
        for block in found.unanswered:
            self._say_at(
                "unreadable-row",
                f"A question without an answer: {excerpt(block.text)}",
                Span(block.start, block.end),
                "faqs",
                None,
            )
        if found.rest:
            self._prose(Section("text", found.rest))

    def _prose(self, section: Section) -> None:
        reading = read_section(Section("text", section.blocks), self.faction, rules.Context())
        self.sightings += reading.sightings
        self.claims += reading.claims
        for code, message, span, table, record in reading.faults:
            self._say_at(code, message, span, table, record)

    # --- the end ---------------------------------------------------------------------------------------------------------

    def _say(self, code: str, message: str, block: Block | None) -> None:
        span = Span(block.start, block.end) if block else Span(0, 0)
        self._say_at(code, message, span, None, None)

    def _say_at(self, code: str, message: str, span: Span, table: str | None, record: str | None) -> None:
        self.diagnostics.append(
            Diagnostic(
                code=code,
                message=message,
                document_id=self.document.document_id,
                line=self.document.line_of(span.start),
                start=span.start,
                end=span.end,
                table=table,
                record_id=record,
            )
        )

    def _finish(self, kind: str, title: str | None) -> Extract:
        self._part_namesakes()
        counts = self._unclaimed()
        status = "partly-read" if any(d.code == "unclaimed-text" for d in self.diagnostics) else "read"
        row = _row(
            self.document,
            kind=kind,
            status=status,
            edition=self.edition,
            faction=self.faction,
            title=title,
            counts=counts,
        )
        return Extract(
            document=row, sightings=self.sightings, weapon_rows=self.rows, names=sorted(getattr(self, "names", ())), claims=self.claims,
            diagnostics=self.diagnostics, listed=list(self.listed), line_starts=self.document.line_starts(),
        )  # fmt: skip

    def _unclaimed(self) -> tuple[int, int, int]:
        """Counts what was claimed and says what was not."""
        self.claims = _in_order(self.claims)
        at = 0
        lengths = dict.fromkeys(Claim, 0)
        for claimed in self.claims:
            if claimed.start > at:
                self._gap(at, claimed.start)
            at = claimed.end
            lengths[claimed.claim] += at - claimed.start
        if at < len(self.text):
            self._gap(at, len(self.text))
        return sum(lengths.values()), lengths[Claim.ECHO], lengths[Claim.FURNITURE]

    def _gap(self, start: int, end: int) -> None:
        text = self.text[start:end]
        if not text.strip():
            return
        self._say_at("unclaimed-text", f"Not understood: “{excerpt(text)}”", Span(start, end), None, None)


def _content_of(rule: Rule) -> str:
    """The rule's words, however they are divided into flavour and text."""
    parts = (rule.flavour, rule.text, *(s.text for s in rule.sections), *(s.text for s in rule.sidebars))
    return " ".join(word for part in parts if part for word in part.split())


def read_section(section: Section, faction: str | None, context: rules.Context) -> _Reading:
    """What one section of rules, cards or indexes says."""
    made = _Reading()
    kind = section.kind
    if kind == "index":
        _index(section, made)
    elif kind == "stratagem":
        _card(section, faction, made)
    elif kind in ("untitled", "text"):
        _untitled(section, faction, made)
    else:
        _rule(section, faction, context, made)
    made.sightings = [Sighting(found.record, joined(found.spans)) for found in made.sightings]
    made.claims = _in_order(made.claims)
    return made


_START = attrgetter("start")
_WEIGHT = {Claim.VALUE: 0, Claim.ECHO: 1, Claim.FURNITURE: 2}


def _start_and_weight(claimed: Claimed) -> tuple[int, int, int]:
    return claimed.start, _WEIGHT[claimed.claim], -claimed.end


def _in_order(claims: Sequence[Claimed]) -> list[Claimed]:
    """Claims as stretches that follow each other. What is claimed twice counts once, as value before echo before furniture."""
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


def _claims(blocks: Sequence[Block], claim: Claim) -> list[Claimed]:
    """What blocks are read as; those that follow each other as one."""
    made: list[Claimed] = []
    start = end = -1
    last = claim
    for block in blocks:
        own = Claim.FURNITURE if block.kind in _FURNITURE else claim
        if block.start != end or own is not last:
            if end > start:
                made.append(Claimed(start, end, last))
            start, last = block.start, own
        end = block.end
    if end > start:
        made.append(Claimed(start, end, last))
    return made


_FURNITURE = frozenset([BlockKind.BLANK, BlockKind.RUIN, BlockKind.FURNITURE])


def _index(section: Section, made: _Reading) -> None:
    found = keywords.read_index([b for b in section.blocks if not b.detail])
    if found.record is None:
        made.faults.append(("title-lost", f"A keyword index lost {found.lost}: “{excerpt(section.blocks[0].text)}”",
                            Span(section.blocks[0].start, section.blocks[-1].end), "keyword_index", None))  # fmt: skip
        return
    made.sightings.append(Sighting(marked.members(section.blocks, found.record), spans_of(section.blocks)))
    if found.faction:
        made.sightings.append(Sighting(found.faction, spans_of(section.blocks[:1])))
    made.claims += _claims(section.blocks, Claim.VALUE)


def _card(section: Section, faction: str | None, made: _Reading) -> None:
    card = stratagems.read_card(section.blocks, faction)
    spans = spans_of(card.used)
    made.sightings.append(Sighting(card.stratagem, spans))
    if card.detachment:
        made.sightings.append(Sighting(card.detachment, spans_of(card.used[2:3])))
    if card.rule:
        made.sightings.append(Sighting(card.rule, spans))
    made.claims += _claims(card.used, Claim.VALUE)
    made.claims += _claims(card.echoes, Claim.ECHO)
    if card.behind:
        _untitled(Section("text", card.behind), faction, made)
    made.claims += _claims([b for b in section.blocks if b.kind is BlockKind.BLANK], Claim.FURNITURE)
    for code, message in card.faults:
        made.faults.append(
            (
                code,
                message,
                Span(section.blocks[0].start, section.blocks[-1].end),
                "stratagems",
                card.stratagem.stratagem_id,
            )
        )


def _rule(section: Section, faction: str | None, context: rules.Context, made: _Reading) -> None:
    kind = "faction-rule" if section.kind == "unknown" else section.kind
    found = rules.read(Section(kind, section.blocks, section.title), faction, context)
    for record, spans in found.rules:
        made.sightings.append(Sighting(record, spans))
    if found.detachment:
        made.sightings.append(Sighting(found.detachment, found.detachment_spans))
    if context.foreign and faction:
        of = Faction(faction_id=faction, name=declared_name(faction) or faction)
        made.sightings.append(Sighting(of, found.title_spans))
    made.claims += found.claims
    for position, (identity, see) in enumerate(found.see_also, 1):
        reference = CrossReference(
            reference_id=f"rules/{identity}/see-also/{position}", from_table="rules", from_id=identity, position=position,
            printed=see.printed, kind="see-also", to_number=see.number,
        )  # fmt: skip
        made.sightings.append(Sighting(reference, (see.span,)))
    for code, message, span, identity in found.faults:
        made.faults.append((code, message, span, "rules", identity))
    if section.kind == "unknown":
        title = section.blocks[0]
        made.faults.append(("unknown-heading", f"“{title.text}” is a title that neither the page's lists nor the vocabulary know.",
                            Span(title.start, title.end), "rules", found.rules[0][0].rule_id))  # fmt: skip


def _untitled(section: Section, faction: str | None, made: _Reading) -> None:
    """Text whose title the dump lost: below `Recon Element Detachment`, an enhancement; else a part of the page that is named nowhere."""
    content = [b for b in section.blocks if b.kind not in (BlockKind.BLANK, BlockKind.RUIN, BlockKind.FURNITURE)]
    made.claims += _claims(section.blocks, Claim.VALUE)
    if not content:
        return
    printed = detachment_of(content[0].text) if section.kind == "untitled" else None
    body = content[1:] if printed else content
    text = paragraphs(body)
    detachment = stratagems.detachment_record(faction, printed) if printed and faction else None
    if detachment:
        made.sightings.append(Sighting(detachment, spans_of(content[:1])))
    if text is None:
        return
    identity = f"untitled/{faction or 'any'}/{ids.text_hash(text)}"
    rule = Rule(
        rule_id=identity, number=None, title=None, kind="enhancement" if printed else "untitled", faction_id=faction,
        detachment_id=detachment.detachment_id if detachment else None, text=text, complete=False,
    )  # fmt: skip
    made.sightings.append(Sighting(rule, spans_of(content)))
    made.faults.append(
        (
            "title-lost",
            f"The dump lost the title of: “{excerpt(text)}”",
            Span(content[0].start, content[-1].end),
            "rules",
            identity,
        )
    )
