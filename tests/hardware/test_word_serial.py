"""Devices that take a word of the state a clock: their key schedules shift, and choose nothing on the way out."""

from __future__ import annotations

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware import build, own
from cipherassay.hardware.events import judge
from cipherassay.hardware.vectors import vectors

EVERY = 32


@pytest.mark.parametrize("key", ["128", "3in1"])
def test_rijndael_passes_a_word_a_clock(key: str) -> None:
    made = build.build(load("rijndael"), key=key, strategy_name="word-serial")
    tests = vectors(made, EVERY)
    judge(made, tests, own.simulate(made, tests), "own").demand()
    words = {bits: clocks.per_block for (bits, _), clocks in made.clocks.items()}
    # 4 (rounds + 1) words, the block's first clock and that of its result.
    assert words == {bits: 4 * (bits // 32 + 7) + 2 for bits in build.KEYS[key]}


def test_its_window_shifts_both_ways_alike() -> None:
    made = build.build(load("rijndael"), key="3in1", strategy_name="word-serial")
    text = dict(made.design.files("verilog"))["rijndael_iterative_3in1_key_schedule.v"]
    # The oldest word going forward and the newest going back stand in the same four registers.
    for byte in range(4):
        assert f"assign round_key{byte} = window{byte};" in text
    # A clock in which nothing moves has no multiplexer: only where new words enter is there a choice.
    chosen = {line.split("_from")[0].split()[-1] for line in text.splitlines() if "input" in line and "window" in line}
    assert chosen - {"window_advances,"} == {"window12", "window20"}
