"""MCS-51: where objects lie, and loads and stores of bytes at constants, by loops' indices, by data."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.embedded.code import Byte, Instruction, Source
from cipherassay.embedded.factoring import Weights
from cipherassay.embedded.lower import Lowering
from cipherassay.embedded.memory import Pointer
from cipherassay.embedded.processors.mcs51.select import Select
from cipherassay.embedded.window import Window
from cipherassay.errors import DescriptionError
from cipherassay.ir import Function, Program


def space(where: str, *, internal: bool) -> str:
    """Return the memory that an object lies in; ``internal``: round keys are in internal RAM."""
    if where.endswith(("_block", "_key")):
        return "data"
    return "idata" if internal and "_keys" in where else "xdata"


@dataclass(eq=False)
class Access(Instruction):
    """A load or a store of a byte at an object, a constant and perhaps an index.

    ``index`` is the low byte of the index and, for objects that cross pages of 256 bytes, the high one.
    ``space``: ``data`` (direct addresses), ``idata`` (other internal RAM), ``xdata`` (external RAM).
    """

    where: str = ""
    at: int = 0
    index: tuple[Source, ...] = ()
    space: str = "xdata"
    paged: bool = True

    @property
    def value(self) -> Source:
        """Return what is loaded or stored."""
        return self.outs[0] if self.outs else self.ins[-1]


class Mcs51Lowering(Lowering):
    """One function on its way to MCS-51 code: pointers are sums of indices, displacements hold objects."""

    reach = 1 << 16
    weights = Weights(xor=2, double=3, copy=0)
    pins = {}
    select: Select

    def __init__(
        self,
        program: Program,
        function: Function,
        places: dict[str, str],
        room: tuple[int, int],
        *,
        internal: bool,
        window: Window | None = None,
    ) -> None:
        super().__init__(program, function, places, window)
        self.room = room
        self.internal = internal
        types = {self.places[name]: ty for name, ty in self.types.items() if name in self.places}
        self.paged = {where: _offset(where) + ty.cells <= 256 for where, ty in types.items()}

    def space(self, where: str) -> str:
        """Return the memory that an object lies in."""
        return space(where, internal=self.internal)

    def selection(self) -> Select:
        """Return what selects instructions for operations on bytes."""
        return Select(self._table)

    def _table(self, name: str, data: list[int]) -> None:
        """Make a table known that the program has not."""
        self.tables.setdefault(name, data)

    def reserved(self) -> set[int]:
        """Return no registers: those of pointers are none that values get."""
        return set()

    def object_of(self, where: str) -> str:
        """Return what pointers tell apart: nothing, as displacements hold the object."""
        return ""

    def based(self, constants: list[int]) -> list[int]:
        """Return what one pointer is relative to."""
        return [0]

    def access(self, kind: str, where: str, terms: dict[str, int], constant: int, value: Source) -> None:
        """Load or store a byte at coefficients of values plus a constant."""
        index: tuple[Source, ...] = ()
        if terms and [v for v in terms if self.types[v].word_bits]:
            index = self._computed(terms, where)
        elif terms:
            p = self.pointer("", tuple(sorted((c, v) for v, c in terms.items())), 0)
            index = (p.low,) if self.paged[where] else (p.low, p.high)
        self._append(kind, where, constant, index, value)

    def around(self, kind: str, p: Pointer, where: str, at: int, value: Source) -> None:
        """Load or store a byte at a distance from a pointer that wraps around."""
        self._append(kind, where, at, (p.low,) if self.paged[where] else (p.low, p.high), value)

    def _append(self, kind: str, where: str, at: int, index: tuple[Source, ...], value: Source) -> None:
        made = Access(
            [f"{kind} {where}+{at}"],
            outs=[value] if kind == "load" else [],  # type: ignore[list-item]
            ins=[*index, *([] if kind == "load" else [value])],
            memory=(kind, where), place=None if index else ("", where, at),
            where=where, at=at, index=index, space=self.space(where),
            paged=self.paged[where],
        )  # fmt: skip
        self.select.out.append(made)

    def _computed(self, terms: dict[str, int], where: str) -> tuple[Source, ...]:
        """Return an index that depends on data."""
        ((word, stride), *others) = terms.items()
        at = self.wholes.get(word) or [self.source(word)]
        if others or len(at) > 1 or stride & stride - 1 or not self.paged[where]:
            raise DescriptionError(
                "E109",
                "an address of data and a loop's index together is not made yet",
                help="`--straight` makes code without loops, whose indices are numbers",
            )
        return (self.select.shifted("shl", at[0], stride.bit_length() - 1, 8),)

    def pin_set(self, p: Pointer) -> list[str]:
        """No pointer is a register for a whole loop."""
        raise NotImplementedError

    def pin_stepped(self, p: Pointer, by: int) -> list[str]:
        """No pointer is a register for a whole loop."""
        raise NotImplementedError

    def pin_copied(self, p: Pointer, low: Byte, high: Byte) -> None:
        """No pointer is a register for a whole loop."""
        raise NotImplementedError

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
        parts = [Instruction([f"add a,#{by & 255}"], tied=[(a, low)])]
        if all(self.paged.values()):
            b = high
        else:
            parts.append(Instruction([f"addc a,#{by >> 8 & 255}"], tied=[(b, high)]))
        self.select.glued(parts)
        return a, b

    def moved_around(self, p: Pointer, step: int) -> tuple[Byte, Byte]:
        """Return a pointer that wraps around a number of bytes further."""
        if p.ring + step > 255:
            raise DescriptionError(
                "E115",
                f"an address that wraps around after {p.ring} bytes in steps of {step} is not made yet",
                help="the two make 255 at most; `--straight` makes code without loops",
            )
        a = Byte()
        lines = [f"add a,#{step}", f"cjne a,#{p.ring},1f", "1:", "jc 2f", f"add a,#{-p.ring & 255}", "2:"]
        self.select.emit(lines, tied=[(a, p.low)])
        return a, p.high


def _offset(where: str) -> int:
    """Return where an object begins in its page: objects do at its start, parts of them further on."""
    return int(where.partition(" + ")[2] or 0) % 256
