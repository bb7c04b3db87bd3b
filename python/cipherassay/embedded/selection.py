"""What the lowering asks of a processor's selection of instructions for operations on bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod

from cipherassay.embedded.code import Byte, Instruction, Item, Source


class Selection(ABC):
    """Appends instructions to `out` and hands out their results; wide words are bytes, the least first."""

    def __init__(self) -> None:
        self.out: list[Item] = []

    def emit(self, lines: list[str], **fields: object) -> Instruction:
        """Append an instruction."""
        instruction = Instruction(lines, **fields)  # type: ignore[arg-type]
        self.out.append(instruction)
        return instruction

    def unary(self, lines: list[str], a: Source, ins: list[Source] | None = None) -> Byte:
        """Change a byte in place."""
        d = Byte()
        self.emit(lines, tied=[(d, a)], ins=ins or [])
        return d

    @abstractmethod
    def number(self, d: Byte, value: int) -> None:
        """Load a number that is a value of its own, a counter's start."""

    @abstractmethod
    def binary(self, kind: str, a: Source, b: Source) -> Source:
        """``add``, ``sub``, ``and``, ``or`` or ``xor`` of two bytes."""

    @abstractmethod
    def shifted(self, kind: str, a: Source, by: int, width: int) -> Source:
        """Shift or rotate a word of at most 8 bits by a number."""

    def masked(self, a: Source, width: int) -> Source:
        """Clear the bits above a width."""
        return a if width == 8 else self.binary("and", a, (1 << width) - 1)

    def field(self, a: Source, position: int, width: int, of: int) -> Source:
        """Some bits of a word of ``of`` bits."""
        d = self.shifted("shr", a, position, 8)
        return d if position + width >= of else self.masked(d, width)

    @abstractmethod
    def doubled(self, a: Source, polynomial: int) -> Source:
        """Times x in GF(2^8)."""

    def halved(self, a: Source, polynomial: int) -> Source:
        """Divided by x in GF(2^8); only where the lowering searches for the best way."""
        raise NotImplementedError

    @abstractmethod
    def multiplied(self, a: Source, b: Source) -> Source:
        """The low byte of a product."""

    @abstractmethod
    def looked_up(self, label: str, address: list[Source], entries: int) -> Source:
        """An entry of a table of bytes."""

    @abstractmethod
    def compared(self, kind: str, a: list[Source], b: list[Source]) -> Source:
        """1 if the comparison of two words holds, else 0."""

    @abstractmethod
    def chosen(self, condition: Source, a: Source, b: Source) -> Source:
        """``a`` if the condition is 1, else ``b``."""

    @abstractmethod
    def wide(self, name: str, operands: list[Source]) -> list[Source]:
        """The bytes of the result of a call of one of the functions of ``split-words``."""


def folded(kind: str, a: int, b: int) -> int:
    """Return an operation on numbers."""
    made = {"and": a & b, "or": a | b, "xor": a ^ b, "add": a + b, "sub": a - b}
    return made[kind] & 255
