"""The descriptions under examples/: ciphers that are not among the six, other block sizes and word widths."""

from __future__ import annotations

import pytest

from cipherassay.ciphers import load
from support.places import EXAMPLES

# Known answers printed in [BSS13] appendix C and [BKL07] appendix I.
ANSWERS = [
    ("speck", bytes(range(16)).hex(), b" made it equival".hex(), "180d575cdffe60786532787951985da6"),
    ("present", "00" * 10, "00" * 8, "5579c1387b228445"),
    ("present", "ff" * 10, "00" * 8, "e72c46c0f5945049"),
    ("present", "00" * 10, "ff" * 8, "a112ffc72f68417b"),
    ("present", "ff" * 10, "ff" * 8, "3333dcd3213210d2"),
]


@pytest.mark.parametrize(("name", "key", "plaintext", "ciphertext"), ANSWERS)
def test_printed_answers(name: str, key: str, plaintext: str, ciphertext: str) -> None:
    cipher = load(EXAMPLES / f"{name}.py")
    secret, p, c = (bytes.fromhex(x) for x in (key, plaintext, ciphertext))
    keys = cipher.run("key_schedule", secret)
    assert cipher.run("encrypt", keys, p) == c
    assert cipher.run("decrypt", keys, c) == p
    program = cipher.compile(8 * len(secret))
    compiled_keys = program.evaluate("key_schedule", [secret])
    assert program.evaluate("encrypt", [*compiled_keys, p]) == [list(c)]
    assert program.evaluate("decrypt", [*compiled_keys, c]) == [list(p)]


@pytest.mark.parametrize(
    ("name", "key_bits"), [("speck", 128), ("speck", 192), ("speck", 256), ("present", 80), ("present", 128)]
)
def test_compiles_for_every_key_size(name: str, key_bits: int) -> None:
    """Compiling compares the program with the plain run."""
    load(EXAMPLES / f"{name}.py").compile(key_bits)
