"""`RawReference` → bytes: what a worker does first."""

from __future__ import annotations

from pathlib import Path

from pipeline.diagnostics import Diagnostic
from pipeline.raw.references import LIMITS, Limits, RawFile, RawReference, refusal


def load(reference: RawReference, limits: Limits = LIMITS) -> RawFile | Diagnostic:
    """The document's bytes; or why there are none: `unreadable-file`, `too-large`. Never raises."""
    try:
        path = Path(reference.file)
        if not path.is_file():
            return refusal("unreadable-file", reference.path, reference.member, "It is no longer there, or is no file.")
        with path.open("rb") as file:
            data = file.read(limits.document_bytes + 1)
    except (OSError, ValueError) as fault:  # a ValueError for a name with a NUL
        return refusal("unreadable-file", reference.path, reference.member, f"{fault}")
    if len(data) > limits.document_bytes:
        return refusal("too-large", reference.path, reference.member, f"More than {limits.document_bytes} bytes.")
    return RawFile.of(reference, data)
