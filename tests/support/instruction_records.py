"""Every record of an instruction set several times in one program, with other numbers: what an emulator makes of it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cipherassay import processors
from cipherassay.processors.harness import Interface, Object, Pointer
from cipherassay.processors.oracles import Qemu
from cipherassay.processors.oracles.gas import described

CALLS, TEXTS = 16, 3
"""Calls of the program, and texts of each record in it."""
OPERANDS, STEPS = 6, 4
"""Words of the input that are operands, and words behind them that are 0, 1, 2 and 3 words of bytes, as indices."""
WORDS = OPERANDS + STEPS + 4
PLACE = OPERANDS + STEPS + 2
"""The word that loads read."""
BASE = 0x10000


@cache
def _loaded(processor: str) -> processors.Processor:
    return processors.load(processor)


@cache
def _isa(processor: str) -> dict[str, Any]:
    found: dict[str, Any] = processors.document(_loaded(processor))["isa"]
    return found


@dataclass(frozen=True)
class Records:
    """The records of a processor's instruction set, and how its assembler writes what moves operands."""

    processor: str
    registers: tuple[tuple[str, str], ...]
    """Registers of the operands by name; the two first arguments point to the input and the results."""
    load: str
    store: str
    add: str

    def isa(self) -> dict[str, Any]:
        """Return the document of its instruction set."""
        return _isa(self.processor)

    def instructions(self) -> list[dict[str, Any]]:
        """Return the records that compute something and do not branch."""
        return [one for one in self.isa()["instructions"] if one["semantics"] and one["control"] == "none"]


@dataclass(frozen=True)
class Text:
    """One text of a record: its operands in their order, numbers, and the index of an address."""

    instruction: dict[str, Any]
    slot: int
    numbers: dict[str, int]
    index: int

    @property
    def operands(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return what is written and what is read, each with its kind."""
        left, _, right = self.instruction["form"].partition("=")
        return _operands(left), _operands(right)

    @property
    def memory(self) -> str:
        """Return `load`, `store` or nothing."""
        match = re.search(r"\b(load|store)\d", self.instruction["semantics"])
        return match[1] if match else ""

    @property
    def shift(self) -> int:
        """Return how far the index of an address is shifted."""
        return self.numbers.get("n", 0) if "x << n" in self.instruction["semantics"] else 0

    @property
    def distance(self) -> int:
        """Return the number that is added to the address, and the index as it is scaled."""
        indexed = any(name == "x" for name, _ in self.operands[1])
        return self.index << self.shift if indexed else self.numbers.get("n", 0)


def _operands(side: str) -> list[tuple[str, str]]:
    found = (part.strip().partition(":") for part in side.split(",") if part.strip())
    return [(name, kind) for name, _, kind in found]


def _number(rng: random.Random, kind: str, near: bool) -> int:
    least, greatest = map(int, kind.split(".."))
    if near:
        return rng.choice([n for n in (-16, -8, 1, 2, 0, 8) if least <= n <= greatest])
    return rng.choice([rng.randint(least, greatest), least, greatest])


def _text(instruction: dict[str, Any], slot: int, rng: random.Random, size: int) -> Text:
    uses = _operands(instruction["form"].partition("=")[2])
    near = bool(re.search(r"(load|store)\d", instruction["semantics"]))
    numbers = {name: _number(rng, kind, near) for name, kind in uses if ".." in kind}
    if {"n", "l"} <= numbers.keys():  # a field ends inside of the register
        numbers["l"] = min(numbers["l"], 32 - numbers["n"] % 32)
    return Text(instruction, slot, numbers, size * rng.randrange(STEPS))


@cache
def texts(records: Records) -> list[Text]:
    """Return the texts of all records."""
    rng, size = random.Random(1996), records.isa()["word_bits"] // 8
    every = [one for one in records.instructions() for _ in range(TEXTS)]
    return [_text(one, slot, rng, size) for slot, one in enumerate(every)]


def _lines(records: Records, text: Text, size: int) -> list[str]:
    given, out = records.isa()["arguments"][:2]
    registers = dict(records.registers)
    lines = []
    for k, (name, register) in enumerate(registers.items()):
        word = OPERANDS + text.index // size if name == "x" else k
        lines.append(records.load.format(register=register, base=given, offset=word * size))
    if text.memory:
        base, place = (given, PLACE * size) if text.memory == "load" else (out, text.slot * size)
        lines.append(records.add.format(register=registers["b"], base=base, number=place - text.distance))
    lines.append(text.instruction["assembly"].format(**registers, **text.numbers))
    if text.memory != "store":
        lines.append(records.store.format(register=registers["d"], base=out, offset=text.slot * size))
    return lines


def _program(records: Records, size: int) -> str:
    frame = described(records.isa()["name"])["text"]
    returns = next(one["assembly"] for one in records.isa()["instructions"] if one["control"] == "return")
    lines = [*frame["head"]]
    for text in texts(records):
        lines += _lines(records, text, size)
    lines += [returns.format(a=records.isa()["return_address"]), *frame["foot"], ""]
    return "\n".join(lines)


@cache
def _calls(records: Records) -> list[list[int]]:
    rng, bits = random.Random(2), records.isa()["word_bits"]
    steps = [k * bits // 8 for k in range(STEPS)]

    def word() -> int:
        return rng.choice(
            [rng.getrandbits(bits), rng.getrandbits(bits), rng.getrandbits(3), 0, (1 << bits) - 1]
        )

    return [
        [word() for _ in range(OPERANDS)] + steps + [word() for _ in range(WORDS - OPERANDS - STEPS)]
        for _ in range(CALLS)
    ]


@cache
def emulated(records: Records) -> list[list[int]]:
    """Return of each call the words that the emulator left, one per text."""
    isa = records.isa()
    size, count = isa["word_bits"] // 8, len(texts(records))
    objects = (
        Object("in", size * WORDS, 8, size, size, "none", "parameter", 0),
        Object("out", size * count, 8, size, size, "none", "result", 0),
    )
    interface = Interface(objects, (Pointer(0), Pointer(1)), tuple(isa["arguments"][:2]), False)
    found = Qemu.of(isa["name"]).run(_program(records, size), interface, [[one] for one in _calls(records)])
    return [list(one[0]) for one in found]


def _expected(records: Records, text: Text, words: Sequence[int]) -> int:
    bits = records.isa()["word_bits"]
    size, registers = bits // 8, [name for name, _ in records.registers]
    given = {name: words[k] for k, name in enumerate(registers)} | {"x": text.index} | text.numbers
    memory = b"".join(word.to_bytes(size, "little") for word in words)
    if text.memory == "store":
        memory = bytes(size)
    place = BASE + (PLACE * size if text.memory == "load" else 0)
    if text.memory:
        given["b"] = place - text.distance
    defines, uses = text.operands
    values = [given[name] & (1 << 64) - 1 for name, _ in uses]
    results, _, after = _loaded(records.processor).execute(text.instruction["name"], values, memory, BASE)
    if text.memory == "store":
        return int.from_bytes(after, "little")
    return int(results[[name for name, _ in defines].index("d")])


def differing(records: Records, name: str) -> list[tuple[str, dict[str, int], int, int]]:
    """Return where the emulator and the record of a name differ: its text, numbers, both results."""
    found = emulated(records)
    return [
        (text.instruction["assembly"], text.numbers, found[k][text.slot], wanted)
        for text in texts(records)
        if text.instruction["name"] == name
        for k, words in enumerate(_calls(records))
        if (wanted := _expected(records, text, words)) != found[k][text.slot]
    ]
