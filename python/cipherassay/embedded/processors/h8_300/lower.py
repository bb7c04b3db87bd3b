"""H8/300: addresses, a pointer in r5, words loaded and stored at once, look-ups of sums."""

from __future__ import annotations

from cipherassay.embedded.code import Byte, Code, Source
from cipherassay.embedded.factoring import Weights
from cipherassay.embedded.lower import Lowering
from cipherassay.embedded.memory import Pointer
from cipherassay.embedded.processors.h8_300.select import Select
from cipherassay.embedded.processors.h8_300.words import improved
from cipherassay.errors import DescriptionError

SHORT = ("_block", "_key")
"""Objects in the memory that 8-bit addresses reach, by the ends of their names."""


class H8Lowering(Lowering):
    """One function on its way to H8/300 code: pointers are sums of indices, displacements hold objects."""

    reach = 1 << 16
    weights = Weights(xor=2, double=8, copy=2)
    pins = {"r5": (11, 10)}
    select: Select

    def code(self) -> Code:
        """Return the function's code, with words where two bytes are loaded or stored beside each other."""
        code = super().code()
        code.items = improved(code.items)
        return code

    def selection(self) -> Select:
        """Return what selects instructions for operations on bytes."""
        return Select()

    def reserved(self) -> set[int]:
        """Return the halves of r6."""
        return {12, 13}

    def object_of(self, where: str) -> str:
        """Return what pointers tell apart: nothing, as displacements hold the object."""
        return ""

    def based(self, constants: list[int]) -> list[int]:
        """Return what one pointer is relative to."""
        return [0]

    def short(self, where: str) -> bool:
        """Return whether 8-bit addresses reach an object."""
        return where.endswith(SHORT)

    def access(self, kind: str, where: str, terms: dict[str, int], constant: int, value: Source) -> None:
        """Load or store a byte at coefficients of values plus a constant."""
        if not terms:
            self._at(kind, where, constant, "", [], [], value)
        elif [v for v in terms if self.types[v].word_bits]:
            self._at(kind, where, constant, "r6", *self._computed(terms, kind), value)
        else:
            p = self.pointer("", tuple(sorted((c, v) for v, c in terms.items())), 0)
            if p.pin:
                self._at(kind, where, constant, p.pin, [], [], value)
            else:
                self._at(kind, where, constant, "r6", *_in_r6(p, kind), value)

    def around(self, kind: str, p: Pointer, where: str, at: int, value: Source) -> None:
        """Load or store a byte at a distance from a pointer that wraps around."""
        self._at(kind, where, at, "r6", *_in_r6(p, kind), value)

    def _at(
        self,
        kind: str,
        where: str,
        constant: int,
        register: str,
        lines: list[str],
        ins: list[Source],
        value: Source,
    ) -> None:
        """Append a load or a store of a byte at an object, a constant and a register."""
        size = 8 if self.short(where) and not register else 16
        place = f"@({where}+{constant}:16,{register})" if register else f"@{where}+{constant}:{size}"
        if kind == "load":
            assert isinstance(value, Byte)
            made = self.select.emit([*lines, f"mov.b {place},{{0}}"], outs=[value], ins=ins)
        else:
            made = self.select.emit([*lines, f"mov.b {{{len(ins)}}},{place}"], ins=[*ins, value])
        made.memory = (kind, where)
        made.place = None if lines else (register, where, constant)

    def _computed(self, terms: dict[str, int], kind: str) -> tuple[list[str], list[Source]]:
        """Return how r6 becomes an address that depends on data."""
        if len(terms) != 1:
            raise DescriptionError(
                "E109",
                "an address of data and a loop's index together is not made yet",
                help="`--straight` makes code without loops, whose indices are numbers",
            )
        ((word, stride),) = terms.items()
        at = (self.wholes.get(word) or [self.source(word)])[:2]
        first = 1 if kind == "load" else 0
        lines = [f"mov.b {{{first}}},r6l"]
        lines += [f"mov.b {{{first + 1}}},r6h"] if len(at) > 1 else ["mov.b #0,r6h"]
        while stride > 1:
            lines += ["shll.b r6l", "rotxl.b r6h"]
            stride //= 2
        return lines, at

    def pin_set(self, p: Pointer) -> list[str]:
        """Return the line that sets a pinned pointer before a loop."""
        return [f"mov.w #{p.base},{p.pin}"]

    def pin_stepped(self, p: Pointer, by: int) -> list[str]:
        """Return the lines that move a pinned pointer."""
        if by in (1, 2, 3, 4):
            return [*["adds #2," + p.pin] * (by // 2), *["adds #1," + p.pin] * (by % 2)]
        return [f"add.b #{by & 255},{p.pin}l", f"addx #{by >> 8 & 255},{p.pin}h"]

    def pin_copied(self, p: Pointer, low: Byte, high: Byte) -> None:
        """Copy a pinned pointer into values."""
        self.select.emit([f"mov.b {p.pin}l,{{0}}", f"mov.b {p.pin}h,{{1}}"], outs=[low, high])

    def pointing(self, p: Pointer) -> tuple[Byte, Byte]:
        """Return a pointer's start, low byte and high byte."""
        low, high = Byte(), Byte()
        self.select.number(low, p.base & 255)
        self.select.number(high, p.base >> 8 & 255)
        return low, high

    def moved(self, low: Byte, high: Byte, by: int) -> tuple[Byte, Byte]:
        """Return an address a number of bytes further."""
        if by == 0:
            return low, high
        a, b = Byte(), Byte()
        lines = [f"add.b #{by & 255},{{0}}", f"addx #{by >> 8 & 255},{{1}}"]
        self.select.emit(lines, tied=[(a, low), (b, high)])
        return a, b

    def moved_around(self, p: Pointer, step: int) -> tuple[Byte, Byte]:
        """Return a pointer that wraps around a number of bytes further."""
        a, b = Byte(), Byte()
        lines = [f"add.b #{step & 255},{{0}}", f"addx #{step >> 8},{{1}}", "mov.b {1},r6h"]
        lines += [f"cmp.b #{p.ring & 255},{{0}}", f"subx #{p.ring >> 8},r6h", "bcs 1f"]
        lines += [f"add.b #{-p.ring & 255},{{0}}", f"addx #{-p.ring >> 8 & 255},{{1}}", "1:"]
        self.select.emit(lines, tied=[(a, p.low), (b, p.high)])
        return a, b


def _in_r6(p: Pointer, kind: str) -> tuple[list[str], list[Source]]:
    """Return how r6 becomes a pointer that is kept as a value."""
    first = 1 if kind == "load" else 0
    return [f"mov.b {{{first}}},r6l", f"mov.b {{{first + 1}}},r6h"], [p.low, p.high]
