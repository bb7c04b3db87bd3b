"""Operators as modules of their own: what stays together, and that the design computes the same."""

from __future__ import annotations

import pytest

from cipherassay import tools
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import equivalence, rtlil, verilog_netlist
from cipherassay.hardware.synthesis import arithmetic, frontend, mapping, recipes

OSU050 = technology.load("osu050")
MIXED = """module mixed(input [9:0] a, input [9:0] b, input [9:0] c, input [3:0] n,
             output [9:0] p, output [9:0] q, output [9:0] r, output [9:0] s, output [3:0] t);
  wire [9:0] twice = 2 * a;
  assign p = a * (twice + 10'd1);
  wire [9:0] sum = a + b + c;
  assign q = {sum[5:0], sum[9:6]};
  wire [9:0] both = b - c;
  assign r = both + a;
  assign s = both ^ {c[7:0] + b[9:2], 2'd3};
  assign t = n + 1;
endmodule
"""


@pytest.fixture
def modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, rtlil.Module]:
    for name in ("yosys", "abc", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    return frontend.elaborate({"mixed.v": MIXED})[1]


def test_operators_whose_result_only_another_uses_stay_together(modules: dict[str, rtlil.Module]) -> None:
    made = arithmetic.apart(modules)
    kinds = sorted(name.rsplit("_", 1)[0] for name in made if name != "mixed")
    # x (2x + 1); three addends; a difference that is used twice; the sum with it; bytes. Not the four-bit counter.
    assert kinds == ["add_10", "add_10", "add_8", "add_mul_10", "sub_10"]
    three = next(m for m in made.values() if m.name.startswith("add_10") and m.text.count("  cell $add") == 2)
    assert three.text.count(" input ") == 3
    square = next(m for m in made.values() if m.name.startswith("add_mul_10"))
    assert square.text.count(" input ") == 1  # both operands are of the one word
    assert made["mixed"].text.count("  cell $add") == 1


def test_the_design_computes_the_same(modules: dict[str, rtlil.Module]) -> None:
    made = arithmetic.apart(modules)
    gates = frontend.gates(rtlil.cut(made, "mixed", frozenset()), "mixed", OSU050)
    text = verilog_netlist.write(mapping.mapped(gates, "mixed", recipes.find("A"), OSU050))
    assert equivalence.prove(modules, "mixed", text, OSU050).equal


def test_equal_operators_are_one_module(modules: dict[str, rtlil.Module]) -> None:
    text = "module two(input [31:0] a, input [31:0] b, output [31:0] y, output [31:0] z);\n"
    text += "  assign y = a + b;\n  assign z = ~y + (b ^ a);\nendmodule\n"
    made = arithmetic.apart(frontend.elaborate({"two.v": text})[1])
    assert len(made) == 2
    assert made["two"].text.count("  cell \\add_32_") == 2
