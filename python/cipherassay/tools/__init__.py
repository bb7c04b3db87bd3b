"""Programs and libraries outside this project: what each is for, whether it is here, how to get it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.errors import ToolError, UsageError, nearest

RECORDS = Path(__file__).with_name("tools.toml")
_SECONDS = 20.0


@dataclass(frozen=True)
class Tool:
    """One outside program or library, as its record in ``tools.toml`` describes it."""

    name: str
    kind: str
    look: tuple[str, ...]
    version: tuple[str, ...]
    purpose: str
    without: str
    debian: str = ""
    other: str = ""
    needed: bool = False
    used_by: tuple[str, ...] = ()

    def how_to_get(self) -> str:
        """Return the line that installs it."""
        return f"apt-get install {self.debian}" if self.debian else self.other


@dataclass(frozen=True)
class Found:
    """Where a tool is (empty: nowhere) and its version (empty: it does not say)."""

    tool: Tool
    place: str
    version: str


@cache
def tools() -> dict[str, Tool]:
    """Return every recorded tool by its name, in the order of the file."""
    records: dict[str, dict[str, Any]] = tomllib.loads(RECORDS.read_text())["tool"]
    return {name: _tool(name, record) for name, record in records.items()}


def _tool(name: str, record: dict[str, Any]) -> Tool:
    hashable: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
    return Tool(name, **hashable)


def packages_for(use: str) -> list[str]:
    """Return the Debian packages of the tools that a make target can use and that are not here, sorted."""
    absent = [found.tool for found in find_all() if use in found.tool.used_by and not found.place]
    return sorted({package for tool in absent for package in tool.debian.split()})


def find(name: str) -> Found:
    """Look for a tool on this machine.

    Raises
    ------
    UsageError
        ``T001``: there is no record of such a tool.
    """
    tool = tools().get(name)
    if tool is None:
        raise UsageError("T001", f"no tool is called `{name}`", help=nearest(name, tools()))
    return _find_command(tool) if tool.kind == "command" else _find_header(tool)


def find_all() -> Iterator[Found]:
    """Look for every recorded tool."""
    for name in tools():
        yield find(name)


def require(name: str) -> str:
    """Return the path of a tool.

    Raises
    ------
    ToolError
        ``T002``: it is not here; says what it is for, what works without it and how to get it.
    """
    found = find(name)
    if not found.place:
        raise missing(found.tool)
    return found.place


def missing(tool: Tool) -> ToolError:
    """Return the error that says that a tool is not here."""
    return ToolError(
        "T002",
        f"`{tool.look[0]}` is not on this machine",
        notes=[
            f"what it is for: {tool.purpose}",
            f"without it: {tool.without}",
        ],
        help=tool.how_to_get(),
    )


def _find_command(tool: Tool) -> Found:
    for name in tool.look:
        place = shutil.which(name)
        if place:
            return Found(tool, place, _printed_version([place, *tool.version]))
    return Found(tool, "", "")


def _printed_version(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (done.stdout or done.stderr).strip()
    number = re.search(r"\d+\.\d+[\w.+~-]*", text)
    return number[0] if number else text.splitlines()[0][:40] if text else ""


def _find_header(tool: Tool) -> Found:
    for header in tool.look:
        place = _header_place(header)
        if place:
            header_with_version = tool.version[0] if tool.version else header
            # Of two versions side by side (botan-2, botan-3) the version is that of the header found.
            if header_with_version in tool.look:
                header_with_version = header
            return Found(tool, place, _macro_version(header_with_version, tool.version[-1]))
    return Found(tool, "", "")


def _header_place(header: str) -> str:
    for folder in _include_folders():
        if (folder / header).is_file():
            return str(folder / header)
    return ""


@cache
def _include_folders() -> tuple[Path, ...]:
    """Return where the C compiler looks for headers; the usual folders if there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    usual = (Path("/usr/local/include"), Path("/usr/include"))
    if not compiler:
        return usual
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            [compiler, "-E", "-v", "-xc", os.devnull],
            capture_output=True, text=True, timeout=_SECONDS, env=environment,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return usual
    listed = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", done.stderr, re.S)
    return tuple(Path(line.strip()) for line in listed[1].splitlines()) if listed else usual


def _macro_version(header: str, macros: str) -> str:
    """Return what the macros (``A.B.C`` for three) of a header are defined as, read without compiling."""
    place = _header_place(header)
    text = Path(place).read_text(errors="replace") if place else ""
    parts = []
    for macro in macros.split("."):
        defined = re.search(rf"#\s*define\s+{re.escape(macro)}\s+(.+)", text)
        if not defined:
            return ""
        parts.append(defined[1].strip().strip('"'))
    number = re.search(r"\d+(\.\d+)*[\w.~+-]*", ".".join(parts))
    return number[0] if number else ""
