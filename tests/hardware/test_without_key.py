"""Devices of what has no key: pins, known answers in each simulator, what is emitted, synthesis, wrong devices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.hardware.rtl.build import Device, build
from cipherassay.hardware.simulation import counts, own, simulators
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.simulation_rows import rows
from cipherassay.hardware.simulation.vectors import Vector, vectors
from cipherassay.vectors.single_blocks import known_blocks
from support import emitted_folders
from support.command import assay

Capture = pytest.CaptureFixture[str]
SHAPES = [
    ("ascon", "iterative", "rounds"), ("ascon", "pipelined", "rounds"), ("xoodoo", "iterative", "rounds:copies=2"),
    ("xoodoo", "pipelined", "on-the-fly"), ("gimli", "iterative", "rounds:iterations=2"),
]  # fmt: skip


def known(device: Device, name: str) -> list[Vector]:
    """Return the known answers of a permutation's files as vectors, in each direction of a device."""
    found = []
    for number, (_, given, made, _) in enumerate(known_blocks(load(name), 0, of_each_set=8), 1):
        for decrypt in device.directions:
            block, result = (made, given) if decrypt else (given, made)
            found.append(Vector("known", number, b"", decrypt, block, result, False, False, False))
    return found


@pytest.mark.parametrize(("name", "architecture", "strategy"), SHAPES)
def test_known_answers_and_clocks(name: str, architecture: str, strategy: str) -> None:
    device = build(load(name), architecture, strategy_name=strategy)
    assert not {"key", "load_key", "decrypt", "key_size"} & set(device.inputs)
    assert ("inverse" in device.inputs) == (name != "gimli")
    assert not any("key" in block for block in device.registers)
    answers = known(device, name)
    assert verdict_of(device, answers, own.simulate(device, answers), "own").failures == ()
    tests = vectors(device, 32)
    verdict = verdict_of(device, tests, own.simulate(device, tests), "own")
    verdict.demand()
    assert {one.metric for one in verdict.confirmed} == {"latency", "per_block"}
    assert all(one.seen for one in verdict.confirmed)


@pytest.mark.parametrize("simulator", ["icarus", "verilator", "ghdl"])
@pytest.mark.parametrize("architecture", ["iterative", "pipelined"])
def test_known_answers_in_other_simulators(architecture: str, simulator: str) -> None:
    device = build(load("ascon"), architecture, variant="6-rounds")
    chosen = simulators.SIMULATORS[simulator]
    if missing := chosen.available():
        pytest.skip(missing)
    check(device, vectors(device, 32), chosen).demand()


def test_a_wrong_module_is_found(tmp_path: Path, capsys: Capture) -> None:
    words = ("gimli", "--architecture", "iterative")
    assert assay(capsys, "emit", "rtl", *words, "-o", str(tmp_path)).code == 0
    module = next(one for one in tmp_path.glob("*.v") if "9e377900" in one.read_text())
    module.write_text(module.read_text().replace("9e377900", "9e377901"))
    ran = assay(capsys, "simulate", "--rtl", *words, "--simulator", "icarus", "--files", str(tmp_path), "--every", "64")
    assert ran.code == 4
    assert "error[H505]: gimli_iterative_permute fails " in ran.err
    assert "vector 0 (variable text, number 1, forward): word 0 is " in ran.err


@pytest.mark.parametrize("variant", ["", "6-rounds"])
def test_a_folder_runs_as_its_page_says(variant: str, capsys: Capture, tmp_path: Path) -> None:
    given = ("--variant", variant) if variant else ()
    words = ("--architecture", "iterative", "--language", "both", "-o", str(tmp_path))
    assert assay(capsys, "emit", "rtl", "ascon", *given, *words).code == 0
    page = (tmp_path / "README.md").read_text()
    assert "key" not in page.lower().replace("round keys are made once per key and stored", "").replace(
        "one of the key schedule", ""
    )
    assert "| `inverse` | input | 1 | direction of the block: 1 undoes the permutation |" in page
    assert "| permutation | " in page
    assert "KEY - 1" not in next(tmp_path.glob("*_bench.v")).read_text()
    if missing := emitted_folders.run(tmp_path):
        pytest.skip(f"not on this machine: {', '.join(missing)}")


def test_rows_have_no_key_size() -> None:
    device = build(load("xoodoo"))
    tests = vectors(device, 64)
    found = list(rows(device, verdict_of(device, tests, own.simulate(device, tests), "own"), "assay"))
    assert {(row.operation, row.key_bits, row.variant) for row in found} == {
        ("permute", None, None), ("inverse", None, None), (None, None, None),
    }  # fmt: skip
    assert {one.key_switch for one in counts.confirmed(device).values()} == {0}


def test_clocks_that_are_not_planned_are_found() -> None:
    device = build(load("gimli"))
    tests = vectors(device, 64)
    events = own.simulate(device, tests)
    late = replace(events, results={n: (clock + (n == 1), data) for n, (clock, data) in events.results.items()})
    with pytest.raises(VerificationError) as caught:
        verdict_of(device, tests, late, "own").demand()
    assert str(caught.value) == (
        "error[H506]: clock counts of gimli_iterative_permute in own are not those planned\n"
        "   = latency, forward: planned 28, seen 29\n   = per block, forward: planned 26, seen 25, 26"
    )


def test_directions_have_their_own_names(capsys: Capture) -> None:
    assert build(load("ascon"), direction="inverse").name == "ascon_iterative_inverse"
    ran = assay(capsys, "synthesize", "ascon", "--direction", "decrypt")
    assert (ran.code, ran.err) == (
        2, "error[H306]: there is no direction `decrypt`\n   = help: known: permute, inverse, both\n",
    )  # fmt: skip


def test_synthesis_and_energy(capsys: Capture) -> None:
    words = ("--architecture", "iterative", "--strategy", "rounds", "--points", "1", "--designs", "1", "--energy")
    ran = assay(capsys, "synthesize", "gimli", *words, "--json")
    if "T002" in ran.err:
        pytest.skip("no yosys or no timer on this machine")
    assert ran.code == 0
    found = [row for row in ran.json["rows"] if row["metric"] in ("throughput_mbps", "energy_pj_per_bit")]
    assert {(row["operation"], row["key_bits"]) for row in found} == {("permute", None)}
    assert not [row for row in ran.json["rows"] if "key_setup" in (row["operation"] or "")]


@pytest.mark.parametrize(("iterations", "per_block"), [(24, 2), (12, 2), (8, 3)])
def test_short_devices_take_a_block_as_often_as_planned(iterations: int, per_block: int) -> None:
    """One step, two and three: the Interface passes on a block every two clocks at most."""
    device = build(load("gimli"), strategy_name=f"merged-ends:iterations={iterations}")
    tests = vectors(device, 16)
    assert {clocks.per_block for clocks in device.clocks.values()} == {per_block}
    verdict_of(device, tests, own.simulate(device, tests), "own").demand()
