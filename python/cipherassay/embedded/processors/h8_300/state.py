"""What an H8/300 has: memory of 64 KiB, registers, flags without the half carry."""

from __future__ import annotations


class State:
    """Memory and the registers r0 to r7, each of a high and a low byte; r7 is the stack pointer.

    ``lowest`` is the least address that the stack pointer had.
    """

    def __init__(self, image: bytes, at: int, stack: int) -> None:
        self.memory = bytearray(1 << 16)
        self.memory[at : at + len(image)] = image
        self.stack = stack
        self.half = [0] * 16  # r0h to r7h, r0l to r7l
        self.carry = self.zero = self.negative = self.overflow = 0
        self.pc = 0
        self.lowest = stack

    def word(self, r: int) -> int:
        """Return a 16-bit register."""
        return self.half[r] << 8 | self.half[r + 8]

    def set_word(self, r: int, value: int) -> None:
        """Set a 16-bit register."""
        self.half[r], self.half[r + 8] = value >> 8 & 255, value & 255

    def read(self, at: int, size: int) -> int:
        """Return a byte, or a word at an even address, most significant byte first."""
        at &= 0xFFFF if size == 1 else 0xFFFE
        return self.memory[at] if size == 1 else self.memory[at] << 8 | self.memory[at + 1]

    def write(self, at: int, value: int, size: int) -> None:
        """Write a byte, or a word at an even address."""
        at &= 0xFFFF if size == 1 else 0xFFFE
        self.memory[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "big")

    def push(self, value: int) -> None:
        """Put a word on the stack."""
        self.set_word(7, self.word(7) - 2)
        self.write(self.word(7), value, 2)
        self.lowest = min(self.lowest, self.word(7))

    def pop(self) -> int:
        """Take a word from the stack."""
        value = self.read(self.word(7), 2)
        self.set_word(7, self.word(7) + 2)
        return value

    def flags(self, result: int, size: int) -> None:
        """Set N and Z."""
        self.negative = result >> 8 * size - 1 & 1
        self.zero = int(result & (1 << 8 * size) - 1 == 0)
