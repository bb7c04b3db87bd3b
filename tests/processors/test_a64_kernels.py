"""Kernels of the Cortex-A53, written as files from the documents alone: checked by qemu-aarch64, with known answers."""

from __future__ import annotations

import pytest

from cipherassay.ciphers import of_papers
from cipherassay.processors.kernel import Choice
from support import qemu_kernels

A53 = "cortex-a53"
WORDS = Choice("fewest-operations", "two-alu")
LOOPS = Choice("looped", "two-alu")


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("choice", [WORDS, LOOPS], ids=["straight", "loops"])
@pytest.mark.parametrize("cipher", of_papers())
def test_both_agree(cipher: str, choice: Choice, operation: str) -> None:
    one = qemu_kernels.made(A53, cipher, operation, choice)
    assert any(part.iterations > 1 for part in one.parts) == (choice is LOOPS)
    qemu_kernels.simulated(one)
    if why := qemu_kernels.unavailable(A53):
        pytest.skip(why)
    qemu_kernels.emulated(one)


@pytest.mark.parametrize("cipher", ["rc6", "rijndael"])
def test_key_setup(cipher: str) -> None:
    one = qemu_kernels.made(A53, cipher, "key_setup_encrypt", LOOPS)
    qemu_kernels.simulated(one)
    if why := qemu_kernels.unavailable(A53):
        pytest.skip(why)
    qemu_kernels.emulated(one)


def test_two_instructions_issue_together() -> None:
    one = qemu_kernels.made(A53, "rijndael", "encrypt", WORDS)
    assert one.proved
    assert one.operations > 1.9 * one.cycles


def test_both_spellings_of_a_register_stand_in_one_text() -> None:
    one = qemu_kernels.made(A53, "rc6", "encrypt", WORDS)
    assert {"mul.w", "ror.w"} <= one.counts.keys()
    assert " w" in one.text.replace("\t", " ")
    assert "[x" in one.text
