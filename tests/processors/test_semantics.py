"""The semantics of PA-RISC instructions against qemu-hppa: every one on random operands, in one program."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cipherassay import processors

ROUNDS = 200
SCRATCH = 64
"""Bytes of memory that loads and stores of a case may reach; addresses point into its middle."""
BASE = 0x10000

_START = """\
	.level 2.0
	.text
	.globl _start
_start:
	ldil L'operands,%r3
	ldo R'operands(%r3),%r3
	ldil L'results,%r4
	ldo R'results(%r4),%r4
"""
_END = """\
	ldi 1,%r26
	ldil L'results,%r25
	ldo R'results(%r25),%r25
	ldil L'{size},%r24
	ldo R'{size}(%r24),%r24
	ble 0x100(%sr2,%r0)
	ldi 4,%r20
	ldi 0,%r26
	ble 0x100(%sr2,%r0)
	ldi 1,%r20
	.data
	.balign 8
operands:
	.incbin "{operands}"
memory:
	.incbin "{memory}"
	.incbin "{memory}"
	.bss
	.balign 8
results:
	.skip {size}
"""
# Registers by class for the operands of a case; r3 and r4 point to operands and results, r5 into memory, r6 is free.
_REGISTERS = {
    "gr": ["%r8", "%r9", "%r10", "%r11"],
    "fw": ["%fr22R", "%fr23R", "%fr24R"],
    "fr": ["%fr4", "%fr5", "%fr6"],
    "sar": ["%sar"],
}


@dataclass
class Case:
    """One instruction on one set of operands."""

    name: str
    uses: list[int]
    expected: list[int]
    text: list[str] = field(default_factory=list)


def _operands(side: str) -> list[tuple[str, str]]:
    found = (part.strip().partition(":") for part in side.split(",") if part.strip())
    return [(name, kind) for name, _, kind in found]


def _address(instruction: dict[str, Any], name: str) -> bool:
    return name == "b" and instruction["class"] in ("LOAD", "STORE")


def _draw(rng: random.Random, instruction: dict[str, Any], name: str, kind: str) -> int:
    memory = instruction["class"] in ("LOAD", "STORE")
    if _address(instruction, name):
        return BASE + SCRATCH // 2
    if memory and name == "x":  # an index that stays within the memory and is aligned
        return rng.randrange(0, 4) * 4 if "<<" not in instruction["semantics"] else rng.randrange(0, 3)
    if ".." in kind:
        least, greatest = map(int, kind.split(".."))
        return rng.choice([-16, -8, 0, 8]) if memory else rng.randint(least, greatest)
    bits = {"gr": 32, "fw": 32, "fr": 64, "sar": 5}[kind]
    value = rng.choice([rng.getrandbits(bits), rng.getrandbits(bits), rng.randrange(32), (1 << bits) - 1])
    return value & ((1 << bits) - 1)


def _fits(instruction: dict[str, Any], uses: dict[str, int]) -> bool:
    """Fields end within the word: longer ones are undefined."""
    length, position = uses.get("l"), uses.get("n", uses.get("s"))
    if length is None or position is None:
        return True
    if "%sar" in instruction["assembly"]:
        position = uses["s"]
    return length <= position + 1


def _cases(processor: Any, memory: bytes) -> list[Case]:
    rng = random.Random(2000)
    cases = []
    for instruction in processors.document(processor)["isa"]["instructions"]:
        if not instruction["semantics"]:
            continue
        left, _, right = instruction["form"].partition("=")
        defines, uses = _operands(left), _operands(right)
        for _ in range(ROUNDS):
            values = {name: _draw(rng, instruction, name, kind) for name, kind in uses}
            while not _fits(instruction, values):
                values = {name: _draw(rng, instruction, name, kind) for name, kind in uses}
            words = [values[name] & (1 << 64) - 1 for name, _ in uses]
            results, jump, after = processor.execute(instruction["name"], words, memory, BASE)
            case = Case(f"{instruction['name']} {values}", [], [])
            _write(case, instruction, defines, uses, values, f"case{len(cases)}")
            case.expected = results + ([] if jump is None else [int(jump)])
            if instruction["class"] == "STORE":
                case.expected += [int.from_bytes(after[k : k + 4], "big") for k in range(0, SCRATCH, 4)]
            cases.append(case)
    return cases


def _write(
    case: Case,
    instruction: dict[str, Any],
    defines: list[tuple[str, str]],
    uses: list[tuple[str, str]],
    values: dict[str, int],
    label: str,
) -> None:
    free = {kind: list(names) for kind, names in _REGISTERS.items()}
    place: dict[str, str] = {}
    text = ["\tldil L'memory,%r5", "\tldo R'memory(%r5),%r5"]
    for name, kind in uses:
        if ".." in kind:
            place[name] = str(values[name])
            continue
        place[name] = free[kind].pop(0)
        if _address(instruction, name):
            text.append(f"\tldo {SCRATCH // 2}(%r5),{place[name]}")
        else:
            text += _load(kind, place[name])
            case.uses.append(values[name])
    for name, kind in defines:
        place.setdefault(name, free[kind].pop(0) if free[kind] else "")
    assembly = re.sub(
        r"\{(\w+)\}", lambda m: label if m[1] == "target" else place[m[1]], instruction["assembly"]
    )
    if instruction["control"] == "none":
        text.append("\t" + assembly)
    elif instruction["control"] == "nullify":
        text += ["\tldi 1,%r6", "\t" + assembly, "\tldi 0,%r6"]
    else:
        text += ["\tldi 1,%r6", "\t" + assembly, "\tnop", "\tldi 0,%r6", f"{label}:"]
    for name, kind in defines:
        if _address(instruction, name):  # as the evaluator has it, from its own base
            text += [f"\tsub {place[name]},%r5,{place[name]}", f"\taddil L%{BASE},{place[name]}"]
            text += [f"\tldo R%{BASE}(%r1),{place[name]}"]
        text += _store(kind, place[name])
    if instruction["control"] != "none":
        text += _store("gr", "%r6")
    if instruction["class"] == "STORE":  # what the memory is afterwards, then as it was before
        for k in range(0, SCRATCH, 4):
            text += [f"\tldw {k}(%r5),%r6", *_store("gr", "%r6"), f"\tldw {k + SCRATCH}(%r5),%r6"]
            text += [f"\tstw %r6,{k}(%r5)"]
    case.text = text


def _load(kind: str, register: str) -> list[str]:
    advance = "\tldo 8(%r3),%r3"
    if kind == "sar":
        return ["\tldw 4(%r3),%r1", "\tmtsar %r1", advance]
    if kind == "fr":
        return [f"\tfldd 0(%r3),{register}", advance]
    return [f"\t{'ldw' if kind == 'gr' else 'fldw'} 4(%r3),{register}", advance]


def _store(kind: str, register: str) -> list[str]:
    advance = "\tldo 8(%r4),%r4"
    if kind == "sar":
        return ["\tmfctl %cr11,%r1", "\tstw %r1,4(%r4)", advance]
    if kind == "fr":
        return [f"\tfstd {register},0(%r4)", advance]
    return [f"\t{'stw' if kind == 'gr' else 'fstw'} {register},4(%r4)", advance]


def _run(cases: list[Case], memory: bytes, folder: Path) -> bytes:
    operands = b"".join(value.to_bytes(8, "big") for case in cases for value in case.uses)
    size = 8 * sum(len(case.expected) for case in cases)
    (folder / "operands").write_bytes(operands)
    (folder / "memory").write_bytes(memory)
    places = {"operands": folder / "operands", "memory": folder / "memory", "size": size}
    body = "\n".join(line for case in cases for line in case.text)
    source, built, program = folder / "all.s", folder / "all.o", folder / "all"
    source.write_text(_START + body + "\n" + _END.format(**places))
    for command in (
        ["hppa-linux-gnu-as", "--fatal-warnings", "-o", str(built), str(source)],
        ["hppa-linux-gnu-ld", "-static", "-o", str(program), str(built)],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return subprocess.run(["qemu-hppa", str(program)], check=True, capture_output=True, timeout=60).stdout


def test_every_pa_risc_instruction_does_what_its_semantics_says(tmp_path: Path) -> None:
    for tool in ("hppa-linux-gnu-as", "hppa-linux-gnu-ld", "qemu-hppa"):
        if shutil.which(tool) is None:
            pytest.skip(f"`{tool}` is not here (apt-get install binutils-hppa-linux-gnu qemu-user)")
    memory = random.Random(1).randbytes(SCRATCH)
    cases = _cases(processors.load("pa8500"), memory)
    assert len(cases) >= 60 * ROUNDS
    out = _run(cases, memory, tmp_path)
    words = [int.from_bytes(out[k : k + 8], "big") for k in range(0, len(out), 8)]
    at = 0
    for case in cases:
        found = words[at : at + len(case.expected)]
        assert [f"{word:#x}" for word in found] == [f"{word:#x}" for word in case.expected], case.name
        at += len(case.expected)
    assert at == len(words)
