"""State in lists: vectors that change places, lists that several variables share, lists changed in place."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from cipherassay.errors import DescriptionError
from support import shared_lists, toy

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
    "vectors that change places": (
        "Y0, Y1, Y2, Y3 = (vec(*p[k:k + 4]) for k in (0, 4, 8, 12))\nst = [Y0, Y1]\n"
        "for i in rounds(5):\n    Y0, Y1, Y2, Y3 = Y1, Y2, Y3, Y0 ^ Y2.rotate(1)\n"
        "return join(Y0 ^ st[1], Y1, Y2, Y3 ^ st[0])"
    ),
    "swapped, and one changed in place afterwards": (
        "X, Y = le_words(p)[0:2], le_words(p)[2:4]\nZ = Y\nfor i in rounds(5):\n    X, Y = Y, X\n"
        "X[0] += Y[1]\nreturn le_bytes(*X, *(Y ^ Z))"
    ),
    "a list in a list, changed in place": (
        "st = [le_words(p)[0:2], le_words(p)[2:4]]\nX = st[1]\nfor i in rounds(3):\n    st[1][0] ^= st[0][1] + S[i]\n"
        "return le_bytes(*st[0], *X)"
    ),
    "arrays that change places": (
        "A, B = array(u32, 2), array(u32, 2)\nA[0:2], B[0:2] = S[0:2], S[2:4]\nC = A\n"
        "for i in rounds(3):\n    A, B = B, A\nA[0] = 7\nreturn le_bytes(A[0], A[1], C[0], B[0])"
    ),
    "a temporary that shares a list": (
        "X = le_words(p)\nT = X\nfor i in rounds(3):\n    T = X.rotate(1)\n    X[0] = T[2] + S[i]\n    T = X\n"
        "return le_bytes(*X)"
    ),
    "a list that a helper changes": (
        "def step(v, n):\n    for i in rounds(4):\n        v[0] = v[0] + v[n]\n    return v\n"
        "X = le_words(p)\nY = step(X, 1)\nZ = step(X, 2)\nreturn le_bytes(*(X ^ Y.rotate(1) + Z))"
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


def test_a_list_shared_in_some_iterations_only() -> None:
    body = (
        "X, Y = le_words(p)[0:2], le_words(p)[2:4]\nfor i in rounds(3):\n    X[0] += S[i]\n    X = Y\n"
        "return le_bytes(*X, *Y)"
    )
    assert toy.refusal(body, plain=False) == (
        "error[D041]: `X` and `Y` are one list in some rounds and two lists in others, and the loop changes it in "
        "place\n"
        "  --> toy.py:7:5\n"
        "      for i in rounds(3):\n"
        "   = help: where a list gets a second name, make a copy: `y = vec(*x)`"
    )


def test_a_list_that_no_variable_keeps() -> None:
    body = (
        "X, Y = le_words(p)[0:2], le_words(p)[2:4]\nclass other: kept = X\n"
        "for i in rounds(3):\n    X[0] += S[i]\n    X, Y = Y, X + Y\nreturn le_bytes(*X, *other.kept)"
    )
    assert toy.refusal(body, plain=False) == (
        "error[D008]: `a list` was changed in a loop in which no variable kept it\n"
        "  --> toy.py:11:12\n"
        "      return le_bytes(*X, *other.kept)\n"
        "   = help: keep what a loop changes in local variables of the function that holds the loop"
    )


def test_random_descriptions_with_vectors_as_state() -> None:
    """Compiling compares program and plain run; a description may be refused only for what it shares."""
    found = Counter(_outcome(seed) for seed in range(250))
    assert set(found) == {"agrees", "D041"}
    assert found["agrees"] > 200


def _outcome(seed: int) -> str:
    try:
        toy.make(shared_lists.Description(seed).text()).compile(128)
    except DescriptionError as error:
        return error.code
    return "agrees"
