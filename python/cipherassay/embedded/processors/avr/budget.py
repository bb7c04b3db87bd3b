"""AVR: files of code within a budget of RAM, and a simulator to compare candidates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Budgets
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.avr import text as avr_text
from cipherassay.embedded.processors.avr.simulate import Simulator

if TYPE_CHECKING:
    from cipherassay._engine import BudgetText


class AvrBudgets(Budgets):
    """AVR's part: all tables lie in flash."""

    isa = avr_text.AVR

    def written(self, text: BudgetText, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        lines = [*(f"; {line}" for line in head), "", "\t.section .text"]
        for function in text.functions.values():
            lines += ["", *function]
        lines += ["", *avr_text.tables(text.tables, prefix), ""]
        return "\n".join([*lines, *avr_text.objects(text.objects, text.labels)]) + "\n"

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
