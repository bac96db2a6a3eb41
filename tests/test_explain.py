"""A record is explained with the characters that it was read from, whatever kind of file they stand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.explain import Explained, explain, near


@pytest.fixture
def release(demo: Path) -> Path:
    return demo / "output" / "release" / "11e"


def of_table(found: list[Explained], table: str) -> Explained:
    (one,) = (each for each in found if each.table == table)
    return one


def test_the_evidence_of_dumps_and_of_saved_pages_in_archives_says_what_the_record_says(
    demo: Path, release: Path
) -> None:
    found = explain(release, "lantern-wardens/lamplight-fusiliers#3", [demo / "raw"])

    price = of_table(found, "unit_costs").evidence
    assert {piece.document.partition(",")[0] for piece in price} == {
        "11e/lantern-wardens__Lamplight_Fusiliers.txt",
        "html/crawl.warc",
    }
    assert all(piece.text and "5 models" in piece.text and "70" in piece.text for piece in price)
    listed = of_table(found, "datasheet_stratagems").evidence
    assert all(piece.text and piece.text.startswith("FIRE OVERWATCH") for piece in listed)


def test_a_raw_file_that_is_not_at_hand_is_named_all_the_same(release: Path, tmp_path: Path) -> None:
    (price,) = (
        one for one in explain(release, "draveth-tidehold/tidecaller#1", [tmp_path]) if one.table == "unit_costs"
    )
    assert [(piece.document, piece.line, piece.text) for piece in price.evidence] == [
        ("11e/dra-veth-tidehold__Tidecaller.txt", 28, None)
    ]


def test_ids_that_contain_what_was_asked_for(release: Path) -> None:
    assert "draveth-tidehold/tidecaller" in near(release, "Tidecaller")
    assert near(release, "no such thing") == []
