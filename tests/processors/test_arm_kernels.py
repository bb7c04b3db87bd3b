"""Kernels of the Cortex-M3: checked by qemu-arm, with known answers in the simulator."""

from __future__ import annotations

import pytest

from cipherassay.processors.kernel import Choice
from support import qemu_kernels

WORDS = Choice("fewest-operations", "two-alu")


def _fitted(order: str, window: int, free: int = 0) -> Choice:
    return Choice("fewest-operations", "two-alu", spill=True, order=order, window=window, free=free)


KERNELS = [
    ("cortex-m3", "rijndael", "encrypt", _fitted("program", 16)),
    ("cortex-m3", "rijndael", "decrypt", _fitted("program", 16)),
    ("cortex-m3", "rc6", "encrypt", WORDS),
    ("cortex-m3", "rc6", "decrypt", WORDS),
    ("cortex-m3", "twofish", "encrypt", _fitted("scheduled", 8)),
    ("cortex-m3", "twofish", "decrypt", _fitted("scheduled", 8)),
    ("cortex-m3", "serpent", "encrypt", WORDS),
    ("cortex-m3", "serpent", "decrypt", WORDS),
    ("cortex-m3", "mars", "encrypt", _fitted("scheduled", 16)),
    ("cortex-m3", "mars", "decrypt", _fitted("scheduled", 16)),
    ("cortex-m3", "e2", "encrypt", _fitted("scheduled", 32, 4)),
    ("cortex-m3", "e2", "decrypt", _fitted("scheduled", 32, 4)),
    ("cortex-m3", "rijndael", "key_setup_encrypt", WORDS),
    ("cortex-m3", "rc6", "key_setup_encrypt", _fitted("scheduled", 32)),
    pytest.param("cortex-m3", "serpent", "key_setup_encrypt", _fitted("program", 64), marks=pytest.mark.slow),
    ("cortex-m3", "mars", "key_setup_encrypt", _fitted("program", 32)),
    pytest.param(
        "cortex-m3", "twofish", "key_setup_encrypt", _fitted("scheduled", 8), marks=pytest.mark.slow
    ),
    pytest.param("cortex-m3", "e2", "key_setup_encrypt", _fitted("scheduled", 32), marks=pytest.mark.slow),
]
"""Straight-line code of encryption, decryption and key setup."""


@pytest.mark.parametrize(("processor", "cipher", "operation", "choice"), KERNELS)
def test_the_simulator_agrees(processor: str, cipher: str, operation: str, choice: Choice) -> None:
    qemu_kernels.simulated(qemu_kernels.made(processor, cipher, operation, choice))


@pytest.mark.parametrize(("processor", "cipher", "operation", "choice"), KERNELS)
def test_qemu_agrees(processor: str, cipher: str, operation: str, choice: Choice) -> None:
    if why := qemu_kernels.unavailable(processor):
        pytest.skip(why)
    qemu_kernels.emulated(qemu_kernels.made(processor, cipher, operation, choice))


def test_the_last_register_is_shifted_on_the_way() -> None:
    one = qemu_kernels.made("cortex-m3", "serpent", "encrypt", WORDS)
    assert any(name in one.counts for name in ("eor.lsl", "eor.ror", "eor.lsr"))


def test_loads_one_behind_the_other_are_pipelined() -> None:
    """What stands behind a load waits for a cycle if it is no other access."""
    one = qemu_kernels.made("cortex-m3", "rc6", "encrypt", WORDS)
    assert one.operations < one.cycles < one.operations + one.counts["ldr"]
