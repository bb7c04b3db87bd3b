"""Instructions executed one after the other: registers, memory, and the addresses of accesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from cipherassay.errors import DescriptionError
from cipherassay.x86.reader import ALU, Instruction, Memory, Operand, Register

MASK = 0xFFFFFFFF


class Run:
    """A memory with symbols, and registers; `go` executes instructions."""

    def __init__(self, memory: bytearray, symbols: Mapping[str, int], base: int) -> None:
        self.memory, self.symbols, self.base = memory, symbols, base
        self.registers = [0] * 8
        self.zero = False

    def go(self, code: Sequence[Instruction], labels: Mapping[str, int] | None = None) -> list[int]:
        """Execute instructions; return the address that each accesses, 0 for none, as often as they run."""
        return [address for _, address in self.trace(code, labels or {})]

    def trace(self, code: Sequence[Instruction], labels: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """Execute instructions; yield the place of each and the address that it accesses, 0 for none.

        Raises
        ------
        DescriptionError
            X202: an access outside of the memory.
        """
        place = 0
        while place < len(code):
            one = code[place]
            memory = one.memory
            at = self.address(memory) if memory else 0
            if memory and one.name != "lea" and not 0 <= at - self.base <= len(self.memory) - one.size:
                raise DescriptionError(
                    "X202", f"`{one.text}` in line {one.line} accesses address {at:#x}, outside of the memory"
                )
            if not one.target:
                self._execute(one, at)
            yield place, at if memory and one.name != "lea" else 0
            place = labels[one.target] if one.target and not self.zero else place + 1

    def address(self, memory: Memory) -> int:
        """Return an address's value."""
        at = self.symbols[memory.symbol] if memory.symbol else 0
        at += memory.offset
        if memory.base is not None:
            at += self.registers[memory.base]
        if memory.index is not None:
            at += self.registers[memory.index] * memory.scale
        return at & MASK

    def _value(self, operand: Operand, size: int, at: int) -> int:
        if isinstance(operand, Register):
            whole = self.registers[operand.number]
            return whole if operand.byte is None else whole >> 8 * operand.byte & 255
        if isinstance(operand, int):
            return operand
        place = at - self.base
        return int.from_bytes(self.memory[place : place + size], "little")

    def _execute(self, one: Instruction, at: int) -> None:
        if one.name == "lea":
            value = at
        else:
            values = [self._value(o, one.size, at) for o in one.operands]
            value = _MEANING[one.name](values) & MASK
            if one.name in ALU:
                self.zero = value == 0
        target = one.operands[0]
        if isinstance(target, Register):
            self.registers[target.number] = value
        else:
            place = at - self.base
            self.memory[place : place + one.size] = value.to_bytes(one.size, "little")


def _rotated(x: int, n: int) -> int:
    n &= 31
    return (x << n | x >> (32 - n)) & MASK


_MEANING: dict[str, Callable[[list[int]], int]] = {
    "mov": lambda v: v[1],
    "movb": lambda v: v[1] & 255,
    "movzb": lambda v: v[1] & 255,
    "add": lambda v: v[0] + v[1],
    "sub": lambda v: v[0] - v[1],
    "and": lambda v: v[0] & v[1],
    "or": lambda v: v[0] | v[1],
    "xor": lambda v: v[0] ^ v[1],
    "not": lambda v: ~v[0],
    "neg": lambda v: -v[0],
    "shl": lambda v: v[0] << (v[1] & 31),
    "shr": lambda v: v[0] >> (v[1] & 31),
    "rol": lambda v: _rotated(v[0], v[1]),
    "ror": lambda v: _rotated(v[0], -v[1]),
    "bswap": lambda v: int.from_bytes(v[0].to_bytes(4, "little"), "big"),
    "imul": lambda v: v[-2] * v[-1],
}
