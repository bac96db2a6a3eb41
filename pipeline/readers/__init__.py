"""Page formats: a decoded raw file → a `Document` whose blocks tile its text. One module per format, registered here."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.document import Document
from pipeline.readers import html, text

READERS: dict[str, Callable[[Document], Document]] = {
    "html": html.read_document,
    "text": text.read,
}
"""The reader of each format that `raw.recognise` tells."""
