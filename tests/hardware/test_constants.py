"""Ports held at a value during timing: registers behind them are held too, others are not."""

from __future__ import annotations

from functools import cache

import pytest

from cipherassay import tools
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import constants, fanout, netlist, rtlil
from cipherassay.hardware.synthesis import frontend, mapping, recipes
from cipherassay.hardware.timing import analysis

OSU050 = technology.load("osu050")
# The interface keeps the size that came with the key; a block below has a copy, a clock later; `seen` is set
# by any load; `other` has nothing to do with it. With size 1 the sum is not on the way of the result.
SIZED = """module sized(input clock, input load, input [1:0] size, input [31:0] a, input [31:0] b,
             output [31:0] y);
  wire [1:0] held;
  reg [31:0] p, q;
  interface_block interface(.clock(clock), .load(load), .size(size), .held(held));
  algorithm algorithm(.clock(clock), .size(held), .p(p), .q(q), .y(y));
  always @(posedge clock) begin p <= a; q <= b; end
endmodule
module interface_block(input clock, input load, input [1:0] size, output reg [1:0] held);
  always @(posedge clock) if (load) held <= size;
endmodule
module algorithm(input clock, input [1:0] size, input [31:0] p, input [31:0] q, output reg [31:0] y);
  reg [1:0] copy;
  reg seen, other;
  always @(posedge clock) begin
    copy <= size;
    seen <= seen | p[0];
    other <= other ^ q[0];
    y <= copy == 1 ? p ^ q : copy == 2 && seen && other ? p : p + q;
  end
endmodule
"""


@pytest.fixture(autouse=True)
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("yosys", "opensta", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@cache
def mapped() -> netlist.Netlist:
    _, modules = frontend.elaborate({"sized.v": SIZED}, "sized")
    found: netlist.Netlist = {}
    units = frozenset(modules)
    for name in modules:
        gates = frontend.gates(rtlil.cut(modules, name, units), name, OSU050)
        found |= mapping.mapped(gates, name, recipes.find("A"), OSU050)
    return fanout.buffered(found, OSU050, 16)


def test_registers_behind_a_held_port_are_held() -> None:
    made = mapped()
    for value in (0, 1, 2):
        found = constants.held_registers(made, "sized", OSU050, {"size": value})
        low, high = value & 1, value >> 1
        assert found == {
            "algorithm/copy[0]_register/Q": low,
            "algorithm/copy[1]_register/Q": high,
            "interface/held[0]_register/Q": low,
            "interface/held[1]_register/Q": high,
        }
    assert constants.held_registers(made, "sized", OSU050, {}) == {}
    # half a port is not enough to say anything of the other half
    assert constants.held_registers(made, "sized", OSU050, {"load": 1}) == {}


def test_what_a_held_port_switches_off_is_not_timed() -> None:
    made = mapped()
    free = analysis.timed(made, "sized", OSU050)
    periods = {}
    for value in (0, 1):
        case = {"size": value} | constants.held_registers(made, "sized", OSU050, {"size": value})
        periods[value] = analysis.timed(made, "sized", OSU050, case=case).delay_ns
    port_alone = analysis.timed(made, "sized", OSU050, case={"size": 1})
    assert port_alone.delay_ns == pytest.approx(free.delay_ns, rel=0.01)  # it ends at the first register
    assert periods[1] < periods[0] / 2 < free.delay_ns
