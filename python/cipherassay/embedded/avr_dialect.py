"""AVR: the lines that move bytes, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.embedded.dialect import Dialect
from cipherassay.embedded.pairs import Pairs, paired
from cipherassay.embedded.simulate import instructions
from cipherassay.embedded.tidy import tidied

if TYPE_CHECKING:
    from cipherassay.embedded.allocate import Allocator


class AvrDialect(Dialect):
    """AVR's registers r0 to r31, of which immediate instructions reach the upper half."""

    registers = tuple(range(32))
    upper = tuple(range(16, 32))
    scratch = 30

    def name(self, r: int) -> str:
        """Return a register's name."""
        return f"r{r}"

    def copied(self, d: int, s: int) -> str:
        """Return the line that copies a register."""
        return f"mov r{d}, r{s}"

    def number(self, d: int, value: int) -> str:
        """Return the line that loads a number."""
        return f"ldi r{d}, {value}"

    def zero(self, d: int) -> str:
        """Return the line that clears a register of either half."""
        return f"clr r{d}"

    def fetched(self, d: int, place: str) -> str:
        """Return the line that loads a byte from memory."""
        return f"lds r{d}, {place}"

    def stored(self, place: str, s: int) -> str:
        """Return the line that stores a byte."""
        return f"sts {place}, r{s}"

    def decremented(self, r: int) -> str:
        """Return the line that counts a register down."""
        return f"dec r{r}"

    def repeated(self, label: str) -> str:
        """Return the line that branches unless zero was reached."""
        return f"brne {label}"

    def tidied(self, lines: list[str]) -> list[str]:
        """Return lines that do the same in less time."""
        return tidied(lines)

    def cycles(self, line: str) -> int:
        """Return the cycles of a line."""
        return int(instructions()[line.split()[0]]["cycles"])

    def again(self, done: Allocator) -> list[Allocator]:
        """Return the code with copies by pairs."""
        from cipherassay.embedded.allocate import allocated

        found = []
        for chains in (False, True):
            known: Pairs = {}
            items = paired(done.code.items, known, chains=chains)
            found.append(allocated(replace(done.code, items=items), known))
        return found


AVR = AvrDialect()
