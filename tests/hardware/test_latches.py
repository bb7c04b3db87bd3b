"""Latches in setup timing: checked when they close, launched when they open; half clocks in front of them."""

import pytest

from cipherassay import tools
from cipherassay.errors import AssayError
from cipherassay.hardware.libraries import liberty, technology
from cipherassay.hardware.libraries.fixing import fixed
from cipherassay.hardware.netlists import fanout
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.timing import analysis, latches, static_timing
from cipherassay.hardware.timing.repair.slack import Slacks
from cipherassay.hardware.timing.static_timing import clocking
from support.latch_netlist import CELLS, through_a_latch

NAMES = ["osu050", "osu035", "osu018"]


@pytest.mark.parametrize("name", NAMES)
def test_a_latch_for_timing_is_checked_when_it_closes_and_launches_when_it_opens(name: str) -> None:
    known = technology.load(name)
    text = latches.timing_file(known).read_text(encoding="utf-8")
    cells = {cell.name: cell for cell in liberty.read(text, "timing").of_kind("cell")}
    state = next(cells["LATCH"].of_kind("ff"))
    assert (state.text("next_state"), state.text("clocked_on")) == ("D", "CLK")
    arcs = [arc for pin in cells["LATCH"].of_kind("pin") if pin.name == "Q" for arc in pin.of_kind("timing")]
    assert [(arc.text("related_pin"), arc.text("timing_type")) for arc in arcs] == [("CLK", "rising_edge")]
    checks = [arc.text("timing_type") for pin in cells["LATCH"].of_kind("pin") if pin.name == "D" for arc in pin.of_kind("timing")]
    assert sorted(checks) == ["hold_falling", "setup_falling"]
    before = {cell.name for cell in liberty.read(fixed(known), "mended").of_kind("cell")}
    assert set(cells) == before


def test_a_latch_without_its_group_is_refused() -> None:
    latch = next(one for one in technology.load("osu050").register if one.kind == "latch")
    with pytest.raises(AssayError) as caught:
        latches._opening("library (l) { cell (LATCH) { area : 1; } }", (latch,))
    assert (caught.value.code, caught.value.message) == ("H609", "the cell `LATCH` has no group `latch`")


def own(netlist: Netlist, name: str = "osu018") -> dict[str, float]:
    found = static_timing.paths(netlist, "top", technology.load(name), clock="clock", count=12)
    return {path.points[-1][0]: path.delay_ns for path in found}


def test_half_a_clock_counts_twice() -> None:
    """Against the same cells, all of them of the rising edge, and no latch."""
    whole = own(through_a_latch(write=("DFFPOSX1", CELLS["write"][1]), word=("DFFPOSX1", CELLS["word"][1])))
    half = own(through_a_latch())
    assert set(half) == {"word/D", "gate/B", "write/D", "read/D", "data/D", "q"}
    assert half["read/D"] == pytest.approx(whole["read/D"], abs=0.3)  # a latch's delay in place of a flip-flop's
    assert half["q"] == pytest.approx(whole["q"])
    assert half["word/D"] == pytest.approx(2 * whole["word/D"], abs=0.3)  # another setup
    # In half a clock the write signal passes a register of the falling edge and a buffer.
    assert 0.2 < half["gate/B"] / 2 < 0.4
    assert half["write/D"] > 0


@pytest.mark.skipif(not tools.find("opensta").place, reason="OpenSTA is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_both_timings_agree_on_half_clocks(name: str) -> None:
    found = analysis.timed(through_a_latch(), "top", technology.load(name), paths=8)
    other = {path.end: path.delay_ns for path in found.paths}
    ours = own(through_a_latch(), name)
    assert set(other) == set(ours)
    for end, delay in ours.items():
        # The slope of what opens a latch differs: here edges of clocks are infinitely steep.
        assert delay == pytest.approx(other[end], rel=0.05 if end == "read/D" else 0.001, abs=2e-3), end
    assert found.delay_ns == max(other.values()) == found.paths[0].delay_ns


def test_the_clock_inverted_before_a_register_is_its_other_edge() -> None:
    """Where a library has no register of the falling edge: an inverter before one of the rising edge."""
    inverted = through_a_latch(
        write=("DFFPOSX1", {"D": 11, "CLK": 30, "Q": 21}), inverter=("INVX1", {"A": 2, "Y": 30})
    )
    found = own(inverted)
    assert found["gate/B"] == pytest.approx(own(through_a_latch())["gate/B"], rel=0.3)
    work = static_timing.analysis(inverted, "top", technology.load("osu018"), clock="clock")
    edges = {
        cells.name(row): (int(work.clocking.launches(cells)[row]), int(work.clocking.takes(cells)[row]))
        for cells in work.flat.cells
        if cells.type.register
        for row in range(len(cells.nets))
    }
    rises, falls = clocking.RISING, clocking.FALLING
    assert edges == {
        "data": (rises, rises), "read": (rises, rises), "write": (falls, falls), "word": (rises, falls)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "pins", "edge"),
    [
        ("AND2X2", {"A": 2, "B": 22, "Y": 23}, clocking.RISING),
        ("NAND2X1", {"A": 22, "B": 2, "Y": 23}, clocking.RISING),
        ("OR2X2", {"A": 2, "B": 22, "Y": 23}, clocking.FALLING),
        ("NOR2X1", {"A": 22, "B": 2, "Y": 23}, clocking.FALLING),
        ("XOR2X1", {"A": 2, "B": 22, "Y": 23}, clocking.BOTH),
    ],
)
def test_what_gates_the_clock_is_there_before_it_comes_through(kind: str, pins: dict[str, int], edge: int) -> None:
    work = static_timing.analysis(through_a_latch(gate=(kind, pins)), "top", technology.load("osu018"), clock="clock")
    (gate,) = work.clocking.gates
    assert (gate.edge, gate.pin, gate.rows.tolist()) == (edge, "A" if pins["A"] == 22 else "B", [0])


def test_repair_sees_the_slack_of_half_clocks() -> None:
    work = static_timing.analysis(through_a_latch(), "top", technology.load("osu018"), clock="clock")
    slacks = Slacks(work)
    periods = {work.flat.cells[end.kind].name(end.row): end.period for end in slacks.ends if end.pin}
    ours = own(through_a_latch())
    for name, period in periods.items():
        assert period <= ours[f"{name}/{'B' if name == 'gate' else 'D'}"] + 1e-9
    assert slacks.period == max(ours.values())
    # The write signal's net before the gate: half of the period less its path, which is half of what it asks for.
    net = work.flat.find("late/Y")
    assert net is not None
    assert slacks.net(net) == pytest.approx((slacks.period - ours["gate/B"]) / 2, abs=1e-6)


def test_the_clock_of_gates_gets_no_buffers() -> None:
    many = through_a_latch(
        **{f"gate{n}": ("AND2X2", {"A": 2, "B": 22, "Y": 40 + n}) for n in range(40)},
        **{f"word{n}": ("LATCH", {"D": 20, "CLK": 40 + n, "Q": 90 + n}) for n in range(40)},
    )
    made = fanout.buffered(many, technology.load("osu018"), 16)
    sinks = [one for one in made["top"].instances if 2 in [net for nets in one.pins.values() for net in nets]]
    assert all(not one.name.startswith("buffer") for one in sinks)
    assert any(one.name.startswith("buffer") for one in made["top"].instances)  # the data of the words
