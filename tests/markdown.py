"""The code in our Markdown documents, run as a reader would, and what it prints put or compared behind it.

A block of `python` or `sh` is run, in the order of the document, in one folder and one interpreter. A block of `text` right behind
it is what it prints; what a block of `sh` prints may be left out.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

_FENCED = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
RUN = ("python", "sh")


class Code(NamedTuple):
    """A block of code; `printed` is what the document says that it prints, without trailing spaces; None: nothing is said."""

    language: str
    text: str
    printed: str | None
    line: int


def blocks(document: str) -> Iterator[Code]:
    """Blocks that are run."""
    for found in _FENCED.finditer(document):
        if found["language"] in RUN:
            line = document.count("\n", 0, found.start("code")) + 1
            yield Code(
                found["language"],
                found["code"],
                found["printed"] or ("" if found["language"] == "python" else None),
                line,
            )


def with_printed(document: str, printed: list[str]) -> str:
    """The document with what its blocks print behind them."""
    left = iter(printed)

    def behind(found: re.Match[str]) -> str:
        if found["language"] not in RUN:
            return found[0]
        text = next(left)
        if found["language"] == "sh" and found["printed"] is None:
            return found[0]
        code = f"```{found['language']}\n{found['code']}```\n"
        return f"{code}\n```text\n{text}```\n" if text else code

    return _FENCED.sub(behind, document)


class Reader:
    """Somebody who types the blocks of a document into one session, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, code: Code, name: str) -> str:
        """What a block prints. Raises what it raises, or CalledProcessError, with the place in the document."""
        printed = self._python(code, name) if code.language == "python" else self._shell(code)
        lines = (line.rstrip() for line in printed.rstrip().splitlines())
        return "".join(f"{line}\n" for line in lines)

    def _python(self, code: Code, name: str) -> str:
        out = io.StringIO()
        compiled = compile("\n" * (code.line - 1) + code.text, name, "exec")
        with chdir(self.folder), redirect_stdout(out):
            exec(compiled, self.names)
        return out.getvalue()

    def _shell(self, code: Code) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", code.text],
            cwd=self.folder, env={**os.environ, "PATH": path}, text=True, stdout=subprocess.PIPE, stderr=None, check=True,
        )  # fmt: skip
        return done.stdout
