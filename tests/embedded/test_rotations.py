"""Small processors: rotations of one word by several numbers, of which some go on from others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay._engine import Program
from cipherassay.embedded import processors
from cipherassay.embedded.build import Assembly, assembly, split_into_bytes

HEAD = """program "t" {
}

func @key_schedule(%key: u8[1]) -> (u8[1]) {
  %k: u8 = load %key[0]
  %A: u8[1] = array %k
  return %A
}

"""
WORDS = (
    ("rotl", 32, (1, 2, 9)), ("rotl", 32, (10, 2, 18, 24)), ("rotr", 64, (3, 5, 61)), ("rotl", 16, (7, 1)),
    ("rotl", 8, (1, 2, 7)), ("rotl", 8, (3, 4, 6)),
)  # fmt: skip
"""Kinds of rotations, the bits of a word, by how much it is rotated: the sum of all takes its place."""


def program(words: tuple[tuple[str, int, tuple[int, ...]], ...]) -> Program:
    """Return a program that rotates words and adds what comes out to the first of it."""
    size = sum(bits // 8 for _, bits, _ in words)
    lines = [f"func @encrypt(%K: u8[1], %B: u8[{size}]) -> (u8[{size}]) {{"]
    lines += [f"  %{k}: u8 = load %B[{k}]" for k in range(size)]
    at, out = 0, []
    for w, (kind, bits, amounts) in enumerate(words):
        parts = ", ".join(f"%{at + k}" for k in range(bits // 8))
        lines.append(f"  %w{w}: u{bits} = concat {parts}" if bits > 8 else f"  %w{w}: u8 = xor {parts}, 0x5a")
        lines += [f"  %r{w}.{n}: u{bits} = {kind} %w{w}, {by}" for n, by in enumerate(amounts)]
        for n in range(1, len(amounts)):
            before = f"%s{w}.{n - 1}" if n > 1 else f"%r{w}.0"
            lines.append(f"  %s{w}.{n}: u{bits} = add {before}, %r{w}.{n}")
        last = f"%s{w}.{len(amounts) - 1}" if len(amounts) > 1 else f"%r{w}.0"
        cut = [f"%o{w}.{k}" for k in range(bits // 8)]
        lines += [f"  {part}: u8 = extract {last}, {8 * k}" for k, part in enumerate(cut)] if bits > 8 else []
        out += cut if bits > 8 else [last]
        at += bits // 8
    lines += [f"  %R: u8[{size}] = array {', '.join(out)}", "  return %R", "}"]
    return Program.parse(HEAD + "\n".join(lines) + "\n")


def made(name: str, *words: tuple[str, int, tuple[int, ...]]) -> Assembly:
    """Return a processor's code of such a program."""
    return assembly(split_into_bytes(program(words), unrolled=True), "t", [], processors.load(name))


@pytest.mark.parametrize("name", ["avr", "h8-300", "mcs51"])
def test_results(name: str, tmp_path: Path) -> None:
    processor = processors.load(name)
    missing = [tool for tool in processor.needs if not tools.find(tool).place]
    if missing:
        pytest.skip(f"{missing[0]} is needed to run this")
    size = sum(bits // 8 for _, bits, _ in WORDS)
    numbers = random.Random(7)
    with processor.machine(made(name, *WORDS).text, tmp_path) as machine:
        for _ in range(4):
            block = numbers.randbytes(size)
            machine.write("t_block", block)
            machine.call("t_encrypt")
            assert machine.read("t_block", size) == bytes(program(WORDS).evaluate("encrypt", [bytes(1), block])[0])


def test_a_rotation_goes_on_from_one_by_less() -> None:
    text = made("avr", ("rotl", 32, (1, 2))).text
    # One bit further each: the word and its copy are rotated by one bit, not one of them by two.
    assert text.count("\tlsl ") == 2
    assert made("avr", ("rotl", 32, (2, 1))).text.count("\tlsl ") == 2


def test_what_is_as_near_to_the_word_does_not_go_on() -> None:
    text = made("avr", ("rotl", 32, (1, 31))).text
    assert (text.count("\tlsl "), text.count("\tlsr ")) == (1, 1)
