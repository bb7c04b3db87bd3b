"""Gates with delays: a small device in each technology computes right, and faults put into it show."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cipherassay import jobs, tools
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists.netlist import Instance, Netlist
from cipherassay.hardware.rtl import build
from cipherassay.hardware.simulation import gate_level
from cipherassay.hardware.simulation.vectors import Vector, vectors
from cipherassay.hardware.synthesis import down_to_gates, gate_checks
from cipherassay.hardware.synthesis.down_to_gates import Mapped
from support.command import assay
from support.usual import usual

TECHNOLOGIES = ["osu018", "osu035", "osu050", "generic", "sky130"]


@pytest.fixture(scope="module")
def device() -> build.Device:
    return build.build(load("simon32"), strategy_name="latches")


@pytest.fixture(scope="module")
def tests(device: build.Device) -> list[Vector]:
    return list(vectors(device, 16))


def require_tools(name: str) -> None:
    for tool in ("yosys", "opensta", "iverilog", *(["qflow-osu"] if name.startswith("osu") else [])):
        if not tools.find(tool).place:
            pytest.skip(f"{tool} is not here: {tools.tools()[tool].how_to_get()}")


def mapped(device: build.Device, name: str) -> Mapped:
    require_tools(name)
    with jobs.executor() as place:
        return down_to_gates.mapped(device, technology.load(name), "A-plain", place)


@pytest.mark.parametrize("name", usual(TECHNOLOGIES, ["osu018", "generic", "sky130"]))
def test_right_at_the_stated_period_and_at_a_longer_one(
    device: build.Device, tests: list[Vector], name: str
) -> None:
    one = mapped(device, name)
    cells = {kind for module in one.netlist.values() for kind in module.counts}
    assert any(register.name in cells and register.kind == "latch" for register in one.technology.register)
    checks = down_to_gates.signed_off(one)
    assert not [check.words for check in checks if check.failing]
    assert all(check.places for check in checks)
    # The next write is half a clock away.
    assert next(c for c in checks if c.name == "hold of latches").worst > one.period_ns / 4
    for longer in down_to_gates.LONGER:
        verdict = down_to_gates.simulated(one, tests, longer)
        assert not verdict.failures
        assert not verdict.complaints
        assert {vector.decrypt for vector in tests} == {False, True}
        assert sum(count for _, count in verdict.passed.values()) == len(tests)


def is_wrong(one: Mapped, tests: list[Vector], longer: float) -> bool:
    return bool(down_to_gates.simulated(one, tests, longer).failures)


def test_a_period_that_is_too_short_shows(device: build.Device, tests: list[Vector]) -> None:
    one = mapped(device, "osu018")
    assert is_wrong(one, tests, 0.4)
    short = replace(one, period_ns=0.9 * one.period_ns)
    assert {"setup"} <= {check.name for check in down_to_gates.signed_off(short) if check.failing}


def with_late_clock(netlist: Netlist, module: str, buffers: int) -> Netlist:
    """Return a netlist in which the clock comes late to the registers of a module."""
    one = netlist[module]
    clock = next(port.bits[0] for port in one.ports if port.name == "clock")
    first = one.next_net
    chain = [
        Instance(f"late_{n}", "BUFX2", {"A": (clock if n == 0 else first + n - 1,), "Y": (first + n,)})
        for n in range(buffers)
    ]
    moved = [
        replace(cell, pins={**cell.pins, "CLK": (first + buffers - 1,)}) if cell.pins.get("CLK") == (clock,) else cell
        for cell in one.instances
    ]
    return {**netlist, module: replace(one, instances=(*moved, *chain))}


def test_hold_that_is_broken_shows_at_any_period(device: build.Device, tests: list[Vector]) -> None:
    one = mapped(device, "osu018")
    late = replace(one, netlist=with_late_clock(one.netlist, f"{device.name}_algorithm", 24), period_ns=60.0)
    assert {"hold"} <= {check.name for check in down_to_gates.signed_off(late) if check.failing}
    for longer in down_to_gates.LONGER:
        assert is_wrong(late, tests, longer)


def test_delays_that_find_no_cell_are_refused(
    device: build.Device, tests: list[Vector], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = mapped(device, "generic")
    text = gate_level.models(one.technology)
    without = text.replace("(B => Y) = 0.001;", "(A => Y) = 0.001;")
    assert without != text
    monkeypatch.setattr(gate_level, "models", lambda technology, known: without)
    with pytest.raises(VerificationError) as caught:
        down_to_gates.simulated(one, tests)
    assert caught.value.code == "H771"
    assert caught.value.message == f"delays of {device.name} did not find their cells"


def test_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, device: build.Device
) -> None:
    require_tools("generic")
    words = ("verify", "gates", "simon32", "--strategy", "latches", "-t", "generic", "--every", "64", "--quiet")
    done = assay(capsys, *words)
    assert done.code == 0
    assert "hold of clock gates" in done.out
    found = json.loads(assay(capsys, *words, "--json").out)
    assert all(check["passes"] for check in found["checks"])
    assert [one["failing"] for one in found["simulations"]] == [0, 0]
    assert found["simulations"][1]["period_ns"] == pytest.approx(1.5 * found["period_ns"])
    monkeypatch.setattr(down_to_gates, "LONGER", (0.4,))
    wrong = assay(capsys, *words)
    assert wrong.code == 4
    assert wrong.err.splitlines()[0].startswith("error[H772]: the gates of `simon32_iterative_64` compute wrong at ")


def test_grades_are_checked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    require_tools("osu018")
    words = ("synthesize", "simon32", "--strategy", "latches", "-t", "osu018", "--points", "1", "--gates", "--quiet")
    done = assay(capsys, *words, "--json")
    assert done.code == 0, done.err
    said = [row["certificate"] for row in json.loads(done.out)["rows"] if row["metric"] == "period_ns"]
    assert said
    for one in said:
        assert "; signed off, hold +" in one
        assert "hold of clock gates +" in one
        assert one.endswith("; 15 vectors through its gates with delays, at 1 and 1.5 periods")
    monkeypatch.setattr(gate_checks, "LONGER", (0.4,))
    wrong = assay(capsys, *words)
    assert wrong.code == 4
    assert wrong.err.splitlines()[0].startswith("error[H772]: the gates of `simon32_iterative_64` compute wrong at ")
