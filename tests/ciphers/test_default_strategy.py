"""The strategy of a cipher for which none is kept: the default, or the description as it is where that does not apply."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.strategies import JAVA, preferred
from cipherassay.strategies.preferences import preference
from support.command import assay

TOY = '''"""Toy. [none]"""
from cipherassay.lang import *
toy = Cipher("Toy", key_bits=(128,), structure="ARX", source="[none]")
@toy.key_schedule
def key_schedule(key):
    return key
@toy.encrypt
def encrypt(K, block):
    for i in rounds(ROUNDS):
        block = (block ^ K).rotate(1) + K
    return block
'''


@pytest.mark.parametrize(("rounds", "strategy"), [(4, "unrolled"), (200, "direct")])
def test_a_cipher_too_long_to_unroll_stays_as_described(
    rounds: int, strategy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "toy.py"
    file.write_text(TOY.replace("ROUNDS", str(rounds)))
    cipher = load(file)
    assert (preference(cipher), preferred(cipher), preferred(cipher, JAVA)) == ("unrolled", strategy, "direct")
    assert assay(capsys, "emit", "c", str(file), "-o", str(tmp_path / "c")).code == 0
