"""An own simulator of the H8/300 CPU: executes machine code and counts states.

It knows encodings and states from ``instructions.toml`` and nothing of what makes the code. All memory is
on-chip. The half-carry flag, interrupts and what depends on them are left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cipherassay.errors import DescriptionError

FILE = Path(__file__).with_name("instructions.toml")
_FIXED = "0123456789abcdef"
_MODES = {
    "p": "indirect", "pd": "displaced", "p+": "increment", "-p": "decrement", "m8": "absolute8",
    "m16": "absolute16",
}  # fmt: skip

Fields = dict[str, int]
Step = Callable[["Simulator", Fields], None]


@dataclass(frozen=True)
class Encoding:
    """One encoding: name, addressing mode, nibbles, states with on-chip memory."""

    name: str
    mode: str
    code: str
    states: int

    @property
    def length(self) -> int:
        """Return the bytes."""
        return len(self.code) // 2

    def fields(self, nibbles: str) -> Fields | None:
        """Return the fields of an instruction of this encoding, or None."""
        found: dict[str, str] = {}
        for letter, nibble in zip(self.code, nibbles, strict=False):
            if letter not in _FIXED:
                found[letter] = found.get(letter, "") + nibble
            elif letter != nibble:
                return None
        values = {letter: int(digits, 16) for letter, digits in found.items()}
        if any(values.get(letter, 0) > 7 for letter in "pSRk") or values.get("P", 8) < 8:
            return None
        return values | {"p": values["P"] & 7} if "P" in values else values


@cache
def encodings() -> tuple[Encoding, ...]:
    """Return the encodings of all instructions."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Encoding(
            *_moved(record["name"], record["operands"]),
            record["code"],
            sum(states * record.get(count, 0) for count, states in data["counts"].items()),
        )
        for record in data["instruction"]
        if "code" in record
    )


def _moved(name: str, operands: str) -> tuple[str, str]:
    """Return a name, of moves whether they load or store, and the addressing mode."""
    modes = [_MODES.get(one.lstrip("="), "") for one in operands.split(", ")]
    if not any(modes):
        return name, ""
    return name.replace("mov", "load" if modes[0] else "store"), "".join(modes)


class Simulator:
    """Memory of 64 KiB and the registers r0 to r7, each of a high and a low byte; r7 is the stack pointer.

    Raises
    ------
    DescriptionError
        ``E131``: the program counter reaches code that ``instructions.toml`` does not know.
    """

    def __init__(self, image: bytes, at: int, stack: int) -> None:
        self.memory = bytearray(1 << 16)
        self.memory[at : at + len(image)] = image
        self.stack = stack
        self.half = [0] * 16  # r0h to r7h, r0l to r7l
        self.carry = self.zero = self.negative = self.overflow = 0
        self.pc = 0
        self.lowest = stack
        self._known: dict[int, tuple[Step, Fields, int, int]] = {}

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

    def call(self, at: int, most: int = 10_000_000) -> tuple[int, dict[int, int]]:
        """Call a function; return the states through its `rts`, and those before each address was reached.

        Raises
        ------
        TimeoutError
            It takes more than ``most`` states.
        """
        self.set_word(7, self.stack)
        self.lowest = self.stack
        self._push(0)
        self.pc = at
        total, reached, known = 0, {}, self._known
        while total <= most:
            pc = self.pc
            if pc not in reached:
                reached[pc] = total
                if pc not in known:
                    known[pc] = self._decoded(pc)
            step, fields, length, states = known[pc]
            self.pc = pc + length
            step(self, fields)
            total += states
            if self.pc == 0:
                return total, reached
        raise TimeoutError(f"more than {most} states")

    def _decoded(self, at: int) -> tuple[Step, Fields, int, int]:
        nibbles = self.memory[at : at + 4].hex()
        for one in encodings():
            if (fields := one.fields(nibbles)) is not None:
                return _step(one), fields, one.length, one.states
        raise DescriptionError("E131", f"`{FILE.name}` knows no instruction {nibbles} (at {at:#06x})")

    def _push(self, value: int) -> None:
        self.set_word(7, self.word(7) - 2)
        self.write(self.word(7), value, 2)
        self.lowest = min(self.lowest, self.word(7))

    def _pop(self) -> int:
        value = self.read(self.word(7), 2)
        self.set_word(7, self.word(7) + 2)
        return value

    def flags(self, result: int, size: int) -> None:
        """Set N and Z."""
        self.negative = result >> 8 * size - 1 & 1
        self.zero = int(result & (1 << 8 * size) - 1 == 0)


def _step(one: Encoding) -> Step:
    """Return what the instructions of an encoding do."""
    name, _, width = one.name.partition(".")
    size = 2 if width == "w" else 1
    if name in ("load", "store"):
        return _access(name, one.mode, size)
    if name in _BRANCHES:
        condition = _BRANCHES[name]
        return lambda m, f: setattr(m, "pc", m.pc + _signed(f["t"]) if condition(m) else m.pc)
    if name in _CONTROL:
        return _CONTROL[name]
    if name in ("adds", "subs"):
        sign = 1 if name == "adds" else -1
        return lambda m, f: m.set_word(f["R"], m.word(f["R"]) + sign * (2 if f["u"] else 1))
    if name == "mulxu":
        return lambda m, f: m.set_word(f["R"], m.half[f["R"] + 8] * m.half[f["s"]])
    if name == "divxu":
        return _divided
    return _of_words(_OPERATIONS[name]) if size == 2 else _of_bytes(_OPERATIONS[name], one.code)


def _divided(m: Simulator, f: Fields) -> None:
    """Divide a word by a byte: the quotient's low byte in the low half, the remainder in the high half."""
    divisor = m.half[f["s"]]
    m.zero, m.negative = int(divisor == 0), divisor >> 7
    if divisor:
        quotient, remainder = divmod(m.word(f["R"]), divisor)
        m.set_word(f["R"], remainder << 8 | quotient & 255)


def _of_words(operation: Operation) -> Step:
    def step(m: Simulator, f: Fields) -> None:
        result = operation(m, m.word(f["R"]), f["i"] if "i" in f else m.word(f["S"]), 2)
        if result is not None:
            m.set_word(f["R"], result)

    return step


def _of_bytes(operation: Operation, code: str) -> Step:
    number = "i" if "i" in code else "k" if "k" in code else ""

    def step(m: Simulator, f: Fields) -> None:
        half, r = m.half, f["r"]
        result = operation(m, half[r], f[number] if number else half[f.get("s", 0)], 1)
        if result is not None:
            half[r] = result & 255

    return step


def _access(name: str, mode: str, size: int) -> Step:
    def address(m: Simulator, f: Fields) -> int:
        if mode == "absolute8":
            return 0xFF00 | f["t"]
        if mode == "absolute16":
            return f["t"]
        if mode == "decrement":
            m.set_word(f["p"], m.word(f["p"]) - size)
            m.lowest = min(m.lowest, m.word(7))
        return m.word(f["p"]) + (f["t"] if mode == "displaced" else 0)

    def load(m: Simulator, f: Fields) -> None:
        at = address(m, f)
        value = m.read(at, size)
        if mode == "increment":
            m.set_word(f["p"], at + size)
        if size == 2:
            m.set_word(f["R"], value)
        else:
            m.half[f["r"]] = value
        m.flags(value, size)
        m.overflow = 0

    def store(m: Simulator, f: Fields) -> None:
        value = m.word(f["S"]) if size == 2 else m.half[f["s"]]
        m.write(address(m, f), value, size)
        m.flags(value, size)
        m.overflow = 0

    return load if name == "load" else store


Operation = Callable[[Simulator, int, int, int], "int | None"]


def _sum(m: Simulator, d: int, s: int, size: int) -> int:
    top, x = 8 * size, d + s
    m.carry, m.overflow = x >> top & 1, int(bool(~(d ^ s) & (d ^ x) & 1 << top - 1))
    m.flags(x, size)
    return x


def _sum_with_carry(m: Simulator, d: int, s: int, size: int) -> int:
    x, zero = d + s + m.carry, m.zero
    m.carry, m.overflow = x >> 8, int(bool(~(d ^ s) & (d ^ x) & 128))
    m.flags(x, size)
    m.zero &= zero
    return x


def _difference(m: Simulator, d: int, s: int, size: int) -> int:
    top, x = 8 * size, d - s
    m.carry, m.overflow = int(x < 0), int(bool((d ^ s) & (d ^ x) & 1 << top - 1))
    m.flags(x, size)
    return x


def _difference_with_carry(m: Simulator, d: int, s: int, size: int) -> int:
    x, zero = d - s - m.carry, m.zero
    m.carry, m.overflow = int(x < 0), int(bool((d ^ s) & (d ^ x) & 128))
    m.flags(x, size)
    m.zero &= zero
    return x


def _compared(m: Simulator, d: int, s: int, size: int) -> None:
    _difference(m, d, s, size)


def _stepped(by: int) -> Operation:
    def step(m: Simulator, d: int, _: int, size: int) -> int:
        m.overflow = int(d == (0x7F if by > 0 else 0x80))
        m.flags(d + by, size)
        return d + by

    return step


def _logic(function: Callable[[int, int], int]) -> Operation:
    def step(m: Simulator, d: int, s: int, size: int) -> int:
        x = function(d, s)
        m.flags(x, size)
        m.overflow = 0
        return x

    return step


def _shift(function: Callable[[int, int], tuple[int, int]]) -> Operation:
    def step(m: Simulator, d: int, _: int, size: int) -> int:
        x, m.carry = function(d, m.carry)
        m.flags(x, size)
        m.overflow = 0
        return x

    return step


def _arithmetic_left(m: Simulator, d: int, _: int, size: int) -> int:
    m.carry, m.overflow = d >> 7, (d ^ d << 1) >> 7 & 1
    m.flags(d << 1, size)
    return d << 1


def _tested(m: Simulator, d: int, k: int, _: int) -> None:
    m.zero = int(not d >> k & 1)


def _bit_loaded(m: Simulator, d: int, k: int, _: int) -> None:
    m.carry = d >> k & 1


_OPERATIONS: dict[str, Operation] = {
    "mov": _logic(lambda d, s: s),
    "add": _sum,
    "addx": _sum_with_carry,
    "sub": _difference,
    "subx": _difference_with_carry,
    "cmp": _compared,
    "neg": lambda m, d, _, size: _difference(m, 0, d, size),
    "inc": _stepped(1),
    "dec": _stepped(-1),
    "and": _logic(lambda d, s: d & s),
    "or": _logic(lambda d, s: d | s),
    "xor": _logic(lambda d, s: d ^ s),
    "not": _logic(lambda d, _: d ^ 255),
    "shal": _arithmetic_left,
    "shar": _shift(lambda d, c: (d & 128 | d >> 1, d & 1)),
    "shll": _shift(lambda d, c: (d << 1, d >> 7)),
    "shlr": _shift(lambda d, c: (d >> 1, d & 1)),
    "rotl": _shift(lambda d, c: (d << 1 | d >> 7, d >> 7)),
    "rotr": _shift(lambda d, c: (d >> 1 | (d & 1) << 7, d & 1)),
    "rotxl": _shift(lambda d, c: (d << 1 | c, d >> 7)),
    "rotxr": _shift(lambda d, c: (d >> 1 | c << 7, d & 1)),
    "bset": lambda m, d, k, _: d | 1 << k,
    "bclr": lambda m, d, k, _: d & ~(1 << k),
    "bnot": lambda m, d, k, _: d ^ 1 << k,
    "btst": _tested,
    "bld": _bit_loaded,
    "bst": lambda m, d, k, _: d & ~(1 << k) | m.carry << k,
}
_BRANCHES: dict[str, Callable[[Simulator], bool]] = {
    "bra": lambda m: True,
    "bhi": lambda m: not (m.carry or m.zero),
    "bls": lambda m: bool(m.carry or m.zero),
    "bcc": lambda m: not m.carry,
    "bcs": lambda m: bool(m.carry),
    "bne": lambda m: not m.zero,
    "beq": lambda m: bool(m.zero),
    "bvc": lambda m: not m.overflow,
    "bvs": lambda m: bool(m.overflow),
    "bpl": lambda m: not m.negative,
    "bmi": lambda m: bool(m.negative),
    "bge": lambda m: m.negative == m.overflow,
    "blt": lambda m: m.negative != m.overflow,
    "bgt": lambda m: not m.zero and m.negative == m.overflow,
    "ble": lambda m: bool(m.zero) or m.negative != m.overflow,
}


def _subroutine(m: Simulator, f: Fields) -> None:
    m._push(m.pc)
    m.pc = f["t"]


_CONTROL: dict[str, Step] = {
    "nop": lambda m, f: None,
    "jmp": lambda m, f: setattr(m, "pc", f["t"]),
    "jsr": _subroutine,
    "rts": lambda m, f: setattr(m, "pc", m._pop()),
}


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte
