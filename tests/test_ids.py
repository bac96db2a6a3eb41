"""Ids: the slug function is frozen by `cases/slugs.json`; a vector that fails moves ids that were published."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import ids

VECTORS: list[tuple[str, str]] = [
    (printed, slug)
    for printed, slug in json.loads((Path(__file__).parent / "cases" / "slugs.json").read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("printed", "slug"), VECTORS)
def test_slugs_stay_what_they_are(printed: str, slug: str) -> None:
    assert ids.slug(printed) == slug
    assert ids.slug(unicodedata.normalize("NFD", printed)) == slug


@given(st.text())
def test_a_slug_is_its_own_slug_and_holds_nothing_but_letters_digits_and_hyphens(printed: str) -> None:
    slug = ids.slug(printed)
    assert ids.slug(slug) == slug
    assert re.fullmatch(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?", slug)


@given(st.text(), st.sampled_from(ids.APOSTROPHES), st.sampled_from(ids.APOSTROPHES), st.text())
def test_one_apostrophe_is_like_another(before: str, one: str, other: str, behind: str) -> None:
    assert ids.slug(before + one + behind) == ids.slug(before + other + behind)
    assert ids.fold(before + one + behind) == ids.fold(before + other + behind)


def test_folding_keeps_apart_what_is_printed_with_another_hyphen_or_none() -> None:
    assert ids.fold("COUNTER-OFFENSIVE") == ids.fold("Counter‑offensive") == ids.fold("counter–offensive")
    assert ids.fold("COUNTEROFFENSIVE") != ids.fold("COUNTER-OFFENSIVE")
