"""Ciphers of nibbles and of rotated words on AVR against published cycles; nibbles two in a byte."""

from __future__ import annotations

import pytest

from cipherassay import published, tools
from cipherassay.ciphers import load
from cipherassay.embedded import build, target

WHOLE = "call to return"
needs_simulator = pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)


def cycles(cipher: str, key_bits: int) -> dict[str, float]:
    """Return the cycles of a cipher's operations on AVR without loops, from call to return."""
    rows = target.measure(target.make(load(cipher), key_bits, unrolled=True))
    return {
        row.operation: row.value for row in rows if row.metric == "cycles" and WHOLE in row.configuration
    }


def printed(paper: str, cipher: str, key_bits: int | None, operation: str) -> float:
    """Return the cycles that a paper prints."""
    (value,) = (
        row.value
        for row in published.paper(paper).rows
        if (row.cipher, row.operation, row.metric) == (cipher, operation, "cycles")
        and row.key_bits in (None, key_bits)
    )
    return float(value)


@needs_simulator
def test_present_takes_no_more_cycles_than_published() -> None:
    assert cycles("present", 80)["encrypt"] <= printed("kwon2021", "PRESENT", 80, "encrypt")


@needs_simulator
@pytest.mark.parametrize("key_bits", [64, 128, 192])
def test_skinny_takes_no_more_cycles_than_published(key_bits: int) -> None:
    found = cycles("skinny64", key_bits)
    for operation in ("encrypt", "decrypt"):
        assert found[operation] <= printed("weatherley2017", "SKINNY-64", key_bits, operation)


@needs_simulator
@pytest.mark.parametrize("key_bits", [128, 256])
def test_rotations_of_long_words_go_the_shorter_way(key_bits: int) -> None:
    found = cycles("speck128", key_bits)
    for operation in ("encrypt", "decrypt"):
        assert found[operation] <= printed("weatherley2017", "Speck128", key_bits, operation)


@needs_simulator
@pytest.mark.parametrize(("cipher", "name"), [("simon64", "Simon64"), ("speck64", "Speck64")])
def test_simon_and_speck_take_no_more_cycles_than_published(cipher: str, name: str) -> None:
    found = cycles(cipher, 128)
    for operation in ("encrypt", "decrypt"):
        assert found[operation] <= printed("luo2015", name, 128, operation)


@needs_simulator
@pytest.mark.parametrize(("cipher", "key_bits"), [("gift64", 128), ("craft", 128), ("present", 128)])
def test_known_answers_pass_with_nibbles_in_pairs(cipher: str, key_bits: int) -> None:
    made = target.make(load(cipher), key_bits, unrolled=True)
    assert made.strategy == build.PAIRED[True]
    assert {row.strategy for row in target.measure(made)} == {made.strategy}


def test_a_cipher_of_bytes_stays_as_it_is() -> None:
    program = load("rijndael").compile(128)
    assert all(build.split_in_pairs(program, unrolled=unrolled) is None for unrolled in (True, False))
    assert target.make(load("rijndael"), 128).strategy == build.STRATEGIES[False]


def test_round_keys_lie_in_pairs() -> None:
    program = load("skinny64").compile(64)
    kept = build.with_round_keys_as_kept(program, build.PAIRED[False])
    before, after = (one.mirror().functions["key_schedule"].results[0] for one in (program, kept))
    # Twelve cells a round: two in a byte, without the four of the third row that are the same in each.
    assert (before.bits, before.cells, after.bits, after.cells) == (4, 32 * 12, 8, 32 * 4)
    assert build.with_round_keys_as_kept(program, build.STRATEGIES[False]) is program


def test_code_is_faster_where_no_operation_is_slower() -> None:
    def code(**cycles: int) -> build.Assembly:
        return build.Assembly("", tuple(cycles), {}, {}, cycles, {})

    plain = code(key_schedule=10, encrypt=100, decrypt=100)
    assert build.is_faster(code(key_schedule=20, encrypt=90, decrypt=100), plain)
    assert not build.is_faster(code(key_schedule=5, encrypt=90, decrypt=101), plain)
    assert not build.is_faster(code(key_schedule=5, encrypt=100, decrypt=100), plain)
