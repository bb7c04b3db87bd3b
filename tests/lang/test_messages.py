"""Edges of the language: what is accepted where a number meets words, and the words of what is refused."""

from __future__ import annotations

import random

import pytest

from support import toy

ACCEPTED = {
    "a number joined with words": "x = concat(u8(7), byte(S[0], 1), u16(9))\nreturn le_bytes(x, S[1], x, S[2])",
    "a vector shifted": "return le_bytes(S[0:4] << 3 ^ S[0:4] >> 29)",
    "a vector shifted by words": "v = S[0:4]\nreturn le_bytes(v >> (v & 31))",
    "a number put among words": "p[0] = 1\np[2:4] = [7, p[5]]\nfor i in rounds(3):\n    p[i + 8] = i\nreturn p",
    "a number compared with a word": "x = select(equal(3, S[0]) | less(9, S[1]), S[2], 5)\nreturn le_bytes(x, x, x, x)",
    "an XOR matrix of lists": (
        "M = xor_matrix([[k % 16 + 1, (k + 11) % 16 + 1, 12] if k not in (0, 11) else [12, 13] for k in range(16)])\n"
        "return M @ p"
    ),
}


@pytest.mark.parametrize("title", ACCEPTED)
def test_accepted_and_the_same_when_compiled(title: str) -> None:
    program = toy.make(ACCEPTED[title]).compile(128)
    assert type(program).parse(program.text()).text() == program.text()


def test_a_key_schedule_returns_constants_beside_words() -> None:
    schedule = "def key_schedule(key):\n    return (u32(7), le_words(key))\n"
    cipher = toy.make("return p ^ le_bytes(*(S[1] ^ S[0]))", key_schedule=schedule)
    program = cipher.compile(128)
    assert program.evaluate("key_schedule", [bytes(16)]) == [7, [0, 0, 0, 0]]


def test_a_key_schedule_returns_a_vector_of_two_widths() -> None:
    schedule = "def key_schedule(key):\n    return vec(key[0], u32(7))\n"
    assert toy.refusal("return p", plain=False, key_schedule=schedule) == (
        "error[D023]: `key_schedule` must return arrays, vectors of words of one width, or a tuple of them\n"
        "  --> toy.py:1\n   = help: end it with `return …`"
    )


def test_an_expression_of_counters_with_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cipherassay.lang.counter._LIMIT", 8)
    body = "for i in rounds(3):\n    for j in rounds(3):\n        n = (i + j) // 2\nreturn p"
    assert toy.refusal(body, plain=False) == (
        "error[D058]: a counter expression with 9 cases\n  --> toy.py:8:17\n      n = (i + j) // 2\n"
        "   = help: shorten the loops or unroll one with `range`"
    )


def test_an_xor_matrix_reads_its_rows_in_every_form() -> None:
    """From the definition: output i is the XOR of the inputs that row i names."""
    from cipherassay.lang import u8, xor_matrix

    source = random.Random(1)
    for count in (3, 9, 10, 16):
        rows = [sorted(source.sample(range(1, count + 1), source.randint(1, 3))) for _ in range(count)]
        words = [source.randrange(256) for _ in range(count)]
        expected = []
        for row in rows:
            total = 0
            for n in row:
                total ^= words[n - 1]
            expected.append(total)
        forms = [rows, [" ".join(map(str, row)) for row in rows]]
        if count <= 9:
            forms.append(["".join(map(str, row)) for row in rows])
        for form in forms:
            found = xor_matrix(form) @ [u8(x) for x in words]
            assert [word.value for word in found] == expected


ROW = "   = help: a row names inputs from 1 to {n}, each once: `[1, {n}]`"
PLACE = "\n  --> toy.py:6:{column}\n      {line}\n"
REFUSED = {
    "M = xor_matrix(['12'] * 12)": (
        "error[D091]: the row `12` of an XOR matrix with 12 inputs can be read in two ways",
        9,
        "   = help: from ten inputs on give lists of numbers, `[1, 12]`, or put spaces between: `1 12`",
    ),
    "M = xor_matrix(['12', '13'])": ("error[D092]: '13' is no row of an XOR matrix with 2 inputs", 9, ROW.format(n=2)),
    "M = xor_matrix([[1, 1], [2]])": ("error[D092]: [1, 1] is no row of an XOR matrix with 2 inputs", 9, ROW.format(n=2)),
    "M = xor_matrix(['', '1'])": ("error[D092]: '' is no row of an XOR matrix with 2 inputs", 9, ROW.format(n=2)),
    "M = xor_matrix(['x', '1'])": ("error[D092]: 'x' is no row of an XOR matrix with 2 inputs", 9, ROW.format(n=2)),
    "n = GF(0x11B).mul(-1, 3)": (
        "error[D031]: -1 times 3 in a field of 256 elements", 9, "   = help: elements run to 255",
    ),
    "v = S[0:4] / 2": (
        "error[D010]: a word has no division `/`",
        9,
        "   = help: shift by a constant, or write the division of the paper as word operations",
    ),
    "v = -S[0:4]": (
        "error[D010]: a word has no negation `-x`", 9, "   = help: write `0 - x`, which is modulo 2^w",
    ),
    "v = rotl(S[0:4], 3)": (
        "error[D069]: a word is needed to shift or rotate, not a vector of 4 words",
        9,
        "   = help: take the words one by one: `vec(*(rotl(x, n) for x in v))`",
    ),
    "x = less(3, 4)": (
        "error[D064]: `less` between two numbers, which have no width", 9, "   = help: make one a word: `u32(x)`",
    ),
    "x = le_words(p, 7)": ("error[D046]: 7 is no width of a word of whole bytes", 9, "   = help: 8, 16, … 64"),
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_refused_in_both_runs(line: str) -> None:
    message, column, help = REFUSED[line]
    assert toy.refusal(f"{line}\nreturn p") == message + PLACE.format(column=column, line=line) + help


def test_a_function_that_stays_a_call_changes_no_argument() -> None:
    body = "@function\ndef f(v):\n    v[0] = v[1]\n    return v[2]\nx = f(p)\nreturn p"
    assert toy.refusal(body, plain=False) == (
        "error[D071]: `f` changes an argument in place, and what stays a call only reads its arguments\n"
        "  --> toy.py:10:9\n      x = f(p)\n"
        "   = help: work on a copy, `v = vec(*v)`, and return it; a helper without `@function` may change them"
    )


def test_a_function_that_stays_a_call_keeps_the_names_of_its_parameters() -> None:
    before = "@function\ndef f(left, pair, number, *rest):\n    return left + pair[0] + pair[1] + rest[0] + number\n"
    program = toy.make("x = f(S[0], S[1:3], 3, S[3])\nreturn le_bytes(x, x, x, f(x, S[1:3], 3, u32(9)))", before=before)
    (called,) = [one for one in program.compile().functions() if one["name"] == "f"]
    assert called["params"] == [("left", "u32"), ("pair0", "u32"), ("pair1", "u32"), ("rest0", "u32")]
