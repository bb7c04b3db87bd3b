"""MCS-51: code within a budget of RAM: inner functions, drivers that call them, objects in internal RAM.

Register bank 0 lies in internal RAM, so its eight bytes are counted with the stack.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.embedded.budget.offer import Action, Budgets, Window
from cipherassay.embedded.processor import Call
from cipherassay.embedded.processors.mcs51 import text as mcs51_text
from cipherassay.embedded.processors.mcs51.machine import CODE, ROM, Machine
from cipherassay.embedded.processors.mcs51.room import BANK, INTERNAL
from cipherassay.embedded.processors.mcs51.text import DIRECT, MCS51

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.budget.text import Text

FAR, CALLS = 3, 4
"""The place in `_order` from which pointers alone reach an object; bytes of two return addresses."""


class Mcs51Budgets(Budgets):
    """MCS-51's part: all RAM is internal, what values need is where direct addresses reach."""

    code = ROM - CODE
    stack = BANK + 2
    deeper = 2
    stack_is = "register bank 0 and stack"
    needs = ("sdas8051", "s51")

    def lowered(
        self, program: Program, function: str, name: str, places: dict[str, str], window: Window | None
    ) -> Code:
        """Return a function of bytes as instructions without registers; all objects are in internal RAM."""
        return MCS51.lower(
            program, function, places, name=name, near=mcs51_text.DATA, internal=[""], small=True,
            window=window,
        )  # fmt: skip

    def function(
        self, code: Code, block: str, *, inner: bool, most: int | None
    ) -> tuple[MachineFunction, int]:
        """Return a function, and the bytes that it needs for values besides r2 to r7."""
        room = DIRECT if most is None else min(most, DIRECT)
        done = MCS51.allocate(code, block=block, room=(room, 0))
        return done.function()[0], done.bytes

    def driver(self, name: str, actions: list[Action], inner: list[MachineFunction]) -> MachineFunction:
        """Return a function that calls inner ones; no registers are kept."""
        lines: list[str] = []
        for what, number in actions:
            place = what.replace(" ", "")
            lines += [f"lcall {what}"] if number is None else [f"mov r0,#({place})", f"mov @r0,#{number}"]
        return MCS51.function(name, lines, inner)

    def written(self, text: Text, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""
        lines = [*(f"; {line}" for line in head), "", "\t.area CSEG (CODE)"]
        for function in text.functions.values():
            lines += ["", *function.text()]
        lines += ["", *mcs51_text.tables(text.tables), ""]
        return "\n".join([*lines, *_objects(text)]) + "\n"

    def size(self, text: Text) -> int:
        """Return the bytes of code and tables; more than there are where objects find no room in RAM."""
        if not _fits(text):
            return ROM
        code = sum(function.bytes() for function in text.functions.values())
        return code + sum(len(data) for data in text.tables.values())

    def runner(self, text: str, folder: Path) -> _Runner:
        """Return the simulator with what SDCC's assembler made."""
        return _Runner(text, folder)


class _Runner(Machine):
    def call(self, function: str) -> Call:
        """Call a function; its registers are counted with the stack."""
        call = super().call(function)
        return replace(call, stack=call.stack + BANK)


def _order(name: str) -> int:
    """Return a place in RAM: block, key and values without registers are where direct addresses reach."""
    return next((n for n, end in enumerate(("_block", "_key", "_work", "_values")) if name.endswith(end)), 4)


def _objects(text: Text) -> list[str]:
    lines = list(mcs51_text.REGISTERS)
    near = [name for name in text.objects if _order(name) < FAR]
    for area, names in (("data", near), ("idata", [name for name in text.objects if name not in near])):
        if not names:
            continue
        lines.append(f"\t{mcs51_text.AREAS[area]}")
        for name in sorted(names, key=_order):
            labels = [line for label in text.labels(name) for line in mcs51_text.labels(label)]
            lines += [*labels, f"\t.ds {text.objects[name]}"]
        lines.append(f"{area}_end::")
    return lines


def _fits(text: Text) -> bool:
    """Return whether internal RAM has room for the objects, and direct addresses reach what they have to."""
    near = sum(size for name, size in text.objects.items() if _order(name) < FAR)
    return BANK + near <= DIRECT and BANK + sum(text.objects.values()) + CALLS <= INTERNAL


BUDGETS = Mcs51Budgets()
