"""The Liberty file of cells by logical effort, and what the rest needs to know of them."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.errors import Place
from cipherassay.hardware.libraries import liberty_writing, logical_effort
from cipherassay.hardware.libraries.liberty_writing import Arc, Grid, Pin, WrittenCell
from cipherassay.hardware.libraries.logical_effort import SITES_OF_NAND2, LogicalEffort, State, Structure
from cipherassay.hardware.libraries.technology import Cell, Register, Technology

_SLOPES = (0.0, 1.0)
"""Delays do not depend on the input's slope: any two points of that axis serve."""
_EFFORTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""The loads of the tables, in inputs of an inverter as wide as the cell."""
_SENSES = {False: "positive_unate", True: "negative_unate"}
_SLOPE_OF_DELAY = 2.0
"""From 20 to 80 % an exponential takes twice the time that it takes to 50 %: log 4 and log 2."""


def cells(known: LogicalEffort, place: Place) -> tuple[tuple[Cell, ...], tuple[Register, ...]]:
    """Return the cells and registers, their areas in gate equivalents; raises DescriptionError ``H608``."""
    made = tuple(
        Cell(
            name=one.name, pins=one.pins, area_um2=one.sites / SITES_OF_NAND2, transistors=one.transistors,
            function=one.function, output=one.output,
            pin_capacitance_ff=tuple(one.load_ff(pin) for pin in one.pins),
        )
        for one in logical_effort.structures(known, place)
    )  # fmt: skip
    registers = tuple(
        Register(
            name=one.name, kind=one.kind, clock=one.clock, active=one.active, data=one.data,
            output=one.output, area_um2=one.sites / SITES_OF_NAND2, transistors=one.transistors,
        )
        for one in known.state
    )  # fmt: skip
    return made, registers


def text(technology: Technology) -> str:
    """Return the Liberty text of a technology with `logical_effort`."""
    known = technology.logical_effort
    assert known is not None
    assert technology.corner is not None
    place = Place(technology.file.name)
    comment = [
        f"{technology.title}; generated from {technology.file.name}.",
        f"tau {known.tau_ns * 1000:g} ps, input of INVX1 {known.unit_capacitance_ff:g} fF,",
        f"pull-up to pull-down {known.pull_up_ratio:g}, "
        f"parasitic delay of an inverter {known.inverter_parasitic:g} tau.",
        "Areas count NAND2X1.",
    ]
    volts = technology.corner.voltage_v
    made = [_cell(one, volts) for one in logical_effort.structures(known, place)]
    made += [_state(one, known, volts) for one in known.state]
    return liberty_writing.library(technology.library, comment, volts, technology.corner.temperature_c, made)


def _cell(one: Structure, volts: float) -> WrittenCell:
    pins = [Pin(pin, _both(one.load_ff(pin))) for pin in one.pins]
    arcs = []
    own = one.stages[-1].parasitic() * one.known.inverter_parasitic
    for pin in one.pins:
        ways = one.paths(pin)
        senses = {inverts for inverts, _ in ways}
        sense = "non_unate" if len(senses) == 2 else _SENSES[senses.pop()]
        longest = max(delay for _, delay in ways)
        arcs.append(_timing(pin, (("timing_sense", sense),), longest, own, one.drive, one.known))
    arcs += [_power(pin, one.own_ff, volts) for pin in one.pins]
    output = Pin(one.output, function=one.function.replace("~", "!"), arcs=tuple(arcs))
    return WrittenCell(one.name, one.sites / SITES_OF_NAND2, (*pins, output))


def _timing(
    related: str, attributes: Sequence[tuple[str, str]], longest: float, own: float, drive: int,
    known: LogicalEffort,
) -> Arc:  # fmt: skip
    """Return an arc of a delay without load (in tau) and the last stage's own part of it."""
    loads = tuple(effort * drive * known.unit_capacitance_ff / 1000 for effort in _EFFORTS)
    delays = tuple((known.tau_ns * (longest + effort),) * len(_SLOPES) for effort in _EFFORTS)
    slopes = tuple((_SLOPE_OF_DELAY * known.tau_ns * (own + effort),) * len(_SLOPES) for effort in _EFFORTS)
    delay, slope = Grid(loads, _SLOPES, delays), Grid(loads, _SLOPES, slopes)
    tables = {"cell_rise": delay, "rise_transition": slope, "cell_fall": delay, "fall_transition": slope}
    return Arc(related, tuple(attributes), tables)


def _power(related: str, own_ff: float, volts: float) -> Arc:
    """Return what charging the diffusion at the output takes: half of C V² at either edge, in pJ."""
    loads, energy = (0.0, 1.0), own_ff / 1000 * volts**2 / 2
    grid = Grid(loads, _SLOPES, ((energy,) * len(_SLOPES),) * len(loads))
    return Arc(related, (), {"rise_power": grid, "fall_power": grid}, power=True)


def _state(one: State, known: LogicalEffort, volts: float) -> WrittenCell:
    unit = known.unit_capacitance_ff
    opens = one.active in ("rising", "high")
    edge = "rising_edge" if opens else "falling_edge"
    closes = ("setup_rising" if opens else "setup_falling") if one.kind == "flip-flop" else (
        "setup_falling" if opens else "setup_rising"
    )  # fmt: skip
    setup = known.tau_ns * sum(map(sum, one.setup_path))
    # By logical effort data may change with the edge: what is behind it is closed by then.
    checks = [_check(one.clock, closes, setup), _check(one.clock, closes.replace("setup", "hold"), 0.0)]
    launch = (("timing_sense", "non_unate"), ("timing_type", edge))
    arcs = [_through(one.clock, launch, one.clock_path, known)]
    if one.data_path:
        arcs.append(_through(one.data, (("timing_sense", "positive_unate"),), one.data_path, known))
    arcs.append(_power(one.clock, unit * known.inverter_parasitic, volts))
    clock = f"{'' if opens else '!'}{one.clock}"
    head, names = ("ff", ("clocked_on", "next_state")) if one.kind == "flip-flop" else (
        "latch", ("enable", "data_in")
    )  # fmt: skip
    pins = (
        Pin(one.clock, _both(one.clock_load * unit), clock=True),
        Pin(one.data, _both(one.data_load * unit), arcs=tuple(checks)),
        Pin(one.output, function="IQ", arcs=tuple(arcs)),
    )
    state = (f"{head} (IQ,IQN)", ((names[0], clock), (names[1], one.data)))
    return WrittenCell(one.name, one.sites / SITES_OF_NAND2, pins, state)


def _check(clock: str, kind: str, time: float) -> Arc:
    grid = Grid(_SLOPES, _SLOPES, ((time,) * 2,) * 2)
    return Arc(clock, (("timing_type", kind),), {"rise_constraint": grid, "fall_constraint": grid})


def _through(
    related: str, attributes: Sequence[tuple[str, str]], path: Sequence[tuple[float, float]],
    known: LogicalEffort,
) -> Arc:  # fmt: skip
    total = sum(effort + parasitic for effort, parasitic in path)
    return _timing(related, attributes, total, path[-1][1], 1, known)


def _both(farads_ff: float) -> tuple[float, float]:
    return farads_ff / 1000, farads_ff / 1000
