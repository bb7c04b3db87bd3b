"""Yosys: as the Python package `pyosys` where it is installed, else as the program `yosys`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cipherassay import tools
from cipherassay.hardware.tools.process import failed, run

_IN_PYTHON = (
    "import sys; from pyosys import libyosys; libyosys.run_pass('script ' + sys.argv[1], libyosys.Design())"
)


def script(lines: Sequence[str], folder: Path, *, doing: str, seconds: float = 1800.0) -> None:
    """Run Yosys commands in a folder; a process of its own, so that its memory is given back.

    Raises
    ------
    ToolError
        ``T002``: there is no Yosys; ``H701``: it failed; ``T004``: it took too long.
    """
    (folder / "commands.ys").write_text("\n".join(lines) + "\n", encoding="utf-8")
    printed = run([*_command(), "commands.ys"], folder, doing=doing, seconds=seconds)
    for line in lines:
        written = line.split()[-1] if line.startswith("write_") else ""
        if written and not (folder / written).is_file():
            raise failed("yosys", doing, printed, f"it wrote no `{written}`")


@cache
def _command() -> tuple[str, ...]:
    if tools.locate("pyosys"):
        return (sys.executable, "-c", _IN_PYTHON)
    return (tools.require("yosys"), "-q", "-s")


@cache
def version() -> str:
    """Return which Yosys works here: ``yosys 0.23`` or ``pyosys 0.70``."""
    package = tools.find("pyosys")
    if package.place:
        return f"pyosys {package.version}".strip()
    tools.require("yosys")
    return f"yosys {tools.find('yosys').version}"
