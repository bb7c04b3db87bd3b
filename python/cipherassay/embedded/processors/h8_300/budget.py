"""H8/300: code within a budget of RAM: inner functions, drivers that call them, objects near and far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Action, Budgets, Window
from cipherassay.embedded.processors.h8_300 import text as h8_text
from cipherassay.embedded.processors.h8_300.machine import Machine

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.budget.text import Text

SHORT = h8_text.RAM_END - h8_text.SHORT_RAM
"""Bytes that 8-bit addresses reach."""
EVERY = ("",)
"""The ends of the names of all objects."""
ALL = 1 << 16
"""More than any code has bytes for values: which addresses are short is said when all objects are known."""


class H8Budgets(Budgets):
    """H8/300's part: ROM of an H8/3337; r4 to r6 are kept; short addresses while there is room."""

    code = h8_text.ROM_END - h8_text.ROM
    stack = 2 * len(h8_text.H8.saved) + 2
    deeper = 2
    needs = ("h8300-hms-as",)
    even = 2

    def lowered(
        self, program: Program, function: str, name: str, places: dict[str, str], window: Window | None
    ) -> Code:
        """Return a function of bytes as instructions without registers.

        All objects are meant to be near: `finished` says which are.
        """
        return h8_text.H8.lower(program, function, places, name=name, near=EVERY, window=window)

    def function(
        self, code: Code, block: str, *, inner: bool, most: int | None
    ) -> tuple[MachineFunction, int]:
        """Return a function, and the bytes that it needs for values; all its addresses are short.

        The block is loaded and stored where that suits, unless more values fit if it is so at the ends.
        """
        done = h8_text.H8.allocate(code, shared=block, most=most, short=ALL)
        if most is not None and done.over:
            other = h8_text.H8.allocate(code, block=block, most=most, short=ALL)
            done = min(done, other, key=lambda one: (one.over, one.cycles))
        return done.function(block, inner=inner)

    def driver(self, name: str, actions: list[Action], inner: list[MachineFunction]) -> MachineFunction:
        """Return a function that calls inner ones; it keeps those of r4 to r6 that they change."""
        lines: list[str] = []
        for what, number in actions:
            set_ = [f"mov.b #{number},r0l", f"mov.b r0l,@{what}+0:8"]
            lines += [f"jsr @{what}"] if number is None else set_
        return h8_text.H8.function(name, lines, inner)

    def finished(self, text: Text) -> tuple[list[MachineFunction], list[str], list[str]]:
        """Return functions whose addresses reach, and the objects near and far."""
        near: list[str] = []
        room = SHORT
        for name, size in sorted(text.objects.items(), key=_order):
            if size + size % 2 <= room:
                near.append(name)
                room -= size + size % 2
        far = [name for name in text.objects if name not in near]
        names = {label for name in near for label in text.labels(name)}
        return [function.addressed(names) for function in text.functions.values()], near, far

    def written(self, text: Text, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        functions, near, far = self.finished(text)
        lines = [*(f"; {line}" for line in head), "", "\t.section .text"]
        for function in functions:
            lines += ["", *function.text()]
        lines += ["", *h8_text.tables(text.tables), "", "\t.section .short"]
        lines += _objects(text, near, "short_end")
        lines += ["", "\t.section .bss", *_objects(text, far, "ram_end")]
        return "\n".join(lines) + "\n"

    def size(self, text: Text) -> int:
        """Return the bytes of code and tables, tables at multiples of 256."""
        code = sum(function.bytes() for function in self.finished(text)[0])
        return code + 255 + sum(-(-len(data) // 256) * 256 for data in text.tables.values())

    def runner(self, text: str, folder: Path) -> Machine:
        """Return the simulator with what binutils assembled."""
        return Machine(text, folder)


def _order(one: tuple[str, int]) -> tuple[int, int]:
    """Return what says how early an object gets a place near: round keys come last."""
    ends = ("_block", "_work", "_key", "_values")
    return next((n for n, end in enumerate(ends) if one[0].endswith(end)), len(ends)), one[1]


def _objects(text: Text, names: list[str], end: str) -> list[str]:
    lines = []
    for name in names:
        labels = [line for label in text.labels(name) for line in (f"\t.global {label}", f"{label}:")]
        lines += ["\t.balign 2", *labels, f"\t.space {text.objects[name]}"]
    return [*lines, f"\t.global {end}", f"{end}:"]


BUDGETS = H8Budgets()
