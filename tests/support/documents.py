"""The commands that a document shows, run as a reader would; what they print is what it shows.

A block ``console`` has commands behind ``$ `` and what they print on standard output; ``…`` stands for any text, alone on a line for
any lines, and blanks count as one. A command that shows ``error[`` must fail. A block whose ``title`` says how long
it takes runs where slow tests do. Another block with a ``title`` is the file of that name.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.command import assay
from support.places import SOURCE

BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
TOOL_MISSING = 5
SHELL = re.compile(r"[*|>;&$]")


@dataclass
class Shown:
    """A command of a document, and the lines that it shows."""

    command: str
    lines: list[str] = field(default_factory=list)
    slow: str = ""
    """How long it takes, where a test run should not wait for it."""

    @property
    def fails(self) -> bool:
        return any(line.startswith("error[") for line in self.lines)


@dataclass
class File:
    """A file that a document shows."""

    name: str
    text: str


def shown(text: str) -> Iterator[Shown | File]:
    """Yield the commands and files of a document in their order."""
    for language, title, block in BLOCK.findall(text):
        if language != "console":
            if title:
                yield File(title, block)
            continue
        found: list[Shown] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line.removeprefix("$ "), slow=title))
            else:
                found[-1].lines.append(line)
        yield from found


def agrees(lines: list[str], printed: list[str]) -> bool:
    """Whether what a command printed is what a document shows."""
    pattern = re.escape(f"\n{_whole(lines)}\n")
    pattern = pattern.replace(re.escape("\n…\n"), "\n(?:.*\n)*?").replace(re.escape("…\n"), "[^\n]*\n")
    pattern = pattern.replace("…", "[^\n]*?")
    return re.fullmatch(pattern, f"\n{_whole(printed)}\n") is not None


def _whole(lines: list[str]) -> str:
    return "\n".join(line for text in lines if (line := " ".join(text.split())))


def run(one: Shown, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command of a document in the current folder; skip the test where a tool is missing."""
    name, *arguments = shlex.split(one.command)
    if name == "assay" and not SHELL.search(one.command):
        ran = assay(capsys, *arguments)
        code, out, err = ran.code, ran.out, ran.err
    else:
        code, out, err = _by_shell(one.command, folder)
    if code == TOOL_MISSING and not one.fails:
        pytest.skip(err.splitlines()[0])
    assert bool(code) == one.fails, f"{one.command}: {err or out}"
    said = [*out.splitlines(), *(err.splitlines() if one.fails else ())]
    assert agrees(one.lines, said), f"{one.command} printed\n" + "\n".join(said)


def _by_shell(command: str, folder: Path) -> tuple[int, str, str]:
    bin = folder / "bin"
    if not bin.exists():
        bin.mkdir(parents=True)
        script = bin / "assay"
        script.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from cipherassay.cli import main; main()' \"$@\"\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    path = os.pathsep.join([str(bin), str(Path(sys.executable).parent), os.environ["PATH"]])
    words = list(shlex.shlex(command, posix=True, punctuation_chars=True))
    for name in (word for before, word in zip(["&&", *words], words, strict=False) if before in ("&&", "|")):
        if name != "cd" and "/" not in name and shutil.which(name, path=path) is None:
            pytest.skip(f"{name} is not here")
    ran = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PATH": path},
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr
