"""Bit-sliced words: one bit of a word per input value."""

from __future__ import annotations

from collections.abc import Sequence


def input_words(inputs: int, width: int) -> list[list[int]]:
    """Return the arguments of each call: bit k of word i is bit i of input value ``call * width + k``.

    Values beyond ``2 ** inputs`` wrap around.
    """
    size = 1 << inputs
    calls = []
    for base in range(0, size, width):
        values = [(base + lane) % size for lane in range(width)]
        calls.append([sum((v >> i & 1) << lane for lane, v in enumerate(values)) for i in range(inputs)])
    return calls


def values_of(results: Sequence[Sequence[int]], inputs: int, width: int) -> tuple[int, ...]:
    """Return the box's values from the result words of each call."""
    size = 1 << inputs
    values = []
    for v in range(size):
        words, lane = results[v // width], v % width
        values.append(sum((word >> lane & 1) << k for k, word in enumerate(words)))
    return tuple(values)
