"""Cores: no registers for what the pins bring, a key with every block, the result in the last step alone."""

from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import AssayError
from cipherassay.hardware.emission import emitting
from cipherassay.hardware.rtl.build import CORE, Device, build
from cipherassay.hardware.simulation import own, simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from support import emitted_folders
from support.command import assay
from support.usual import usual

EVERY = 16
SIZES = {
    ("present", "encrypt"): (32, {"controller": 6, "key_schedule": 80, "algorithm": 64}),
    ("rijndael", "encrypt"): (10, {"controller": 4, "key_schedule": 128, "algorithm": 128}),
    ("gift64", "encrypt"): (29, {"controller": 5, "key_schedule": 128, "algorithm": 64}),
    ("skinny64", "both"): (33, {"controller": 7, "key_schedule": 64, "algorithm": 64}),
    ("simon64", "encrypt"): (43, {"controller": 6, "key_schedule": 96, "algorithm": 64}),
    ("speck64", "encrypt"): (27, {"controller": 5, "key_schedule": 96, "algorithm": 64}),
    ("led", "both"): (9, {"controller": 5, "key_schedule": 64, "algorithm": 64}),
    ("serpent", "encrypt"): (32, {"controller": 6, "key_schedule": 256, "algorithm": 128}),
    ("ascon-p", "permute"): (13, {"controller": 4, "algorithm": 320}),
}
"""Latency in clocks, and register bits: those of state, key and steps, and no others."""
OTHERS = [("icarus", "present", "encrypt"), ("ghdl", "skinny64", "both"), ("verilator", "gift64", "encrypt")]


def core(name: str, direction: str, strategy: str = "on-the-fly", **options: str) -> Device:
    return build(load(name), CORE, direction=direction, strategy_name=strategy, **options)


@pytest.mark.parametrize(("name", "direction"), SIZES)
def test_registers_are_those_of_state_key_and_steps(name: str, direction: str) -> None:
    made = core(name, direction)
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()
    assert ({clocks.latency for clocks in made.clocks.values()}, made.registers) == (
        {SIZES[name, direction][0]}, SIZES[name, direction][1],
    )  # fmt: skip
    assert {clocks.per_block - clocks.latency for clocks in made.clocks.values()} == {1}
    assert not {"load_key", "take", "key_size"} & set(made.inputs)


@pytest.mark.parametrize("strategy", ["rounds", "small", "fast", "two-rounds", "two-clocks", "merged-ends"])
def test_other_strategies(strategy: str) -> None:
    made = core("present", "encrypt", strategy)
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()
    assert made.registers["key_schedule"] == 80


@pytest.mark.parametrize(("tool", "name", "direction"), usual(OTHERS, OTHERS[:2]))
def test_others_see_the_same_clock_by_clock(tool: str, name: str, direction: str) -> None:
    reference = simulators.simulator(tool)
    if reason := reference.available():
        pytest.skip(reason)
    made = core(name, direction)
    tests = vectors(made, EVERY)
    events = reference.simulate(made, tests)
    assert events == own.simulate(made, tests)
    verdict_of(made, tests, events, tool).demand()


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("rijndael", {"direction": "both"}, "H316"), ("present", {"direction": "decrypt"}, "H310"),
        ("craft", {"direction": "encrypt", "strategy": "side-by-side"}, "H313"),
        ("serpent", {"direction": "encrypt", "key": "3in1"}, "H317"),
    ],
)  # fmt: skip
def test_what_has_no_core(name: str, options: dict[str, str], code: str) -> None:
    with pytest.raises(AssayError) as caught:
        core(name, **options)
    assert caught.value.code == code


def test_key_setup_has_no_time() -> None:
    with pytest.raises(AssayError) as caught:
        core("rijndael", "both")
    assert str(caught.value) == (
        "error[H316]: a core takes its key with each block, and has no time for key setup\n"
        "   = round keys start from words that take 11 clocks to make\n"
        "   = help: build it for one direction, as in `--direction encrypt`, or with `--architecture iterative`"
    )


def test_the_folder_runs_by_its_readme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--architecture", "core", "--direction", "encrypt", "--language", "both", "--every", "32")
    done = assay(capsys, "emit", "rtl", "present", *options, "-o", str(tmp_path))
    assert done.code == 0, done.err
    readme = (tmp_path / "README.md").read_text()
    assert "Nothing registers the pins: a block and its key are read in the clock in which `load_data`" in readme
    assert "`load_key`" not in readme
    emitted_folders.run(tmp_path)


def test_the_readme_says_what_its_pins_mean() -> None:
    made = core("skinny64", "both")
    (text,) = [text for name, text in emitting.files(made, ["verilog"], "assay", 512) if name == "README.md"]
    assert "| `key` | input | 64 | the key of the block |" in str(text)
    assert "| `valid` | output | 1 | `data_out` is the result, in this clock alone |" in str(text)
