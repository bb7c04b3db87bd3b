"""An own cycle simulator of AVR: reads the assembly alone, has instructions from ``instructions.toml``.

It compares ways within a budget of RAM where avr-gcc and simavr are not installed: what it costs is about a
fifth of such a search. No row comes from it; simavr (`machine.py`) is the reference, to which tests hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay import expressions
from cipherassay.embedded.instruction_sets import records
from cipherassay.errors import DescriptionError, Place, VerificationError

_FILE = Path(__file__).with_name("instructions.toml")
MOST_CYCLES = 100_000_000
"""A call that takes more does not return."""
_RAM, _RAM_SIZE = 0x100, 0x900
_POINTERS = {"X": 26, "Y": 28, "Z": 30}


@cache
def instructions() -> dict[str, dict[str, Any]]:
    """Return the records of all instructions, by name."""
    return {record["name"]: record for record in records(_FILE)}


_NAMES = {"result": "drkct", "carry": "drkctx", "condition": "zc"}
"""The names that may stand in each kind of expression of a record."""
_HALVES: dict[str, Callable[[int], int]] = {"lo8": lambda n: n & 255, "hi8": lambda n: n >> 8 & 255}


@cache
def _expression(kind: str, text: str) -> expressions.Expression:
    try:
        return expressions.compiled(text, _NAMES[kind])
    except expressions.ExpressionError as error:
        place = Place(str(_FILE))
        raise DescriptionError("E132", f"`{text}` is no {kind}: {error}", places=[place]) from None


@cache
def _register(operand: str) -> int:
    """Return the number of a register, -1 for another operand."""
    match = re.fullmatch(r"r(\d+)", operand)
    return int(match[1]) if match else -1


class Simulator:
    """A program in its assembly text; memory and registers of the processor.

    Raises
    ------
    DescriptionError
        ``E131``: the text holds an instruction that ``instructions.toml`` does not know; ``E132``, ``E133``:
        an expression of that file or of the text is none.
    """

    def __init__(self, text: str) -> None:
        self.code: list[tuple[str, list[str]]] = []
        self.symbols: dict[str, int] = {}
        self.labels: dict[str, list[int]] = {}
        self.flash = bytearray(1 << 15)
        self.data = bytearray(_RAM + _RAM_SIZE)
        self.register = [0] * 32
        self.carry = self.zero = self.bit = 0
        self._read(text)
        self.words = [instructions()[name].get("bytes", 2) // 2 for name, _ in self.code]
        self._values: dict[str, int] = {}
        self.depth = 0  # bytes of stack that the last call took, its return address among them

    def _read(self, text: str) -> None:
        place = {"text": 0, "progmem": 0, "bss": _RAM}
        section = "text"
        for raw in text.splitlines():
            line = raw.split(";")[0].strip()
            if match := re.match(r"\.section \.(text|progmem|bss)", line):
                section = match[1]
            elif line.endswith(":"):
                label = line[:-1]
                if section == "text":
                    self.labels.setdefault(label, []).append(len(self.code))
                else:
                    self.symbols[label] = place[section]
            elif line.startswith(".balign"):
                place[section] += -place[section] % int(line.split()[1])
            elif line.startswith(".byte"):
                data = bytes(int(n, 0) for n in line[5:].split(","))
                self.flash[place[section] : place[section] + len(data)] = data
                place[section] += len(data)
            elif line.startswith(".space"):
                place[section] += int(line.split()[1])
            elif line and not line.startswith("."):
                name, _, rest = line.partition(" ")
                if name not in instructions():
                    raise DescriptionError("E131", f"`{_FILE.name}` knows no instruction `{name}`")
                self.code.append((name, [o.strip() for o in rest.split(",")] if rest else []))

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""
        at = self.symbols[symbol]
        self.data[at : at + len(data)] = data

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""
        at = self.symbols[symbol]
        return bytes(self.data[at : at + count])

    def call(self, function: str) -> int:
        """Call a function; return the cycles from its first instruction through its return.

        Raises
        ------
        VerificationError
            ``E123``: it does not return.
        """
        at, total = self.labels[function][0], 0
        stack: list[int] = []
        returns: list[int] = []
        self.depth = 2
        while total < MOST_CYCLES and at < len(self.code):
            name, operands = self.code[at]
            if name == "call":
                returns.append(at + 1)
            cycles, target = self._step(name, operands, at, stack)
            total += cycles
            self.depth = max(self.depth, 2 + len(stack) + 2 * len(returns))
            if name == "ret":
                if not returns:
                    return total
                target = returns.pop()
            at = at + 1 if target is None else target
        raise VerificationError("E123", f"`{function}` does not return in {total} cycles")

    def value(self, text: str) -> int:
        """Return what an expression of the assembler says."""
        if text not in self._values:
            try:
                self._values[text] = expressions.compiled(text, self.symbols, _HALVES)(self.symbols)
            except expressions.ExpressionError as error:
                raise DescriptionError("E133", f"`{text}` is no operand: {error}") from None
        return self._values[text]

    def _step(self, name: str, operands: list[str], at: int, stack: list[int]) -> tuple[int, int | None]:
        record = instructions()[name]
        if "condition" in record:
            if _expression("condition", record["condition"])({"z": self.zero, "c": self.carry}):
                return record["taken"], self._target(operands[0], at)
            return record["cycles"], None
        if name in ("sbrc", "sbrs"):
            bit = self.register[int(operands[0][1:])] >> int(operands[1]) & 1
            if bit == (name == "sbrs"):
                return record["cycles"] + self.words[at + 1], at + 2
            return record["cycles"], None
        if "result" in record:
            self._arithmetic(record, operands)
        else:
            self._other(name, operands, stack)
        return record["cycles"], None

    def _target(self, text: str, at: int) -> int:
        if match := re.fullmatch(r"(\d+)f", text):
            return next(n for n in self.labels[match[1]] if n > at)
        if text.startswith(".+"):
            return at + 2  # over one instruction of one word, the only distance that is written
        return self.labels[text][0]

    def _arithmetic(self, record: dict[str, Any], operands: list[str]) -> None:
        d = int(operands[0][1:])
        names = {"d": self.register[d], "c": self.carry, "t": self.bit}
        if len(operands) > 1:
            other = _register(operands[1])
            names["r"] = self.register[other] if other >= 0 else 0
            names["k"] = self.value(operands[1]) & 255 if other < 0 else 0
        x = _expression("result", record["result"])(names)
        if "carry" in record:
            names["x"] = x
            self.carry = int(_expression("carry", record["carry"])(names))
        if "zero" in record:
            self.zero = int(x & 255 == 0 and (record["zero"] == "set" or self.zero == 1))
        if not record.get("keeps"):
            self.register[d] = x & 255

    def _other(self, name: str, operands: list[str], stack: list[int]) -> None:
        numbers = [_register(operand) for operand in operands]
        register = self.register
        if name in ("lds", "ld", "ldd"):
            register[numbers[0]] = self.data[self._address(name, operands[1])]
            return
        if name in ("sts", "st", "std"):
            self.data[self._address(name, operands[0])] = register[numbers[1]]
            return
        actions: dict[str, Callable[[], None]] = {
            "movw": lambda: self._pair(numbers[0], self._word(numbers[1])),
            "mul": lambda: self._multiply(*numbers),
            "adiw": lambda: self._add_word(numbers[0], int(operands[1])),
            "sbiw": lambda: self._add_word(numbers[0], -int(operands[1])),
            "bst": lambda: setattr(self, "bit", register[numbers[0]] >> int(operands[1]) & 1),
            "push": lambda: stack.append(register[numbers[0]]),
            "pop": lambda: register.__setitem__(numbers[0], stack.pop()),
            "lpm": lambda: register.__setitem__(numbers[0], self.flash[self._word(30)]),
            "ret": lambda: None,
        }
        actions[name]()

    def _address(self, name: str, text: str) -> int:
        if name in ("lds", "sts"):
            return self.value(text)
        pointer, _, distance = text.partition("+")
        return self._word(_POINTERS[pointer]) + int(distance or 0)

    def _word(self, r: int) -> int:
        return self.register[r] | self.register[r + 1] << 8

    def _pair(self, r: int, value: int) -> None:
        self.register[r], self.register[r + 1] = value & 255, value >> 8 & 255

    def _add_word(self, r: int, by: int) -> None:
        x = self._word(r) + by
        self.carry, self.zero = int(not 0 <= x < 1 << 16), int(x & 0xFFFF == 0)
        self._pair(r, x)

    def _multiply(self, a: int, b: int) -> None:
        x = self.register[a] * self.register[b]
        self.carry, self.zero = x >> 15, int(x == 0)
        self._pair(0, x)
