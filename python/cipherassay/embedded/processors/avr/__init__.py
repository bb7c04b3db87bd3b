"""AVR: code for an ATmega328P, in simavr."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.embedded.processor import Processor
from cipherassay.embedded.processors.avr import simulate, text
from cipherassay.embedded.processors.avr.machine import DEVICE, Machine
from cipherassay.tools import running

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.lines import Tables

FLASH, RAM = "flash", "ram"
"""Where tables lie."""


class Avr(Processor):
    """AVR with `mul`, 16-bit program counters and flash of at most 64 KiB for tables."""

    name = "avr"
    title = "AVR"
    target = f"AVR ({DEVICE})"
    simulator = "simavr"
    inside = "registers loaded"
    needs = ("avr-gcc", "libsimavr")
    program_bytes = 1 << 17
    memories = (FLASH, RAM)
    conventions = (
        "Registers: as avr-gcc calls.",
        "Between the labels _begin and _end the block is in registers.",
    )

    def __init__(self, tables: str = FLASH) -> None:
        self.tables = tables
        if tables == RAM:
            self.placed, self.given = ", tables in RAM", " --tables ram"

    def with_tables(self, where: str) -> Processor:
        """Return the processor with tables in flash or in RAM."""
        return Avr(where) if where in self.memories else super().with_tables(where)

    def lowered(self, program: Program, function: str, name: str, places: dict[str, str]) -> Code:
        """Return a function of bytes as instructions without registers."""
        return text.AVR.lower(program, function, places, name=name, tables=self.tables)

    def function(
        self, program: Program, code: Code, block: str
    ) -> tuple[MachineFunction, int, dict[str, int]]:
        """Return a function, the bytes it needs for values, and its objects."""
        return *text.function(code, block), code.objects

    def data(self, program: Program, tables: Tables, prefix: str, objects: dict[str, int]) -> list[str]:
        """Return the text of tables in flash or in RAM, and of objects in RAM."""
        ram = self.tables == RAM
        return [*text.tables(tables, prefix, ram=ram), "", *text.objects(objects)]

    def machine(self, text: str, folder: Path, *, straight: bool = False) -> Machine:
        """Assemble a program and return simavr with it."""
        return Machine(text, folder, straight=straight)

    def tools(self) -> str:
        """Return the assembler's version and the simulator."""
        return f"{running.version_line(['avr-gcc', '--version'])}; simavr, {DEVICE}"

    def instructions(self) -> list[dict[str, Any]]:
        """Return the instructions with cycles, those of a taken branch, words of flash."""
        return [
            {
                "name": name, "cycles": one["cycles"], "taken": one.get("taken"),
                "words": one.get("bytes", 2) // 2,
            }
            for name, one in simulate.instructions().items()
        ]  # fmt: skip


PROCESSOR = Avr()
