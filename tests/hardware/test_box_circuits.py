"""S-boxes in designs: recognized by what they compute, and written by the library's circuits."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cipherassay import jobs as running
from cipherassay import tools
from cipherassay.circuits import boxes, library, targets
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import netlist, rtlil
from cipherassay.hardware.synthesis import box_circuits, flow, frontend, jobs

OSU050 = technology.load("osu050")
BOX = boxes.find("serpent.S0")


@pytest.fixture(name="flow")
def its_tools() -> None:
    for name in ("yosys", "opensta", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")


def verilog(width: int, crossed: bool = False) -> str:
    """Return a module that looks BOX up at every position; crossed: one input bit comes from the next position."""
    top = width - 1
    lines = [f"module box(input [{top}:0] x0, x1, x2, x3, output [{top}:0] y0, y1, y2, y3);", "genvar n;"]
    lines.append(f"generate for (n = 0; n < {width}; n = n + 1) begin : position")
    second = f"x1[(n + 1) % {width}]" if crossed else "x1[n]"
    for k in range(4):
        table = sum((value >> k & 1) << x for x, value in enumerate(BOX.data))
        lines.append(f"localparam [15:0] table{k} = 16'd{table};")
        lines.append(f"assign y{k}[n] = table{k}[{{x3[n], x2[n], {second}, x0[n]}}];")
    return "\n".join([*lines, "end endgenerate", "endmodule", ""])


def gates(text: str) -> str:
    top, modules = frontend.elaborate({"box.v": text})
    return frontend.gates(rtlil.cut(modules, top, frozenset()), top, OSU050)


@pytest.mark.usefixtures("flow")
def test_small_recipe_takes_the_circuit_of_the_library() -> None:
    found = json.loads(jobs.Map(gates(verilog(8)), "box", "A", jobs.Library.of(OSU050)).run())
    circuit = library.best(BOX, targets.find("cells:osu050"))
    assert found["area_um2"] == 8 * circuit.value
    assert box_circuits.box_of(netlist.from_json(found["netlist"])["box"], OSU050) == BOX.data


@pytest.mark.usefixtures("flow")
def test_only_boxes_of_one_position_are_recognized() -> None:
    text = gates(verilog(4, crossed=True))
    assert box_circuits.mark(text, "osu050")
    made = netlist.from_json(json.loads(jobs.Map(text, "box", "A", jobs.Library.of(OSU050)).run())["netlist"])
    assert box_circuits.box_of(made["box"], OSU050) is None
    assert box_circuits.alternatives(made["box"], OSU050) == []


@pytest.mark.usefixtures("flow")
def test_a_changed_gate_is_seen() -> None:
    found = json.loads(jobs.Map(gates(verilog(2)), "box", "A", jobs.Library.of(OSU050)).run())
    module = netlist.from_json(found["netlist"])["box"]
    at = next(n for n, one in enumerate(module.instances) if one.type == "NAND2X1")
    wrong = tuple(replace(one, type="NOR2X1") if n == at else one for n, one in enumerate(module.instances))
    assert box_circuits.box_of(replace(module, instances=wrong), OSU050) != BOX.data


def test_other_units_keep_their_names_in_the_store() -> None:
    assert box_circuits.mark("module \\adder\n  wire width 32 input 1 \\a\nend\n", "osu050") == ""


def table(data: tuple[int, ...]) -> str:
    """Return a module that looks a box up by one word."""
    lines = ["module box(input [3:0] address, output reg [3:0] value);", "always @* case (address)"]
    lines += [f"4'd{x}: value = 4'd{y};" for x, y in enumerate(data)]
    return "\n".join([*lines, "endcase", "endmodule", ""])


@pytest.mark.usefixtures("flow")
def test_a_table_takes_the_circuit_of_the_library() -> None:
    found = json.loads(jobs.Map(gates(table(BOX.data)), "box", "A", jobs.Library.of(OSU050)).run())
    assert found["area_um2"] == library.best(BOX, targets.find("cells:osu050")).value
    assert box_circuits.is_known(netlist.from_json(found["netlist"])["box"], OSU050)


@pytest.mark.usefixtures("flow")
def test_circuits_serve_libraries_with_cells_of_the_same_names() -> None:
    other = technology.load("osu018")
    made = netlist.from_json(json.loads(jobs.Map(gates(table(BOX.data)), "box", "A", jobs.Library.of(OSU050)).run())["netlist"])
    circuits = box_circuits.alternatives(made["box"], other)
    assert circuits
    assert {box_circuits.box_of(one, other) for one in circuits} == {tuple(BOX.data)}


PAIR = """module pair(input [7:0] a, output [7:0] b);
box one(.address(a[3:0]), .value(b[3:0]));
box two(.address(a[7:4]), .value(b[7:4]));
endmodule
"""


@pytest.mark.usefixtures("flow")
@pytest.mark.parametrize("known", [True, False])
def test_boxes_of_the_library_stay_apart(known: bool) -> None:
    # The second has an output that ignores its inputs: nobody searches circuits for such.
    data = tuple(BOX.data) if known else tuple(x & 7 for x in range(16))
    with running.executor() as place:
        found = flow.synthesize(
            {"box.v": table(data), "pair.v": PAIR}, OSU050, place, top="pair", names=("A",), splits=("operators", "boxes"),
            most=1, repair=False, sign_off=False,
        )  # fmt: skip
    assert set(found.curves) == ({"operators", "boxes"} if known else {"operators"})
    if known:
        assert set(found.curves["boxes"]) == {"pair", "box"}
        smallest = min(found.points, key=lambda one: one.area_um2)
        assert found.split(smallest) == "boxes"
        assert smallest.area_um2 == 2 * library.best(BOX, targets.find("cells:osu050")).value
