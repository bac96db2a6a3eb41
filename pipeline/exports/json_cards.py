"""JSON with places: the objects of an export's lists, each with the characters that it stands on; unknown fields.

Texts are `{"en": …}` with other languages beside, or plain strings; only the English ones are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from pipeline.document import Span
from pipeline.exports.clean_text import name, plain_markdown
from pipeline.exports.reading import ExportReading

_LANGUAGE = "en"


class Card(NamedTuple):
    """An object of a list, and where it stands."""

    fields: dict[str, Any]
    span: Span


class Places:
    """Byte positions of a UTF-8 text → character positions; asked in ascending order."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._byte = self._character = 0

    def character(self, byte: int) -> int:
        """Character offset of a byte offset."""
        if byte < self._byte:
            self._byte = self._character = 0
        self._character += len(self._data[self._byte : byte].decode("utf-8"))
        self._byte = byte
        return self._character


def root(reading: ExportReading) -> dict[str, msgspec.Raw] | None:
    """The file's object, its fields undecoded; None, and a diagnostic, where the file is no whole JSON object."""
    try:
        return msgspec.json.decode(reading.text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError) as fault:  # the latter: nested a thousand deep
        reading.tell("damaged-json", f"{fault}")
        return None


def value_of(raw: bytes | msgspec.Raw) -> Any:
    """A value of sound JSON; None where a number in it is out of range, `1e400`, or it is nested a thousand deep."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def cards(reading: ExportReading, data: bytes, container: msgspec.Raw, kind: str) -> Iterator[Card]:
    """The objects of a list with their places; what is no object is reported."""
    places = Places(data)
    at = max(0, data.find(bytes(container)))
    try:
        elements = msgspec.json.decode(container, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        reading.tell("unreadable-row", f"{kind} is no list.")
        return
    for element in elements:
        raw = bytes(element)
        at = data.find(raw, at)
        span = Span(places.character(at), places.character(at + len(raw)))
        at += len(raw)
        value = value_of(raw)
        if isinstance(value, dict):
            yield Card(value, span)
        else:
            reading.tell("unreadable-row", f"An entry of {kind} is no object, or holds a number out of range.", span)


def know(reading: ExportReading, kind: str, fields: Mapping[str, Any], known: Iterable[str], at: Span | None) -> None:
    """Report fields that the reader does not know, once for each kind of object."""
    for field in sorted(fields.keys() - set(known)):
        reading.tell_once("unknown-field", f"{kind}.{field}", f"Field {field} of {kind} is not known.", at)


def text_of(value: object) -> str:
    """A printed text, in English; empty where there is none."""
    if isinstance(value, dict):
        value = value.get(_LANGUAGE)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def text(fields: Mapping[str, Any], field: str) -> str:
    """A field's text without its marks of style."""
    return plain_markdown(text_of(fields.get(field)))


def title(fields: Mapping[str, Any], field: str = "name") -> str:
    """A field that is a name."""
    return name(plain_markdown(text_of(fields.get(field))))


def objects(fields: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    """The objects of a field that is a list; none where it is something else."""
    value = fields.get(field)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_of(fields: Mapping[str, Any], field: str) -> dict[str, Any]:
    """A field that is an object; empty where it is something else."""
    value = fields.get(field)
    return value if isinstance(value, dict) else {}


def texts(fields: Mapping[str, Any], field: str) -> list[str]:
    """The texts of a field that is a list, without their marks of style and without empty ones."""
    value = fields.get(field)
    found = [plain_markdown(text_of(one)) for one in value] if isinstance(value, list) else []
    return [one for one in found if one]
