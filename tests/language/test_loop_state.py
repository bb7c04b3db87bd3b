"""State that a loop binds anew while another name, or a constant of the file, had the same list before."""

from __future__ import annotations

import random

import pytest
import toy

CASES = {
    "a constant of the file": "U = c\nfor i in rounds(3):\n    U = U + U ^ S[i]\nreturn le_bytes(*U)",
    "the constant read after the loop": (
        "U = c\nfor i in rounds(3):\n    U = U + U ^ S[i]\nreturn le_bytes(*(U ^ c))"
    ),
    "two names for one list": (
        "X = le_words(p)\nY = X\nfor i in rounds(4):\n    Y = Y + S[i]\nreturn le_bytes(*(X ^ Y))"
    ),
    "both names bound anew": (
        "X = le_words(p)\nY = X\nfor i in rounds(4):\n    X, Y = X ^ Y + S[i], X\nreturn le_bytes(*(X + Y))"
    ),
    "two names for one list, changed in place": (
        "X = list(le_words(p))\nY = X\nfor i in rounds(4):\n    Y[0] = X[3] + S[i]\n    X[3] = Y[0] ^ 7\n"
        "return le_bytes(*X)"
    ),
}


@pytest.mark.parametrize("body", CASES.values(), ids=CASES.keys())
def test_the_program_computes_what_the_plain_run_does(body: str) -> None:
    cipher = toy.make(body, before="c = vec(u32, 1, 2, 3, 4)\n")
    program = cipher.compile(128)
    assert cipher.compile(128).text() == program.text()
    source = random.Random(3)
    key, block = source.randbytes(16), source.randbytes(16)
    (words,) = program.evaluate("key_schedule", [key])
    plain = cipher.run("encrypt", cipher.run("key_schedule", key), block)
    assert [bytes(plain)] == [bytes(one) for one in program.evaluate("encrypt", [words, block])]
