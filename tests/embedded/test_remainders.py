"""Indices modulo a number, and upper bytes of indices: loops of small processors keep them as bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import ciphers
from cipherassay.embedded import target

TEXT = '''"""Rounds that walk through a key and a table by remainders: no cipher for use."""

from cipherassay.lang import *

walk = Cipher("Walk", block_bits=64, key_bits=(56,), structure="other", source="tests")
T = table(u8, [(37 * n + 11) % 256 for n in range(13)])

@walk.key_schedule
def key_schedule(K):
    k, S = array(u8, 7), array(u8, 40)
    k[:] = K
    for i in steps(40):
        S[i] = k[(3 * i + 2) % 7] ^ T[i % 13] ^ T[(5 * i) % 13]
    return S

def mask(S, i):
    wide = u16(300 - 7 * i)
    return S[i] ^ bits(wide, 8, 8) ^ bits(wide, 0, 8) ^ u8((i + 5) % 9)

@walk.encrypt
def encrypt(S, plaintext):
    B = array(u8, 8)
    B[:] = plaintext
    for i in rounds(40):
        B[0] = B[0] + mask(S, i)
        B[:] = vec(*B[1:8], B[0])
    return B[0:8]

@walk.decrypt
def decrypt(S, ciphertext):
    B = array(u8, 8)
    B[:] = ciphertext
    for i in rounds(39, -1, -1):
        B[:] = vec(B[7], *B[0:7])
        B[0] = B[0] - mask(S, i)
    return B[0:8]
'''


@pytest.mark.parametrize("processor", ["avr", "h8-300", "mcs51"])
def test_loops_step_remainders(processor: str, tmp_path: Path) -> None:
    """What the code computes is compared with the program in the processor's simulator."""
    path = tmp_path / "walk.py"
    path.write_text(TEXT)
    made = target.make(ciphers.load(str(path)), 56, processor=processor)
    rows = target.measure(made)
    assert {row.operation for row in rows if row.metric == "cycles"} >= {"encrypt", "decrypt"}
