"""The adapters of synthesis and timing: small designs mapped, timed, counted, their faults reported."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import fanout, netlist, rtlil, verilog_netlist
from cipherassay.hardware.synthesis import frontend, mapping, recipes
from cipherassay.hardware.timing import analysis
from cipherassay.hardware.tools import yosys
from support.verilog_samples import ADDER, CORE, LATCHES, LAYER, SBOX

OSU050 = technology.load("osu050")


@pytest.fixture(autouse=True)
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("yosys", "opensta", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def mapped(text: str, top: str, recipe: str) -> netlist.Netlist:
    top, modules = frontend.elaborate({"design.v": text}, top)
    gates = frontend.gates(rtlil.cut(modules, top, frozenset()), top, OSU050)
    return mapping.mapped(gates, top, recipes.find(recipe), OSU050)


def test_an_adder_from_the_area_end_to_the_delay_end() -> None:
    found = {}
    for recipe in ("A", "D"):
        made = mapped(ADDER, "adder", recipe)
        size = netlist.size(made, "adder", OSU050)
        found[recipe] = (size, analysis.timed(made, "adder", OSU050))
    small, fast = found["A"], found["D"]
    # the ripple of the smallest and the prefix tree of the fastest, as other runs of the flow found them
    assert small[0].area_um2 == pytest.approx(49_000, rel=0.1)
    assert small[1].delay_ns == pytest.approx(10.1, rel=0.15)
    assert fast[0].area_um2 == pytest.approx(81_000, rel=0.15)
    assert fast[1].delay_ns == pytest.approx(2.2, rel=0.15)
    path = fast[1].paths[0]
    assert path.start.startswith(("a[", "b["))
    assert path.end.startswith("y[")
    assert path.points[-1].arrival_ns == pytest.approx(path.delay_ns, abs=1e-3)


def test_the_count_is_that_of_yosys(tmp_path: Path) -> None:
    made = mapped(LAYER + SBOX, "layer", "A")
    (tmp_path / "n.v").write_text(verilog_netlist.write(made))
    library = OSU050.timed()[0].file
    lines = [
        f"read_liberty -lib {library}", "read_verilog n.v", "hierarchy -top layer", "tee -q -o stat.json stat -json",
    ]  # fmt: skip
    yosys.script(lines, tmp_path, doing="counting")
    counted = json.loads((tmp_path / "stat.json").read_text())["design"]["num_cells_by_type"]
    size = netlist.size(made, "layer", OSU050)
    assert size.cells == counted
    costs = OSU050.costs()
    assert size.area_um2 == sum(costs[kind].area_um2 * count for kind, count in counted.items())
    assert size.transistors == sum(costs[kind].transistors * count for kind, count in counted.items())


def test_a_clocked_design_and_its_buffer_trees() -> None:
    made = mapped(CORE + LAYER + SBOX, "core", "N")
    plain = analysis.timed(made, "core", OSU050, paths=3)
    trees = fanout.buffered(made, OSU050, 8)
    better = analysis.timed(trees, "core", OSU050)
    assert better.delay_ns < plain.delay_ns
    assert len(plain.paths) == 3
    assert plain.paths[0].end.endswith("_register/D")
    flip_flops = netlist.size(trees, "core", OSU050).cells["DFFPOSX1"]
    assert flip_flops == 1 + 32 + 32 + 4 + 32
    clocks = fanout.clock_ports(trees, OSU050)
    assert clocks["core"] == {"clock"}
    sinks: dict[object, int] = {}
    for one in trees["core"].instances:
        for pin, bits in one.pins.items():
            if pin not in ("Y", "Q", "CLK"):
                sinks[bits[0]] = sinks.get(bits[0], 0) + 1
    sinks.pop("0", None)
    assert max(sinks.values()) <= 8


def test_an_input_held_is_not_timed() -> None:
    made = mapped(ADDER, "adder", "A")
    free = analysis.timed(made, "adder", OSU050)
    held = analysis.timed(made, "adder", OSU050, case={f"b[{n}]": 0 for n in range(31)})
    assert held.delay_ns < 0.6 * free.delay_ns


def test_latches_are_mapped_and_have_an_area() -> None:
    size = netlist.size(mapped(LATCHES, "held", "A"), "held", OSU050)
    assert size.cells["LATCH"] == 2
    assert size.cells["INVX1"] >= 1  # the enable that is active low
    assert size.area_um2 >= 2 * 504


def test_the_same_text_gives_the_same_netlist() -> None:
    first, second = (verilog_netlist.write(mapped(LAYER + SBOX, "layer", "D")) for _ in range(2))
    assert first == second


def test_a_missing_slack_is_an_error() -> None:
    made = mapped("module same(input a, output y);\n assign y = 1;\nendmodule\n", "same", "A")
    with pytest.raises(ToolError) as caught:
        analysis.timed(made, "same", OSU050)
    assert caught.value.code == "H711"
    assert caught.value.message == "OpenSTA gave no slack for `same`"


def test_several_clocks_are_refused() -> None:
    text = """module two(input c, input d, input x, output reg p, output reg q);
  always @(posedge c) p <= x;
  always @(posedge d) q <= x;
endmodule
"""
    with pytest.raises(UsageError, match=r"error\[H712\]: `two` has several clocks: c, d"):
        analysis.timed(mapped(text, "two", "A"), "two", OSU050)


def test_a_netlist_that_opensta_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mapped(ADDER, "adder", "A")
    monkeypatch.setattr(verilog_netlist, "write", lambda *_: "module adder(; endmodule")
    with pytest.raises(ToolError) as caught:
        analysis.timed(made, "adder", OSU050)
    assert caught.value.code == "H701"
    assert caught.value.message == "`sta` failed timing adder"


def test_verilog_that_yosys_refuses() -> None:
    with pytest.raises(ToolError) as caught:
        frontend.elaborate({"bad.v": "module bad(input a, output y);\n assign y = b +;\nendmodule\n"})
    assert caught.value.code == "H701"
    assert any("bad.v:2" in note for note in caught.value.notes)


def test_tops_and_modules_that_are_not_there() -> None:
    with pytest.raises(UsageError, match=r"error\[H705\]: there is no module `adde`\n.*did you mean `adder`"):
        frontend.elaborate({"a.v": ADDER}, "adde")
    with pytest.raises(UsageError, match=r"error\[H714\]: the top module is not clear\n.*used by no other: adder, held"):
        frontend.elaborate({"a.v": ADDER + LATCHES})
    with pytest.raises(ToolError, match=r"H706.*`layer` uses the module `sbox`, which no file holds"):
        frontend.elaborate({"a.v": LAYER})


def test_recipes() -> None:
    assert [one.name for one in recipes.of_points(5)] == ["A", "D", "N", "A-plain", "M-plain"]
    assert len(recipes.CROSSED) == 15
    assert recipes.find("N").commands[-3:] == ("buffer -p -N 6", "upsize -D 100", "dnsize -D 100")
    # blocks of registers are mapped as they stand
    assert [recipes.suited(name, 50_000) for name in ("A", "N", "D", "B")] == [
        "A-plain", "M-plain", "M-plain", "A-plain",
    ]  # fmt: skip
    assert recipes.suited("D", 500) == "D"
    with pytest.raises(UsageError, match=r"error\[H703\]: unknown recipe `Q`"):
        recipes.find("Q")


def test_a_program_that_takes_too_long(tmp_path: Path) -> None:
    from cipherassay.hardware.tools.process import run

    with pytest.raises(ToolError, match=r"error\[T004\]: `sleep` does not end within 0.2 s sleeping"):
        run(["sleep", "30"], tmp_path, doing="sleeping", seconds=0.2)
    left = subprocess.run(["pgrep", "-f", "^sleep 30$"], capture_output=True, text=True, check=False)
    assert left.stdout == ""
