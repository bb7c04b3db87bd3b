"""AVR: code within a budget of RAM: inner functions, drivers that call them, files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Action, Budgets, Window
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.avr import text as avr_text
from cipherassay.embedded.processors.avr.machine import FLASH
from cipherassay.embedded.processors.avr.simulate import Simulator

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.budget.text import Text


class AvrBudgets(Budgets):
    """AVR's part: flash of 32 KiB, Z and the registers that avr-gcc wants kept."""

    code = FLASH
    stack = len(avr_text.AVR.saved) + 2
    deeper = 2

    def lowered(
        self, program: Program, function: str, name: str, places: dict[str, str], window: Window | None
    ) -> Code:
        """Return a function of bytes as instructions without registers."""
        return avr_text.AVR.lower(program, function, places, name=name, tables="flash", window=window)

    def function(
        self, code: Code, block: str, *, inner: bool, most: int | None
    ) -> tuple[MachineFunction, int]:
        """Return a function, and the bytes that it needs for values."""
        return avr_text.function(code, block, inner=inner, most=most)

    def driver(self, name: str, actions: list[Action], inner: list[MachineFunction]) -> MachineFunction:
        """Return a function that calls inner ones; it keeps all registers that a called function has to."""
        lines: list[str] = []
        for what, number in actions:
            lines += [f"call {what}"] if number is None else [f"ldi r24, {number}", f"sts {what}, r24"]
        return avr_text.AVR.function(name, lines)

    def written(self, text: Text, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        lines = [*(f"; {line}" for line in head), "", "\t.section .text"]
        for function in text.functions.values():
            lines += ["", *function.text()]
        lines += ["", *avr_text.tables(text.tables, prefix), ""]
        return "\n".join([*lines, *avr_text.objects(text.objects, text.labels)]) + "\n"

    def size(self, text: Text) -> int:
        """Return the bytes of code and tables, tables at multiples of 256."""
        code = sum(function.bytes() for function in text.functions.values())
        return code + sum(-(-len(data) // 256) * 256 for data in text.tables.values())

    def runner(self, text: str, folder: Path) -> _OwnSimulator:
        """Return the own simulator, which needs no assembler."""
        return _OwnSimulator(Simulator(text))


@dataclass(frozen=True)
class _OwnSimulator:
    simulator: Simulator

    def write(self, symbol: str, data: bytes) -> None:
        self.simulator.write(symbol, data)

    def read(self, symbol: str, count: int) -> bytes:
        return self.simulator.read(symbol, count)

    def call(self, function: str) -> Call:
        cycles = self.simulator.call(function)
        return Call(cycles, cycles, self.simulator.depth)


BUDGETS = AvrBudgets()
