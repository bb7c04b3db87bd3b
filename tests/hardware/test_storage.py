"""What keeps round keys: flip-flops or latches, in any device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import UsageError
from cipherassay.hardware.rtl import build
from cipherassay.hardware.simulation import own, simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.hardware.synthesis import exploring
from support.command import assay
from support.usual import usual


def has_latches(device: build.Device) -> bool:
    return any("_latch_" in name for name in device.verilog)


@pytest.mark.parametrize("strategy", ["latches", "word-serial", "small", "rounds", "side-by-side:copies=2"])
def test_flops_and_latches(strategy: str) -> None:
    name = "rijndael" if strategy == "word-serial" else "rc6"
    for storage in build.STORAGE:
        device = build.build(load(name), strategy_name=build.stored_in(strategy, storage))
        assert has_latches(device) == (storage == "latches")
        tests = vectors(device, 128)[:6]
        verdict = verdict_of(device, tests, own.simulate(device, tests), "own")
        assert not verdict.failures
        assert not verdict.complaints


def test_without_a_word_a_strategy_says_itself() -> None:
    assert build.stored_in("small", "") == "small"
    assert build.stored_in("rounds:iterations=2", "flops") == "rounds:iterations=2,storage=flops"
    with pytest.raises(UsageError) as caught:
        build.stored_in("small", "paper")
    assert (caught.value.code, caught.value.message) == ("H306", "there is no storage `paper`")


def test_a_sweep_keeps_all_in_flops() -> None:
    every = exploring.wanted(["best"], load("rc6"), "iterative")
    flops = exploring.wanted(["best:storage=flops"], load("rc6"), "iterative")
    assert flops == [f"{name}:storage=flops" for name in every]


def test_the_commands_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("rc6", "--strategy", "latches", "--storage", "flops")
    command = ("emit", "rtl", *words, "--language", "verilog", "--every", "128", "-o", str(tmp_path), "--json")
    made = json.loads(assay(capsys, *command).out)
    assert "--strategy latches:storage=flops" in made["command"]
    assert not list(tmp_path.glob("*_latch_*"))
    done = assay(capsys, "simulate", *words, "--rtl", "--every", "128", "--json")
    assert json.loads(done.out)["design"] == "rc6_iterative_128"
    wrong = assay(capsys, "synthesize", "rc6", "--storage", "paper", "--quiet")
    assert (wrong.code, wrong.err.splitlines()[0]) == (2, "error[H306]: there is no storage `paper`")


@pytest.mark.parametrize("simulator", ["icarus", "verilator", "ghdl"])
@pytest.mark.parametrize(
    ("name", "strategy"),
    usual(
        [("simon32", "latches"), ("rijndael", "word-serial"), ("rc6", "small")], [("simon32", "latches")]
    ),
)
def test_words_of_latches_in_every_simulator(simulator: str, name: str, strategy: str) -> None:
    """A word that is read in the clock in which it is made again: RC6's; one kept from key setup: the others'."""
    tool = simulators.simulator(simulator)
    if reason := tool.available():
        pytest.skip(reason)
    device = build.build(load(name), strategy_name=strategy)
    assert device.has_latches
    tests = vectors(device, 128)
    verdict_of(device, tests, tool.simulate(device, tests), simulator).demand()
