"""MCS-51: code for an 8052, in ucsim's s51; cycles are machine cycles of 12 clocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.processor import Processor
from cipherassay.embedded.processors.mcs51 import text
from cipherassay.embedded.processors.mcs51.machine import Machine
from cipherassay.embedded.processors.mcs51.room import keys_fit, room
from cipherassay.tools import running

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.lines import Tables


class Mcs51(Processor):
    """MCS-51 with 256 bytes of internal RAM, tables in program memory, further RAM reached by `movx`."""

    name = "mcs51"
    title = "MCS-51"
    target = "MCS-51 (8052, machine cycles of 12 clocks)"
    simulator = "s51"
    inside = "without the return"
    needs = ("sdas8051", "s51")
    program_bytes = 1 << 16
    section = ".area CSEG (CODE)"
    forms = ("growing-inverses",)
    conventions = (
        "Registers: bank 0, none is kept.",
        "Between the labels _begin and _end is all but the return.",
    )

    def __init__(self) -> None:
        self._fits: tuple[Program, bool] | None = None

    def _internal(self, program: Program) -> bool:
        """Return whether the round keys are in internal RAM."""
        if self._fits is None or self._fits[0] is not program:
            self._fits = program, keys_fit(program)
        return self._fits[1]

    def lowered(self, program: Program, function: str, name: str, places: dict[str, str]) -> Code:
        """Return a function of bytes as instructions without registers."""
        keys = [text.KEYS] if self._internal(program) else []
        return text.MCS51.lower(program, function, places, name=name, near=text.DATA, internal=keys)

    def function(
        self, program: Program, code: Code, block: str
    ) -> tuple[MachineFunction, int, dict[str, int]]:
        """Return a function, the bytes it needs for values, and its objects."""
        return text.function(code, block, room(program, internal=self._internal(program)))

    def data(self, program: Program, tables: Tables, prefix: str, objects: dict[str, int]) -> list[str]:
        """Return the text of tables in program memory, and of objects in RAM."""
        internal = self._internal(program)
        spaces = {name: text.space(name, internal=internal) for name in objects}
        near, _ = room(program, internal=internal)
        return [*text.tables(tables), "", *text.objects(objects, spaces, near)]

    def machine(self, text: str, folder: Path, *, straight: bool = False) -> Machine:
        """Assemble and link a program and return s51 with it."""
        return Machine(text, folder, straight=straight)

    def tools(self) -> str:
        """Return the assembler's version and the simulator's."""
        assembler = running.version_line(["sdas8051"], "Assembler")
        return f"{assembler}; {running.version_line(['s51', '-v'])}, 8052"


PROCESSOR = Mcs51()
