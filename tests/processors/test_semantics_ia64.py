"""The semantics of IA-64 instructions against ski and the execution of disassemblies, hypothetical ones as expansions."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import pytest

from cipherassay import processors
from cipherassay.processors.harness import Interface, Object, Pointer
from cipherassay.processors.oracles import Disassembly, Ski

MASK = (1 << 64) - 1
VARIANTS = 3
"""Sets of immediates of an instruction that has some."""
BASE = 0x10000
# Operands of a call are in r8, r9, r10; addresses of what is read and written in r32, r33 (next result: r16).
_VALUES = ("r8", "r9", "r10")


@dataclass(frozen=True)
class Case:
    """One instruction with its immediates; which operand of the call each register operand is."""

    instruction: dict[str, Any]
    defines: list[tuple[str, str]]
    uses: list[tuple[str, str]]
    immediates: dict[str, int]

    @property
    def memory(self) -> str:
        """``load``, ``store`` or nothing."""
        found = re.search(r"load|store", self.instruction["semantics"])
        return found[0] if found else ""

    def results(self, processor: Any, operands: list[int]) -> list[int]:
        """Return what the semantics gives, as the kernel writes it."""
        memory = b"".join(value.to_bytes(8, "little") for value in operands)
        memory = bytes(8) if self.memory == "store" else memory
        rest = iter(operands)
        words = [
            self.immediates[name] & MASK
            if ".." in kind
            else (BASE if self.memory and name == "a" else next(rest))
            for name, kind in self.uses
        ]
        found, _, after = processor.execute(self.instruction["name"], words, memory, BASE)
        values = [
            value - BASE & MASK if self.memory and name == "a" else value
            for (name, _), value in zip(self.defines, found, strict=True)
        ]
        return values + ([int.from_bytes(after, "little")] if self.memory == "store" else [])

    def text(self) -> list[str]:
        """Return the operation between what brings its operands and what writes its results, a group each."""
        place, lines, values, floating = {}, [], iter(_VALUES), iter(("f6", "f7", "f8"))
        for name, kind in self.uses:
            if ".." in kind:
                place[name] = str(self.immediates[name])
            elif self.memory and name == "a":
                place[name] = "r20"
                lines.append("mov r20=r16" if self.memory == "store" else "mov r20=r32")
            elif kind == "fr":
                place[name] = next(floating)
                lines.append(f"setf.sig {place[name]}={next(values)}")
            else:
                place[name] = next(values)
        targets = {"gr": iter(("r21", "r22")), "fr": iter(("f9",)), "pr": iter(("p6", "p7"))}
        for name, kind in self.defines:
            place.setdefault(name, "" if name in place else next(targets[kind]))
        if self.memory == "store":
            lines.append("st8 [r16]=r0")
        lines += self._operation(place)
        if self.memory == "store":
            lines.append("adds r16=8,r16")  # the stored value is a result where it lies, behind the others
            address = [(name, kind) for name, kind in self.defines if name == "a"]
            back = ["adds r23=-8,r16", "ld8 r24=[r23]", f"sub r25={place['a']},r23", "st8 [r23]=r25"]
            return lines + ([*back, "st8 [r16]=r24,8"] if address else [])
        for name, kind in self.defines:
            lines += _written(kind, place[name], self.memory and name == "a")
        return lines

    def _operation(self, place: dict[str, str]) -> list[str]:
        """Return the operation itself, or what it expands to."""
        text = self.instruction["expansion"] or self.instruction["assembly"]
        free = {f"gr{n}": f"r{26 + n}" for n in range(3)} | {f"fr{n}": f"f{10 + n}" for n in range(3)}
        return [
            re.sub(r"\{(\w+)\}", lambda m: (place | free)[m[1]], part).strip() for part in text.split(";")
        ]


def _written(kind: str, register: str, address: bool | str) -> list[str]:
    if kind == "pr":
        return ["mov r25=r0", f"({register}) mov r25=1", "st8 [r16]=r25,8"]
    if kind == "fr":
        return [f"getf.sig r25={register}", "st8 [r16]=r25,8"]
    if address:
        return [f"sub r25={register},r32", "st8 [r16]=r25,8"]
    return [f"st8 [r16]={register},8"]


def _operands(side: str) -> list[tuple[str, str]]:
    found = (part.strip().partition(":") for part in side.split(",") if part.strip())
    return [(name, kind) for name, _, kind in found]


def _immediates(rng: random.Random, uses: list[tuple[str, str]]) -> dict[str, int]:
    while True:
        values = {
            name: rng.randint(*(int(end) for end in kind.split("..")))
            for name, kind in uses
            if ".." in kind
        }  # fmt: skip
        if "l" not in values or values["n"] + values["l"] <= 64:
            return values


def _cases(processor: Any) -> list[Case]:
    rng = random.Random(64)
    cases = []
    for instruction in processors.document(processor)["isa"]["instructions"]:
        if instruction["control"] != "none" or not instruction["select"]:
            continue
        left, _, right = instruction["form"].partition("=")
        defines, uses = _operands(left), _operands(right)
        sets = [_immediates(rng, uses) for _ in range(VARIANTS)]
        cases += [Case(instruction, defines, uses, one) for one in (sets if sets[0] else sets[:1])]
    return cases


def _kernel(cases: list[Case]) -> str:
    # The pointer may be changed by what a store is given: a case reads it before.
    start = ["alloc r14=ar.pfs,3,5,0,0", "mov r16=r33", "mov r17=r32", "ld8 r8=[r17],8", "ld8 r9=[r17],8"]
    lines = [*start, "ld8 r10=[r17]", *(line for case in cases for line in case.text())]
    body = "\n".join(f"\t{line} ;;" for line in lines)
    head = "\t.text\n\t.global kernel\n\t.proc kernel\nkernel:\n"
    return f"{head}{body}\n\tbr.ret.sptk.many b0 ;;\n\t.endp kernel\n"


@pytest.mark.parametrize("oracle", [Ski(), Disassembly()], ids=lambda oracle: str(oracle.name))
def test_every_ia64_instruction_does_what_its_semantics_says(oracle: Ski | Disassembly) -> None:
    if why := oracle.available():
        pytest.skip(why)
    processor = processors.load("ia64pp")
    cases = _cases(processor)
    assert len({case.instruction["name"] for case in cases}) > 100
    rng = random.Random(1)
    word = (lambda: rng.getrandbits(64), lambda: rng.getrandbits(32), lambda: rng.randrange(70), lambda: MASK)
    calls = [[[rng.choice(word)() for _ in _VALUES]] for _ in range(300 if isinstance(oracle, Ski) else 40)]
    expected = [[case.results(processor, operands) for case in cases] for (operands,) in calls]
    count = sum(map(len, expected[0]))
    objects = (
        Object("operands", 24, 8, 8, 8, "none", "parameter", 0),
        Object("results", 8 * count, 8, 8, 8, "none", "result", 0),
    )
    interface = Interface(objects, (Pointer(0), Pointer(1)), ("r32", "r33"), big_endian=False)
    found = oracle.run(_kernel(cases), interface, calls)
    for (operands,), (words,), wanted in zip(calls, found, expected, strict=True):
        at = 0
        for case, results in zip(cases, wanted, strict=True):
            shown = f"{case.instruction['name']} {case.immediates} {[hex(value) for value in operands]}"
            assert [hex(x) for x in words[at : at + len(results)]] == [hex(x) for x in results], shown
            at += len(results)
