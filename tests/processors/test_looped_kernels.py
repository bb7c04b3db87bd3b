"""Loops of all ciphers where registers are few: run by qemu, with known answers and cycles in the simulator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cipherassay.ciphers import of_papers
from cipherassay.processors.kernel import Choice
from support import qemu_kernels

LOOPS = Choice("looped", "two-alu")
OPERATIONS = ("encrypt", "decrypt", "key_setup_encrypt")


def _fitted(order: str, window: int, *, carried: bool, free: int = 0) -> Choice:
    return Choice(
        "looped", "two-alu", spill=True, order=order, window=window, free=free, carried=carried
    )  # fmt: skip


FITTED = {
    ("cortex-m3", "e2", "encrypt"): _fitted("scheduled", 16, carried=True),
    ("cortex-m3", "e2", "decrypt"): _fitted("scheduled", 16, carried=True),
    ("cortex-m3", "e2", "key_setup_encrypt"): _fitted("scheduled", 32, carried=True),
    ("cortex-m3", "mars", "encrypt"): _fitted("program", 16, carried=False),
    ("cortex-m3", "mars", "decrypt"): _fitted("between", 32, carried=True, free=4),
    ("cortex-m3", "mars", "key_setup_encrypt"): _fitted("program", 16, carried=True),
    ("cortex-m3", "rijndael", "encrypt"): _fitted("scheduled", 8, carried=True),
    ("cortex-m3", "rijndael", "decrypt"): _fitted("scheduled", 8, carried=False),
    ("cortex-m3", "serpent", "encrypt"): _fitted("scheduled", 32, carried=True),
    ("cortex-m3", "serpent", "key_setup_encrypt"): _fitted("program", 32, carried=True),
    ("cortex-m3", "twofish", "encrypt"): _fitted("program", 16, carried=True),
    ("cortex-m3", "twofish", "decrypt"): _fitted("program", 32, carried=False),
    ("cortex-m3", "twofish", "key_setup_encrypt"): _fitted("scheduled", 8, carried=False),
    ("sifive-e31", "e2", "encrypt"): _fitted("scheduled", 8, carried=True),
    ("sifive-e31", "e2", "decrypt"): _fitted("scheduled", 8, carried=True),
    ("sifive-e31", "e2", "key_setup_encrypt"): _fitted("scheduled", 128, carried=True),
    ("sifive-e31", "serpent", "key_setup_encrypt"): _fitted("program", 8, carried=False),
    ("sifive-e31", "twofish", "key_setup_encrypt"): _fitted("scheduled", 64, carried=False),
}
"""Where values leave their registers, what a search of all orders found."""
LONG = {("e2", "key_setup_encrypt")}


def _kernels() -> Iterator[object]:
    for processor in ("cortex-m3", "sifive-e31"):
        for cipher in of_papers():
            for operation in OPERATIONS:
                choice = FITTED.get((processor, cipher, operation), LOOPS)
                marks = (pytest.mark.slow,) if (cipher, operation) in LONG else ()
                yield pytest.param(processor, cipher, operation, choice, marks=marks)


@pytest.mark.parametrize(("processor", "cipher", "operation", "choice"), list(_kernels()))
def test_loops_compute_what_they_should(processor: str, cipher: str, operation: str, choice: Choice) -> None:
    one = qemu_kernels.made(processor, cipher, operation, choice)
    assert any(part.iterations > 1 for part in one.parts)
    qemu_kernels.simulated(one)
    if why := qemu_kernels.unavailable(processor):
        pytest.skip(why)
    qemu_kernels.emulated(one)


def test_what_loops_carry_may_lie_in_memory() -> None:
    """Mars' key setup carries 15 words, a Cortex-M3 has 13 registers."""
    case = ("cortex-m3", "mars", "key_setup_encrypt")
    one = qemu_kernels.made(*case, FITTED[case])
    assert "spilled" in [memory.name for memory in one.interface.objects]
    assert {part.iterations for part in one.parts} >= {4, 16}


def test_what_a_loop_waits_for_is_planned() -> None:
    """A load at the end of a round holds its unit when the next round begins."""
    case = ("cortex-m3", "rijndael", "encrypt")
    one = qemu_kernels.made(*case, FITTED[case])
    rounds = max(one.parts, key=lambda part: part.iterations)
    assert one.planned >= one.cycles > sum(part.iterations * part.cycles for part in one.parts)
    assert rounds.iterations == 9
