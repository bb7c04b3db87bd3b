"""H8/300: instructions for operations on bytes."""

from __future__ import annotations

from cipherassay.embedded.code import Byte, Instruction, Source
from cipherassay.embedded.selection import Selection, number_of

NAMES = {"and": "and.b", "or": "or.b", "xor": "xor.b", "add": "add.b", "sub": "sub.b"}


class Select(Selection):
    """Instructions have their source first; all but subtraction take numbers."""

    def number(self, d: Byte, value: int) -> None:
        """Load a number that is a value of its own."""
        self.emit([f"mov.b #{value},{{0}}"], outs=[d])

    def operation(self, kind: str, a: Source, b: Source) -> Byte:
        """An operation on two bytes that is needed; differences with numbers are sums."""
        if kind == "sub" and isinstance(b, int):
            kind, b = "add", -b & 255
        if isinstance(b, int):
            return self.unary(
                ["not.b {0}"] if (kind, b) == ("xor", 255) else [f"{NAMES[kind]} #{b},{{0}}"], a
            )
        d = Byte()
        self.emit([f"{NAMES[kind]} {{1}},{{0}}"], tied=[(d, a)], ins=[b], commutative=kind != "sub")
        return d

    def rotated(self, a: Byte, by: int) -> Byte:
        """Rotate a byte, one bit at a time, in the shorter direction."""
        return self.unary(["rotl.b {0}"] * by if by <= 4 else ["rotr.b {0}"] * (8 - by), a)

    def left(self, a: Byte, by: int, width: int) -> Source:
        """Shift a word to the left, by more than four bits as a rotation to the right."""
        if by <= 4:
            return self.masked(self.unary(["shll.b {0}"] * by, a), width)
        lines = ["rotr.b {0}"] * (8 - by)
        return self.unary([*lines, f"and.b #{(1 << width) - (1 << by)},{{0}}"], a)

    def right(self, a: Byte, by: int) -> Byte:
        """Shift a byte to the right in the same way."""
        if by <= 4:
            return self.unary(["shlr.b {0}"] * by, a)
        return self.unary([*["rotl.b {0}"] * (8 - by), f"and.b #{255 >> by},{{0}}"], a)

    def doubled(self, a: Source, polynomial: int) -> Byte:
        """Times x in GF(2^8): a byte minus itself and the carry is a mask; always the same time."""
        d = Byte()
        lines = ["shll.b {0}", "subx {1},{1}", f"and.b #{polynomial & 255},{{1}}", "xor.b {1},{0}"]
        self.emit(lines, tied=[(d, a)], temps=1)
        return d

    def halved(self, a: Source, polynomial: int) -> Byte:
        """Divided by x in GF(2^8), in the same way."""
        d = Byte()
        lines = ["shlr.b {0}", "subx {1},{1}", f"and.b #{polynomial >> 1},{{1}}", "xor.b {1},{0}"]
        self.emit(lines, tied=[(d, a)], temps=1)
        return d

    def glued(self, parts: list[Instruction]) -> None:
        """Append instructions that hand on the carry: nothing but `mov` comes between them."""
        ins = list(dict.fromkeys(s for p in parts for s in p.sources()))
        outs = [d for p in parts for d in p.results()]
        self.out.append(
            Instruction([line for p in parts for line in p.lines], outs=outs, ins=ins, parts=parts)
        )

    def product(self, a: Source, b: Source) -> tuple[Byte, Byte]:
        """The high and the low byte of a product of two bytes."""
        high, low = Byte(), Byte()
        self.emit(
            ["mov.b {2},{1}", "mulxu.b {3},{1.word}"], outs=[high, low], ins=[a, b], early=True, word=True
        )
        return high, low

    def multiplied(self, a: Source, b: Source) -> Byte:
        """The low byte of a product."""
        return self.product(a, b)[1]

    def looked_up(self, label: str, address: list[Source], entries: int) -> Byte:
        """An entry of a table that begins at a multiple of 256."""
        d = Byte()
        if (at := number_of(address)) is not None:
            self.emit([f"mov.b @{label}+{at}:16,{{0}}"], outs=[d])
        elif len(address) == 1 or entries <= 256:
            lines = ["mov.b {1},r6l", f"mov.b #page_{label},r6h", "mov.b @r6,{0}"]
            self.emit(lines, outs=[d], ins=[address[0]])
        else:
            lines = ["mov.b {1},r6l", "mov.b {2},r6h", f"mov.b @({label}:16,r6),{{0}}"]
            self.emit(lines, outs=[d], ins=[address[0], address[1]])
        return d

    def compared(self, kind: str, a: list[Source], b: list[Source]) -> Byte:
        """1 if the comparison of two words holds, else 0."""
        n, d = len(a), Byte()
        if kind == "ltu":
            lines = [f"cmp.b {{{1 + n}}},{{1}}"]
            for k in range(1, n):
                lines += [f"mov.b {{{1 + k}}},{{0}}", f"subx {{{1 + n + k}}},{{0}}"]
            lines += ["subx {0},{0}", "and.b #1,{0}"]
        else:
            lines = [f"mov.b #{int(kind == 'ne')},{{0}}"]
            for k in range(n):
                lines += [f"cmp.b {{{1 + n + k}}},{{{1 + k}}}", "bne 1f"]
            lines += [f"mov.b #{int(kind == 'eq')},{{0}}", "1:"]
        self.emit(lines, outs=[d], ins=[*a, *b], early=True)
        return d

    def choice(self, condition: Byte, a: Source, b: Source) -> Byte:
        """``a`` if the condition is 1, else ``b``: a copy that is branched around."""
        d = Byte()
        self.emit(["btst #0,{1}", "beq 1f", "mov.b {2},{0}", "1:"], tied=[(d, b)], ins=[condition, a])
        return d

    def wide(self, name: str, operands: list[Source]) -> list[Source]:
        """The bytes of the result of a call of one of the functions of ``split-words``."""
        from cipherassay.embedded.processors.h8_300.wide import WIDE

        return WIDE.call(self, name, operands)
