"""Datasheets: raw dumps of datasheet and rules pages in, a validated, traceable data set out.

raw/ ─read→ documents ─extract→ records ─merge→ one record per id ─link→ tables ─validate→ Validated ─publish→ output/release/

    references = raw.RawFiles([folder])                 # files, also inside archives: bytes, origin, side-car
    document = READERS[format](document)                # text, and blocks that tile it
    made = extract(document)                            # sightings of records, each with the characters behind it
    merged = merge(extracts)                            # one record per id, observations, conflicts
    tables = link(merged, edition)                      # names and numbers resolved, or kept as dangling or ambiguous
    checked = validate(tables, diagnostics, edition)    # Validated or Findings
    publish(checked, output)                            # whole, or not at all
    release = load("output/release/11e")                # frames for analysts

The rooms, in the order of that way. A module imports from rooms above its own, or from its own, never in a circle.

    vocabulary, ids, diagnostics, document              words, the only maker of ids, codes, text with places
    editions, values, factions, weapon_abilities        printed cells and names → what they mean
    records, schema, store                              rows as extractors make them, as schemas/ define them, as files hold them
    raw                                                 where bytes come from, and what they are
    readers                                             a page format → blocks
    exports                                             a structured export → records
    extractors, extract                                 blocks → records
    namesakes, sightings, agree, lists, settle, merge   many sightings → one record
    link                                                records → tables
    migrations, evidence, expectations, frames, validate    the gate
    match, compare, changelog                           two releases → what changed
    nested, contracts, forms, page, guards, swap, publish   a release in all its forms, in its place
    measure, run, explain, __main__                     numbers of a release, the whole way, one record of it, the command line

What a first plan would not have, and why it is there:

- `editions`, `factions`, `values`, `weapon_abilities`: pages and exports ask the same of a printed word, and must get the same answer.
- `raw`, `readers`, `exports`, `extractors` are packages, as each grew a part per format; `extract` is the door of the last, and
  looks at a page as a whole: whom it is about, what nobody claimed.
- `merge` leaves five questions to others: whom to trust (`sightings`), what is the same value (`agree`; it counts, too, which
  sources confirm each other), which row of a list without names is which (`lists`), which id a record has whose title, number or
  detachment one document alone does not tell (`settle`), and which datasheets of one name are two (`namesakes`).
- `expectations` says as data what has to hold, so that docs/expectations.md is made of it; `evidence` computes the columns which
  no table has and an expectation needs. Only `validate` knows the framework that checks them.
- ids that stay are promises across releases: `migrations` declares what moved, `match` finds which row was which, `guards` stops
  what breaks a promise, `compare` gives the difference to programs and `changelog` to people.
- `publish` decides what a release holds and makes none of it: `contracts` (JSON Schema, TypeScript, docs), `nested` (a document per
  faction), `forms` (databases), `page` (what validation found), `swap` (one folder for another, whenever the process is killed).
- `frames` alone imports pandas when it is imported: the pipeline does without, analysts do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.frames import Release


def load(release: str | Path) -> Release:
    """The tables of a release as pandas frames, each read when first asked for: `load("output/release/11e")["models"]`.

    Raises FileNotFoundError where there is no release.
    """
    # pandas takes a second to import, and the pipeline itself does without
    from pipeline import frames

    return frames.load(release)
