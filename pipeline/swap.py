"""One folder in place of another in one step, whatever moment the process is killed at.

In: a parent folder, the name of the release in it, and a function that fills an empty folder. Out: the filled folder
under that name. It is built beside the old one (`.<name>.new-<process>`) and exchanged with it by the one system call
that can do it (Linux: renameat2 with RENAME_EXCHANGE, macOS: renamex_np with RENAME_SWAP).

Where no such call exists, the old folder steps aside (`.<name>.old-<process>`) for the moment between two renames; a
run that was killed in that moment is mended by the next one, or by `recover`.

One process at a time works on a parent folder: the others wait at its lock, which ends with its process.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # linux/fs.h
_RENAME_SWAP = 2  # sys/stdio.h of macOS
_NOT_SUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


@contextmanager
def locked(parent: Path) -> Iterator[None]:
    """Alone in a folder, which is made where it is missing. What killed runs left there is not touched yet."""
    parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def recover(parent: Path, name: str) -> None:
    """Bring back a folder that a killed run had moved aside, and remove what such runs left. Hold the lock."""
    target = parent / name
    for aside in sorted(parent.glob(f".{name}.old-*")):
        if target.exists():
            shutil.rmtree(aside)
        else:
            aside.rename(target)
    for unfinished in parent.glob(f".{name}.new-*"):
        shutil.rmtree(unfinished)


def replace(parent: Path, name: str, fill: Callable[[Path], None]) -> None:
    """Fill a new folder and put it under the name, in place of what was there. Hold the lock."""
    recover(parent, name)
    new, target = parent / f".{name}.new-{os.getpid()}", parent / name
    new.mkdir()
    try:
        fill(new)
        _to_disk(new)
        if not target.exists():
            new.rename(target)
        elif not _exchange(new, target):
            _step_aside(new, target)
        _sync(parent)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _step_aside(new: Path, target: Path) -> None:
    aside = target.parent / f".{target.name}.old-{os.getpid()}"
    target.rename(aside)
    new.rename(target)
    shutil.rmtree(aside)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        status = library.renamex_np(*paths, _RENAME_SWAP)
    elif hasattr(library, "renameat2"):
        status = library.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE)
    else:
        return False
    if status == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_SUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


def _to_disk(folder: Path) -> None:
    """A name must not reach the disk before what it names."""
    for path in folder.rglob("*"):
        _sync(path)
    _sync(folder)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
