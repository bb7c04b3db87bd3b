"""H8/300: code for an H8/3337, in a simulator of our own that runs what binutils assembled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.embedded.processor import Processor
from cipherassay.embedded.processors.h8_300 import text
from cipherassay.embedded.processors.h8_300.encodings import encodings
from cipherassay.embedded.processors.h8_300.machine import PREFIX, Machine
from cipherassay.tools import running

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.lines import Tables


class H8(Processor):
    """H8/300: sixteen registers of a byte or eight of sixteen bits, tables in ROM, everything on-chip."""

    name = "h8-300"
    title = "H8/300"
    target = "H8/300 (H8/3337, on-chip memory)"
    simulator = "the H8/300 simulator"
    inside = "without saving registers"
    needs = ("h8300-hms-as",)
    program_bytes = 1 << 16
    forms = ("growing-inverses",)
    conventions = (
        "Registers: r4 to r6 are kept, as GCC wants.",
        "Between the labels _begin and _end no registers are saved.",
    )

    def lowered(self, program: Program, function: str, name: str, places: dict[str, str]) -> Code:
        """Return a function of bytes as instructions without registers."""
        of = program.mirror().functions[function]
        named = [*((f"%{p}", ty) for p, ty in of.params), *((f"#{n}", ty) for n, ty in enumerate(of.results))]
        sizes: dict[str, int] = {}
        for name_, ty in named:
            sizes[places[name_]] = max(ty.cells, sizes.get(places[name_], 0))
        near = text.near(sizes)
        return text.H8.lower(program, function, places, name=name, near=near)

    def function(
        self, program: Program, code: Code, block: str
    ) -> tuple[MachineFunction, int, dict[str, int]]:
        """Return a function, the bytes it needs for values, and its objects."""
        return *text.function(code), code.objects

    def data(self, program: Program, tables: Tables, prefix: str, objects: dict[str, int]) -> list[str]:
        """Return the text of tables in ROM, and of objects in RAM."""
        return [*text.tables(tables), "", *text.objects(objects)]

    def machine(self, text: str, folder: Path, *, straight: bool = False) -> Machine:
        """Assemble and link a program and return the simulator with it."""
        return Machine(text, folder, straight=straight)

    def tools(self) -> str:
        """Return the assembler's version and the simulator."""
        version = running.version_line([f"{PREFIX}as", "--version"])
        return f"{version}; own simulator of the machine code, states of on-chip memory"

    def instructions(self) -> list[dict[str, Any]]:
        """Return the instructions with their encodings, states and bytes."""
        return [
            {"name": one.name, "mode": one.mode, "code": one.code, "states": one.states, "bytes": one.length}
            for one in encodings()
        ]


PROCESSOR = H8()
