"""The words that the readers know: `schemas/vocabulary/*.json`, loaded once, as JSON.

A new ability, heading, alias or line of boilerplate is one line in a file there, and no code.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent
SCHEMAS = next(folder for folder in (_PACKAGE / "schemas", _PACKAGE.parent / "schemas") if folder.is_dir())
"""Where the schemas and vocabularies are: inside an installed package, beside it in a checkout."""


@cache
def vocabulary(name: str) -> Any:
    """Content of `schemas/vocabulary/<name>.json`."""
    return json.loads((SCHEMAS / "vocabulary" / f"{name}.json").read_text(encoding="utf-8"))
