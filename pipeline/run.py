"""The whole way: raw files → extracts → one release per edition.

Documents are extracted through one seam, a `concurrent.futures` executor: on this core, on all cores, or on a cluster whose
client gives an executor (dask.distributed: `client.get_executor(pure=False)`). The result does not depend on how many workers
there are or in which order they answer.
"""

from __future__ import annotations

import gc
import os
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from contextlib import ExitStack, contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from traceback import format_exception
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from pipeline import raw
from pipeline.diagnostics import Diagnostic, excerpt
from pipeline.document import Document
from pipeline.extract import Extract, extract, of_export, rejected
from pipeline.link import Tables, link
from pipeline.merge import merge
from pipeline.raw import RawFile, RawReference
from pipeline.readers import READERS
from pipeline.records import AnyRow, Record

BATCH_BYTES = 1 << 20
BATCH_DOCUMENTS = 32
_EXPORT_NAMES = (".csv", ".json", ".yaml", ".yml")
_HEAD = 65_536  # bytes that tell the format of an export
_FRAME = re.compile(r'File "[^"]*?(pipeline/[^"]+)", line ([0-9]+)')
SMALL_RUN = 4 << 20  # bytes below which starting processes costs more than it saves


class Read(NamedTuple):
    """What all documents of a run say; `diagnostics` are of files that are no documents, `skipped` counts what was left alone."""

    extracts: list[Extract]
    diagnostics: list[Diagnostic]
    skipped: Mapping[str, int] = MappingProxyType({})


class Batch(msgspec.Struct):
    """What a worker made of some raw files; `diagnostics` are of files whose bytes could not be had."""

    extracts: list[Extract] = []
    diagnostics: list[Diagnostic] = []


def read_document(reference: RawReference) -> Document | Extract | Diagnostic:
    """A raw file as a document with its blocks, or why it is none."""
    loaded = raw.load(reference)
    return loaded if isinstance(loaded, Diagnostic) else understood(reference, loaded)


def understood(reference: RawReference, loaded: RawFile) -> Document | Extract:
    """A file's bytes as a document with its blocks, or as what rejects it."""
    decoded = raw.decode(loaded.data, loaded.hints.charset, loaded.document_id)
    recognised = raw.recognise(loaded, decoded.text)
    document = _document(reference, loaded.data, loaded.sha256, decoded.text, recognised.format)
    if decoded.encoding is None:
        fault = decoded.diagnostics[-1]
        return rejected(document, fault.code, fault.message)
    if recognised.problem is not None:
        return rejected(document, recognised.problem.code, recognised.problem.message)
    reader = READERS.get(document.format)
    if reader is None:
        return rejected(document, "unknown-format", f"No reader takes {document.format} files.")
    document.diagnostics = list(decoded.diagnostics)
    document.data = loaded.data if decoded.verbatim else None
    read = reader(document)
    read.data = None
    return read


def _document(reference: RawReference, data: bytes, sha256: str, text: str, kind: str) -> Document:
    hints = reference.hints
    return Document(
        document_id=sha256[:16], path=reference.path, member=reference.member, format=kind, sha256=sha256, bytes=len(data), text=text,
        url=hints.url, captured_at=hints.captured_at, sidecar_name=hints.name, sidecar_faction=hints.faction,
    )  # fmt: skip


def extract_batch(references: Sequence[RawReference], edition: str | None) -> bytes:
    """Extracts some documents; what a worker does. Gives a `Batch` as MessagePack, as that is quicker than pickling."""
    batch = Batch()
    with no_collection():
        if references and _may_be_export(references[0]):
            references = _extract_exports(references, edition, batch)
        for reference in references:
            document = read_document(reference)
            if isinstance(document, Diagnostic):
                batch.diagnostics.append(document)
            elif isinstance(document, Extract):
                batch.extracts.append(document)
            else:
                batch.extracts.append(extract(document, edition or reference.hints.edition))
        return encode(batch)


@contextmanager
def no_collection() -> Iterator[None]:
    """No search for cyclic garbage: a batch makes millions of records and none that refers to itself, and the search takes a fifth."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _may_be_export(reference: RawReference) -> bool:
    return reference.name.lower().endswith(_EXPORT_NAMES)


def _extract_exports(references: Sequence[RawReference], edition: str | None, batch: Batch) -> list[RawReference]:
    """Reads the exports among the files of one folder, each as a set; gives the files that are of none."""
    from pipeline.exports import EXPORTS

    sets: dict[str, dict[str, RawFile]] = defaultdict(dict)
    rest: list[RawReference] = []
    for reference in references:
        loaded = raw.load(reference)
        if isinstance(loaded, Diagnostic):
            batch.diagnostics.append(loaded)
            continue
        recognised = raw.recognise(loaded, raw.decode(loaded.data[:_HEAD], loaded.hints.charset).text)
        if recognised.problem is None and recognised.format in EXPORTS:
            sets[recognised.format][reference.place] = loaded
        else:
            rest.append(reference)
    for kind, files in sorted(sets.items()):
        told = {file.hints.edition for file in files.values()} - {None}
        asked = edition or (told.pop() if len(told) == 1 else None)
        readings = EXPORTS[kind]({place: file.data for place, file in files.items()}, asked)
        for place, reading in sorted(readings.items()):
            file = files[place]
            document = _document(file.reference, file.data, file.sha256, reading.text, kind)
            batch.extracts.append(of_export(document, reading))
    return rest


def encode(batch: Batch) -> bytes:
    """Extracts for another process or stage."""
    return msgspec.msgpack.encode(batch)


def decode(data: bytes) -> Batch:
    """What `encode` made. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.decode(data, type=Batch)


def batches(references: Sequence[RawReference]) -> Iterator[list[RawReference]]:
    """References in runs of about a megabyte; files that may be of one export together, however large."""
    pages = [reference for reference in references if not _may_be_export(reference)]
    yield from raw.by_folder(reference for reference in references if _may_be_export(reference)).values()
    batch: list[RawReference] = []
    size = 0
    for reference in pages:
        batch.append(reference)
        size += reference.size or 0
        if size >= BATCH_BYTES or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def read(
    paths: Sequence[Path],
    *,
    edition: str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Read:
    """Extracts of all documents below `paths`. `progress` is told how many of how many documents are done."""
    found = raw.RawFiles(paths)
    references = list(found)
    todo = batches(references)
    total = len(references)
    done = 0
    extracts: list[Extract] = []
    diagnostics = list(found.diagnostics)
    if executor is not None:
        results = _through(executor, todo, edition)
    else:
        count = workers or os.cpu_count() or 1
        small = workers is None and sum(r.size or 0 for r in references) < SMALL_RUN
        results = _serial(todo, edition) if count == 1 or small else _pooled(todo, edition, count)
    for data in results:
        batch = decode(data)
        extracts += batch.extracts
        diagnostics += batch.diagnostics
        done += len(batch.extracts) + len(batch.diagnostics)
        progress(done, total)
    kept, others = raw.read_once(extracts, lambda e: e.document)
    return Read(list(kept), [*diagnostics, *others], found.skipped)


def _serial(todo: Iterable[list[RawReference]], edition: str | None) -> Iterator[bytes]:
    with ThreadPoolExecutor(1) as pool:
        yield from _one_by_one(todo, edition, lambda: pool)


def _through(executor: Executor, todo: Iterable[list[RawReference]], edition: str | None) -> Iterator[bytes]:
    failed: list[list[RawReference]] = []
    yield from _together(executor, todo, edition, failed)
    given = iter([executor])
    with ExitStack() as pools:  # what broke the executor is told by a process of its own
        yield from _one_by_one(failed, edition, lambda: next(given, None) or pools.enter_context(_processes(1)))


def _pooled(todo: Iterable[list[RawReference]], edition: str | None, workers: int) -> Iterator[bytes]:
    """A worker that is killed breaks the whole pool: what was not done then is done one by one, to find what killed it."""
    failed: list[list[RawReference]] = []
    with _processes(workers) as pool:
        yield from _together(pool, todo, edition, failed)
    with ExitStack() as pools:
        yield from _one_by_one(failed, edition, lambda: pools.enter_context(_processes(1)))


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """A pool of processes that does not outlive a run which is interrupted."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield pool
        except BaseException:
            for process in active_children():
                process.terminate()
            raise


def _together(
    executor: Executor, todo: Iterable[list[RawReference]], edition: str | None, failed: list[list[RawReference]]
) -> Iterator[bytes]:
    """Batches all at once; those that could not be read are added to `failed`."""
    futures = {}
    for batch in todo:
        if (future := _submitted(executor, batch, edition)) is None:
            failed.append(batch)
        else:
            futures[future] = batch
    for future in as_completed(futures):
        if future.exception() is None:
            yield future.result()
        else:
            failed.append(futures[future])


def _one_by_one(
    todo: Iterable[list[RawReference]], edition: str | None, new_pool: Callable[[], Executor]
) -> Iterator[bytes]:
    """Batches one after the other. Of one that could not be read each page is tried alone, so that one spoils no other."""
    pool: Executor | None = None
    for batch in todo:
        left = deque([batch])
        while left:
            some = left.popleft()
            pool = pool or new_pool()
            future = _submitted(pool, some, edition)
            if future is None:  # the pool was broken before
                pool = None
                left.appendleft(some)
                continue
            fault = future.exception()
            if fault is None:
                yield future.result()
                continue
            if isinstance(fault, BrokenExecutor):
                pool = None
            if len(some) > 1 and not _may_be_export(some[0]):
                left.extend([reference] for reference in some)
            else:
                yield encode(_failed(some, fault))


def _submitted(executor: Executor, batch: list[RawReference], edition: str | None) -> Future[bytes] | None:
    """None: the executor is broken and takes nothing."""
    try:
        return executor.submit(extract_batch, batch, edition)
    except BrokenExecutor:
        return None


def _failed(references: Sequence[RawReference], fault: BaseException) -> Batch:
    """Files of which nothing was taken, rejected."""
    code, message = failure(fault)
    batch = Batch()
    for reference in references:
        loaded = raw.load(reference)
        if isinstance(loaded, Diagnostic):
            batch.diagnostics.append(loaded)
            continue
        head = raw.decode(loaded.data[:_HEAD], loaded.hints.charset).text
        document = _document(reference, loaded.data, loaded.sha256, "", raw.recognise(loaded, head).format)
        batch.extracts.append(rejected(document, code, message))
    return batch


def failure(fault: BaseException) -> tuple[str, str]:
    """Code and message of what kept a file from being read: its process was killed, or the program has a fault."""
    if isinstance(fault, BrokenExecutor):
        return "worker-died", "The process that read it was killed each time."
    told = "".join(format_exception(fault))  # of another process too
    frames = _FRAME.findall(told)
    where = f" ({frames[-1][0]}:{frames[-1][1]})" if frames else ""
    return (
        "reader-failed",
        f"{type(fault).__name__}: {excerpt(str(fault))}{where}. A fault of the program; please report it.",
    )


class Edition(NamedTuple):
    """The tables of one edition, and the documents they come from."""

    name: str
    tables: Tables
    extracts: list[Extract]


def link_editions(given: Read) -> list[Edition]:
    """Tables of each edition. Rejected documents belong to none; they are listed in each, as what was not read."""
    by_edition: dict[str, list[Extract]] = defaultdict(list)
    refused: list[Extract] = []
    for made in given.extracts:
        if made.document.status == "rejected" or made.document.edition is None:
            refused.append(made)
        else:
            by_edition[made.document.edition].append(made)
    editions = []
    for name in sorted(by_edition):
        extracts = by_edition[name]
        everything = [*extracts, *refused]
        merged = merge(everything)
        merged.diagnostics.extend(given.diagnostics)
        editions.append(Edition(name, link(merged, name), extracts))
    return editions


class Linked(msgspec.Struct):
    """The tables of an edition between two stages."""

    edition: str
    tables: dict[str, list[AnyRow]]  # by name
    diagnostics: list[Diagnostic]

    def records(self) -> dict[str, list[Record]]:
        """The tables as validation takes them."""
        return {name: list(rows) for name, rows in self.tables.items()}


def encode_linked(edition: Edition) -> bytes:
    """The tables of an edition as MessagePack, for another stage; `decode_linked` reads them."""
    tables = edition.tables
    return msgspec.msgpack.encode({"edition": edition.name, "tables": tables.tables, "diagnostics": tables.diagnostics})


def decode_linked(data: bytes) -> Linked:
    """A `Linked` from MessagePack. Raises msgspec.DecodeError for anything else."""
    return msgspec.msgpack.decode(data, type=Linked)
