"""Loops of small processors whose iterations have several rounds: where that is faster by a good part."""

from __future__ import annotations

import pytest

from cipherassay import published, strategies, tools
from cipherassay.ciphers import load
from cipherassay.embedded import build, target

needs_simulator = pytest.mark.skipif(
    any(not tools.find(name).place for name in ("avr-gcc", "libsimavr", "cc")),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)


@pytest.mark.parametrize("name", build.SEVERAL)
def test_such_a_strategy_begins_as_the_one_of_single_rounds(name: str) -> None:
    shorter, longer = strategies.load(name), strategies.load(build.SEVERAL[name])
    assert longer.passes[: len(shorter.passes)] == shorter.passes
    assert len(longer.passes) > len(shorter.passes)


@needs_simulator
@pytest.mark.parametrize(
    ("cipher", "key_bits", "paper", "strategy"),
    [
        ("speck128", 128, "weatherley2017", "bytes-several-rounds"),
        ("speck128", 256, "weatherley2017", "bytes-several-rounds"),
    ],
)
def test_loops_take_no_more_cycles_than_published(
    cipher: str, key_bits: int, paper: str, strategy: str
) -> None:
    made = target.make(load(cipher), key_bits)
    assert made.strategy == strategy
    rows = published.paper(paper).rows
    for row in target.measure(made):
        if row.metric == "cycles" and "call to return" in row.configuration and row.operation in ("encrypt", "decrypt"):
            (printed,) = (
                one.value for one in rows
                if (one.cipher, one.key_bits, one.operation) == (row.cipher, key_bits, row.operation)
            )  # fmt: skip
            assert row.value <= printed


@pytest.mark.parametrize("cipher", ["rijndael", "rc6"])
def test_little_is_gained_and_rounds_stay_alone(cipher: str) -> None:
    assert target.make(load(cipher), 128).strategy == build.STRATEGIES[False]


def test_every_operation_has_to_gain() -> None:
    def code(**cycles: int) -> build.Assembly:
        return build.Assembly("", tuple(cycles), {}, {}, cycles, {})

    plain = code(encrypt=100, decrypt=100)
    assert build.is_faster(code(encrypt=87, decrypt=80), plain, build.GAIN)
    assert not build.is_faster(code(encrypt=50, decrypt=88), plain, build.GAIN)
