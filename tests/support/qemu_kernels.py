"""Kernels of processors whose files name an emulator: results there, known answers and cycles in the simulator."""

from __future__ import annotations

from functools import cache

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.processors import checking, making
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.oracles import Qemu
from cipherassay.processors.out_of_order import random_inputs


@cache
def made(processor: str, cipher: str, operation: str, choice: Choice) -> Kernel:
    """Return a kernel, made once."""
    return making.make(load(cipher), operation, processors.load(processor), choice, restarts=0)


def unavailable(processor: str) -> str | None:
    """Return why the emulator of a processor cannot be used, None where it can."""
    return _oracle(processor).available()


def _oracle(processor: str) -> Qemu:
    return Qemu.of(processors.document(processors.load(processor))["isa"]["name"])


def simulated(one: Kernel) -> None:
    """Compare the simulator's results and cycles with the program's, known answers and the schedule."""
    found = checking.check(one, load(one.cipher), inputs=2, answers=1)
    assert (found.answers > 0) == (one.operation in ("encrypt", "decrypt"))
    assert found.cycles == found.most == one.cycles


def emulated(one: Kernel) -> None:
    """Compare the emulator's results with the program's."""
    calls = list(random_inputs(one, 10, 1))
    expected = [[list(result) for result in one.program.evaluate(one.function, call)] for call in calls]
    assert _oracle(one.processor.name).run(one.text, one.interface, calls) == expected
