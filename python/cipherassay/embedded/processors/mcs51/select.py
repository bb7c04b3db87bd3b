"""MCS-51: instructions for operations on bytes; whatever is tied is made in the accumulator."""

from __future__ import annotations

from collections.abc import Callable

from cipherassay.embedded import linear
from cipherassay.embedded.code import Byte, Instruction, Source
from cipherassay.embedded.selection import Selection

LOGIC = {"and": "anl", "or": "orl", "xor": "xrl", "add": "add"}
_ROTATED = {
    1: ["rl a"], 2: ["rl a"] * 2, 3: ["swap a", "rr a"], 4: ["swap a"], 5: ["swap a", "rl a"],
    6: ["rr a"] * 2, 7: ["rr a"],
}  # fmt: skip


class Select(Selection):
    """Operands are bytes of internal RAM or numbers; ``table`` makes a table of bytes known by its name."""

    def __init__(self, table: Callable[[str, list[int]], None]) -> None:
        super().__init__()
        self.table = table

    def number(self, d: Byte, value: int) -> None:
        """Load a number that is a value of its own."""
        self.emit([f"mov a,#{value}"], outs=[d])

    def operation(self, kind: str, a: Source, b: Source) -> Byte:
        """An operation on two bytes that is needed; differences with numbers are sums."""
        if kind == "sub":
            if not isinstance(b, int):
                return self.unary(["clr c", "subb a,{1}"], a, [b])
            kind, b = "add", -b & 255
        d = Byte()
        self.emit([f"{LOGIC[kind]} a,{{1}}"], tied=[(d, a)], ins=[b], commutative=not isinstance(b, int))
        return d

    def rotated(self, a: Byte, by: int) -> Byte:
        """Rotate a byte by bits from the nearest nibble or byte."""
        return self.unary(_ROTATED[by], a)

    def left(self, a: Byte, by: int, width: int) -> Source:
        """Shift a word to the left: a rotation whose lower bits are cleared."""
        return self.binary("and", self.unary(_ROTATED[by], a), (1 << width) - (1 << by))

    def right(self, a: Byte, by: int) -> Source:
        """Shift a byte to the right in the same way."""
        return self.binary("and", self.unary(_ROTATED[8 - by], a), 255 >> by)

    def doubled(self, a: Source, polynomial: int) -> Byte:
        """Times x in GF(2^8), by a table: two cycles, always."""
        return self._times(f"double_{polynomial:x}", 2, a, polynomial)

    def halved(self, a: Source, polynomial: int) -> Byte:
        """Divided by x in GF(2^8), by a table."""
        return self._times(f"half_{polynomial:x}", linear.half(polynomial), a, polynomial)

    def _times(self, name: str, factor: int, a: Source, polynomial: int) -> Byte:
        self.table(name, [linear.product(factor, x, polynomial) for x in range(256)])
        return self.looked_up(f"table_{name}", [a], 256)

    def product(self, a: Source, b: Source) -> tuple[Byte, Byte]:
        """The high and the low byte of a product of two bytes."""
        high, low = Byte(), Byte()
        lines = ["mov b,{2}", "mul ab"]
        self.emit(lines, tied=[(low, a)], outs=[high], ins=[b], commutative=not isinstance(b, int))
        return high, low

    def multiplied(self, a: Source, b: Source) -> Byte:
        """The low byte of a product."""
        return self.product(a, b)[1]

    def looked_up(self, label: str, address: list[Source], entries: int) -> Byte:
        """An entry of a table, which may begin anywhere: `movc` adds 16 bits."""
        d = Byte()
        if len(address) == 1 or entries <= 256:
            self.emit(["movc a,@a+dptr"], tied=[(d, address[0])], setting=label)
        else:
            lines = [f"add a,#>{label}", "mov dph,a", "mov a,{1}", "movc a,@a+dptr"]
            self.emit(lines, tied=[(d, address[1])], ins=[address[0]], setting=label)
        return d

    def compared(self, kind: str, a: list[Source], b: list[Source]) -> Byte:
        """1 if the comparison of two words holds, else 0; always in the same time."""
        n, d = len(a), Byte()
        if kind == "ltu":
            lines = ["clr c"]
            for k in range(n):
                lines += [f"mov a,{{{1 + k}}}", f"subb a,{{{1 + n + k}}}"]
        else:
            lines = []
            for k in range(n):
                lines += ["mov b,a"] if k else []
                lines += [f"mov a,{{{1 + k}}}", f"xrl a,{{{1 + n + k}}}", *(["orl a,b"] if k else [])]
            lines += ["add a,#255"]
        lines += ["clr a", "rlc a", *(["xrl a,#1"] if kind == "eq" else [])]
        self.emit(lines, outs=[d], ins=[*a, *b])
        return d

    def choice(self, condition: Byte, a: Source, b: Source) -> Source:
        """``a`` if the condition is 1, else ``b``: the difference under a mask, always in the same time."""
        mask = self.unary(["cpl a", "inc a"], condition)
        return self.binary("xor", b, self.binary("and", self.binary("xor", a, b), mask))

    def glued(self, parts: list[Instruction]) -> None:
        """Append instructions that hand on the carry: nothing but `mov` comes between them."""
        ins = list(dict.fromkeys(s for p in parts for s in p.sources()))
        outs = [d for p in parts for d in p.results()]
        self.out.append(
            Instruction([line for p in parts for line in p.lines], outs=outs, ins=ins, parts=parts)
        )

    def wide(self, name: str, operands: list[Source]) -> list[Source]:
        """The bytes of the result of a call of one of the functions of ``split-words``."""
        from cipherassay.embedded.processors.mcs51.wide import WIDE

        return WIDE.call(self, name, operands)
