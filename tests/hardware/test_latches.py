"""Latches in static timing: they take their word when they close."""

import pytest

from cipherassay import tools
from cipherassay.errors import AssayError
from cipherassay.hardware.libraries import liberty, technology
from cipherassay.hardware.libraries.fixing import fixed
from cipherassay.hardware.netlists.netlist import Instance, Module, Netlist, Port
from cipherassay.hardware.timing import analysis, latches

NAMES = ["osu050", "osu035", "osu018"]


@pytest.mark.parametrize("name", NAMES)
def test_a_latch_for_timing_is_a_register_of_the_closing_edge(name: str) -> None:
    known = technology.load(name)
    text = latches.timing_file(known).read_text(encoding="utf-8")
    cells = {cell.name: cell for cell in liberty.read(text, "timing").of_kind("cell")}
    state = next(cells["LATCH"].of_kind("ff"))
    assert (state.text("next_state"), state.text("clocked_on")) == ("D", "!CLK")
    arcs = [arc for pin in cells["LATCH"].of_kind("pin") if pin.name == "Q" for arc in pin.of_kind("timing")]
    assert [(arc.text("related_pin"), arc.text("timing_type")) for arc in arcs] == [("CLK", "falling_edge")]
    before = {cell.name for cell in liberty.read(fixed(known), "mended").of_kind("cell")}
    assert set(cells) == before


def test_a_latch_without_its_group_is_refused() -> None:
    latch = next(one for one in technology.load("osu050").register if one.kind == "latch")
    with pytest.raises(AssayError) as caught:
        latches._closing("library (l) { cell (LATCH) { area : 1; } }", (latch,))
    assert (caught.value.code, caught.value.message) == ("H609", "the cell `LATCH` has no group `latch`")


def through_a_latch() -> Netlist:
    """Return flip-flops around a latch that is open in the second half of a clock."""
    cells = {
        "data": ("DFFPOSX1", {"D": 10, "CLK": 2, "Q": 20}),
        "write": ("DFFPOSX1", {"D": 11, "CLK": 2, "Q": 21}),
        "low": ("INVX1", {"A": 2, "Y": 22}),
        "open": ("AND2X2", {"A": 22, "B": 21, "Y": 23}),
        "word": ("LATCH", {"D": 20, "CLK": 23, "Q": 24}),
        "read": ("DFFPOSX1", {"D": 24, "CLK": 2, "Q": 12}),
    }
    inputs = [Port(name, "input", (net,)) for name, net in (("clock", 2), ("d", 10), ("w", 11))]
    ports = [*inputs, Port("q", "output", (12,))]
    instances = [
        Instance(name, kind, {pin: (net,) for pin, net in pins.items()}) for name, (kind, pins) in cells.items()
    ]
    return {"top": Module("top", tuple(ports), tuple(instances))}


@pytest.mark.skipif(not tools.find("opensta").place, reason="OpenSTA is not installed")
def test_what_a_latch_launches_has_a_whole_clock() -> None:
    """Timed as a latch, the word would be launched at half of the very long period."""
    found = analysis.timed(through_a_latch(), "top", technology.load("osu050"), paths=8)
    assert 0.5 < found.delay_ns < 3
    ends = {path.end for path in found.paths}
    assert {"word/D", "read/D"} <= ends
