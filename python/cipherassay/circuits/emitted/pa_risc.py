"""PA-RISC assembler text: interpreted pair by pair, then given to GNU as.

The instructions of one cycle are issued together: none may read or write what another of them writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cipherassay.circuits.emitted import EmittedText, Run, refused
from cipherassay.circuits.emitted.assembler import assembled
from cipherassay.circuits.emitted.slices import input_words, values_of

_TOOL = "the interpreter of PA-RISC text"
_WORD = 0xFFFF_FFFF
# Of the caller or the system: r2 returns, r27 points to data, r30 to the stack.
_FORBIDDEN = {"%r0", "%r2", "%r27", "%r30"}
_KNOWN = {f"%r{n}" for n in range(32)}


def run_pa_risc(items: Sequence[EmittedText]) -> list[Run]:
    """Interpret the streams on all inputs, and let GNU as encode them."""
    values = tuple(_values(item) for item in items)
    return [Run(_TOOL, values), assembled(items, "as-pa-risc", (), "pa-risc")]


def _values(item: EmittedText) -> tuple[int, ...]:
    places = {word: _head(item, word) for word in ("inputs", "outputs")}
    cycles = _cycles(item)
    _check(item, cycles)
    results = []
    for words in input_words(item.box.inputs, 32):
        registers = dict.fromkeys(["%r0"], 0) | dict(zip(places["inputs"], words, strict=True))
        for cycle in cycles:
            # Both read before either writes.
            operands = [[_read(item, r, registers) for r in (a, b)] for _, a, b, _ in cycle]
            results_of = zip(cycle, operands, strict=True)
            registers |= {t: _computed(item, name, *ab) for (name, _, _, t), ab in results_of}
        results.append([_WORD if p == "ones" else _read(item, p, registers) for p in places["outputs"]])
    return values_of(results, item.box.inputs, 32)


def _refuse(item: EmittedText, reason: str) -> Exception:
    return refused(item, "pa-risc", _TOOL, [reason])


def _head(item: EmittedText, word: str) -> list[str]:
    found = re.search(rf"^; {word}\s+(.*)$", item.text, re.MULTILINE)
    if not found:
        raise _refuse(item, f"the head does not say where the {word} are")
    return found[1].split()


def _cycles(item: EmittedText) -> list[list[tuple[str, str, str, str]]]:
    cycles: list[list[tuple[str, str, str, str]]] = []
    for number, line in enumerate(item.text.splitlines(), 1):
        if line == f"; cycle {len(cycles) + 1}":
            cycles.append([])
        code = line.partition(";")[0].strip()
        if not code or code.startswith(".") or code.endswith(":"):
            continue
        words = re.split(r"[\s,]+", code)
        if len(words) != 4 or not cycles or not set(words[1:]) <= _KNOWN:
            raise _refuse(item, f"line {number} is no instruction: {code}")
        cycles[-1].append((words[0], words[1], words[2], words[3]))
    return cycles


def _check(item: EmittedText, cycles: list[list[tuple[str, str, str, str]]]) -> None:
    stated = re.search(r"in (\d+) cycles? of up to (\d+) operations", item.text)
    if not stated or int(stated[1]) != len(cycles):
        raise _refuse(item, f"the head states another number of cycles than {len(cycles)}")
    for n, cycle in enumerate(cycles, 1):
        if not 1 <= len(cycle) <= int(stated[2]):
            raise _refuse(item, f"cycle {n} has {len(cycle)} instructions, not 1 to {stated[2]}")
        written: set[str] = set()
        for _, a, b, result in cycle:
            if {a, b, result} & written:
                raise _refuse(item, f"cycle {n}: an instruction depends on another of the same cycle")
            if result in _FORBIDDEN:
                raise _refuse(item, f"{result} may not be written")
            written.add(result)


def _read(item: EmittedText, register: str, registers: dict[str, int]) -> int:
    if register not in registers:
        raise _refuse(item, f"{register} is read before it is written")
    return registers[register]


def _computed(item: EmittedText, name: str, a: int, b: int) -> int:
    # The manual: ANDCM is r1 AND the complement of r2, UADDCM the sum of r1 and the complement of r2.
    operations = {"and": a & b, "or": a | b, "xor": a ^ b, "andcm": a & ~b, "uaddcm": a + (~b & _WORD)}
    if name not in operations:
        raise _refuse(item, f"`{name}` is no instruction of logic")
    return operations[name] & _WORD
