"""Kernels of ciphers from selection to text: assemblers accept them, emulators compute what the program does."""

from __future__ import annotations

import json
import math
import random
import re
from functools import cache

import pytest

from cipherassay import processors, strategies
from cipherassay._engine import Code, Program
from cipherassay.ciphers import load
from cipherassay.judges import Disassembly, Qemu, Ski, assemble
from cipherassay.processors.assembly import Assembly, emit, interface

Judge = Qemu | Ski | Disassembly


@cache
def _program(cipher: str) -> Program:
    return strategies.program(load(cipher), 128, "straight", "")


@cache
def _kernel(processor: str, cipher: str, function: str) -> tuple[Code, Assembly]:
    model = processors.load(processor)
    code = Code.select(_program(cipher), function, model)
    schedules = []
    for region, (_, operations) in enumerate(code.regions()):
        if processor.startswith("pa"):
            schedules.append(json.dumps({"cycles": list(range(operations)), "interval": None}))
        else:
            found = code.graph(region).list_schedule(model.resources(), 0, 1)
            schedules.append(json.dumps(json.loads(found)["schedule"]))
    return code, emit(code, schedules)


def _random(rng: random.Random, text: str) -> list[int]:
    """Return an argument of a type: ``u32[33][4]``."""
    width, *extents = (int(number) for number in re.findall(r"\d+", text))
    return [rng.getrandbits(width) for _ in range(math.prod(extents))]


KERNELS = [
    ("pa8500", "rijndael", "encrypt"),
    ("pa8500", "rijndael", "decrypt"),
    ("mckinley", "rijndael", "encrypt"),
    ("mckinley-paper", "rijndael", "key_schedule"),
    ("mckinley-paper", "twofish", "encrypt"),
    ("mckinley-paper", "rc6", "decrypt"),
    ("mckinley-paper", "mars", "encrypt"),
    ("mckinley-paper", "serpent", "encrypt"),
    ("ia64pp", "rc6", "encrypt"),
    ("ia64pp", "mars", "decrypt"),
]


@pytest.mark.parametrize(("processor", "cipher", "function"), KERNELS)
def test_a_judge_runs_it(processor: str, cipher: str, function: str) -> None:
    judges: list[Judge] = [Qemu()] if processor.startswith("pa") else [Disassembly(), Ski()]
    present = [judge for judge in judges if not judge.available()]
    if not present:
        pytest.skip("; ".join(str(judge.available()) for judge in judges))
    code, assembly = _kernel(processor, cipher, function)
    signature = next(f for f in _program(cipher).functions() if f["name"] == function)
    rng = random.Random(1)
    calls = [[_random(rng, text) for _, text in signature["params"]] for _ in range(10)]
    expected = [[list(r) for r in _program(cipher).evaluate(function, call)] for call in calls]
    for judge in present:
        text = assembly.expanded or assembly.text
        assert judge.run(text, interface(code), calls) == expected, judge.name


@pytest.mark.parametrize(("processor", "cipher", "function"), KERNELS)
def test_the_assembler_accepts_it(processor: str, cipher: str, function: str) -> None:
    judge: Judge = Qemu() if processor.startswith("pa") else Disassembly()
    if why := judge.available():
        pytest.skip(why)
    _, assembly = _kernel(processor, cipher, function)
    if assembly.expanded:
        # No assembler knows the hypothetical instructions.
        assemble(assembly.expanded, "ia64")
        return
    found = assemble(assembly.text, "pa-risc" if processor.startswith("pa") else "ia64")
    if assembly.bundles is None:
        assert found.bytes == 4 * (assembly.operations + assembly.nops)
    else:
        assert found.bytes == 16 * assembly.bundles
        assert (found.operations, found.nops) == (assembly.operations, assembly.nops)
