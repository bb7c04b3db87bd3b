"""The pieces of work for field-programmable gate arrays: look-up tables of a design, a place and route."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cipherassay import tools
from cipherassay.errors import UsageError
from cipherassay.hardware.fpga import wrapper
from cipherassay.hardware.libraries import technology as technologies
from cipherassay.hardware.libraries.technology import Fpga, Technology
from cipherassay.hardware.netlists import rtlil
from cipherassay.hardware.synthesis import frontend
from cipherassay.hardware.tools import cached, yosys
from cipherassay.hardware.tools.process import run

_SECONDS = 1800.0


@dataclass(frozen=True)
class Count:
    """What a netlist holds; a flip-flop behind a look-up table that leads only to it shares its cell."""

    luts: int
    flip_flops: int
    carries: int
    others: dict[str, int]
    logic_cells: int


def versions(technology: Technology) -> str:
    """Return which tools work here; raises ToolError ``T002``: one is missing."""
    known = technology.field_programmable()
    tools.require(known.tool)
    return f"{yosys.version()}; {known.tool} {tools.find(known.tool).version}"


@dataclass(frozen=True)
class Tables:
    """Make look-up tables and flip-flops of a design, and of the shift registers around it."""

    files: tuple[tuple[str, str], ...]
    top: str
    technology: str
    tools: str

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        known = technologies.load(self.technology).field_programmable()
        texts = [[name, cached.digest(text)] for name, text in self.files]
        return cached.key(
            kind="tables", texts=texts, top=self.top, fpga=asdict(known), around=wrapper.FORM,
            tools=self.tools,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"look-up tables of {self.top}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the texts' length."""
        return 300.0 + sum(len(text) for _, text in self.files) / 500

    def run(self) -> str:
        """Return the whole netlist as Yosys's JSON, and the counts of core and surroundings, as JSON."""
        known = technologies.load(self.technology).field_programmable()
        top, modules = frontend.elaborate(dict(self.files), self.top)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            core = _core(rtlil.cut(modules, top, frozenset()), top, known, folder)
            clock = the_clock(core, known, top)
            ports = {name: (p["direction"], len(p["bits"])) for name, p in sorted(core["ports"].items())}
            (folder / "around.v").write_text(wrapper.verilog(top, ports, clock), encoding="utf-8")
            lines = [
                "read_verilog around.v",
                f"{known.synthesis} -top {wrapper.TOP} -json around.json",
                f"delete {top}",
                "read_rtlil core.il",
                f"hierarchy -top {wrapper.TOP}",
                "flatten",
                "opt_clean",
                "write_json whole.json",
            ]
            yosys.script(lines, folder, doing=f"joining {top} and its shift registers", seconds=_SECONDS)
            around = _module(folder / "around.json", wrapper.TOP)
            whole = (folder / "whole.json").read_text(encoding="utf-8")
        found = {"core": asdict(count(core, known)), "around": asdict(count(around, known, {top}))}
        return json.dumps({"top": top, **found, "netlist": whole})


def _core(text: str, top: str, known: Fpga, folder: Path) -> dict[str, Any]:
    (folder / "in.il").write_text(text, encoding="utf-8")
    lines = ["read_rtlil in.il", f"{known.synthesis} -top {top} -json core.json", "write_rtlil all.il"]
    yosys.script(lines, folder, doing=f"making look-up tables of {top}", seconds=_SECONDS)
    modules = rtlil.split((folder / "all.il").read_text(encoding="utf-8"))
    (folder / "core.il").write_text(modules[top].text, encoding="utf-8")
    return _module(folder / "core.json", top)


def _module(path: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["modules"][name]
    return found


def the_clock(core: Mapping[str, Any], known: Fpga, top: str) -> str:
    """Return the port that clocks the flip-flops, empty if there are none; UsageError ``H712``: several."""
    clocked = {
        cell["connections"][known.clock_pin][0]
        for cell in core["cells"].values()
        if cell["type"].startswith(known.flip_flop)
    }
    ports = sorted(name for name, port in core["ports"].items() if clocked.intersection(port["bits"]))
    if len(clocked) > 1:
        raise UsageError(
            "H712", f"`{top}` has several clocks: {', '.join(ports)}", help="a design here has one clock"
        )
    return ports[0] if ports else ""


def count(module: Mapping[str, Any], known: Fpga, without: set[str] = frozenset()) -> Count:  # type: ignore[assignment]
    """Return what a module of Yosys's JSON holds.

    Parameters
    ----------
    without : set of str
        Types that are not counted.
    """
    types: Counter[str] = Counter(cell["type"] for cell in module["cells"].values())
    luts = sum(types[kind] for kind in known.lut)
    carries = sum(types[kind] for kind in known.carry)
    flip_flops = sum(number for kind, number in types.items() if kind.startswith(known.flip_flop))
    counted = {*known.lut, *known.carry, *without, "$scopeinfo"}
    others = {
        kind: number
        for kind, number in sorted(types.items())
        if kind not in counted and not kind.startswith(known.flip_flop)
    }
    return Count(luts, flip_flops, carries, others, luts + flip_flops - _shared(module, known))


def _shared(module: Mapping[str, Any], known: Fpga) -> int:
    """Return how many flip-flops take their data from a look-up table that leads nowhere else."""
    readers: defaultdict[Any, int] = defaultdict(int)
    for cell in module["cells"].values():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"].get(pin) == "input":
                for bit in bits:
                    readers[bit] += 1
    for port in module["ports"].values():
        for bit in port["bits"] if port["direction"] == "output" else ():
            readers[bit] += 1
    made = {
        bit
        for cell in module["cells"].values()
        if cell["type"] in known.lut
        for pin, bits in cell["connections"].items()
        if cell["port_directions"].get(pin) == "output"
        for bit in bits
    }
    data = ("D", "DI")
    return sum(
        any(bit in made and readers[bit] == 1 for pin in data for bit in cell["connections"].get(pin, ()))
        for cell in module["cells"].values()
        if cell["type"].startswith(known.flip_flop)
    )


@dataclass(frozen=True)
class Place:
    """Place and route a netlist with a seed."""

    netlist: str
    top: str
    seed: int
    technology: str
    tools: str

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        known = technologies.load(self.technology).field_programmable()
        return cached.key(
            kind="place", text=cached.digest(self.netlist), seed=self.seed, options=known.options,
            tools=self.tools,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.top} placed with seed {self.seed}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the netlist's length."""
        return 300.0 + len(self.netlist) / 2e4

    def run(self) -> str:
        """Return the clock in MHz and the logic cells used, as JSON."""
        known = technologies.load(self.technology).field_programmable()
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "whole.json").write_text(self.netlist, encoding="utf-8")
            command = [
                tools.require(known.tool), *known.options, "--json", "whole.json", "--seed", str(self.seed),
                "--report", "report.json", "--timing-allow-fail", "-q",
            ]  # fmt: skip
            doing = f"placing {self.top} with seed {self.seed}"
            run(command, folder, doing=doing, seconds=_SECONDS)
            report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return json.dumps(read_report(report, known, self.top))


def read_report(report: Mapping[str, Any], known: Fpga, top: str) -> dict[str, float]:
    """Return clock and logic cells of nextpnr's report; ToolError ``H711``: it has no clock."""
    clocks: Sequence[float] = [one["achieved"] for one in report.get("fmax", {}).values()]
    if not clocks:
        from cipherassay.hardware.timing.analysis import nothing

        raise nothing("nextpnr gave no clock", top)
    return {"mhz": min(clocks), "logic_cells": report["utilization"][known.site]["used"]}
