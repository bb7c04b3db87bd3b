"""What the lowering asks of a processor's selection of instructions for operations on bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

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

    def binary(self, kind: str, a: Source, b: Source) -> Source:
        """``add``, ``sub``, ``and``, ``or`` or ``xor`` of two bytes."""
        if isinstance(a, int) and isinstance(b, int):
            return folded(kind, a, b)
        if kind != "sub" and isinstance(a, int):
            a, b = b, a
        if (kind, b) in _NEUTRAL:
            return a
        if (kind, b) in _ABSORBING:
            return b
        return self.operation(kind, a, b)

    @abstractmethod
    def operation(self, kind: str, a: Source, b: Source) -> Byte:
        """Like `binary`, but one operand is no number (but of ``sub`` the second one), and it is needed."""

    def shifted(self, kind: str, a: Source, by: int, width: int) -> Source:
        """Shift or rotate a word of at most 8 bits by a number."""
        if kind in ("rotl", "rotr"):
            by = (by if kind == "rotl" else -by) % width
            if by == 0:
                return a
            if width == 8 and not isinstance(a, int):
                return self.rotated(a, by)
            low = self.shifted("shl", a, by, width)
            return self.binary("or", low, self.shifted("shr", a, width - by, width))
        if isinstance(a, int):
            return (a << by) & ((1 << width) - 1) if kind == "shl" else a >> by
        if by == 0:
            return a
        if by >= width:
            return 0
        return self.left(a, by, width) if kind == "shl" else self.right(a, by)

    @abstractmethod
    def rotated(self, a: Byte, by: int) -> Byte:
        """Rotate a byte to the left by 1 to 7 bits."""

    @abstractmethod
    def left(self, a: Byte, by: int, width: int) -> Source:
        """Shift a word of at most 8 bits to the left by less than its width."""

    @abstractmethod
    def right(self, a: Byte, by: int) -> Source:
        """Shift a byte to the right by 1 to 7 bits."""

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

    @abstractmethod
    def halved(self, a: Source, polynomial: int) -> Source:
        """Divided by x in GF(2^8)."""

    @abstractmethod
    def multiplied(self, a: Source, b: Source) -> Source:
        """The low byte of a product."""

    @abstractmethod
    def looked_up(self, label: str, address: list[Source], entries: int) -> Source:
        """An entry of a table of bytes."""

    @abstractmethod
    def compared(self, kind: str, a: list[Source], b: list[Source]) -> Source:
        """1 if the comparison of two words holds, else 0."""

    def chosen(self, condition: Source, a: Source, b: Source) -> Source:
        """``a`` if the condition is 1, else ``b``."""
        if isinstance(condition, int):
            return a if condition else b
        return self.choice(condition, a, b)

    @abstractmethod
    def choice(self, condition: Byte, a: Source, b: Source) -> Source:
        """Like `chosen`, of a condition that is not known."""

    @abstractmethod
    def wide(self, name: str, operands: list[Source]) -> list[Source]:
        """The bytes of the result of a call of one of the functions of ``split-words``."""


_NEUTRAL = frozenset({("add", 0), ("sub", 0), ("xor", 0), ("or", 0), ("and", 255)})
_ABSORBING = frozenset({("and", 0), ("or", 255)})


def number_of(values: Sequence[Source]) -> int | None:
    """Return the number that bytes are together, the least significant first, or None if one is not known."""
    numbers = [x for x in values if isinstance(x, int)]
    return sum(x << 8 * k for k, x in enumerate(numbers)) if len(numbers) == len(values) else None


def folded(kind: str, a: int, b: int) -> int:
    """Return an operation on numbers."""
    made = {"and": a & b, "or": a | b, "xor": a ^ b, "add": a + b, "sub": a - b}
    return made[kind] & 255
