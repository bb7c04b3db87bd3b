"""Own static timing: against delays added up by hand, against OpenSTA on the same netlists, its refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.libraries import fixing, technology
from cipherassay.hardware.netlists import fanout, netlist
from cipherassay.hardware.netlists.netlist import Instance, Module, Port
from cipherassay.hardware.timing import analysis, static_timing
from support.timed_netlists import GENERIC, mapped, with_timer
from support.verilog_samples import ADDER, CORE, LAYER, SBOX

HELD = """module held(input clock, input [3:0] d, input w, output reg [3:0] q);
  reg [3:0] r; reg e; reg [3:0] l;
  always @(posedge clock) begin r <= d; q <= l ^ r; end
  always @(negedge clock) e <= w;
  wire gated = clock & e;
  always @* if (gated) l <= r;
endmodule
"""


def chain(*types: str) -> netlist.Netlist:
    """Return gates one after another from port a to port y; further inputs are at 1."""
    costs = GENERIC.costs()
    ones = []
    for n, kind in enumerate(types):
        cell = costs[kind]
        assert isinstance(cell, technology.Cell)
        pins: dict[str, tuple[netlist.Bit, ...]] = dict.fromkeys(cell.pins, ("1",))
        ones.append(Instance(f"g{n}", kind, {**pins, cell.pins[0]: (n + 2,), cell.output: (n + 3,)}))
    ports = (Port("a", "input", (2,)), Port("y", "output", (len(types) + 2,)))
    return {"chain": Module("chain", ports, tuple(ones))}


def test_a_chain_of_inverters_takes_effort_and_parasitic_delay_of_each() -> None:
    # drives 1, 2, 4: h = 2, 2 and 8 fF at the output over 8 fF; p = 1; the input driver's share: 2 fF / 8 fF
    found = analysis.timed(chain("INVX1", "INVX2", "INVX4"), "chain", GENERIC)
    assert found.delay_ns == pytest.approx(0.013 * (0.25 + (2 + 1) + (2 + 1) + (1 + 1)), rel=1e-6)
    pins = [point.pin for point in found.paths[0].points]
    assert pins == ["a", "g0/A", "g0/Y", "g1/A", "g1/Y", "g2/A", "g2/Y", "y"]
    assert found.tool == static_timing.VERSION


def test_a_chain_of_gates_takes_their_efforts() -> None:
    # NAND2: g 4/3, p 2; NOR2: g 5/3, p 2; input driver 4/3 x 2 fF over 8; output 8 fF over 2 (drive 1)
    one = chain("NAND2X1", "NAND3X1", "INVX1")
    tau = analysis.timed(one, "chain", GENERIC).delay_ns / 0.013
    assert tau == pytest.approx(4 / 3 / 4 + (5 / 3 + 2) + (1 + 3) + (4 + 1), rel=1e-5)


def test_a_constant_input_blocks_its_gate_and_what_depends_on_it() -> None:
    free = analysis.timed(chain("NAND2X1", "INVX1"), "chain", GENERIC)
    assert free.delay_ns > 0
    blocked = chain("NAND2X1", "NOR2X1")  # the second input of NOR2 is at 1: nothing passes
    with pytest.raises(ToolError) as caught:
        analysis.timed(blocked, "chain", GENERIC)
    assert str(caught.value) == (
        "error[H711]: the own timing found no path for `chain`\n"
        "   = a result without a slack is no result: nothing was timed\n"
        "   = help: does a path lead to a register or to an output?"
    )


def test_a_circle_is_refused() -> None:
    ones = (
        Instance("p", "NAND2X1", {"A": (2,), "B": (4,), "Y": (3,)}),
        Instance("q", "INVX1", {"A": (3,), "Y": (4,)}),
    )
    ring = {"ring": Module("ring", (Port("a", "input", (2,)), Port("y", "output", (4,))), ones)}
    with pytest.raises(ToolError) as caught:
        static_timing.paths(ring, "ring", GENERIC)
    assert str(caught.value) == (
        "error[H735]: the netlist cannot be timed: it has a combinational loop\n"
        "   = cells on it or behind it: q, p\n"
        "   = help: a loop needs a register in it"
    )


def test_a_pin_to_hold_that_is_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        static_timing.paths(chain("INVX1"), "chain", GENERIC, case={"g7/Y": 1})
    assert str(caught.value) == "error[H732]: the netlist has no port and no pin `g7/Y` to hold"


@pytest.mark.parametrize("library", ["generic", "osu050", "osu035", "osu018", "sky130"])
@pytest.mark.parametrize(("text", "top"), [(ADDER, "adder"), (CORE + LAYER + SBOX, "core")])
@pytest.mark.parametrize("recipe", ["A", "D"])
def test_opensta_agrees(library: str, text: str, top: str, recipe: str) -> None:
    one = technology.load(library)
    made = fanout.buffered(mapped(text, top, recipe, one), one, 8)
    theirs = analysis.timed(made, top, with_timer(one, "opensta"), paths=4)
    ours = analysis.timed(made, top, with_timer(one, "own"), paths=4)
    assert ours.delay_ns == pytest.approx(theirs.delay_ns, rel=1e-3)
    for mine, other in zip(ours.paths, theirs.paths, strict=True):
        assert mine.delay_ns == pytest.approx(other.delay_ns, rel=1e-3)


def test_opensta_agrees_where_ports_and_registers_are_held() -> None:
    one = technology.load("osu050")
    made = mapped(ADDER, "adder", "A", one)
    case = {f"b[{n}]": n & 1 for n in range(28)}
    held = [
        analysis.timed(made, "adder", with_timer(one, by), case=case).delay_ns for by in ("own", "opensta")
    ]
    assert held[0] == pytest.approx(held[1], rel=1e-3)
    assert held[0] < analysis.timed(made, "adder", with_timer(one, "own")).delay_ns
    made = mapped(CORE + LAYER + SBOX, "core", "A", one)
    register = next(i.name for i in made["core"].instances if i.name.endswith("load_register"))
    case = {f"{register}/Q": 1}
    held = [
        analysis.timed(made, "core", with_timer(one, by), case=case).delay_ns for by in ("own", "opensta")
    ]
    assert held[0] == pytest.approx(held[1], rel=1e-3)


def test_opensta_agrees_on_latches() -> None:
    one = technology.load("osu050")
    made = mapped(HELD, "held", "A", one)
    theirs = analysis.timed(made, "held", with_timer(one, "opensta"), paths=20)
    ours = analysis.timed(made, "held", with_timer(one, "own"), paths=20)
    delays = [{path.end: path.delay_ns for path in found.paths} for found in (ours, theirs)]
    shared = sorted(set(delays[0]) & set(delays[1]))
    assert [end for end in shared if end.startswith("l[")]
    assert [end for end in shared if end.startswith("q[")]
    for end in shared:
        # the slope of what opens a latch differs: here edges of clocks are infinitely steep
        assert delays[0][end] == pytest.approx(delays[1][end], rel=0.05), end


def test_units_that_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    text = fixing.fixed(GENERIC).replace('time_unit : "1ns"', 'time_unit : "1 jiffy"')
    monkeypatch.setattr(fixing, "fixed", lambda *_: text)
    with pytest.raises(UsageError) as caught:
        static_timing.library(replace(GENERIC))
    assert str(caught.value) == (
        "error[H730]: the units of the library `generic` are not known\n"
        "   = time_unit 1 jiffy, capacitive_load_unit ['1', 'pf']"
    )
