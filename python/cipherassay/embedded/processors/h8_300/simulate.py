"""The reference for H8/300: a simulator of the CPU that executes machine code and counts states.

It is in Python, apart from the engine, on purpose. No package has a simulator of this CPU, so this one is the
check that simavr and s51 are for the other processors: it executes the bytes that binutils made, by encodings
and states from ``instructions.toml`` and a table of its own of what instructions do. It shares no code with
what makes the assembly (``crates/microcontroller``); an executor in that crate would. Tests hold it against
binutils (every encoding), the programming manual (states, flags) and GCC (what C that is compiled for H8/300
computes here).

All memory is on-chip. The half-carry flag, interrupts and what depends on them are left out.
"""

from __future__ import annotations

from cipherassay.embedded.processors.h8_300.encodings import FILE, Fields, encodings
from cipherassay.embedded.processors.h8_300.operations import Step, step_of
from cipherassay.embedded.processors.h8_300.state import State
from cipherassay.errors import DescriptionError


class Simulator(State):
    """A processor that runs functions.

    Raises
    ------
    DescriptionError
        ``E131``: the program counter reaches code that ``instructions.toml`` does not know.
    """

    def __init__(self, image: bytes, at: int, stack: int) -> None:
        super().__init__(image, at, stack)
        self._known: dict[int, tuple[Step, Fields, int, int]] = {}

    def call(self, at: int, most: int = 10_000_000) -> tuple[int, dict[int, int]]:
        """Call a function; return the states through its `rts`, and those before each address was reached.

        Raises
        ------
        TimeoutError
            It takes more than ``most`` states.
        """
        self.set_word(7, self.stack)
        self.lowest = self.stack
        self.push(0)
        self.pc = at
        total, reached, known = 0, {}, self._known
        while total <= most:
            pc = self.pc
            if pc not in reached:
                reached[pc] = total
                if pc not in known:
                    known[pc] = self._decoded(pc)
            step, fields, length, states = known[pc]
            self.pc = pc + length
            step(self, fields)
            total += states
            if self.pc == 0:
                return total, reached
        raise TimeoutError(f"more than {most} states")

    def _decoded(self, at: int) -> tuple[Step, Fields, int, int]:
        nibbles = self.memory[at : at + 4].hex()
        for one in encodings():
            if (fields := one.fields(nibbles)) is not None:
                return step_of(one), fields, one.length, one.states
        raise DescriptionError("E131", f"`{FILE.name}` knows no instruction {nibbles} (at {at:#06x})")
