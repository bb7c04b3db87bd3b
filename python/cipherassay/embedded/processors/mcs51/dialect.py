"""MCS-51: bytes of internal RAM as registers, the lines that move bytes, cycles and bytes of every line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cipherassay.embedded.dialect import Dialect, Rank
from cipherassay.errors import DescriptionError

if TYPE_CHECKING:
    from cipherassay.embedded.allocate import Allocator
    from cipherassay.embedded.code import Code
    from cipherassay.embedded.pairs import Pairs

FIRST, WORKING = 2, 8
"""The first register of bank 0 that holds values (r0 and r1 are pointers), and where other bytes begin."""
MOST = 800
"""Registers: more than any order holds values at once; an order whose values have room is chosen."""
A, B, BLOCK, KEY = 900, 901, 1000, 2000
"""Numbers of the accumulator, of B, of the first byte of the block and of the key."""


class Mcs51Dialect(Dialect):
    """r2 to r7 and bytes of internal RAM are registers: with the accumulator every operation takes either.

    ``values``, ``block``, ``key`` are the objects that direct addresses reach; ``room`` is how many bytes
    ``values`` may have. ``far`` further registers are bytes of internal RAM that only r0 and r1 reach; their
    names are for `Accumulator.emit` to make operands of. What finds no room there is in external RAM.
    """

    registers = tuple(range(FIRST, WORKING + MOST))
    upper = (*registers, *range(BLOCK, BLOCK + 16))
    scratch = A
    orders = (
        Rank(lambda alive, newest, place: (-newest, alive, place), together=True),
        Rank(lambda alive, newest, place: (alive, -newest, place), together=True),
        Rank(lambda alive, newest, place: (-newest, place), stretches=True, together=True),
        Rank(lambda alive, newest, place: (place,), together=True),
    )

    def __init__(
        self,
        values: str = "values",
        block: str = "block",
        key: str = "key",
        room: int = MOST,
        far: int = 0,
    ) -> None:
        self.values, self.block, self.key, self.room, self.far = values, block, key, room, far

    def is_far(self, r: int) -> bool:
        """Return whether only r0 and r1 reach a register."""
        return WORKING + self.room <= r < WORKING + self.room + self.far

    def name(self, r: int) -> str:
        """Return a register's name as operands of the accumulator have it."""
        if r < WORKING:
            return f"r{r}"
        if r in (A, B):
            return "a" if r == A else "b"
        if r >= KEY:
            return f"{self.key}+{r - KEY}"
        if self.is_far(r):
            return f"<{r - WORKING - self.room}>"
        return f"{self.block}+{r - BLOCK}" if r >= BLOCK else f"{self.values}+{r - WORKING}"

    def direct(self, r: int) -> str:
        """Return a register's direct address."""
        return f"ar{r}" if r < WORKING else self.name(r)

    def copied(self, d: int, s: int) -> str:
        """Return the line that copies a register."""
        if self.is_far(s) and d != A:
            return f"mov {self.direct(d)},{self.name(s)}"
        near = d < WORKING or self.is_far(d)
        return f"mov {self.name(d)},{self.direct(s) if near and s != A else self.name(s)}"

    def number(self, d: int, value: int) -> str:
        """Return the line that loads a number."""
        return "clr a" if d == A and value == 0 else f"mov {self.name(d)},#{value}"

    def fetched(self, d: int, place: str) -> str:
        """Not needed: there are more registers than values."""
        raise NotImplementedError

    def stored(self, place: str, s: int) -> str:
        """Not needed: there are more registers than values."""
        raise NotImplementedError

    def decremented(self, r: int) -> str:
        """Return the line that names what a loop counts down; with `repeated` it becomes ``djnz``."""
        return f"count {self.name(r)}"

    def repeated(self, label: str) -> str:
        """Return the line that branches unless zero was reached."""
        return f"again {label}"

    def tidied(self, lines: list[str]) -> list[str]:
        """Return the lines: the allocator makes none that could be left out."""
        return lines

    def cycles(self, line: str) -> int:
        """Return the machine cycles of a line, each of 12 clocks."""
        return cost(line)[0]

    def taken(self, done: Allocator) -> int:
        """Return the bytes of values besides r2 to r7."""
        return max((r - WORKING + 1 for r in done.used if WORKING <= r < A), default=0)

    def over(self, done: Allocator) -> int:
        """Return how many bytes of values find no room, near or far."""
        return max(self.taken(done) - self.room - self.far, 0)

    def allocator(self, code: Code, pairs: Pairs | None) -> Allocator:
        """Return what gives the code bytes of RAM and the accumulator."""
        from cipherassay.embedded.processors.mcs51.allocate import Accumulator
        from cipherassay.embedded.processors.mcs51.spill import Spilling

        return Spilling(code) if self.far else Accumulator(code)


_COSTS: tuple[tuple[str, int, int], ...] = (
    (r"count .*|\w+:", 0, 0),
    (r"again .*", 2, 0),
    (r"(mul|div) ab", 4, 1),
    (r"mov dptr,#.*", 2, 3),
    (r"mov a,(R|@R)", 1, 1),
    (r"mov (R|@R),a", 1, 1),
    (r"mov (R|@R|a),#.*", 1, 2),
    (r"mov (R|@R),D", 2, 2),
    (r"mov D,(R|@R)", 2, 2),
    (r"mov D,#.*", 2, 3),
    (r"mov (D,a|a,D)", 1, 2),
    (r"mov D,D", 2, 3),
    (r"(add|addc|subb|anl|orl|xrl|xch) a,(R|@R)", 1, 1),
    (r"(add|addc|subb|anl|orl|xrl|xch) a,.*", 1, 2),
    (r"(anl|orl|xrl) D,a", 1, 2),
    (r"(anl|orl|xrl) D,#.*", 2, 3),
    (r"(inc|dec) (a|R|@R)", 1, 1),
    (r"(rl|rlc|rr|rrc|swap|cpl|clr) a|(clr|setb|cpl) c", 1, 1),
    (r"inc dptr|movc a,@a\+dptr|movx .*|ret", 2, 1),
    (r"(inc|dec) D", 1, 2),
    (r"djnz R,.*|(jc|jnc|jz|jnz|sjmp) .*", 2, 2),
    (r"(djnz|cjne|jb|jnb) .*|(lcall|ljmp) .*", 2, 3),
)
_DIRECT = r"(?:(?!a\b|ab\b|c\b|r\d\b|dptr\b)[\w.]+(?:\+\d+)?)"
_KNOWN = [
    (re.compile(p.replace("@R", "@r[01]").replace("R", r"r[0-7]").replace("D", _DIRECT)), cycles, size)
    for p, cycles, size in _COSTS
]


def cost(line: str) -> tuple[int, int]:
    """Return the machine cycles and the bytes of a line (MCS-51 instruction set, Intel).

    Raises
    ------
    DescriptionError
        ``E131``: no instruction that is known.
    """
    for pattern, cycles, size in _KNOWN:
        if pattern.fullmatch(line):
            return cycles, size
    raise DescriptionError("E131", f"no MCS-51 instruction is known for `{line}`")
