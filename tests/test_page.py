"""The validation page: everything said, nothing fetched, nothing that breaks out of its cell."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from pipeline import page, schema, store
from pipeline import records as r
from tests import invented

RESULTS = [
    {"table": "models", "code": "broken-constraint", "says": "toughness is at least 1", "rows": 4, "failures": 0},
    {"table": "rules", "code": "label-left", "says": "no label is left", "rows": 4, "failures": 2},
]


def diagnostic(number: int, **values: Any) -> r.DiagnosticRow:
    told = {"code": "unclaimed-text", "severity": "warning", "message": "…", "document_id": None, "line": None}
    place = {"start": None, "end": None, "table": None, "record_id": None}
    return r.DiagnosticRow(diagnostic_id=f"unclaimed-text/{number:012x}", **told | place | values)


def render(documents: list[r.DocumentRow], diagnostics: list[r.DiagnosticRow], before: dict[str, int]) -> str:
    columns = {
        "documents": store.checked(schema.table("documents"), documents),
        "diagnostics": store.checked(schema.table("diagnostics"), diagnostics),
    }
    return page.render("11e", columns, {"models": 1200, "rules": 3}, before, RESULTS)


class Balance(HTMLParser):
    """Raises for tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


HOSTILE = "</td><script>alert(1)</script> & “more”"


def test_texts_of_the_sources_stay_in_their_cells() -> None:
    document = invented.document("Hauler", path=f"a/{HOSTILE}.txt", status="partly-read", characters_claimed=2450)
    text = render([document], [diagnostic(1, message=HOSTILE, document_id=document.document_id, line=7)], {})
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; “more”" in text
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:|//)", text)
    assert "50.0%" in text


def test_rows_are_told_against_the_release_before() -> None:
    assert "first release" in render([invented.DOCUMENT], [], {})
    text = render([invented.DOCUMENT], [], {"models": 1300, "rules": 3})
    assert "<td class=n>1 200</td><td class=n>1 300</td><td class=n>-100</td>" in text
    assert "<td class=n>3</td><td class=n>3</td><td class=n>=</td>" in text


def test_what_was_read_worst_comes_first_and_the_rest_is_folded() -> None:
    documents = [invented.document(f"n{number}", characters_claimed=4000 + number) for number in range(200)]
    documents.append(invented.document("bad", status="rejected", characters_claimed=0, characters=0))
    text = render(documents, [], {})
    assert text.index("bad.txt") < text.index("n0.txt") < text.index("101 more, read at least as well")
    assert text.index("101 more") < text.index("n199.txt")


@pytest.mark.parametrize("count", [1, 501])
def test_diagnostics_are_listed_by_place_up_to_a_limit(count: int) -> None:
    told = [
        diagnostic(number, document_id=invented.DOCUMENT.document_id, line=count - number, message=f"said {number}.")
        for number in range(count)
    ]
    text = render([invented.DOCUMENT], told, {})
    assert text.count("<td class=wrap>said ") == min(count, 500)
    assert ("and 1 more" in text) is (count > 500)
    assert f"{count} warning{'' if count == 1 else 's'}</span>" in text


def test_findings_are_counted_per_expectation() -> None:
    text = render([invented.DOCUMENT], [], {})
    assert "2 expectations, 1 of them with findings" in text
    assert "<span class=warning>2</span>" in text
