"""Netlists proved equal to their source, and faults found."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.errors import UsageError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import equivalence, rtlil, verilog_netlist
from cipherassay.hardware.synthesis import frontend, mapping, recipes
from support.command import assay
from support.verilog_samples import ADDER, CORE, LAYER, SBOX

OSU050 = technology.load("osu050")


@pytest.fixture(autouse=True)
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("yosys", "opensta", "abc", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.parametrize("recipe", ["A", "D"])
def test_an_adder_is_proved_and_a_wrong_cell_is_found(recipe: str) -> None:
    top, modules = frontend.elaborate({"a.v": ADDER})
    gates = frontend.gates(rtlil.cut(modules, top, frozenset()), top, OSU050)
    text = verilog_netlist.write(mapping.mapped(gates, top, recipes.find(recipe), OSU050))
    assert equivalence.prove(modules, top, text, OSU050).equal
    assert "  NAND2X1 " in text
    wrong = equivalence.prove(modules, top, text.replace("  NAND2X1 ", "  NOR2X1 ", 1), OSU050)
    assert not wrong.equal
    assert wrong.words.startswith("outputs that differ: y[")


def test_registers_are_refused() -> None:
    _, modules = frontend.elaborate({"core.v": CORE + LAYER + SBOX})
    assert equivalence.functions(modules) == ["layer", "sbox"]
    with pytest.raises(UsageError) as caught:
        equivalence.prove(modules, "algorithm", "", OSU050)
    assert str(caught.value) == (
        "error[H721]: `algorithm` has registers: only functions are proved by themselves\n"
        "   = help: its functions are layer, sbox"
    )


def test_the_verb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "core.v").write_text(CORE + LAYER + SBOX)
    ran = assay(capsys, "verify", "netlists", str(tmp_path / "core.v"), "--recipe", "N", "--quiet", "--json")
    assert ran.json == [{"function": "layer", "recipe": "N", "equal": True, "words": ""}]
    (tmp_path / "wrong.v").write_text(
        "module sbox(x, y); input [3:0] x; output [3:0] y; assign y = x; endmodule\n"
    )
    ran = assay(
        capsys, "verify", "netlists", str(tmp_path / "core.v"), "--function", "sbox", "--netlist",
        str(tmp_path / "wrong.v"), "--quiet",
    )  # fmt: skip
    assert ran.code == 4
    assert "error[H724]: 1 netlist of 1 not equal to the source" in ran.err
    ran = assay(capsys, "verify", "netlists", str(tmp_path / "core.v"), "--function", "sbax", "--quiet")
    assert "error[H705]: there is no module `sbax`" in ran.err
