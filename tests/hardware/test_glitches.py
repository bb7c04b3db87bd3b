"""Energy with delays: registers move as the reference simulator says, gates more often than without delays."""

from __future__ import annotations

import itertools

import pytest

from cipherassay import jobs, tools
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.hardware.energy import estimation, glitches
from cipherassay.hardware.energy.activity import LANES
from cipherassay.hardware.energy.glitches import BLOCKS, Changes, changes
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.rtl.build import Device, build
from cipherassay.hardware.simulation import own
from cipherassay.hardware.synthesis import down_to_gates
from cipherassay.hardware.synthesis.down_to_gates import Mapped
from support.command import assay

MODE = (64, False)


@pytest.fixture(scope="module")
def device() -> Device:
    return build(load("simon32"), "core", "", "encrypt", "small")


@pytest.fixture(scope="module")
def one(device: Device) -> Mapped:
    for tool in ("yosys", "opensta", "iverilog", "qflow-osu"):
        if not tools.find(tool).place:
            pytest.skip(f"{tool} is not here: {tools.tools()[tool].how_to_get()}")
    with jobs.executor() as place:
        return down_to_gates.mapped(device, technology.load("osu018"), "A-plain", place)


@pytest.fixture(scope="module")
def made(device: Device, one: Mapped) -> Changes:
    return changes(device, one.netlist, one.technology, "clock", one.period_ns, MODE)


def test_registers_move_as_in_the_reference_simulator(device: Device, made: Changes) -> None:
    tests = list(glitches.traffic(device, *MODE, 2 * BLOCKS))
    results = own.simulate(device, tests).results
    begin, end = (results[number - 1][0] for number in (BLOCKS, 2 * BLOCKS))
    assert (made.clocks, made.blocks) == (end - begin, BLOCKS)
    count = len(own.columns(device)) - len(own.OUTPUTS)
    states = list(own.trace(device, tests))[begin : end + 1]
    expected = sum(
        (before ^ after).bit_count()
        for row, following in itertools.pairwise(states)
        for before, after in zip(row[:count], following[:count], strict=True)
    )
    moved = made.rises + made.falls
    flip_flops = [cells for cells in made.flat.cells if cells.type.register is not None]
    assert sum(int(moved[cells.column(cells.type.outputs[0])].sum()) for cells in flip_flops) == expected
    clock = int(made.flat.ports["clock"][1][0])
    assert made.rises[clock] == made.falls[clock] == made.clocks


def test_glitches_count(device: Device, one: Mapped) -> None:
    (without,) = estimation.energies(device, one.netlist, one.technology)
    (with_delays,) = estimation.energies(device, one.netlist, one.technology, one.period_ns)
    assert with_delays.clocks / with_delays.blocks == LANES * without.clocks / without.blocks
    assert with_delays.clock == pytest.approx(without.clock, rel=0.02)
    assert 1.02 * without.total < with_delays.total < 2 * without.total


def test_a_netlist_that_is_too_slow_is_found(device: Device, one: Mapped) -> None:
    with pytest.raises(VerificationError, match="H505"):
        changes(device, one.netlist, one.technology, "clock", 0.3 * one.period_ns, MODE)


@pytest.mark.slow
def test_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    command = ("synthesize", "simon32", "--architecture", "core", "--direction", "encrypt", "--points", "1", "--no-repair")
    rows = assay(capsys, *command, "--energy", "--glitches", "--quiet", "--json").json["rows"]
    energies = [row for row in rows if row["metric"] == "energy_pj_per_bit"]
    without, with_glitches = energies[: len(energies) // 2], energies[len(energies) // 2 :]
    assert all("no glitches" in row["certificate"] for row in without)
    assert all("with delays and glitches" in row["certificate"] for row in with_glitches)
    assert all(a["value"] < b["value"] for a, b in zip(without, with_glitches, strict=True))
