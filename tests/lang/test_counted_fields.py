"""Fields of words at places that a loop's counter decides."""

from __future__ import annotations

import random

import pytest

from support import toy


@pytest.mark.parametrize("field", ["byte(X[1], i)", "bits(X[1], 16 - i % 2 * 16, 16)", "bits(X[1], 4 * i + 1, 3 + i)"])
def test_a_field_may_stand_where_the_counter_says(field: str) -> None:
    body = (
        f"X = le_words(p)\nfor i in rounds(4):\n    X[0] = X[0] + zext({field}, 32) + S[i]\n    X[1] = X[1] ^ X[0]\n"
        "return le_bytes(*X)"
    )
    cipher = toy.make(body)
    program = cipher.compile(128)
    draw = random.Random(1)
    for _ in range(8):
        key, block = draw.randbytes(16), draw.randbytes(16)
        (words,) = program.evaluate("key_schedule", [key])
        plain = cipher.run("encrypt", cipher.run("key_schedule", key), block)
        assert [bytes(plain)] == [bytes(one) for one in program.evaluate("encrypt", [words, block])]
