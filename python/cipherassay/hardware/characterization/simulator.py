"""Cells simulated by ngspice: waves at their inputs, loads at their outputs, what is measured."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cipherassay import tools
from cipherassay.errors import ToolError
from cipherassay.hardware.tools import cached, process

LOW, HIGH = 0.2, 0.8
"""The part of the supply over which a slope is measured."""
RAMP = HIGH - LOW
"""A slope over the time of a ramp from rail to rail."""
_MOST_STEPS = 300.0
_TITLE = "@run"
_VALUE = re.compile(r"^(\w+)\s+=\s+(\S+)", re.M)

Point = tuple[float, float]
"""A time in ns and a level: 0 or 1."""


@dataclass(frozen=True)
class Bench:
    """A cell on its bench: the subcircuit's text, the nets of its ports, models, supply."""

    name: str
    subcircuit: str
    ports: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    models: str
    ground: tuple[str, ...]
    supply: tuple[str, ...]
    volts: float
    celsius: float


@dataclass(frozen=True)
class Run:
    """One transient: points of each input's wave, loads in fF, its end in ns, measurements by name.

    A measurement is what follows ``meas tran NAME`` in ngspice; `volts` and nets of pins stand in it.
    """

    waves: Mapping[str, tuple[Point, ...]]
    loads: Mapping[str, float]
    end: float
    measures: Mapping[str, str] = field(default_factory=dict)


def ramp(middle: float, slope: float, before: int) -> tuple[Point, Point]:
    """Return the points of an edge from a level to the other, whose half is at a time."""
    half = slope / RAMP / 2
    return (middle - half, before), (middle + half, 1 - before)


def crossing(net: str, level: float, edge: str, *, which: str = "last") -> str:
    """Return a measurement's condition: a net crosses a level in volts."""
    return f"v({net}) val={level:.6g} {edge}={which}"


@cache
def version() -> str:
    """Return the version of ngspice; raises ToolError ``T002``: it is not here."""
    tools.require("ngspice")
    return tools.find("ngspice").version


def measured(bench: Bench, runs: Sequence[Run], doing: str) -> list[dict[str, float]]:
    """Return what each transient measures, in volts, amperes and seconds; what fails is not a number.

    Runs are kept by their text, so that the same work is done once.

    Raises
    ------
    ToolError
        ``T002``: there is no ngspice; ``H701``: it failed; ``H755``: a transient did not end.
    """
    deck = _deck(bench, runs)
    name = cached.key(what="characterization", deck=deck, models=bench.models, ngspice=version())
    text = cached.CACHE.made(name, lambda: _run(bench, deck, doing))
    return _read(text, len(runs), doing)


def _run(bench: Bench, deck: str, doing: str) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "models.spice").write_text(bench.models, encoding="utf-8")
        (folder / "deck.cir").write_text(deck, encoding="utf-8")
        # Threads that wait for one another take many times longer than circuits of a few transistors.
        (folder / ".spiceinit").write_text("set num_threads=1\n", encoding="utf-8")
        return process.run([tools.require("ngspice"), "-b", "deck.cir"], folder, doing=doing)


def _deck(bench: Bench, runs: Sequence[Run]) -> str:
    lines = [f"* {bench.name}", ".include models.spice", bench.subcircuit.rstrip()]
    lines += [f"Vsupply vdd 0 {bench.volts:g}"]
    lines += [f"V{pin} {pin} 0 pwl(0 0 1n 0)" for pin in bench.inputs]
    lines += [f"C{pin} {pin} 0 1f" for pin in bench.outputs]
    nets = ["0" if p in bench.ground else "vdd" if p in bench.supply else p for p in bench.ports]
    lines += [f"X {' '.join(nets)} {bench.name}"]
    lines += [f".temp {bench.celsius:g}", ".options reltol=1e-4 abstol=1e-13 vntol=1e-7 chgtol=1e-17"]
    lines += [".control"]
    for number, run in enumerate(runs):
        lines += [f"echo {_TITLE} {number}", *_transient(bench, run)]
    return "\n".join([*lines, f"echo {_TITLE} {len(runs)}", "quit", ".endc", ".end", ""])


def _transient(bench: Bench, run: Run) -> list[str]:
    lines = []
    for pin in bench.inputs:
        points = " ".join(f"{time:.6g}n {level * bench.volts:g}" for time, level in run.waves[pin])
        lines.append(f"alter @v{pin.lower()}[pwl] = [ {points} ]")
    lines += [f"alter c{pin.lower()} = {run.loads.get(pin, 0.0):.6g}f" for pin in bench.outputs]
    step = run.end / _MOST_STEPS
    lines.append(f"tran {step / 4:.6g}n {run.end:.6g}n 0 {step:.6g}n")
    lines += [f"meas tran {name} {what}" for name, what in run.measures.items()]
    return [*lines, "destroy all"]


def _read(text: str, runs: int, doing: str) -> list[dict[str, float]]:
    parts = re.split(rf"^{_TITLE} \d+$", text, flags=re.M)[1:]
    if len(parts) != runs + 1:
        telling = [line.strip() for line in text.splitlines() if "error" in line.lower()][:4]
        raise ToolError("H755", f"ngspice did not end {doing}", notes=telling)
    return [{name: _number(value) for name, value in _VALUE.findall(part)} for part in parts[:-1]]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
