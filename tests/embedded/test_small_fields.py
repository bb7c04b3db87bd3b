"""Matrices over fields of less than a byte on small processors, in their simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.embedded.target import make, measure

TOY = '''"""Toy. [none]"""
from cipherassay.lang import *
toy = Cipher("Toy", block_bits=16, key_bits=(16,), structure="SPN", source="[none]")
M = GF(0x13).matrix([[4, 1, 2, 2], [8, 6, 5, 6], [11, 14, 10, 9], [2, 2, 15, 11]])
@toy.key_schedule
def key_schedule(key):
    return key
@toy.encrypt
def encrypt(K, block):
    for i in rounds(3):
        a, b = block ^ K
        c, d, e, f = M @ vec(bits(a, 0, 4), bits(a, 4, 4), bits(b, 0, 4), bits(b, 4, 4))
        block = vec(concat(c, d), concat(e, f))
    return block
'''


@pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)
@pytest.mark.parametrize("unrolled", [False, True])
def test_products_in_a_field_of_sixteen_elements(unrolled: bool, tmp_path: Path) -> None:
    file = tmp_path / "toy.py"
    file.write_text(TOY)
    assert measure(make(load(file), 16, unrolled=unrolled))  # each result is compared with the evaluator
