"""H8/300: the lines that move bytes, and what every line costs."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from cipherassay.embedded.dialect import Access, Dialect, Rank
from cipherassay.embedded.processors.h8_300.simulate import Encoding, encodings
from cipherassay.embedded.processors.h8_300.tidy import tidied

if TYPE_CHECKING:
    from cipherassay.embedded.allocate import Allocator
    from cipherassay.embedded.code import Code
    from cipherassay.embedded.pairs import Pairs

SLOTS = 80
"""Bytes for values without a register where 8-bit addresses reach; block and key are there as well."""
_ACCESS = re.compile(r"mov\.([bw]) (?:(r\d[hl]?),)?@([\w.]+)\+(\d+):(?:8|16)(?:,(r\d[hl]?))?")
_REGISTER = re.compile(r"r[0-7][hl]?")


class Half(str):
    """The name of half a register; ``word`` names the whole one."""

    __slots__ = ()

    @property
    def word(self) -> str:
        """Return the name of the 16-bit register."""
        return self[:2]


@cache
def encoding(line: str) -> Encoding:
    """Return the encoding that a line of assembly text is given."""
    name, _, rest = line.partition(" ")
    operands = re.split(r",(?![^(]*\))", rest) if rest else []
    known = encodings()
    memory = [o for o in operands if o.startswith("@")]
    if name in ("mov.b", "mov.w", "push", "pop") and (memory or name in ("push", "pop")):
        if name in ("push", "pop"):
            kind, mode = ("store.w", "decrement") if name == "push" else ("load.w", "increment")
        else:
            kind = ("load" if operands[0] == memory[0] else "store") + name[3:]
            mode = _mode(memory[0])
        return next(e for e in known if (e.name, e.mode) == (kind, mode))
    with_number = bool(operands) and operands[0].startswith("#") and name in ("mov.w",)
    same = [e for e in known if e.name.partition(".")[0] == name.partition(".")[0] and not e.mode]
    if "." in name:
        same = [e for e in same if e.name == name]
    return max(same, key=lambda e: e.length) if with_number else min(same, key=lambda e: e.length)


def _mode(operand: str) -> str:
    if operand.startswith("@("):
        return "displaced"
    if operand.endswith("+") or operand.startswith("@-"):
        return "increment" if operand.endswith("+") else "decrement"
    if _REGISTER.fullmatch(operand[1:]):
        return "indirect"
    return "absolute8" if operand.endswith(":8") else "absolute16"


class H8Dialect(Dialect):
    """Halves of r0 to r6: 2n is rnh, 2n + 1 is rnl. r6 holds addresses, and no value."""

    registers = tuple(range(12))
    upper = tuple(range(14))
    scratch = 13
    orders = (
        Rank(lambda alive, newest, place: (alive, place)),
        Rank(lambda alive, newest, place: (64 * alive - newest + place,)),
    )

    def name(self, r: int) -> Half:
        """Return a register's name."""
        return Half(f"r{r // 2}{'hl'[r % 2]}")

    def copied(self, d: int, s: int) -> str:
        """Return the line that copies a register."""
        return f"mov.b {self.name(s)},{self.name(d)}"

    def number(self, d: int, value: int) -> str:
        """Return the line that loads a number."""
        return f"mov.b #{value},{self.name(d)}"

    def fetched(self, d: int, place: str) -> str:
        """Return the line that loads a byte."""
        return f"mov.b @{place},{self.name(d)}"

    def stored(self, place: str, s: int) -> str:
        """Return the line that stores a byte."""
        return f"mov.b {self.name(s)},@{place}"

    def decremented(self, r: int) -> str:
        """Return the line that counts a register down."""
        return f"dec.b {self.name(r)}"

    def repeated(self, label: str) -> str:
        """Return the line that branches unless zero was reached."""
        return f"bne {label}"

    def accessed(self, line: str) -> Access | None:
        """Return what a line loads or stores at a fixed place."""
        match = _ACCESS.fullmatch(line)
        if match is None:
            return None
        return Access(match[3], int(match[4]), 1 + (match[1] == "w"), not match[2], match[2] or match[5])

    def readdressed(self, line: str, name: str, at: int) -> str:
        """Return a line that loads or stores at a fixed place with another place."""
        return re.sub(r"@[\w.]+\+\d+", f"@{name}+{at}", line, count=1)

    def tidied(self, lines: list[str]) -> list[str]:
        """Return lines that do the same in less time."""
        return tidied(lines)

    def cycles(self, line: str) -> int:
        """Return the states of a line."""
        return encoding(line).states

    def allocator(self, code: Code, pairs: Pairs | None) -> Allocator:
        """Return what gives the code registers, with words for what is loaded or made as words."""
        from cipherassay.embedded.processors.h8_300.allocate import WordAllocator

        return WordAllocator(code)


H8 = H8Dialect()
