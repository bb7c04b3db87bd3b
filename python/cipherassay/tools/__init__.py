"""Programs and libraries outside this project: what each is for, whether it is here, how to get it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.errors import ToolError, UsageError, nearest

RECORDS = Path(__file__).with_name("tools.toml")
LIBRARIES = Path(__file__).parent.parent / "native" / "libraries"
_SECONDS = 20.0


@dataclass(frozen=True)
class Tool:
    """An outside program (found by its commands), library (by its header) or Python package (its module)."""

    name: str
    purpose: str
    without: str
    look: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    header: str = ""
    include: tuple[str, ...] = ()
    module: str = ""
    debian: str = ""
    other: str = ""
    needed: bool = False
    used_by: tuple[str, ...] = ()
    """The make targets whose setup may install it: ``report``, ``test``."""

    def how_to_get(self) -> str:
        """Return the line that installs it."""
        return f"apt-get install {self.debian}" if self.debian else self.other


@dataclass(frozen=True)
class Found:
    """Where a tool is (empty: nowhere) and its version (empty: unknown)."""

    tool: Tool
    place: str
    version: str


@cache
def tools() -> dict[str, Tool]:
    """Return every recorded tool by its name: the programs in the file's order, then the libraries."""
    records: dict[str, dict[str, Any]] = tomllib.loads(RECORDS.read_text())["tool"]
    found = {name: Tool(name, **_hashable(record)) for name, record in records.items()}
    for path in sorted(LIBRARIES.glob("*.toml")):
        record = tomllib.loads(path.read_text())
        if record.get("header"):
            found[path.stem] = _library(path.stem, record)
    return found


def _hashable(record: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}


def _library(name: str, record: dict[str, Any]) -> Tool:
    return Tool(
        name,
        purpose=f"a library to compare with: {', '.join(record['ciphers'])}",
        without="left out of `assay compare libraries` and of the report",
        header=record["header"],
        include=tuple(record.get("include", ())),
        debian=record["package"],
        used_by=("report", "test"),
    )


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
    if tool.module:
        return _find_module(tool)
    return _find_header(tool) if tool.header else _find_command(tool)


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
        f"`{tool.look[0] if tool.look else tool.module or tool.name}` is not on this machine",
        notes=[f"what it is for: {tool.purpose}", f"without it: {tool.without}"],
        help=tool.how_to_get(),
    )


def _find_command(tool: Tool) -> Found:
    # Programs of Python packages stand beside the Python that runs this.
    beside = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    for name in tool.look:
        place = shutil.which(name, path=beside)
        if place:
            return Found(tool, place, _number(_output([place, *tool.version])))
    return Found(tool, "", "")


def _find_module(tool: Tool) -> Found:
    """Look for a Python package, without importing it."""
    try:
        found = importlib.util.find_spec(tool.module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        return Found(tool, "", "")
    try:
        number = importlib.metadata.version(tool.name)
    except importlib.metadata.PackageNotFoundError:
        number = ""
    return Found(tool, str(Path(found.origin or "").parent), number)


def _find_header(tool: Tool) -> Found:
    for folder in (*(Path(name) for name in tool.include), *_include_folders()):
        if (folder / tool.header).is_file():
            package = tool.debian.split()[0] if tool.debian else ""
            version = _output(["dpkg-query", "--show", "--showformat=${Version}", package]) if package else ""
            return Found(tool, str(folder / tool.header), _number(version))
    return Found(tool, "", "")


def _output(command: list[str]) -> str:
    """Return what a command prints, nothing if it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, errors="replace", check=True
        )
    except (OSError, subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return ""
    return (done.stdout or done.stderr).strip()


def _number(text: str) -> str:
    number = re.search(r"\d+\.\d+[\w.+~-]*", text)
    return number[0] if number else ""


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
