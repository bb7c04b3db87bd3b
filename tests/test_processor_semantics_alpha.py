"""The semantics of Alpha instructions against qemu-alpha: every one on random operands."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cipherassay import processors
from cipherassay.judges import Qemu
from cipherassay.processors.harness import Interface, Object, Pointer

PROCESSOR = processors.load("alpha-21164a")
INSTRUCTIONS = [
    one
    for one in processors.document(PROCESSOR)["isa"]["instructions"]
    if one["semantics"] and one["control"] == "none"
]
CALLS, TEXTS = 20, 8
"""Calls of a kernel, and texts of one instruction in it, whose numbers differ."""
WORDS = 8
OUT = 2 * TEXTS
BASE = 0x10000
REGISTERS = {"a": "$1", "b": "$2", "d": "$3"}
_HEAD = "\t.arch ev56\n\t.set noat\n\t.text\n\t.globl kernel\n\t.type kernel, @function\nkernel:\n"


def _interface() -> Interface:
    objects = (
        Object("in", 8 * WORDS, 8, 8, 8, "none", "parameter", 0),
        Object("out", 8 * OUT, 8, 8, 8, "none", "result", 0),
    )
    return Interface(objects, (Pointer(0), Pointer(1)), ("$16", "$17"), False)


def _operands(side: str) -> list[tuple[str, str]]:
    found = (part.strip().partition(":") for part in side.split(",") if part.strip())
    return [(name, kind) for name, _, kind in found]


def _number(rng: random.Random, kind: str, memory: bool) -> int:
    least, greatest = map(int, kind.split(".."))
    return rng.choice([-16, -8, 0, 8]) if memory else rng.choice([rng.randint(least, greatest), least, greatest])


def _word(rng: random.Random) -> int:
    return rng.choice([rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(3), 0, (1 << 64) - 1])


class _Case:
    """One instruction several times with other numbers: its text, and what it should leave."""

    def __init__(self, instruction: dict[str, Any], rng: random.Random) -> None:
        self.name = instruction["name"]
        left, _, right = instruction["form"].partition("=")
        self.defines, self.uses = _operands(left), _operands(right)
        self.kind = instruction["class"]
        memory = self.kind in ("LD", "ST")
        numbers = [(name, kind) for name, kind in self.uses if ".." in kind]
        self.numbers = [{name: _number(rng, kind, memory) for name, kind in numbers} for _ in range(TEXTS)]
        lines = []
        for k, values in enumerate(self.numbers):
            # Words 0 to 2 are operands; loads read around word 4, stores write around a word of the result.
            lines += [f"\tldq ${n},{8 * (n - 1)}($16)" for n in (1, 2, 3)]
            place = {"LD": "\tlda $2,32($16)", "ST": f"\tlda $2,{8 * OUT // 2}($17)"}.get(self.kind)
            lines += [place] if place else []
            lines.append("\t" + instruction["assembly"].format(**REGISTERS, **values))
            lines += [f"\tstq $3,{8 * k}($17)"] if self.kind != "ST" else []
        self.text = _HEAD + "\n".join([*lines, "\tret $31,($26),1", ""])

    def expected(self, words: list[int]) -> list[int]:
        out = [0] * OUT
        memory = b"".join(word.to_bytes(8, "little") for word in (out if self.kind == "ST" else words))
        place = BASE + (8 * OUT // 2 if self.kind == "ST" else 32)
        for k, values in enumerate(self.numbers):
            given = {"a": words[0], "b": words[1], "d": words[2], **values}
            if self.kind in ("LD", "ST"):
                given["b"] = place
            uses = [given[name] & (1 << 64) - 1 for name, _ in self.uses]
            results, _, memory = PROCESSOR.execute(self.name, uses, memory, BASE)
            if self.kind != "ST":
                out[k] = results[0]
        if self.kind == "ST":
            return [int.from_bytes(memory[8 * k : 8 * k + 8], "little") for k in range(OUT)]
        return out


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda one: str(one["name"]))
def test_qemu_computes_the_same(instruction: dict[str, Any]) -> None:
    judge = Qemu.of("alpha")
    if why := judge.available():
        pytest.skip(why)
    rng = random.Random(1996)
    case = _Case(instruction, rng)
    calls = [[[_word(rng) for _ in range(WORDS)]] for _ in range(CALLS)]
    found = judge.run(case.text, _interface(), calls)
    assert [one[0] for one in found] == [case.expected(words) for (words,) in calls]


def test_every_instruction_is_here() -> None:
    assert len(INSTRUCTIONS) > 55
