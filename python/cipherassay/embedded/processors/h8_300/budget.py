"""H8/300: files of code within a budget of RAM, with objects near and far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Budgets
from cipherassay.embedded.processors.h8_300 import text as h8_text
from cipherassay.embedded.processors.h8_300.machine import Machine

if TYPE_CHECKING:
    from cipherassay._engine import BudgetText


class H8Budgets(Budgets):
    """H8/300's part: objects that 8-bit addresses reach have a section of their own."""

    isa = h8_text.H8
    needs = ("h8300-hms-as",)

    def written(self, text: BudgetText, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        near, far = text.placement or ([], [])
        lines = [*(f"; {line}" for line in head), "", "\t.section .text"]
        for function in text.functions.values():
            lines += ["", *function]
        lines += ["", *h8_text.tables(text.tables), "", "\t.section .short"]
        lines += _objects(text, near, "short_end")
        lines += ["", "\t.section .bss", *_objects(text, far, "ram_end")]
        return "\n".join(lines) + "\n"

    def runner(self, text: str, folder: Path) -> Machine:
        """Return the simulator with what binutils assembled."""
        return Machine(text, folder)


def _objects(text: BudgetText, names: list[str], end: str) -> list[str]:
    lines = []
    for name in names:
        labels = [line for label in text.labels(name) for line in (f"\t.global {label}", f"{label}:")]
        lines += ["\t.balign 2", *labels, f"\t.space {text.objects[name]}"]
    return [*lines, f"\t.global {end}", f"{end}:"]


BUDGETS = H8Budgets()
