"""`pipeline.load`: what analysts get."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import pipeline
from pipeline import schema, store
from pipeline.records import TABLES
from tests import invented
from tests.test_publish import put


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return put(invented.game(), tmp_path_factory.mktemp("output")).folder


def test_all_tables_are_there_with_their_rows_and_keys(folder: Path) -> None:
    release = pipeline.load(folder)
    assert set(release) == set(TABLES)
    assert len(release) == len(TABLES)
    assert release.edition == "11e"
    for table, frame in release.items():
        assert len(frame) == len(store.read_rows(folder, table))
        assert tuple(frame.columns) == schema.table(table).columns
        assert release.key(table) == schema.table(table).key
        assert not frame.duplicated(list(release.key(table))).any()


def test_types_survive_nulls(folder: Path) -> None:
    profiles = pipeline.load(str(folder))["weapon_profiles"]
    assert profiles.dtypes["range_inches"] == "Int64"
    assert profiles.dtypes["damage_mean"] == "Float64"
    assert profiles.dtypes["split_certain"] == "boolean"
    assert profiles.dtypes["weapon_name"] == "string"
    melee = profiles[profiles.kind == "melee"].iloc[0]
    assert melee.range_inches is pd.NA
    assert profiles.range_inches.sum() == 72


def test_lists_survive_and_can_be_taken_apart(folder: Path) -> None:
    release = pipeline.load(folder)
    profiles = release["weapon_profiles"]
    abilities = profiles[["profile_id", "abilities"]].explode("abilities").dropna()
    assert sorted(abilities.abilities) == ["ANTI-INFANTRY 4+", "HAZARDOUS", "LANCE", "RAPID FIRE 2", "TORRENT"]
    sections = release["rules"].set_index("rule_id").sections["24.31"]
    assert [dict(one) for one in sections] == [{"label": "EFFECT", "text": "More attacks."}]


def test_tables_are_read_when_asked_for_and_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = store.read_arrow

    def noted(release: Path, table: str) -> pa.Table:
        read.append(table)
        return whole(release, table)

    monkeypatch.setattr(store, "read_arrow", noted)
    release = pipeline.load(folder)
    assert read == []
    assert release["models"] is release["models"]
    assert read == ["models"]


def test_columns_say_what_they_mean(folder: Path) -> None:
    meanings = pipeline.load(folder).describe("weapon_profiles")
    assert meanings["range_inches"].startswith("Range in inches")


def test_what_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no table 'weapons' in 11e; it has"):
        pipeline.load(folder)["weapons"]
    with pytest.raises(FileNotFoundError):
        pipeline.load(tmp_path)
