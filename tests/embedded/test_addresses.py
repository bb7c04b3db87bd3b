"""Small processors: addresses of data in arrays of rows, beside loops' indices, in elements of three bytes; long tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.embedded import processors
from cipherassay.embedded.target import make, measure

TOY = '''"""Toy. [none]"""
from cipherassay.lang import *
toy = Cipher("Toy", block_bits=64, key_bits=(64,), structure="other", source="[none]")
LONG = table(u8, [(37 * n * n + n) % 256 for n in range(600)])

@toy.key_schedule
def key_schedule(key):
    K, x = array(u16, 2, 256), concat(key[0], key[5])
    for j in rounds(2):
        for i in rounds(256):
            x = rotl(x, 3) + 0x9E37 + zext(LONG[2 * i + j + 17], 16)
            K[j, i] = x
    return K

@toy.encrypt
def encrypt(K, block):
    a, b = le_words(block)
    W = array(word(24), 8)
    for n in steps(8):
        W[n] = bits(a, 0, 24) + n
    T = array(u8, 520)
    for n in rounds(520):
        T[n] = LONG[n] ^ bits(b, 3, 8)
    for j in rounds(2):
        x = zext(K[j, byte(a, 1)], 32) + zext(K[0, byte(b, 2)], 32)
        x = x ^ zext(T[bits(a, 4, 9)], 32) + zext(W[bits(b, 7, 3)], 32)
        W[bits(x, 2, 3)] = bits(a, 5, 24)
        K = K
        a, b = b ^ x, rotl(a, 5)
    return le_bytes(a, b)
'''


@pytest.mark.parametrize("unrolled", [False, True])
@pytest.mark.parametrize("name", ["avr", "h8-300", "mcs51"])
def test_every_kind_of_address(name: str, unrolled: bool, tmp_path: Path) -> None:
    if missing := [tool for tool in processors.load(name).needs if not tools.find(tool).place]:
        pytest.skip(f"{missing[0]} is needed to run this")
    file = tmp_path / "toy.py"
    file.write_text(TOY if not unrolled else TOY.replace("rounds(520)", "rounds(40)").replace("bits(a, 4, 9)", "bits(a, 4, 5)"))
    assert measure(make(load(file), 64, processor=name, unrolled=unrolled))  # each result is compared with the evaluator
