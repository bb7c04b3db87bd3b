"""AVR: instructions for operations on bytes and for wide words in bytes, the least significant first."""

from __future__ import annotations

from cipherassay.embedded.code import Byte, Source
from cipherassay.embedded.selection import Selection, number_of

LOGIC = {
    "and": ("and", "andi"),
    "or": ("or", "ori"),
    "xor": ("eor", ""),
    "add": ("add", ""),
    "sub": ("sub", "subi"),
}


class Select(Selection):
    """Appends instructions to a list and hands out their results.

    ``load`` loads a byte of a table: `lpm` from flash, or `ld` from RAM, which takes a cycle less.
    """

    def __init__(self, load: str = "lpm") -> None:
        super().__init__()
        self.load = load
        self.multiplies = False

    def number(self, d: Byte, value: int) -> None:
        """Load a number that is a value of its own."""
        self.emit([f"ldi {{0}}, {value}"], outs=[d], upper=frozenset({0}))

    def wide(self, name: str, operands: list[Source]) -> list[Source]:
        """The bytes of the result of a call of one of the functions of ``split-words``."""
        from cipherassay.embedded.avr_wide import WIDE

        return WIDE.call(self, name, operands)

    def operation(self, kind: str, a: Source, b: Source) -> Byte:
        """An operation on two bytes that is needed; sums with numbers are differences."""
        if kind == "add" and isinstance(b, int):
            kind, b = "sub", -b & 255
        if kind == "xor" and b == 255:
            return self.unary(["com {0}"], a)
        name, immediate = LOGIC[kind]
        d = Byte()
        self.emit(
            [f"{name} {{0}}, {{1}}"],
            tied=[(d, a)],
            ins=[b],
            commutative=kind != "sub",
            immediate=f"{immediate} {{0}}, {b}" if immediate and isinstance(b, int) else "",
        )
        return d

    def left(self, a: Byte, by: int, width: int) -> Source:
        """Shift a word to the left: a nibble by exchange, the rest by bits."""
        d: Source = self.binary("and", self.unary(["swap {0}"], a), 0xF0) if by >= 4 else a
        lines = ["lsl {0}"] * (by - 4 if by >= 4 else by)
        return self.masked(self.unary(lines, d) if lines else d, width)

    def right(self, a: Byte, by: int) -> Source:
        """Shift a byte to the right in the same way."""
        d: Source = self.binary("and", self.unary(["swap {0}"], a), 0x0F) if by >= 4 else a
        lines = ["lsr {0}"] * (by - 4 if by >= 4 else by)
        return self.unary(lines, d) if lines else d

    def rotated(self, a: Byte, by: int) -> Byte:
        """Rotate a byte by bits from the nearest nibble or byte."""
        right = ["bst {0}, 0", "lsr {0}", "bld {0}, 7"]
        left = ["lsl {0}", "adc {0}, {1}"]
        lines = {1: left, 2: left * 2, 3: ["swap {0}", *right], 4: ["swap {0}"]}
        lines |= {5: ["swap {0}", *left], 6: right * 2, 7: right}
        chosen = lines[by]
        return self.unary(chosen, a, [0] if any("{1}" in line for line in chosen) else [])

    def doubled(self, a: Source, polynomial: int) -> Byte:
        """Times x in GF(2^8): the polynomial is added where a bit is shifted out, three cycles either way."""
        return self.unary(["lsl {0}", "brcc .+2", "eor {0}, {1}"], a, [polynomial & 255])

    def halved(self, a: Source, polynomial: int) -> Byte:
        """Divided by x in GF(2^8), in the same way."""
        return self.unary(["lsr {0}", "brcc .+2", "eor {0}, {1}"], a, [polynomial >> 1])

    def multiplied(self, a: Source, b: Source) -> Byte:
        """The low byte of a product."""
        self.multiplies = True
        d = Byte()
        self.emit(["mul {1}, {2}", "mov {0}, r0"], outs=[d], ins=[a, b])
        return d

    def looked_up(self, label: str, address: list[Source], entries: int) -> Byte:
        """An entry of a table that is aligned to 256 bytes."""
        d, read = Byte(), f"{self.load} {{0}}, Z"
        if (at := number_of(address)) is not None:
            self.emit([f"ldi r30, lo8({label} + {at})", f"ldi r31, hi8({label} + {at})", read], outs=[d])
        elif len(address) == 1 or entries <= 256:
            lines = ["mov r30, {1}", f"ldi r31, hi8({label})", read]
            self.emit(lines, outs=[d], ins=[address[0]], setting=label)
        else:
            lines = ["mov r30, {1}", f"ldi r31, hi8({label})", "add r31, {2}", read]
            self.emit(lines, outs=[d], ins=[address[0], address[1]])
        return d

    def compared(self, kind: str, a: list[Source], b: list[Source]) -> Byte:
        """1 if the comparison of two words holds, else 0."""
        n, d = len(a), Byte()
        lines = [f"{'cpc' if k else 'cp'} {{{1 + k}}}, {{{1 + n + k}}}" for k in range(n)]
        lines += [
            "ldi {0}, 1",
            {"eq": "breq 1f", "ne": "brne 1f", "ltu": "brlo 1f"}[kind],
            "ldi {0}, 0",
            "1:",
        ]
        self.emit(lines, outs=[d], ins=[*a, *b], upper=frozenset({0}), early=True)
        return d

    def choice(self, condition: Byte, a: Source, b: Source) -> Byte:
        """``a`` if the condition is 1, else ``b``: a copy that is skipped."""
        d = Byte()
        self.emit(["sbrc {1}, 0", "mov {0}, {2}"], tied=[(d, b)], ins=[condition, a])
        return d
