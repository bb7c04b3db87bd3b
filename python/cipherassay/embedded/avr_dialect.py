"""AVR: the lines that move bytes, and what they cost."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.embedded.dialect import Access, Dialect
from cipherassay.embedded.pairs import Pairs, paired
from cipherassay.embedded.simulate import instructions
from cipherassay.embedded.tidy import tidied

if TYPE_CHECKING:
    from cipherassay.embedded.allocate import Allocator

_ACCESS = re.compile(r"(lds|sts) (?:(r\d+), )?([\w.]+) \+ (\d+)(?:, (r\d+))?")


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

    def accessed(self, line: str) -> Access | None:
        """Return what a line loads or stores at a fixed place."""
        match = _ACCESS.fullmatch(line)
        if match is None:
            return None
        return Access(match[3], int(match[4]), 1, match[1] == "lds", match[2] or match[5])

    def readdressed(self, line: str, name: str, at: int) -> str:
        """Return a line that loads or stores at a fixed place with another place."""
        return re.sub(r"[\w.]+ \+ \d+", f"{name} + {at}", line, count=1)

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
