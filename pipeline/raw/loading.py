"""`RawReference` → bytes: what a worker does first.

A worker keeps the archive that it read last open, and goes on in it where the next reference lies behind the last
one: a compressed archive is read through once by each worker, not once for each member.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from pipeline.diagnostics import Diagnostic
from pipeline.raw.containers import held, opened
from pipeline.raw.names import refusal
from pipeline.raw.references import LIMITS, Limits, RawFile, RawReference, Step
from pipeline.raw.streams import FAULTS, Budget, Container, TooMuchError, read_most


def load(reference: RawReference, limits: Limits = LIMITS) -> RawFile | Diagnostic:
    """The document's bytes; or `unreadable-file`, `unreadable-archive`, `too-large`. Never raises."""
    try:
        data = _member(reference, limits) if reference.steps else _file(reference, limits)
    except TooMuchError as fault:
        return refusal("too-large", reference.path, reference.member, str(fault))
    except FAULTS as fault:
        release()
        code = "unreadable-archive" if reference.steps else "unreadable-file"
        return refusal(
            code, reference.path, reference.member, " ".join(str(fault).split())[:200] or type(fault).__name__
        )
    if len(data) > limits.document_bytes:
        return refusal(
            "too-large", reference.path, reference.member, f"It has more than {limits.document_bytes} bytes."
        )
    return RawFile.of(reference, data)


def release() -> None:
    """Close the archive that this thread read last."""
    _last.stack.close()
    _last.key = None


def _file(reference: RawReference, limits: Limits) -> bytes:
    with open_file(reference.file) as file:
        return read_most(file, limits.document_bytes + 1)


def open_file(file: str) -> BinaryIO:
    """A file for reading; a pipe or a device that took its place is not opened. Raises OSError."""
    path = Path(file)
    if not path.is_file():
        raise OSError("It is no longer there, or is no file.")
    return path.open("rb")


def _member(reference: RawReference, limits: Limits) -> bytes:
    return read_most(_opened(reference, limits).open(reference.steps[-1]), limits.document_bytes + 1)


class _Last(threading.local):
    """The archive that this thread read last."""

    def __init__(self) -> None:
        self.key: object = None
        self.container: Container | None = None
        self.stack = ExitStack()

    def __del__(self) -> None:
        self.stack.close()


_last = _Last()


def _opened(reference: RawReference, limits: Limits) -> Container:
    status = Path(reference.file).stat()
    key = (
        reference.file,
        status.st_mtime_ns,
        status.st_size,
        limits,
        reference.steps[:-1],
        reference.steps[-1].container,
    )
    if _last.key != key or _last.container is None:
        release()
        stream = _last.stack.enter_context(open_file(reference.file))
        budget = Budget(status.st_size, limits)
        _last.container = _innermost(stream, reference.steps, budget, _last.stack)
        _last.key = key
    return _last.container


def _innermost(stream: BinaryIO, steps: tuple[Step, ...], budget: Budget, stack: ExitStack) -> Container:
    container = opened(steps[0].container, stream, "", budget)
    for outer, inner in pairwise(steps):
        stream = held(inner.container, container.open(outer), budget, stack)
        container = opened(inner.container, stream, "", budget)
    return container
