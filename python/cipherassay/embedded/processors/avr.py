"""AVR: code for an ATmega328P, in simavr."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.embedded import assemble, files, simulate
from cipherassay.embedded.avr_budget import AvrBudgets
from cipherassay.embedded.avr_lower import AvrLowering
from cipherassay.embedded.processor import Processor
from cipherassay.embedded.simavr import PROCESSOR as DEVICE
from cipherassay.embedded.simavr import Machine
from cipherassay.tools import running

if TYPE_CHECKING:
    from cipherassay._engine import MachineFunction
    from cipherassay.embedded.code import Code, Tables
    from cipherassay.embedded.target import Made
    from cipherassay.ir import Function, Program

FLASH, RAM = "flash", "ram"
"""Where tables lie."""


class Avr(Processor):
    """AVR with `mul`, 16-bit program counters and flash of at most 64 KiB for tables."""

    name = "avr"
    title = "AVR"
    target = f"AVR ({DEVICE})"
    judge = "simavr"
    inside = "registers loaded"
    needs = ("avr-gcc", "libsimavr")
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

    def lowering(self, program: Program, function: Function, places: dict[str, str]) -> AvrLowering:
        """Return what selects instructions for a function of bytes."""
        return AvrLowering(program, function, places, load="ld" if self.tables == RAM else "lpm")

    def function(self, code: Code, block: str) -> tuple[MachineFunction, int]:
        """Return a function, and the bytes it needs for values."""
        return assemble.function(code, block)

    def data(self, program: Program, tables: Tables, prefix: str, objects: dict[str, int]) -> list[str]:
        """Return the text of tables in flash or in RAM, and of objects in RAM."""
        ram = self.tables == RAM
        return [*assemble.tables(tables, prefix, ram=ram), "", *assemble.objects(objects)]

    def machine(self, text: str, folder: Path) -> Machine:
        """Assemble a program and return simavr with it."""
        return Machine(text, folder)

    def tools(self) -> str:
        """Return the assembler's version and the simulator."""
        return f"{running.version_line(['avr-gcc', '--version'])}; simavr, {DEVICE}"

    def budgets(self) -> AvrBudgets:
        """Return its part in code within a budget of RAM."""
        return AvrBudgets()

    def instructions(self) -> list[dict[str, Any]]:
        """Return the instructions with cycles, those of a taken branch, words of flash."""
        return [
            {
                "name": name, "cycles": one["cycles"], "taken": one.get("taken"),
                "words": one.get("bytes", 2) // 2,
            }
            for name, one in simulate.instructions().items()
        ]  # fmt: skip

    def files(self, made: Made, command: str) -> list[tuple[str, str]]:
        """Return the assembly, a driver, how to run it."""
        return files.files(made, command)


PROCESSOR = Avr()
