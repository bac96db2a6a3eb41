"""The tables of a release as pandas frames, for analysts.

In: a release's folder. Out: frames with nullable types (a null integer stays an integer column), strings and lists that
stay what they are, each table read when it is first asked for.

    >>> release = load("output/release/11e")  # doctest: +SKIP
    >>> release["weapon_profiles"].groupby("kind").damage_mean.mean()  # doctest: +SKIP
    >>> release.key("leaders")  # doctest: +SKIP
    ('leader_id', 'led_name')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from pipeline import store

if TYPE_CHECKING:
    from collections.abc import Callable

_NULLABLE: dict[pa.DataType, Any] = {
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype("pyarrow"),
}


def _dtype(arrow: pa.DataType) -> Any:
    return _NULLABLE.get(arrow) or pd.ArrowDtype(arrow)


def frame(table: pa.Table) -> pd.DataFrame:
    """An Arrow table as a frame: nullable dtypes, lists as Arrow lists."""
    mapper: Callable[[pa.DataType], Any] = _dtype
    return table.to_pandas(types_mapper=mapper)


class Release(Mapping[str, pd.DataFrame]):
    """A release's tables by name; each is read when first asked for and kept.

    `folder` is where it lies, `package` its `datapackage.json`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package: dict[str, Any] = store.read_package(folder)
        self._resources = {
            resource["name"]: resource for resource in self.package["resources"] if resource.get("format") == "parquet"
        }
        self._frames: dict[str, pd.DataFrame] = {}

    def __getitem__(self, table: str) -> pd.DataFrame:
        if table not in self._resources:
            raise KeyError(f"no table {table!r} in {self.folder.name}; it has {', '.join(self._resources)}")
        if table not in self._frames:
            self._frames[table] = frame(store.read_arrow(self.folder, table))
        return self._frames[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._resources)

    def __len__(self) -> int:
        return len(self._resources)

    def key(self, table: str) -> tuple[str, ...]:
        """The columns that identify a row of a table."""
        return tuple(self._resources[table]["schema"]["primaryKey"])

    def describe(self, table: str) -> pd.Series[str]:
        """What each column of a table says."""
        fields = self._resources[table]["schema"]["fields"]
        return pd.Series({field["name"]: field["description"] for field in fields}, dtype="string", name=table)

    @property
    def edition(self) -> str:
        """Edition of the game that the release is of."""
        return str(self.package["edition"])


def load(release: str | Path) -> Release:
    """The tables of the release in a folder. Raises FileNotFoundError where there is no release."""
    return Release(Path(release))
