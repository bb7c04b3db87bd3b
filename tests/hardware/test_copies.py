"""Copies side by side and rounds unrolled: every block in order, the clocks that were planned, bad numbers refused."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from cipherassay._engine import Design
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import AssayError, DescriptionError, UsageError
from cipherassay.hardware.emission import emitting
from cipherassay.hardware.emission.top_level import links
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import checking, counts, own, simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.following import first_wrong_register
from cipherassay.hardware.simulation.simulation_rows import rows
from cipherassay.hardware.simulation.vectors import vectors
from support.command import assay
from support.usual import usual

EVERY = 32
OTHERS = ("icarus", "verilator", "ghdl")
BY_TURNS = (("icarus", "rijndael"), ("ghdl", "rc6"))
STRATEGY = "side-by-side"


def device(name: str = "rijndael", strategy: str = STRATEGY, **options: str) -> Device:
    return build.build(load(name), strategy_name=strategy, **options)


def simulated(made: Device) -> dict[tuple[str, bool], tuple[int, ...]]:
    tests = vectors(made, EVERY)
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    verdict.demand()
    return {(c.metric, c.decrypt): c.seen for c in verdict.confirmed if c.key_bits == 128}


@pytest.mark.parametrize("name", usual(of_papers(), ["rc6", "twofish"]))
def test_every_cipher_side_by_side(name: str) -> None:
    one, two = device(name, "latches"), device(name)
    seen = simulated(two)
    for decrypt in (False, True):
        alone, both = one.clocks[128, decrypt], two.clocks[128, decrypt]
        assert both == replace(alone, copies=2)
        assert seen["per_block", decrypt] == (alone.per_block,)
        assert seen["latency", decrypt] == (alone.latency,)


@pytest.mark.parametrize(("name", "copies"), usual([("rijndael", 3), ("rc6", 5), ("twofish", 4)], [("rijndael", 3)]))
def test_more_copies(name: str, copies: int) -> None:
    made = device(name, f"side-by-side:copies={copies}")
    one = device(name, "latches").clocks[128, False]
    assert simulated(made)["per_block", False] == (one.per_block,)
    assert made.clocks[128, False].rate == f"{one.per_block} for {copies} blocks"


def test_three_key_sizes_side_by_side() -> None:
    made = device(key="3in1")
    simulated(made)
    assert [made.clocks[bits, False].per_block for bits in (128, 192, 256)] == [11, 13, 15]


def test_results_keep_the_order_where_a_later_block_is_done_first() -> None:
    """Encryption by a key of 256 bits takes four clocks more than by the next key, of 128 bits."""
    made = device(key="3in1")
    long, short = (
        next(v for v in vectors(made, 128) if v.test == "mixed" and not v.decrypt and 8 * len(v.key) == bits)
        for bits in (256, 128)
    )
    tests = [replace(v, new_key=True, together=True, alone=False, slow=False) for v in (long, short)]
    events = own.simulate(made, tests)
    assert [events.results[n][1] for n in (0, 1)] == [long.expected, short.expected]
    assert events.results[1][0] == events.results[0][0] + 1
    assert events.blocks[1] + made.clocks[128, False].latency < events.results[0][0]


def test_throughput_is_that_of_both() -> None:
    one, two = (counts.confirmed(device(strategy=name)) for name in ("latches", "side-by-side"))
    for mode, count in two.items():
        alone, both = figures(one[mode], 10.0), figures(count, 10.0)
        assert count.copies == 2
        assert both.throughput_mbps == pytest.approx(2 * alone.throughput_mbps)
        assert both.feedback_mbps == alone.feedback_mbps
        assert both.blocks_in_flight == pytest.approx(2 * alone.blocks_in_flight)
        assert both.throughput_mbps * both.block_ns / 1000 == pytest.approx(128 * both.blocks_in_flight)


def test_a_change_of_key_counts_the_longest() -> None:
    """Encryption needs no setup: a key changes between blocks, which come 3 and 8 clocks apart."""
    found = counts.confirmed(device())[128, False]
    assert (found.per_block, found.key_switch) == (11, 8)


def test_rows_have_the_clocks_of_a_block() -> None:
    made = device("rc6")
    tests = vectors(made, EVERY)
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    found = {(r.operation, r.metric): r.value for r in rows(made, verdict, "assay")}
    assert found["encrypt", "cycles"] == made.clocks[128, False].per_block / 2
    assert found["encrypt", "latency_cycles"] == made.clocks[128, False].latency


@pytest.mark.parametrize(("simulator", "name"), usual(product(OTHERS, ["rc6", "rijndael"]), BY_TURNS))
def test_others_see_the_same_clock_by_clock(simulator: str, name: str) -> None:
    reference = simulators.simulator(simulator)
    if reason := reference.available():
        pytest.skip(reason)
    made = device(name)
    tests = vectors(made, EVERY)
    events = reference.simulate(made, tests)
    assert events == own.simulate(made, tests)
    verdict_of(made, tests, events, simulator).demand()


def test_every_register_in_a_simulator_of_others() -> None:
    reference = simulators.simulator("icarus")
    if reason := reference.available():
        pytest.skip(reason)
    made = device()
    tests = vectors(made, 128)
    different, clocks = checking.agreement(made, tests, reference, simulators.simulator("own"))
    assert different == []
    assert clocks > 200


def test_the_register_of_the_core_is_named(tmp_path: Path) -> None:
    """Right designs have no wrong register; with another constant in the rounds each core has its own."""
    text = Path(load("rc6").file).read_text()
    before, after = "rotl(B * (2 * B + 1), lg_w)", "rotl(B * (2 * B + 1), 6)"
    assert before in text
    (tmp_path / "wrong.py").write_text(text.replace(before, after))
    right = device("rc6")
    wrong = replace(right, design=build.build(load(str(tmp_path / "wrong.py")), strategy_name=STRATEGY).design)
    for made in (right, wrong):
        tests = vectors(made, 128)
        trace, events = list(own.trace(made, tests)), own.simulate(made, tests)
        for number in (0, 1, len(tests) - 1):
            found = first_wrong_register(made, tests, number, events, own.columns(made), trace)
            assert (found is None) == (made is right)
            if found is not None:
                assert found.block == f"algorithm_{number % 2}"


def test_cores_share_their_modules() -> None:
    made = device("rc6")
    modules = made.design.module_names()
    begin = "rc6_iterative_128"
    core = [f"{begin}_{part}" for part in ("controller", "key_schedule", "algorithm")]
    assert modules == [f"{begin}_interface", f"{begin}_distributor", *core, *core, begin]
    one = dict(device("rc6", "latches").design.files("verilog"))
    two = dict(made.design.files("verilog"))
    assert set(two) - set(one) == {f"{begin}_distributor.v"}
    assert [name for name in one if one[name] != two[name]] == [f"{begin}.v"]
    assert made.inputs == device("rc6", "latches").inputs


def test_the_readme_says_what_comes_in_the_clocks() -> None:
    made = device("rc6")
    text = emitting.readme(made, [], 10, "assay")
    assert "| 128 | encryption | 179 | 24 | 22 for 2 blocks |" in text
    assert "Two iterative cores behind one Interface" in text


def test_the_picture_has_both_cores() -> None:
    made = device("rc6")
    drawn = {name: text for _, name, text in emitting.pictures(made)}["rc6_iterative_128_blocks.svg"]
    assert "Distributor" in drawn
    assert f"2 × {made.registers['algorithm_0']} register bits" in drawn
    between = {(one.source, one.target): one.bits for one in links(made.design.files("verilog"))}
    assert between["algorithm", "distributor"] == 2 * 128
    assert between["interface", "algorithm"] == 2 * 128


@pytest.mark.parametrize(
    ("architecture", "strategy", "code", "message", "help_"),
    [
        ("iterative", "side-by-side:copies=0", "H313", "a device has at least one core, not 0 copies", ""),
        (
            "iterative", "side-by-side:copies=4", "H314", "4 copies are more than one Interface feeds",
            "at most 3 copies",
        ),
        (
            "pipelined", "side-by-side", "H313", "the pipelined architecture has no 2 copies side by side",
            "copies are iterative cores: a pipeline takes a block every clock already",
        ),
        ("iterative", "rounds:iterations=0", "H106", "a step of `encrypt` cannot have 0 rounds", ""),
        ("iterative", "rounds:key_iterations=0", "H106", "a step of `key_schedule` cannot have 0 rounds", ""),
        ("iterative", "rounds:parts=0", "H106", "a step of `encrypt` cannot have 0 clocks", ""),
        (
            "pipelined", "rounds:iterations=11", "H107", "a step of `encrypt` cannot have 11 rounds",
            "its longest loop of rounds has 9",
        ),
    ],
)  # fmt: skip
def test_bad_numbers_are_refused(
    architecture: str, strategy: str, code: str, message: str, help_: str
) -> None:
    with pytest.raises(DescriptionError) as caught:
        device(strategy=strategy, architecture=architecture)
    assert (caught.value.code, caught.value.message, caught.value.help) == (code, message, help_)
    if code == "H314":
        assert caught.value.notes == ("a block takes 11 clocks, and the Interface takes one every 3 clocks",)


@pytest.mark.parametrize("setting", ["copies=-1", "copies=two", "copies", "colour=3", "iterations=1000", "iterations=2,", "storage=paper"])
def test_settings_that_are_none(setting: str) -> None:
    with pytest.raises(UsageError) as caught:
        build.strategy(f"rounds:{setting}")
    wrong = setting.split(",")[-1]
    assert (caught.value.code, caught.value.message) == ("H315", f"`{wrong}` sets nothing of a strategy")
    assert "as in `rounds:iterations=4`" in str(caught.value)


def test_the_command_refuses_a_pipeline_of_copies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--architecture", "pipelined", "--strategy", "side-by-side")
    done = assay(capsys, "emit", "rtl", "rc6", *words, "-o", str(tmp_path / "out"))
    assert done.code == 3
    assert done.err.startswith("error[H313]: the pipelined architecture has no 2 copies side by side\n")
    assert not (tmp_path / "out").exists()


def test_the_command_says_how_many_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("simulate", "--rtl", "rijndael", "--strategy", "side-by-side", "--every", "64")
    assert "11 for 2 blocks" in assay(capsys, *words).out
    found = json.loads(assay(capsys, *words, "--json").out)
    blocks = {(one["count"], one["clocks"], one["blocks"]) for one in found["confirmed"]}
    assert blocks == {("key_setup", 0, 1), ("key_setup", 11, 1), ("latency", 13, 1), ("per_block", 11, 2)}


@pytest.mark.parametrize("iterations", usual([2, 3, 4, 5, 7, 19, 20], [2, 3, 7, 20]))
def test_any_number_of_rounds_a_clock(iterations: int) -> None:
    """20 rounds, and whitening before and after them; a rest of rounds has a clock of its own."""
    made = device("rc6", f"rounds:iterations={iterations}")
    assert simulated(made)["per_block", False] == (-(-20 // iterations) + 2,)


@pytest.mark.parametrize("name", usual(["rijndael", "twofish"], ["twofish"]))
def test_unrolled_for_three_key_sizes(name: str) -> None:
    made = device(name, "two-rounds", key="3in1")
    once = device(name, "rounds", key="3in1")
    for mode, clocks in made.clocks.items():
        assert clocks.per_block < once.clocks[mode].per_block
    simulated(made)


def test_the_engine_names_its_copies() -> None:
    program = load("rc6").compile(128).passes(["inline-calls"])
    made = Design.build("rc6", "iterative", [(128, program)], True, False, copies=3)
    assert made.copies == 3
    assert [name for name, _ in made.machines()][:3] == ["interface", "distributor", "controller_0"]
    with pytest.raises(AssayError) as caught:
        Design.build("rc6", "pipelined", [(128, program)], True, False, copies=3)
    assert caught.value.code == "H313"
