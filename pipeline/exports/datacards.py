"""Datacards: JSON files, one per faction, one per book of core rules, one of FAQs, read as one set.

In: the files of a folder or archive by name. Out: one reading for each.

    {"name": "Ash Compact", "source": "40k-11e", "datasheets": [{"name": {"en": "Brindle Hauler"}, "stats": […]}], …}

Texts are `{"en": …}` with Markdown and HTML marks. A unit that stands in two faction files is two datasheets, one for
each faction, even under one id of the export: their costs, faction keywords and army rules differ, and a page prints
each apart. Both point to that id in the crosswalk.

Not read: `keywords.json`, which says once more what the core rules say; flavour texts of datasheets; the builder's
menus (`wargearOptions`) but for their prices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from pipeline.exports import datacard_factions, datacard_rules
from pipeline.exports.datacard_ids import Targets
from pipeline.exports.json_cards import root, value_of
from pipeline.exports.reading import ExportReading, decoded, looks_like_a_page

_EDITION = re.compile(r"40k-([0-9]+e)")


def read(files: Mapping[str, bytes], edition: str | None = None) -> dict[str, ExportReading]:
    """Read the files of one export, of which some may be missing or damaged. `edition` overrides what they say."""
    readings = {name: decoded(name, files[name]) for name in sorted(files)}
    roots: dict[str, dict[str, msgspec.Raw]] = {}
    for name, reading in readings.items():
        if not reading.text:
            continue
        if looks_like_a_page(reading.text):
            reading.tell("redirect-page", "An HTML page under the name of a JSON file.")
            continue
        found = root(reading)
        if found is not None:
            roots[name] = found
    targets = Targets()
    later: list[str] = []
    for name, found in roots.items():
        reading = readings[name]
        stated = _EDITION.search(_plain(found, "source"))
        reading.settle_edition(edition, stated[1] if stated else None)
        reading.captured_at = _plain(found, "updated") or None
        if edition is None and stated is None:
            reading.tell("uncertain-edition", "The field source does not say which edition it is of.")
        if "datasheets" in found:
            datacard_factions.read(reading, found, targets)
        elif "sections" in found:
            datacard_rules.core_rules(reading, found, targets)
        elif "faqs" in found:
            later.append(name)  # they point to what the other files hold
        elif "keywords" in found:
            reading.tell("unknown-field", "The glossary of weapon abilities repeats the core rules; it is not read.")
        else:
            reading.tell("unknown-format", "Neither datasheets nor sections nor FAQs are in it.")
    for name in later:
        datacard_rules.faqs(readings[name], roots[name], targets)
    return readings


def _plain(found: Mapping[str, msgspec.Raw], field: str) -> str:
    value = value_of(found[field]) if field in found else None
    return value if isinstance(value, str) else ""
