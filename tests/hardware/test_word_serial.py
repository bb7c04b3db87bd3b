"""Devices that take a word of the state a clock: their key schedules shift, and choose nothing on the way out."""

from __future__ import annotations

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.rtl import build
from cipherassay.hardware.simulation import own
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors

EVERY = 32


@pytest.mark.parametrize("key", ["128", "3in1"])
def test_rijndael_passes_a_word_a_clock(key: str) -> None:
    made = build.build(load("rijndael"), key=key, strategy_name="word-serial")
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()
    words = {bits: clocks.per_block for (bits, _), clocks in made.clocks.items()}
    # 4 (rounds + 1) words, the block's first clock and that of its result.
    assert words == {bits: 4 * (bits // 32 + 7) + 2 for bits in {"128": (128,), "3in1": (128, 192, 256)}[key]}


def test_its_window_shifts_both_ways_alike() -> None:
    made = build.build(load("rijndael"), key="3in1", strategy_name="word-serial")
    text = dict(made.design.files("verilog"))["rijndael_iterative_3in1_key_schedule.v"]
    # The oldest word going forward and the newest going back stand in the same four registers.
    for byte in range(4):
        assert f"assign round_key{byte} = window{byte};" in text
    # A clock in which nothing moves has no multiplexer: only where new words enter is there a choice.
    chosen = {line.split("_from")[0].split()[-1] for line in text.splitlines() if "input" in line and "window" in line}
    assert chosen - {"window_advances,"} == {"window12", "window20"}


@pytest.mark.parametrize(("key", "words", "alone"), [("128", 3, 1), ("3in1", 8, 0)])
def test_the_last_key_is_kept_in_latches(key: str, words: int, alone: int) -> None:
    made = build.build(load("rijndael"), key=key, strategy_name="word-serial")
    text = dict(made.design.files("verilog"))[f"{made.name}_key_schedule.v"]
    assert f"wire [31:0] kept_file0 [0:{words - 1}];" in text
    # A word that takes what it keeps from elsewhere stays in flip-flops.
    assert text.count("    reg [7:0] kept") == 4 * alone
    # A word a clock; the last is in its latch a clock later than in a register.
    setups = {bits: clocks.key_setup for (bits, decrypt), clocks in made.clocks.items() if decrypt}
    assert setups == {bits: 4 * (bits // 32 + 7) - bits // 32 + 3 for bits in {"128": (128,), "3in1": (128, 192, 256)}[key]}


def test_round_keys_of_128_bits_are_no_words_of_a_file() -> None:
    """A round a clock keeps four words at once: a port of so many bits takes more than latches save."""
    made = build.build(load("rijndael"), key="128", strategy_name="small")
    assert "kept_file" not in "".join(dict(made.design.files("verilog")).values())
