"""Delay, slope and energy of an output over loads and slopes of an input: each place is a transient."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import ToolError
from cipherassay.hardware.characterization import simulator
from cipherassay.hardware.characterization.simulator import HIGH, LOW, Bench, Run, crossing

Numbers = NDArray[np.float64]
FALL, RISE = 0, 1
EDGES = ("fall", "rise")
START_NS = 0.02
"""Cells begin at rest: the first edge may come at once."""
_SETTLED = 0.01
_LONGER, _TRIES = 4.0, 4


@dataclass(frozen=True)
class Response:
    """What an output does after an edge: seconds of ns, charges of fC into the input and from the supply."""

    delay: float
    slope: float
    input_fc: float
    supply_fc: float


@dataclass(frozen=True)
class Stimulus:
    """An edge at a pin under a load, and which edge of which output it gives; `waves` of all inputs."""

    pin: str
    pin_edge: int
    output: str
    output_edge: int
    run: Run
    start: float = 0.0
    """From when charges count."""


@dataclass
class Arc:
    """Tables of an arc by the output's edge: rows for loads, columns for slopes; energies in fJ."""

    delay: Numbers
    slope: Numbers
    energy: Numbers

    @staticmethod
    def empty(loads: int, slopes: int) -> Arc:
        """Return an arc without any response yet."""
        shape = (2, loads, slopes)
        return Arc(np.full(shape, -math.inf), np.full(shape, -math.inf), np.zeros(shape))


def tail(load_ff: float, drive: int) -> float:
    """Return a first guess, in ns, of how long a cell needs after an edge."""
    return 0.3 + 0.03 * load_ff / drive


def responses(bench: Bench, stimuli: Sequence[Stimulus], doing: str) -> list[Response]:
    """Return the response to each stimulus; transients in which the output is not yet at rest are lengthened.

    Raises
    ------
    ToolError
        ``H756``: an output does not come to rest; errors as of `simulator.measured`.
    """
    found: dict[int, Response] = {}
    open_ = list(enumerate(stimuli))
    for _ in range(_TRIES):
        measured = simulator.measured(bench, [_with_measures(bench, one) for _, one in open_], doing)
        still = []
        for (number, one), values in zip(open_, measured, strict=True):
            response = _response(bench, one, values)
            if response is None:
                still.append((number, _lengthened(one)))
            else:
                found[number] = response
        if not still:
            return [found[number] for number in range(len(stimuli))]
        open_ = still
    one = open_[0][1]
    raise ToolError(
        "H756",
        f"output {one.output} of `{bench.name}` does not come to rest {doing}",
        notes=[
            f"after an edge of {one.pin}, within {one.run.end:g} ns",
            f"{len(open_)} of {len(stimuli)} runs",
        ],
    )


def _lengthened(one: Stimulus) -> Stimulus:
    return replace(one, run=replace(one.run, end=one.run.end * _LONGER))


def _with_measures(bench: Bench, one: Stimulus) -> Run:
    volts, end = bench.volts, f"{one.run.end:.6g}n"
    ends = (LOW, HIGH) if one.output_edge == RISE else (HIGH, LOW)
    out, edge = one.output, EDGES[one.output_edge]
    since = f"from={one.start:.6g}n to={end}"
    half = f"trig {crossing(one.pin, volts / 2, EDGES[one.pin_edge])} targ {crossing(out, volts / 2, edge)}"
    slope = " ".join(
        f"{what} {crossing(out, part * volts, edge)}"
        for what, part in zip(("trig", "targ"), ends, strict=True)
    )
    return replace(
        one.run,
        measures={
            "delay": half, "slope": slope, "final": f"find v({out}) at={one.run.end * 0.999:.6g}n",
            "charge": f"integ i(v{one.pin}) {since}", "drawn": f"integ i(vsupply) {since}",
        },
    )  # fmt: skip


def _response(bench: Bench, one: Stimulus, values: dict[str, float]) -> Response | None:
    numbers = [values.get(name, math.nan) for name in ("delay", "slope", "charge", "drawn", "final")]
    if any(map(math.isnan, numbers)):
        return None
    delay, slope, charge, drawn, final = numbers
    if abs(final - one.output_edge * bench.volts) > _SETTLED * bench.volts:
        return None
    return Response(delay * 1e9, slope * 1e9, abs(charge) * 1e15, -drawn * 1e15)


StimulusChoice = Callable[[float, float], Iterable[Stimulus]]
"""The stimuli at a load in fF and a slope in ns."""


def grid(
    loads: Sequence[float], slopes: Sequence[float], wanted: StimulusChoice
) -> Iterator[tuple[int, int, Stimulus]]:
    """Yield the stimuli of each place of a table, with its row and column."""
    for row, load in enumerate(loads):
        for column, slope in enumerate(slopes):
            for one in wanted(load, slope):
                yield row, column, one


def filled(
    bench: Bench, loads: Sequence[float], slopes: Sequence[float], wanted: StimulusChoice, doing: str
) -> tuple[Arc, list[tuple[Stimulus, Response]]]:
    """Return an arc's tables, and every stimulus with its response.

    Where several stimuli give the same edge, the slowest counts; energies are their mean. Energy is what the
    supply gives, less what a rising load takes: half of it stays in the load, half is lost in charging it.
    """
    places = list(grid(loads, slopes, wanted))
    found = responses(bench, [one for _, _, one in places], doing)
    arc = Arc.empty(len(loads), len(slopes))
    count = np.zeros_like(arc.energy)
    for (row, column, one), response in zip(places, found, strict=True):
        at = (one.output_edge, row, column)
        arc.delay[at] = max(arc.delay[at], response.delay)
        arc.slope[at] = max(arc.slope[at], response.slope)
        taken = loads[row] * bench.volts if one.output_edge == RISE else 0.0
        arc.energy[at] += (response.supply_fc - taken) * bench.volts
        count[at] += 1
    arc.energy /= np.maximum(count, 1)
    return arc, list(zip([one for _, _, one in places], found, strict=True))
