"""IA-64 assembler text: interpreted instruction by instruction, its groups checked, then given to GNU as.

Within an instruction group (up to a stop ``;;``) no register may be read after it was written, or written
twice; a group is one cycle of as many instructions as the head states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.assembler import assembled
from cipherassay.circuits.emitted.slices import input_words, values_of

_TOOL = "the interpreter of IA-64 text"
_INSTRUCTION = re.compile(r"(\w+)\s+(\w+)\s*=\s*([\w-]+)\s*,\s*(\w+)$")
_REGISTER = re.compile(r"r(\d+)$")


def run_ia64(items: Sequence[EmittedText]) -> list[Run]:
    """Interpret the streams on all inputs, and let GNU as check dependences and encode them."""
    values = tuple(_Stream(item).values() for item in items)
    accepted = assembled(items, "as-ia64", ("-xexplicit",), "ia64")
    return [Run(_TOOL, values), accepted]


class _Stream:
    """A text in parts: places of inputs and outputs, groups of instructions."""

    def __init__(self, item: EmittedText) -> None:
        self.item = item
        self.inputs, self.outputs = self._head("inputs"), self._head("outputs")
        stated = re.search(r"in (\d+) cycles? of up to (\d+) operations", item.text)
        if not stated:
            raise self._refuse("the head states no number of cycles")
        self.groups = self._groups()
        if len(self.groups) != int(stated[1]):
            raise self._refuse(f"the head states {stated[1]} cycles, the text has {len(self.groups)}")
        for n, group in enumerate(self.groups):
            self._check(group, n + 1, int(stated[2]))

    def _refuse(self, reason: str) -> Exception:
        return refused(self.item, "ia64", _TOOL, [reason])

    def _head(self, word: str) -> list[str]:
        found = re.search(rf"^// {word}\s+(.*)$", self.item.text, re.MULTILINE)
        if not found:
            raise self._refuse(f"the head does not say where the {word} are")
        return found[1].split()

    def _groups(self) -> list[list[tuple[str, str, str, str]]]:
        groups: list[list[tuple[str, str, str, str]]] = [[]]
        for number, raw in enumerate(self.item.text.splitlines(), 1):
            line = raw.partition("//")[0].strip()
            if not line or line.startswith(".") or line.endswith(":"):
                continue
            if line == ";;":
                groups.append([])
                continue
            found = _INSTRUCTION.match(line)
            if not found:
                raise self._refuse(f"line {number} is no instruction: {line}")
            groups[-1].append((found[1], found[2], found[3], found[4]))
        if groups[-1]:
            raise self._refuse("the last group has no stop")
        return groups[:-1]

    def _check(self, group: list[tuple[str, str, str, str]], n: int, width: int) -> None:
        written: set[str] = set()
        if not 1 <= len(group) <= width:
            raise self._refuse(f"cycle {n} has {len(group)} instructions, not 1 to {width}")
        for _, result, first, second in group:
            early = sorted({first, second} & written)
            if early:
                raise self._refuse(f"cycle {n} reads {early[0]}, which it wrote")
            if result in written:
                raise self._refuse(f"cycle {n} writes {result} twice")
            written.add(result)

    def values(self) -> tuple[int, ...]:
        inputs = self.item.box.inputs
        results = [self._run(words) for words in input_words(inputs, 64)]
        return values_of(results, inputs, 64)

    def _run(self, words: Sequence[int]) -> list[int]:
        registers = dict(zip(self.inputs, words, strict=True))
        registers["r0"] = 0
        for name, result, first, second in (i for group in self.groups for i in group):
            a, b = self._operand(first, registers), self._operand(second, registers)
            number = _REGISTER.match(result)
            # r1 is the global pointer, r12 the stack's, r13 the thread's; r4 to r7 belong to the caller.
            if not number or int(number[1]) in (0, 1, 4, 5, 6, 7, 12, 13) or int(number[1]) > 127:
                raise self._refuse(f"{result} may not be written")
            registers[result] = self._computed(name, a, b) & 0xFFFF_FFFF_FFFF_FFFF
        ones = 0xFFFF_FFFF_FFFF_FFFF
        return [ones if place == "ones" else self._operand(place, registers) for place in self.outputs]

    def _operand(self, place: str, registers: dict[str, int]) -> int:
        if re.fullmatch(r"-?\d+", place):
            return int(place) & 0xFFFF_FFFF_FFFF_FFFF
        if place not in registers:
            raise self._refuse(f"{place} is read before it is written")
        return registers[place]

    def _computed(self, name: str, a: int, b: int) -> int:
        # The manual: andcm's result is the first operand AND the complement of the second.
        operations = {"and": a & b, "or": a | b, "xor": a ^ b, "andcm": a & ~b}
        if name not in operations:
            raise self._refuse(f"`{name}` is no instruction of logic")
        return operations[name]
