"""Kernels of RISC-V processors: checked by qemu-riscv32, with known answers in the simulator."""

from __future__ import annotations

import pytest

from cipherassay.processors.kernel import Choice
from support import qemu_kernels

WORDS = Choice("fewest-operations", "two-alu")


def _fitted(order: str, window: int, free: int = 0) -> Choice:
    return Choice("fewest-operations", "two-alu", spill=True, order=order, window=window, free=free)


KERNELS = [
    ("sifive-e31", "rijndael", "encrypt", WORDS),
    ("sifive-e31", "rijndael", "decrypt", WORDS),
    ("sifive-e31", "rc6", "encrypt", WORDS),
    ("sifive-e31", "rc6", "decrypt", WORDS),
    ("sifive-e31", "twofish", "encrypt", WORDS),
    ("sifive-e31", "twofish", "decrypt", WORDS),
    ("sifive-e31", "serpent", "encrypt", WORDS),
    ("sifive-e31", "serpent", "decrypt", WORDS),
    ("sifive-e31", "mars", "encrypt", WORDS),
    ("sifive-e31", "mars", "decrypt", WORDS),
    ("sifive-e31", "e2", "encrypt", _fitted("scheduled", 8)),
    ("sifive-e31", "e2", "decrypt", _fitted("scheduled", 8)),
    ("sifive-e31", "rijndael", "key_setup_encrypt", WORDS),
    ("sifive-e31", "rc6", "key_setup_encrypt", _fitted("program", 8)),
    ("sifive-e31", "serpent", "key_setup_encrypt", _fitted("program", 8)),
    pytest.param("sifive-e31", "mars", "key_setup_encrypt", _fitted("program", 64), marks=pytest.mark.slow),
    pytest.param(
        "sifive-e31", "twofish", "key_setup_encrypt", _fitted("scheduled", 8), marks=pytest.mark.slow
    ),
    pytest.param("sifive-e31", "e2", "key_setup_encrypt", _fitted("scheduled", 64), marks=pytest.mark.slow),
    ("sifive-e31-zbb", "rc6", "encrypt", WORDS),
    ("sifive-e31-zbb", "serpent", "encrypt", WORDS),
    *(
        pytest.param("sifive-e31-zbb", name, "encrypt", WORDS, marks=pytest.mark.slow)
        for name in ("mars", "rijndael", "twofish")
    ),
    pytest.param("sifive-e31-zbb", "e2", "encrypt", _fitted("scheduled", 8), marks=pytest.mark.slow),
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


def test_rotations_of_zbb_save_instructions() -> None:
    plain, rotating = (
        qemu_kernels.made(name, "rc6", "encrypt", WORDS) for name in ("sifive-e31", "sifive-e31-zbb")
    )
    assert rotating.cycles < 0.7 * plain.cycles
    assert not {"rol", "ror", "rori"} & plain.counts.keys()
    assert {"rol", "rori"} & rotating.counts.keys()
