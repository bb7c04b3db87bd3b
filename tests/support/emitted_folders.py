"""Emitted folders run as their READMEs say: the commands of a README, executed to the letter."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SECONDS = 1800
LITTLE_OPTIMIZATION = {
    "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "MAKEFLAGS": "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",  # of Verilator's simulations
}
"""What is built runs once, for a moment: to optimize it would take longer."""
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
"""Where programs are: first beside this Python, which may not be the first one of the shell."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_QUIET = (
    "cc", "gcc", "javac", "iverilog", "avr-gcc", "h8300-hms-as", "sdas8051", "sdcc",
    "riscv64-unknown-elf-gcc", "arm-linux-gnueabihf-gcc",
)  # fmt: skip
"""Compilers and assemblers that may not say anything: no warning of emitted code is taken."""


@dataclass(frozen=True)
class Step:
    """The commands of a block ``sh``, and the lines of the block ``text`` behind it, which they must print."""

    commands: tuple[str, ...]
    printed: tuple[str, ...]


def steps(readme: str) -> Iterator[Step]:
    """Yield what a README says is to be run, in its order."""
    blocks = _BLOCK.findall(readme)
    for n, (kind, body) in enumerate(blocks):
        if kind == "sh":
            then, text = blocks[n + 1] if n + 1 < len(blocks) else ("", "")
            yield Step(tuple(body.splitlines()), tuple(text.splitlines()) if then == "text" else ())


def run(folder: Path) -> list[str]:
    """Do in a folder what its README says; return the tools that were missing.

    A step is left out only where a tool that it begins a command with is not on this machine.
    """
    found = list(steps((folder / "README.md").read_text(encoding="utf-8")))
    assert found, "the README has commands"
    missing = []
    for step in found:
        absent = [tool for command in step.commands for tool in tools(command) if not at_hand(tool)]
        missing += absent
        if not absent:
            said = "".join(execute(command, folder) for command in step.commands)
            for line in step.printed:
                assert line in said, f"{' ; '.join(step.commands)}\nprints no {line!r}:\n{said[-2000:]}"
    return list(dict.fromkeys(missing))


def tools(command: str) -> list[str]:
    """Return the programs that a line of a shell runs."""
    return [shlex.split(part)[0] for part in command.split("&&")]


def at_hand(tool: str) -> bool:
    """Whether a program is on this machine; what is in the folder was made by a step before."""
    return tool == "assay" or tool.startswith("./") or shutil.which(tool, path=PATH) is not None


def execute(command: str, folder: Path) -> str:
    """Run a line in a folder; it must succeed, and a compiler must say nothing. Return what it prints."""
    script = 'assay() { "$PYTHON" -c "from cipherassay.cli import main; main()" "$@"; }\n' + command
    environment = os.environ | {
        "PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "200",
        "PATH": PATH,
        **LITTLE_OPTIMIZATION,
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\nends with {done.returncode}:\n{done.stdout[-4000:]}"
    if tools(command)[0] in _QUIET and len(tools(command)) == 1:
        assert done.stdout == "", f"{command}\nsays:\n{done.stdout[-4000:]}"
    return done.stdout
