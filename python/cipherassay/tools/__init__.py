"""Programs and libraries outside this project: what each is for, whether it is here, how to get it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay.errors import ToolError, UsageError, nearest
from cipherassay.tools import running

RECORDS = Path(__file__).with_name("tools.toml")
LIBRARIES = Path(__file__).parent.parent / "native" / "libraries"
MEASURING = ("numpy", "scipy", "pyarrow")
"""The packages that measurements need; a report needs `REPORTING` beside them."""
REPORTING = (*MEASURING, "duckdb", "altair", "vl-convert-python", "matplotlib")


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
    extra: str = ""
    """The extra of this package that installs it, or a Python package that does the same."""
    debian: str = ""
    """Debian's packages; ``-{gcc}`` stands for the version of the GCC that is here."""
    other: str = ""
    needed: bool = False
    used_by: tuple[str, ...] = ()
    """The make targets whose setup may install it: ``report``, ``test``."""

    def how_to_get(self) -> str:
        """Return the line that installs it."""
        system = f"apt-get install {' '.join(self.packages())}" if self.debian else self.other
        package = f"pip install 'cipherassay[{self.extra}]'" if self.extra else ""
        return ", or ".join(filter(None, (system, package)))

    def packages(self) -> list[str]:
        """Return the names of Debian's packages."""
        return self.debian.replace("-{gcc}", _gcc_version() if "{gcc}" in self.debian else "").split()


@dataclass(frozen=True)
class ToolStatus:
    """Where a tool is, its version and what is wrong with it; each is empty where there is none."""

    tool: Tool
    place: str
    version: str = ""
    trouble: str = ""


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
        without="left out of `assay compare` and of the report",
        header=record["header"],
        include=tuple(record.get("include", ())),
        debian=record["package"],
        used_by=("report", "test"),
    )


def packages_for(use: str) -> list[str]:
    """Return the Debian packages of the tools that a make target can use and that are not here, sorted."""
    absent = [found.tool for found in find_all() if use in found.tool.used_by and not found.place]
    return sorted({package for tool in absent for package in tool.packages()})


@cache
def _gcc_version() -> str:
    """Return ``-12`` where GCC 12 is here, as Debian names packages; nothing without a GCC."""
    number = _output(["gcc", "-dumpversion"]).partition(".")[0]
    return f"-{number}" if number.isdigit() else ""


def find(name: str) -> ToolStatus:
    """Look for a tool on this machine.

    Raises
    ------
    UsageError
        ``T001``: there is no record of such a tool.
    """
    tool = _record(name)
    if tool.module:
        return _find_module(tool)
    if tool.header:
        return _find_header(tool)
    place = _place(tool)
    return _asked(tool, place) if place else ToolStatus(tool, "")


def find_all() -> list[ToolStatus]:
    """Look for every recorded tool; those that are slow to answer do not keep the others waiting."""
    with ThreadPoolExecutor(len(tools())) as pool:
        return list(pool.map(find, tools()))


def require(name: str) -> str:
    """Return the path of a tool.

    Raises
    ------
    ToolError
        ``T002``: it is not here; says what it is for, what works without it and how to get it.
    """
    place = locate(name)
    if not place:
        raise missing(tools()[name])
    return place


def locate(name: str) -> str:
    """Return the path of a tool, nothing where it is not here; it is not asked for its version."""
    tool = _record(name)
    return find(name).place if tool.module or tool.header else _place(tool)


def _record(name: str) -> Tool:
    tool = tools().get(name)
    if tool is None:
        raise UsageError("T001", f"no tool is called `{name}`", help=nearest(name, tools()))
    return tool


def require_packages(*names: str) -> None:
    """Check that Python packages are here, before a command begins what needs them.

    Raises
    ------
    ToolError
        ``T002``: one is not here; says how to get all of them.
    """
    absent = [found.tool for found in map(find, names) if not found.place]
    if absent:
        extras = ",".join(sorted({tool.extra for tool in absent}))
        raise missing(replace(absent[0], extra=extras))


def of_module(module: str) -> Tool | None:
    """Return the tool that a Python module belongs to: ``pyarrow.parquet``; None if no record has it."""
    top = module.partition(".")[0]
    return next((tool for tool in tools().values() if tool.module == top), None)


def missing(tool: Tool) -> ToolError:
    """Return the error that says that a tool is not here."""
    package = f"the Python package `{tool.name}` is not installed"
    return ToolError(
        "T002",
        package if tool.module else f"`{tool.look[0] if tool.look else tool.name}` is not on this machine",
        notes=[f"what it is for: {tool.purpose}", f"without it: {tool.without}"],
        help=tool.how_to_get(),
    )


def _place(tool: Tool) -> str:
    """Return the path of a program, nothing where it is not here."""
    # Programs of Python packages stand beside the Python that runs this.
    beside = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    return next((place for name in tool.look if (place := shutil.which(name, path=beside))), "")


def _asked(tool: Tool, place: str) -> ToolStatus:
    """Ask a program for its version."""
    try:
        done = running.run([place, *tool.version], seconds=running.ANSWER)
    except running.OutOfTime:
        return ToolStatus(
            tool, place, trouble=f"does not answer within {running.ANSWER * running.factor():g} s"
        )
    except ToolError as error:
        return ToolStatus(tool, place, trouble=error.message.partition("` ")[2])
    printed = (done.out if done.out.strip() else done.err).strip()
    trouble = "" if printed else "prints nothing"
    if done.code and tool.version:  # without an option for it, the version stands in a refusal
        trouble = f"fails with exit status {done.code}"
    return ToolStatus(tool, place, "" if trouble else _number(printed), trouble)


def _find_module(tool: Tool) -> ToolStatus:
    """Look for a Python package, without importing it."""
    try:
        found = importlib.util.find_spec(tool.module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        return ToolStatus(tool, "")
    try:
        number = importlib.metadata.version(tool.name)
    except importlib.metadata.PackageNotFoundError:
        number = ""
    return ToolStatus(tool, str(Path(found.origin or "").parent), number)


def _find_header(tool: Tool) -> ToolStatus:
    for folder in (*(Path(name) for name in tool.include), *_include_folders()):
        if (folder / tool.header).is_file():
            package = tool.packages()[0] if tool.debian else ""
            version = _output(["dpkg-query", "--show", "--showformat=${Version}", package]) if package else ""
            return ToolStatus(tool, str(folder / tool.header), _number(version))
    return ToolStatus(tool, "")


def _output(command: list[str]) -> str:
    """Return what a command prints, nothing if it fails."""
    try:
        return running.output(command, seconds=running.ANSWER).strip()
    except ToolError:
        return ""


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
    try:
        said = running.run([compiler, "-E", "-v", "-xc", os.devnull], seconds=running.ANSWER).err
    except ToolError:
        return usual
    listed = re.search(r"#include <\.\.\.> search starts here:\n(.*?)End of search list", said, re.S)
    return tuple(Path(line.strip()) for line in listed[1].splitlines()) if listed else usual
