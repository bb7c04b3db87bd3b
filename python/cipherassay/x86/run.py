"""Instructions executed for one input, or for many at once: registers, memory, the addresses of accesses.

For one input words are integers. For many they are arrays, which takes NumPy; nothing else here needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from cipherassay.errors import DescriptionError
from cipherassay.x86.reader import ALU, Instruction, Memory, Operand, Register

MASK = 0xFFFFFFFF

Word = Any
"""A word of 32 bits: an integer, the same for all inputs, or an array with one for each."""


class _Memory(Protocol):
    """A memory for each input; places are counted from its begin."""

    def put(self, place: int, contents: Sequence[bytes]) -> None: ...

    def get(self, place: int, size: int) -> list[bytes]: ...

    def read(self, place: Word, size: int) -> Word: ...

    def write(self, place: Word, size: int, value: Word) -> None: ...


class _One:
    """The memory for one input."""

    def __init__(self, memory: bytes | bytearray) -> None:
        self._bytes = bytearray(memory)

    def put(self, place: int, contents: Sequence[bytes]) -> None:
        (one,) = contents
        self._bytes[place : place + len(one)] = one

    def get(self, place: int, size: int) -> list[bytes]:
        return [bytes(self._bytes[place : place + size])]

    def read(self, place: int, size: int) -> int:
        return int.from_bytes(self._bytes[place : place + size], "little")

    def write(self, place: int, size: int, value: int) -> None:
        self._bytes[place : place + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")


class _Many:
    """The memories for many inputs, as arrays."""

    def __init__(self, memory: bytes | bytearray, count: int) -> None:
        import numpy as np

        words = np.frombuffer(bytes(memory) + bytes(-len(memory) % 4), np.dtype("<u4"))
        self._words = np.repeat(words[:, None], count, axis=1)
        self._bytes = self._words.view(np.uint8).reshape(len(words), count, 4)
        self._every = np.arange(count)
        self._numpy = np

    def put(self, place: int, contents: Sequence[bytes]) -> None:
        data = self._numpy.frombuffer(b"".join(contents), "u1").reshape(len(contents), -1)
        at = self._numpy.arange(place, place + data.shape[1])
        self._bytes[at >> 2, :, at & 3] = data.T

    def get(self, place: int, size: int) -> list[bytes]:
        at = self._numpy.arange(place, place + size)
        rows = self._numpy.ascontiguousarray(self._bytes[at >> 2, :, at & 3].T)
        return [row.tobytes() for row in rows]

    def read(self, place: Word, size: int) -> Word:
        if size == 4 and not self._numpy.any(place & 3):
            return self._words[place >> 2, self._every]
        total: Word = 0
        for k in range(size):
            one = self._bytes[(place + k) >> 2, self._every, (place + k) & 3]
            total = total + (one.astype("u4") << 8 * k)
        return total

    def write(self, place: Word, size: int, value: Word) -> None:
        if size == 4 and not self._numpy.any(place & 3):
            self._words[place >> 2, self._every] = value
            return
        for k in range(size):
            self._bytes[(place + k) >> 2, self._every, (place + k) & 3] = value >> 8 * k & 255


class Run:
    """A memory with symbols, and registers, for each of several inputs; `trace` executes instructions.

    All inputs take the same way: a branch that would part them is an error.
    """

    def __init__(
        self, memory: bytes | bytearray, symbols: Mapping[str, int], base: int, count: int = 1
    ) -> None:
        self._memory: _Memory = _One(memory) if count == 1 else _Many(memory, count)
        self.size, self.symbols, self.base, self.count = len(memory), symbols, base, count
        self.registers: list[Word] = [0] * 8
        self._result: Word = 1

    def put(self, place: int, contents: Sequence[bytes]) -> None:
        """Write bytes from a place of the memory on, for each input its own."""
        self._memory.put(place, contents)

    def get(self, place: int, size: int) -> list[bytes]:
        """Return bytes from a place of the memory on, of each input."""
        return self._memory.get(place, size)

    def go(self, code: Sequence[Instruction], labels: Mapping[str, int]) -> tuple[list[int], list[list[int]]]:
        """Execute instructions; return the place of each, and of each input the addresses, 0 for none."""
        steps = list(self.trace(code, labels))
        of_each = [[at] * self.count if isinstance(at, int) else at.tolist() for _, at in steps]
        return [place for place, _ in steps], [list(one) for one in zip(*of_each, strict=True)]

    def trace(self, code: Sequence[Instruction], labels: Mapping[str, int]) -> Iterator[tuple[int, Word]]:
        """Execute instructions; yield the place of each and the address that it accesses, 0 for none.

        Raises
        ------
        DescriptionError
            X202: an access outside of the memory. X204: a branch that inputs take differently.
        """
        place = 0
        while place < len(code):
            one = code[place]
            memory = one.memory
            at = self.address(memory) if memory else 0
            if memory and one.name != "lea":
                self._inside(one, at)
            if not one.target:
                self._execute(one, at)
            yield place, at if memory and one.name != "lea" else 0
            place = labels[one.target] if one.target and not self._zero(one) else place + 1

    def _inside(self, one: Instruction, at: Word) -> None:
        least, most = (at, at) if isinstance(at, int) else (int(at.min()), int(at.max()))
        if least < self.base or most > self.base + self.size - one.size:
            wrong = least if least < self.base else most
            raise DescriptionError(
                "X202", f"`{one.text}` in line {one.line} accesses address {wrong:#x}, outside of the memory"
            )

    def _zero(self, one: Instruction) -> bool:
        """Return whether the last arithmetic gave zero."""
        zero = self._result == 0
        if isinstance(zero, bool):
            return zero
        if zero.any() != zero.all():
            raise DescriptionError("X204", f"`{one.text}` in line {one.line} depends on the input")
        return bool(zero.all())

    def address(self, memory: Memory) -> Word:
        """Return an address's value."""
        at: Word = ((self.symbols[memory.symbol] if memory.symbol else 0) + memory.offset) & MASK
        if memory.base is not None:
            at = _cut(at + self.registers[memory.base])
        if memory.index is not None:
            at = _cut(at + self.registers[memory.index] * memory.scale)
        return at

    def _value(self, operand: Operand, size: int, at: Word) -> Word:
        if isinstance(operand, Register):
            whole = self.registers[operand.number]
            return whole if operand.byte is None else whole >> 8 * operand.byte & 255
        return operand if isinstance(operand, int) else self._memory.read(at - self.base, size)

    def _execute(self, one: Instruction, at: Word) -> None:
        if one.name == "lea":
            value = at
        else:
            values = [self._value(o, one.size, at) for o in one.operands]
            value = _cut(_MEANING[one.name](values))
            if one.name in ALU:
                self._result = value
        target = one.operands[0]
        if isinstance(target, Register):
            self.registers[target.number] = value
        else:
            self._memory.write(at - self.base, one.size, value)


def _cut(x: Word) -> Word:
    """Return the low 32 bits: those of arrays are all that there are."""
    return x & MASK if isinstance(x, int) else x


def _rotated(x: Word, n: Word) -> Word:
    n = n & 31
    return x << n | x >> (32 - n & 31)


def _turned(x: Word) -> Word:
    return x << 24 | (x & 0xFF00) << 8 | x >> 8 & 0xFF00 | x >> 24


_MEANING: dict[str, Callable[[list[Word]], Word]] = {
    "mov": lambda v: v[1],
    "movb": lambda v: v[1] & 255,
    "movzb": lambda v: v[1] & 255,
    "add": lambda v: v[0] + v[1],
    "sub": lambda v: v[0] - v[1],
    "and": lambda v: v[0] & v[1],
    "or": lambda v: v[0] | v[1],
    "xor": lambda v: v[0] ^ v[1],
    "not": lambda v: ~v[0],
    "neg": lambda v: 0 - v[0],
    "shl": lambda v: v[0] << (v[1] & 31),
    "shr": lambda v: v[0] >> (v[1] & 31),
    "rol": lambda v: _rotated(v[0], v[1]),
    "ror": lambda v: _rotated(v[0], 0 - v[1]),
    "bswap": lambda v: _turned(v[0]),
    "imul": lambda v: v[-2] * v[-1],
}
