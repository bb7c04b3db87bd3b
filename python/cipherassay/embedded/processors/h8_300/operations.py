"""What H8/300's instructions do to registers, memory and flags, by name."""

from __future__ import annotations

from collections.abc import Callable

from cipherassay.embedded.processors.h8_300.encodings import Encoding, Fields
from cipherassay.embedded.processors.h8_300.state import State

Step = Callable[[State, Fields], None]
"""An instruction with its fields."""
Operation = Callable[[State, int, int, int], "int | None"]
"""What becomes of two operands of so many bytes; None where only flags change."""


def step_of(one: Encoding) -> Step:
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


def _divided(m: State, f: Fields) -> None:
    """Divide a word by a byte: the quotient's low byte in the low half, the remainder in the high half."""
    divisor = m.half[f["s"]]
    m.zero, m.negative = int(divisor == 0), divisor >> 7
    if divisor:
        quotient, remainder = divmod(m.word(f["R"]), divisor)
        m.set_word(f["R"], remainder << 8 | quotient & 255)


def _of_words(operation: Operation) -> Step:
    def step(m: State, f: Fields) -> None:
        result = operation(m, m.word(f["R"]), f["i"] if "i" in f else m.word(f["S"]), 2)
        if result is not None:
            m.set_word(f["R"], result)

    return step


def _of_bytes(operation: Operation, code: str) -> Step:
    number = "i" if "i" in code else "k" if "k" in code else ""

    def step(m: State, f: Fields) -> None:
        half, r = m.half, f["r"]
        result = operation(m, half[r], f[number] if number else half[f.get("s", 0)], 1)
        if result is not None:
            half[r] = result & 255

    return step


def _access(name: str, mode: str, size: int) -> Step:
    def address(m: State, f: Fields) -> int:
        if mode == "absolute8":
            return 0xFF00 | f["t"]
        if mode == "absolute16":
            return f["t"]
        if mode == "decrement":
            m.set_word(f["p"], m.word(f["p"]) - size)
            m.lowest = min(m.lowest, m.word(7))
        return m.word(f["p"]) + (f["t"] if mode == "displaced" else 0)

    def load(m: State, f: Fields) -> None:
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

    def store(m: State, f: Fields) -> None:
        value = m.word(f["S"]) if size == 2 else m.half[f["s"]]
        m.write(address(m, f), value, size)
        m.flags(value, size)
        m.overflow = 0

    return load if name == "load" else store


def _sum(m: State, d: int, s: int, size: int) -> int:
    top, x = 8 * size, d + s
    m.carry, m.overflow = x >> top & 1, int(bool(~(d ^ s) & (d ^ x) & 1 << top - 1))
    m.flags(x, size)
    return x


def _sum_with_carry(m: State, d: int, s: int, size: int) -> int:
    x, zero = d + s + m.carry, m.zero
    m.carry, m.overflow = x >> 8, int(bool(~(d ^ s) & (d ^ x) & 128))
    m.flags(x, size)
    m.zero &= zero
    return x


def _difference(m: State, d: int, s: int, size: int) -> int:
    top, x = 8 * size, d - s
    m.carry, m.overflow = int(x < 0), int(bool((d ^ s) & (d ^ x) & 1 << top - 1))
    m.flags(x, size)
    return x


def _difference_with_carry(m: State, d: int, s: int, size: int) -> int:
    x, zero = d - s - m.carry, m.zero
    m.carry, m.overflow = int(x < 0), int(bool((d ^ s) & (d ^ x) & 128))
    m.flags(x, size)
    m.zero &= zero
    return x


def _compared(m: State, d: int, s: int, size: int) -> None:
    _difference(m, d, s, size)


def _stepped(by: int) -> Operation:
    def step(m: State, d: int, _: int, size: int) -> int:
        m.overflow = int(d == (0x7F if by > 0 else 0x80))
        m.flags(d + by, size)
        return d + by

    return step


def _logic(function: Callable[[int, int], int]) -> Operation:
    def step(m: State, d: int, s: int, size: int) -> int:
        x = function(d, s)
        m.flags(x, size)
        m.overflow = 0
        return x

    return step


def _shift(function: Callable[[int, int], tuple[int, int]]) -> Operation:
    def step(m: State, d: int, _: int, size: int) -> int:
        x, m.carry = function(d, m.carry)
        m.flags(x, size)
        m.overflow = 0
        return x

    return step


def _arithmetic_left(m: State, d: int, _: int, size: int) -> int:
    m.carry, m.overflow = d >> 7, (d ^ d << 1) >> 7 & 1
    m.flags(d << 1, size)
    return d << 1


def _tested(m: State, d: int, k: int, _: int) -> None:
    m.zero = int(not d >> k & 1)


def _bit_loaded(m: State, d: int, k: int, _: int) -> None:
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
_BRANCHES: dict[str, Callable[[State], bool]] = {
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


def _subroutine(m: State, f: Fields) -> None:
    m.push(m.pc)
    m.pc = f["t"]


_CONTROL: dict[str, Step] = {
    "nop": lambda m, f: None,
    "jmp": lambda m, f: setattr(m, "pc", f["t"]),
    "jsr": _subroutine,
    "rts": lambda m, f: setattr(m, "pc", m.pop()),
}


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte
