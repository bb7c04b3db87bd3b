"""Kernels of ciphers from selection to text: assemblers accept them, emulators compute what the program does."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors import making
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.oracles import Disassembly, Qemu, Ski, assemble
from cipherassay.processors.out_of_order import random_inputs

Oracle = Qemu | Ski | Disassembly


@cache
def _kernel(processor: str, cipher: str, operation: str) -> Kernel:
    return making.make(load(cipher), operation, processors.load(processor), Choice("straight"), restarts=0)


KERNELS = [
    ("pa8500", "rijndael", "encrypt"),
    ("pa8500", "rijndael", "decrypt"),
    ("mckinley", "rijndael", "encrypt"),
    ("mckinley-paper", "rijndael", "key_setup_encrypt"),
    ("mckinley-paper", "twofish", "encrypt"),
    ("mckinley-paper", "rc6", "decrypt"),
    ("mckinley-paper", "mars", "encrypt"),
    ("mckinley-paper", "serpent", "encrypt"),
    ("ia64pp", "rc6", "encrypt"),
    ("ia64pp", "mars", "decrypt"),
]


@pytest.mark.parametrize(("processor", "cipher", "operation"), KERNELS)
def test_an_oracle_runs_it(processor: str, cipher: str, operation: str) -> None:
    oracles: list[Oracle] = [Qemu.of("pa-risc")] if processor.startswith("pa") else [Disassembly(), Ski()]
    present = [oracle for oracle in oracles if not oracle.available()]
    if not present:
        pytest.skip("; ".join(str(oracle.available()) for oracle in oracles))
    made = _kernel(processor, cipher, operation)
    calls = list(random_inputs(made, 10, 1))
    expected = [[list(r) for r in made.program.evaluate(made.function, call)] for call in calls]
    for oracle in present:
        text = made.assembly["expanded"] or made.text
        assert oracle.run(text, made.interface, calls) == expected, oracle.name


@pytest.mark.parametrize(("processor", "cipher", "operation"), KERNELS)
def test_the_assembler_accepts_it(processor: str, cipher: str, operation: str) -> None:
    oracle: Oracle = Qemu.of("pa-risc") if processor.startswith("pa") else Disassembly()
    if why := oracle.available():
        pytest.skip(why)
    made = _kernel(processor, cipher, operation)
    assembly = made.assembly
    if assembly["expanded"]:
        # No assembler knows the hypothetical instructions.
        assemble(assembly["expanded"], "ia64")
        return
    found = assemble(made.text, "pa-risc" if processor.startswith("pa") else "ia64")
    if assembly["bundles"] is None:
        assert found.bytes == 4 * (assembly["operations"] + assembly["nops"])
    else:
        assert found.bytes == 16 * assembly["bundles"]
        assert (found.operations, found.nops) == (assembly["operations"], assembly["nops"])
