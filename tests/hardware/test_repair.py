"""Timing repair: shorter longest paths, the same functions; its checker finds what a wrong change does."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from cipherassay.circuits.functions import truth_table
from cipherassay.errors import Place, ToolError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import fanout, netlist
from cipherassay.hardware.netlists.netlist import Instance, Module, Netlist, Port
from cipherassay.hardware.timing import analysis, repair
from cipherassay.hardware.timing.repair.checking import demand_same
from cipherassay.hardware.timing.repair.moves import Move, compatible, moved
from support.timed_netlists import GENERIC, mapped, with_timer
from support.verilog_samples import ADDER, CORE, LAYER, SBOX


def repaired(one: Netlist, top: str, known: technology.Technology) -> Netlist:
    clock = analysis.the_clock(fanout.clock_ports(one, known), top)
    return repair.repaired(one, top, known, clock=clock)


def evaluated(module: Module, known: technology.Technology, words: dict[str, int]) -> dict[str, int]:
    """Return the outputs of a module of combinational cells: in the order of need, by their truth tables."""
    values: dict[netlist.Bit, int] = {"0": 0, "1": 1, "x": 0}
    for port in module.ports:
        for n, bit in enumerate(port.bits):
            if port.direction == "input":
                values[bit] = words[port.name] >> n & 1
    cells = {one.name: one for one in known.cell}
    left = list(module.instances)
    while left:
        ready = [one for one in left if all(one.pins[pin][0] in values for pin in cells[one.type].pins)]
        assert ready, "the netlist has a circle"
        for one in ready:
            cell = cells[one.type]
            row = sum(values[one.pins[pin][0]] << n for n, pin in enumerate(cell.pins))
            for output, function in cell.outputs().items():
                if one.pins.get(output):
                    table = truth_table(function, list(cell.pins), Place(""))
                    values[one.pins[output][0]] = table >> row & 1
        left = [one for one in left if one not in ready]
    return {
        port.name: sum(values[bit] << n for n, bit in enumerate(port.bits))
        for port in module.ports
        if port.direction == "output"
    }


def test_an_adder_gets_faster_and_still_adds() -> None:
    before = mapped(ADDER, "adder", "A", GENERIC)
    after = repaired(before, "adder", GENERIC)
    periods = [analysis.timed(one, "adder", GENERIC).delay_ns for one in (before, after)]
    assert periods[1] < periods[0]
    source = random.Random(7)
    for _ in range(20):
        a, b = source.getrandbits(32), source.getrandbits(32)
        words = {"a": a, "b": b}
        assert evaluated(after["adder"], GENERIC, words) == {"y": (a + b) % 2**32}


@pytest.mark.parametrize("name", ["generic", "osu050"])
def test_a_clocked_design_gets_faster_by_what_times_it(name: str) -> None:
    known = technology.load(name)
    before = fanout.buffered(mapped(CORE + LAYER + SBOX, "core", "M", known), known, 8)
    after = repaired(before, "core", known)
    periods = [analysis.timed(one, "core", known).delay_ns for one in (before, after)]
    assert periods[1] < periods[0] * 0.99
    own = analysis.timed(after, "core", with_timer(known, "own")).delay_ns
    assert own == pytest.approx(periods[1], rel=1e-3)
    registers = {one.name for one in known.register}
    kept = [one.name for one in before["core"].instances if one.type in registers]
    assert set(kept) <= {one.name for one in after["core"].instances}


def test_the_same_netlist_gives_the_same_bytes() -> None:
    before = mapped(ADDER, "adder", "A", GENERIC)
    texts = {netlist.to_json(repaired(before, "adder", GENERIC)) for _ in range(2)}
    assert len(texts) == 1


def pins(**nets: netlist.Bit) -> dict[str, tuple[netlist.Bit, ...]]:
    return {pin: (net,) for pin, net in nets.items()}


NAND = Instance("g0", "NAND2X1", pins(A=2, B=3, Y=4))
BUFFER = Instance("b0", "BUFX2", pins(A=4, Y=5))
INVERTERS = tuple(Instance(f"g{n}", "INVX1", pins(A=5, Y=n + 5)) for n in range(1, 4))
SMALL = Module(
    "small",
    (Port("a", "input", (2, 3)), Port("y", "output", (6, 7, 8))),
    (NAND, BUFFER, *INVERTERS),
)


@pytest.mark.parametrize(
    "move",
    [
        Move("size", "small", 2, 1.0, cell="INVX4"),
        Move("buffer", "small", 1, 1.0, ((2, "A", 0), (3, "A", 0)), "BUFX4"),
        Move("copy", "small", 1, 1.0, ((4, "A", 0),)),
        Move("copy", "small", 0, 1.0, ((1, "A", 0),)),
        Move("past", "small", 1, 1.0, ((3, "A", 0),)),
        Move("swap", "small", 0, 1.0, ((0, "B", 0), (0, "A", 0))),
    ],
)
def test_each_move_keeps_the_function(move: Move) -> None:
    after = moved(SMALL, [move], GENERIC)
    assert after != SMALL
    demand_same({"small": SMALL}, {"small": after}, GENERIC)
    for word in range(4):
        assert evaluated(after, GENERIC, {"a": word}) == evaluated(SMALL, GENERIC, {"a": word})


def test_copies_of_equal_cells_are_told_from_wrong_ones() -> None:
    twice = Instance("g9", "NAND2X1", pins(A=2, B=3, Y=9))
    reader = Instance("g10", "NAND2X1", pins(A=4, B=9, Y=10))
    whole = replace(SMALL, instances=(NAND, twice, reader))
    for place in (0, 1):
        after = moved(whole, [Move("copy", "small", place, 1.0, ((2, "AB"[place], 0),))], GENERIC)
        demand_same({"small": whole}, {"small": after}, GENERIC)
    wrong = replace(whole, instances=(NAND, twice, replace(reader, pins=pins(A=4, B=3, Y=10))))
    with pytest.raises(ToolError, match="`g10`"):
        demand_same({"small": whole}, {"small": wrong}, GENERIC)


@pytest.mark.parametrize(
    ("instances", "culprit"),
    [
        ((replace(NAND, type="NOR2X1"), BUFFER, *INVERTERS), "g0"),
        ((NAND, BUFFER, *INVERTERS[:2], replace(INVERTERS[2], pins=pins(A=2, Y=8))), "g3"),
        ((NAND, BUFFER, *INVERTERS, Instance("n", "INVX1", pins(A=2, Y=9))), "n"),
        ((NAND, BUFFER, *INVERTERS[:2]), "g3"),
    ],
)
def test_wrong_changes_are_found(instances: tuple[Instance, ...], culprit: str) -> None:
    wrong = replace(SMALL, instances=instances)
    with pytest.raises(ToolError) as caught:
        demand_same({"small": SMALL}, {"small": wrong}, GENERIC)
    assert (caught.value.code, caught.value.message) == (
        "H733",
        f"timing repair changed what `small` does at `{culprit}`",
    )


def test_inputs_swap_where_the_function_does_not_tell_them_apart() -> None:
    cells = {one.name: one for one in GENERIC.cell}
    names = {
        name: {"".join(cells[name].pins[at] for at in order) for order in cells[name].symmetries()}
        for name in ("INVX1", "NAND2X1", "XOR2X1", "MUX2X1", "AOI21X1")
    }
    assert names == {"INVX1": set(), "NAND2X1": {"BA"}, "XOR2X1": {"BA"}, "MUX2X1": set(), "AOI21X1": {"BAC"}}
    aoi = Instance("g0", "AOI21X1", pins(A=2, B=3, C=4, Y=5))
    ports = (Port("a", "input", (2, 3, 4)), Port("y", "output", (5,)))
    before = Module("one", ports, (aoi,))
    after = Module("one", ports, (replace(aoi, pins=pins(A=2, B=4, C=3, Y=5)),))
    with pytest.raises(ToolError, match="changed what `one` does at `g0`"):
        demand_same({"one": before}, {"one": after}, GENERIC)


def test_moves_that_change_an_instance_twice_exclude_each_other() -> None:
    first = Move("size", "small", 2, 2.0, cell="INVX4")
    second = Move("copy", "small", 1, 1.0, ((2, "A", 0),))
    third = Move("copy", "small", 0, 0.5, ((1, "A", 0),))
    assert compatible([third, second, first]) == [first, third]
