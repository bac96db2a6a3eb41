"""One archive file → references to the documents in it.

The members of an archive come in the order that the archive holds them, so that a compressed one is read once from
end to end; those of an archive inside it are named after it: `pages.zip/orks/Boss.html`. The second member of a name
is `Boss.html#2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pipeline.raw.containers import HEAD, container_of, held, is_named_archive, opened, tidy, unsafe
from pipeline.raw.names import Names, is_skipped, published
from pipeline.raw.references import Hints, Limits, RawReference, Step
from pipeline.raw.sidecars import MANIFEST, Beside, Manifest, Sidecar, manifest, sidecar
from pipeline.raw.streams import FAULTS, Budget, Container, Member, TooMuchError, read_most

_SINGLE = frozenset(("gzip", "bzip2", "xz"))
_STREAMED = frozenset(("tar", "warc"))
_PATHLESS = frozenset(("warc", "mhtml"))  # their members are named by addresses, and are never archives


class _Leaf(NamedTuple):
    """A document in the archive, and the members that it lies in."""

    member: str
    size: int | None
    steps: tuple[Step, ...]
    hints: Hints
    owners: tuple[str, ...]


class Archive:
    """An archive file while its members are listed."""

    def __init__(
        self,
        file: str,
        path: str,
        limits: Limits,
        tell: Callable[[str, str | None, str], None],
        skip: Callable[[str], None],
    ) -> None:
        """`tell` takes code, member and message of what is refused, `skip` the reason for what is passed over."""
        self._file, self._path, self._limits, self._tell, self._skip = file, path, limits, tell, skip
        self._leaves: list[_Leaf] = []
        self._names = Names()
        self._sidecars: dict[str, Sidecar] = {}
        self._manifests: dict[str, Manifest] = {}

    def references(self, kind: str, hints_of: Callable[[str], Hints]) -> Iterator[RawReference]:
        """References to all documents in it. `hints_of` says what is known of a member from outside the archive."""
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(Path(self._file).open("rb"))
                self._budget = Budget(Path(self._file).stat().st_size, self._limits)
            except OSError as fault:
                self._tell("unreadable-file", None, f"{fault.strerror}.")
                return
            self._container(kind, stream, _Place(self._path, "", (), ()))
        names = [name for leaf in self._leaves for name in (leaf.member, *leaf.owners)]
        beside = Beside(names, self._sidecars.get, self._manifests)
        for leaf in self._leaves:
            if beside.consumed(leaf.member):
                continue
            hints = leaf.hints.or_else(beside.hints(leaf.member)).or_else(hints_of(leaf.member))
            for owner in leaf.owners:
                hints = hints.or_else(beside.hints(owner))
            yield RawReference(self._file, self._path, leaf.member, leaf.size, leaf.steps, hints)
        for name, code, message in beside.faults():
            self._tell(code, name, message)

    def _container(self, kind: str, stream: BinaryIO, place: _Place) -> None:
        """List one container. What is damaged ends it; what came before the damage stays."""
        try:
            container = opened(kind, stream, place.name, self._budget)
            for member in container.members():
                self._member(kind, container, member, place)
        except TooMuchError as fault:
            self._tell("too-large", place.member, str(fault))
        except FAULTS as fault:
            self._tell("unreadable-archive", place.member, _reason(fault))

    def _member(self, kind: str, container: Container, member: Member, place: _Place) -> None:
        if member.skipped:
            self._skip(member.skipped)
            return
        printed = place.prefix + published(member.name)
        if kind not in _PATHLESS:
            if reason := unsafe(member.name):
                self._tell("unsafe-path", printed, reason)
                return
            name = tidy(member.name)
            if any(is_skipped(part) for part in name.split("/")):
                self._skip("hidden file or note")
                return
            printed = place.prefix + published(name)
        if member.refused:
            self._tell(member.refused[0], printed, member.refused[1])
            return
        given = self._names.give(printed)
        if kind in _PATHLESS:
            self._leaf(given, member, place, None)
            return
        try:
            self._file_member(kind, container, member, given, place)
        except TooMuchError as fault:
            self._tell("too-large", given, str(fault))
        except FAULTS as fault:
            self._tell("unreadable-archive", given, _reason(fault))

    def _file_member(self, kind: str, container: Container, member: Member, given: str, place: _Place) -> None:
        stream = container.open(member.step)
        head = stream.read(HEAD)
        inner = container_of(given, head)
        steps = (*place.steps, member.step)
        if inner is not None:
            if len(steps) >= self._limits.levels:
                self._tell("nested-too-deep", given, f"It lies in {len(steps)} containers.")
                return
            stream.seek(0)
            if kind in _SINGLE and inner in _STREAMED:  # `old.tar.gz` is one archive, not two
                within = _Place(given, place.prefix, steps, place.owners)
            else:
                within = _Place(given, f"{given}/", steps, (*place.owners, given))
            with ExitStack() as stack:
                self._container(inner, held(inner, stream, self._budget, stack), within)
        elif is_named_archive(given) and b"\x00" in head:
            self._tell("unreadable-archive", given, "Its content is not what its name says.")
        elif member.step.size > self._limits.document_bytes:
            self._tell("too-large", given, f"It has {member.step.size} bytes.")
        else:
            self._leaf(given, member, place, stream if len(head) == HEAD else None, head)

    def _leaf(self, given: str, member: Member, place: _Place, rest: BinaryIO | None, head: bytes = b"") -> None:
        size = member.step.size if member.step.size >= 0 else None
        self._leaves.append(_Leaf(given, size, (*place.steps, member.step), member.hints, place.owners))
        last = given.rpartition("/")[2].lower()
        if last.endswith(".json"):
            data = head + (read_most(rest, self._limits.sidecar_bytes) if rest else b"")
            if len(data) <= self._limits.sidecar_bytes and (read := sidecar(data)) is not None:
                self._sidecars[given] = read
        elif last == MANIFEST:
            data = head + (read_most(rest, self._limits.document_bytes) if rest else b"")
            if (listed := manifest(data)) is not None:
                self._manifests[given] = listed


class _Place(NamedTuple):
    """Where a container lies: its own name, what its members' names begin with, the way to it, the members around it."""

    name: str
    prefix: str
    steps: tuple[Step, ...]
    owners: tuple[str, ...]

    @property
    def member(self) -> str | None:
        return self.prefix.rstrip("/") or None


def _reason(fault: BaseException) -> str:
    return " ".join(str(fault).split())[:200] or type(fault).__name__
