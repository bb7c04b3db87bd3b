"""GNU binutils: whether the assembler accepts a kernel, its size, what the disassembler makes of it."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError, VerificationError
from cipherassay.processors import ISAS
from cipherassay.tools import running

_LINE = re.compile(r"^\s*[0-9a-f]+:\t[0-9a-f]{2}[0-9a-f ]*\t(?:\[\w+\])? *(\S.*)$")

_REACH = re.compile(r"out of range \[(-\d+)\.\.\d+\] \((-\d+)\)")
"""What the assembler says of a branch backwards: how far it reaches, and how far it would have to."""


@dataclass(frozen=True)
class Binutils:
    """The binutils of one instruction set."""

    isa: str
    prefix: str
    assembler: tuple[str, ...]
    tool: str
    """Its record among the outside tools."""
    linker: tuple[str, ...] = ()

    def command(self, name: str) -> str:
        """Return the name of one of its programs: ``objdump``."""
        return f"{self.prefix}-{name}"

    def available(self) -> str | None:
        """Return why it cannot be used, None where it can."""
        return reason(self.tool)


@cache
def described(isa: str) -> dict[str, Any]:
    """Return what the file of an instruction set of this project holds; nothing if there is no such file."""
    path = ISAS / f"{isa}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def of_document(isa: Mapping[str, Any]) -> Binutils | None:
    """Return the binutils of an instruction set: ``[binutils]`` of its file; None where it names none."""
    known = isa.get("binutils")
    if known is None:
        return None
    linker = tuple(known.get("linker", ()))
    return Binutils(isa["name"], known["prefix"], tuple(known["assembler"]), known["tool"], linker)


def binutils(isa: str) -> Binutils:
    """Return the binutils of an instruction set of this project.

    Raises
    ------
    UsageError
        ``M607``: its file names none.
    """
    found = of_document({"name": isa, **described(isa)})
    if found is None:
        help = f"add [binutils] to isas/{isa}.toml"
        raise UsageError("M607", f"no assembler is known for `{isa}`", help=help)
    return found


@dataclass(frozen=True)
class AssembledKernel:
    """What the assembler made of a kernel."""

    bytes: int
    """Size of the code: of the symbol if the text gives it one, else of the section, which may be padded."""
    operations: int
    """Operations in the disassembly that do something."""
    nops: int
    disassembly: tuple[str, ...]
    """Operations of the disassembly in their order, `nop` among them."""


def reason(tool: str) -> str | None:
    """Return why an outside tool cannot be used, None where it can."""
    record = tools.tools()[tool]
    return None if tools.locate(tool) else f"{record.look[0]} is not on this machine: {record.how_to_get()}"


def assemble(text: str, isa: str | Binutils) -> AssembledKernel:
    """Assemble a kernel and take its size and its operations from the object file.

    Raises
    ------
    VerificationError
        ``M601``: the assembler refuses the text, in its own words.
    ToolError
        ``T002``: the assembler is not here.
    """
    chosen = binutils(isa) if isinstance(isa, str) else isa
    with tempfile.TemporaryDirectory(prefix="assay-gas-") as folder:
        place = Path(folder) / "kernel.o"
        assemble_to(text, chosen, place)
        symbols = output([chosen.command("nm"), "--print-size", "--defined-only", str(place)])
        sized = re.search(r"^[0-9a-f]+ ([0-9a-f]+) T ", symbols, re.MULTILINE)
        section = run([chosen.command("size"), "-A", str(place)], r"^\.text\s+(\d+)")
        size = int(sized[1], 16) if sized else int(section)
        listing = output([chosen.command("objdump"), "-d", str(place)])
    found = tuple(match[1].strip() for line in listing.splitlines() if (match := _LINE.match(line)))
    idle = sum(1 for one in found if one.startswith(("nop", "fnop", "unop")))
    return AssembledKernel(size, len(found) - idle, idle, found)


def assemble_to(text: str, chosen: Binutils, place: Path, options: Sequence[str] | None = None) -> None:
    """Assemble text into an object file; the assembler's errors name the line of the text.

    Raises
    ------
    VerificationError
        ``M601``: the assembler refuses the text; ``M614``: a branch does not reach the beginning of its loop.
    """
    tools.require(chosen.tool)
    source = place.with_suffix(".s")
    source.write_text(text)
    options = chosen.assembler if options is None else options
    command = [chosen.command("as"), *options, "-o", str(place), str(source)]
    done = running.run(command, seconds=running.BUILD)
    if done.code:
        words = (done.err or done.out).replace(f"{source}:", "line ").splitlines()
        notes = [line for line in words if re.match(r"line \d", line)]
        if reach := next(filter(None, map(_REACH.search, notes)), None):
            raise VerificationError(
                "M614", f"a loop is too long for its branch: {-int(reach[2])} of {-int(reach[1])} bytes",
                notes=_quoted(text, notes), help="a strategy with shorter loops, or straight-line code",
            )  # fmt: skip
        raise VerificationError(
            "M601", f"`{chosen.command('as')}` refuses the text", notes=[*notes[:8], *_quoted(text, notes)]
        )


def _quoted(text: str, notes: Sequence[str]) -> list[str]:
    lines = text.splitlines()
    match = re.match(r"line (\d+)", notes[0]) if notes else None
    return [f"the line: {lines[int(match[1]) - 1].strip()}"] if match and int(match[1]) <= len(lines) else []


def link(objects: Sequence[Path], chosen: Binutils, place: Path) -> None:
    """Link object files into a program that starts at ``_start``."""
    output([chosen.command("ld"), *chosen.linker, "-static", "-o", str(place), *map(str, objects)])


def output(command: Sequence[str]) -> str:
    """Return what a program prints.

    Raises
    ------
    ToolError
        ``M602``: it fails; its own words. ``T003``, ``T004``: it cannot be started or does not end.
    """
    done = running.run(command, seconds=running.BUILD)
    if done.code:
        words = (done.err or done.out).splitlines()
        raise ToolError("M602", f"`{command[0]}` fails with {done.code}", notes=words[:8])
    return done.out


def run(command: Sequence[str], pattern: str) -> str:
    """Return the first group of a pattern in what a program prints; raises as `output`, and ``M608``."""
    match = re.search(pattern, output(command), re.MULTILINE)
    if not match:
        raise ToolError("M608", f"`{command[0]}` prints nothing like `{pattern}`")
    return match[1]
