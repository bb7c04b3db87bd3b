"""AVR: addresses, pointers in Y and X, and how Z becomes an address."""

from __future__ import annotations

from cipherassay.embedded.avr import Select
from cipherassay.embedded.avr_sums import in_z
from cipherassay.embedded.avr_window import window_store
from cipherassay.embedded.code import Byte, Code, Source
from cipherassay.embedded.factoring import Weights
from cipherassay.embedded.lower import Lowering
from cipherassay.embedded.memory import Pointer
from cipherassay.embedded.window import Window
from cipherassay.errors import DescriptionError
from cipherassay.ir import Function, Program


class AvrLowering(Lowering):
    """One function on its way to AVR code."""

    reach = 64
    weights = Weights(xor=1, double=3, copy=0.75)
    pins = {"Y": (28, 29), "X": (26, 27)}
    select: Select

    def __init__(
        self,
        program: Program,
        function: Function,
        places: dict[str, str],
        window: Window | None = None,
        *,
        load: str = "lpm",
    ) -> None:
        self.load = load
        super().__init__(program, function, places, window)

    def code(self) -> Code:
        """Return the function's code, with look-ups of sums made in Z."""
        code = super().code()
        code.items = in_z(code.items)
        return code

    def selection(self) -> Select:
        """Return what selects instructions for operations on bytes."""
        return Select(self.load)

    def reserved(self) -> set[int]:
        """Return Z, and what `mul` writes."""
        return {30, 31} | ({0, 1} if self.select.multiplies else set())

    def window_stored(
        self, window: Window, size: int, row: Source, column: Source, values: list[Source]
    ) -> None:
        """Store the values of a row if the window has it."""
        window_store(self.select, window, size, row, column, values)

    def around(self, kind: str, p: Pointer, where: str, at: int, value: Source) -> None:
        """Load or store a byte at a distance from a pointer that wraps around."""
        first = 1 if kind == "load" else 0
        lines = [f"mov r30, {{{first}}}", f"mov r31, {{{first + 1}}}"]
        memory_ = (kind, where)
        if kind == "load":
            assert isinstance(value, Byte)
            self.select.emit(
                [*lines, f"ldd {{0}}, Z+{at}"], outs=[value], ins=[p.low, p.high], memory=memory_
            )
        else:
            self.select.emit([*lines, f"std Z+{at}, {{2}}"], ins=[p.low, p.high, value], memory=memory_)

    def access(self, kind: str, where: str, terms: dict[str, int], constant: int, value: Source) -> None:
        """Load or store a byte at coefficients of values plus a constant."""
        words = [v for v in terms if self.types[v].word_bits]
        lines: list[str] = []
        ins: list[Source] = []
        first = 1 if kind == "load" else 0
        if words:
            lines, ins = self._computed(where, terms, constant, words, first)
            place = "Z"
        elif terms:
            pointer = self.pointer(where, tuple(sorted((c, v) for v, c in terms.items())), constant)
            if pointer.pin != "Y":
                ins = [] if pointer.pin else [pointer.low, pointer.high]
                lines = (
                    ["movw r30, r26"]
                    if pointer.pin
                    else [f"mov r30, {{{first}}}", f"mov r31, {{{first + 1}}}"]
                )
            if pointer.pin == "Y" or constant != pointer.base:
                place = f"{'Y' if pointer.pin == 'Y' else 'Z'}+{constant - pointer.base}"
            else:
                place = "Z"
        else:
            place = f"{where} + {constant}"
        direct = "+" in place and place[1] != "+"
        memory_ = (kind, where)
        if kind == "load":
            name = "lds" if direct else "ldd" if "+" in place else "ld"
            self.select.emit([*lines, f"{name} {{0}}, {place}"], outs=[value], ins=ins, memory=memory_)
        else:
            name = "sts" if direct else "std" if "+" in place else "st"
            number = len(ins)
            self.select.emit([*lines, f"{name} {place}, {{{number}}}"], ins=[*ins, value], memory=memory_)

    def _computed(
        self, where: str, terms: dict[str, int], constant: int, words: list[str], first: int
    ) -> tuple[list[str], list[Source]]:
        """Return how Z becomes an address that depends on data."""
        if len(terms) != 1 or len(words) != 1:
            raise DescriptionError(
                "E109",
                "an address of data and a loop's index together is not made yet",
                help="`--straight` makes code without loops, whose indices are numbers",
            )
        word, stride = words[0], terms[words[0]]
        at = self.wholes.get(word) or [self.source(word)]
        lines = [f"mov r30, {{{first}}}"]
        lines += [f"mov r31, {{{first + 1}}}"] if len(at) > 1 else ["ldi r31, 0"]
        while stride > 1:
            lines += ["lsl r30", "rol r31"]
            stride //= 2
        lines += [f"subi r30, lo8(-({where} + {constant}))", f"sbci r31, hi8(-({where} + {constant}))"]
        return lines, at[:2]

    def pin_set(self, p: Pointer) -> list[str]:
        """Return the lines that set a pinned pointer before a loop."""
        low, high = self.pins[p.pin]
        return [f"ldi r{low}, lo8({p.key[0]} + {p.base})", f"ldi r{high}, hi8({p.key[0]} + {p.base})"]

    def pin_stepped(self, p: Pointer, by: int) -> list[str]:
        """Return the lines that move a pinned pointer."""
        low, high = self.pins[p.pin]
        if 0 < by < 64:
            return [f"adiw r{low}, {by}"]
        if -64 < by < 0:
            return [f"sbiw r{low}, {-by}"]
        return [f"subi r{low}, lo8({-by})", f"sbci r{high}, hi8({-by})"]

    def pin_copied(self, p: Pointer, low: Byte, high: Byte) -> None:
        """Copy a pinned pointer into values."""
        a, b = self.pins[p.pin]
        self.select.emit([f"mov {{0}}, r{a}", f"mov {{1}}, r{b}"], outs=[low, high])

    def pointing(self, p: Pointer) -> tuple[Byte, Byte]:
        """Return a pointer's start, low byte and high byte."""
        low, high = Byte(), Byte()
        where = p.key[0]
        self.select.emit([f"ldi {{0}}, lo8({where} + {p.base})"], outs=[low], upper=frozenset({0}))
        self.select.emit([f"ldi {{0}}, hi8({where} + {p.base})"], outs=[high], upper=frozenset({0}))
        return low, high

    def moved(self, low: Byte, high: Byte, by: int) -> tuple[Byte, Byte]:
        """Return an address a number of bytes further."""
        if by == 0:
            return low, high
        a, b = Byte(), Byte()
        lines = [f"subi {{0}}, lo8({-by})", f"sbci {{1}}, hi8({-by})"]
        self.select.emit(lines, tied=[(a, low), (b, high)], upper=frozenset({0, 1}))
        return a, b

    def moved_around(self, p: Pointer, step: int) -> tuple[Byte, Byte]:
        """Return a pointer that wraps around a number of bytes further."""
        a, b = Byte(), Byte()
        end = f"{p.key[0]} + {p.ring}"
        lines = [f"subi {{0}}, lo8({-step})", f"sbci {{1}}, hi8({-step})", f"ldi r30, hi8({end})"]
        lines += [f"cpi {{0}}, lo8({end})", "cpc {1}, r30", "brlo 1f"]
        lines += [f"subi {{0}}, lo8({p.ring})", f"sbci {{1}}, hi8({p.ring})", "1:"]
        self.select.emit(lines, tied=[(a, p.low), (b, p.high)], upper=frozenset({0, 1}))
        return a, b
