"""MCS-51: files of code within a budget of RAM, with all objects in internal RAM.

Register bank 0 lies in internal RAM, so its eight bytes are counted with the stack.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Budgets
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.mcs51 import text as mcs51_text
from cipherassay.embedded.processors.mcs51.machine import Machine
from cipherassay.embedded.processors.mcs51.room import BANK

if TYPE_CHECKING:
    from cipherassay._engine import BudgetText


class Mcs51Budgets(Budgets):
    """MCS-51's part: what values need is where direct addresses reach."""

    isa = mcs51_text.MCS51
    stack_is = "register bank 0 and stack"
    needs = ("sdas8051", "s51")

    def written(self, text: BudgetText, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        lines = [*(f"; {line}" for line in head), "", "\t.area CSEG (CODE)"]
        for function in text.functions.values():
            lines += ["", *function]
        lines += ["", *mcs51_text.tables(text.tables), ""]
        return "\n".join([*lines, *_objects(text)]) + "\n"

    def runner(self, text: str, folder: Path) -> _Runner:
        """Return the simulator with what SDCC's assembler made."""
        return _Runner(text, folder)


class _Runner(Machine):
    def call(self, function: str) -> Call:
        """Call a function; its registers are counted with the stack."""
        call = super().call(function)
        return replace(call, stack=call.stack + BANK)


def _objects(text: BudgetText) -> list[str]:
    lines = list(mcs51_text.REGISTERS)
    for area, names in zip(("data", "idata"), text.placement or ([], []), strict=True):
        if not names:
            continue
        lines.append(f"\t{mcs51_text.AREAS[area]}")
        for name in names:
            labels = [line for label in text.labels(name) for line in mcs51_text.labels(label)]
            lines += [*labels, f"\t.ds {text.objects[name]}"]
        lines.append(f"{area}_end::")
    return lines


BUDGETS = Mcs51Budgets()
