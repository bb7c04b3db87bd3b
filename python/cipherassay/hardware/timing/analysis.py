"""Delays and clock periods: by OpenSTA, which prints what our own commands ask for, or by `static_timing`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import fanout, verilog_netlist
from cipherassay.hardware.netlists import netlist as netlists
from cipherassay.hardware.netlists.netlist import Module, Netlist
from cipherassay.hardware.timing import static_timing
from cipherassay.hardware.timing.latches import timing_file
from cipherassay.hardware.tools.process import failed, run

PERIOD_NS = 1000.0
"""Longer than any path: slacks stay above zero, whatever the design."""
_END = "timing complete"


@dataclass(frozen=True)
class Point:
    """A pin on a path, with the time at which the signal gets there."""

    pin: str
    arrival_ns: float


@dataclass(frozen=True)
class Path_:
    """A path to its end; its delay holds what the end needs (setup time), twice where it has half a clock."""

    start: str
    end: str
    delay_ns: float
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Timing:
    """The longest delay of a function, or the least period of a clocked design, and the critical paths."""

    delay_ns: float
    paths: tuple[Path_, ...]
    tool: str
    case: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)


def from_dict(fields: dict[str, Any]) -> Timing:
    """Return the timing that `Timing.as_dict` gave."""
    paths = tuple(
        Path_(one["start"], one["end"], one["delay_ns"], tuple(Point(**point) for point in one["points"]))
        for one in fields["paths"]
    )
    return Timing(fields["delay_ns"], paths, fields["tool"], fields["case"])


def version(technology: Technology) -> str:
    """Return what times netlists of a technology, with its version; ToolError ``T002``: it is not here."""
    _, synthesis = technology.timed()
    return static_timing.VERSION if synthesis.timer == "own" else _opensta()


@cache
def _opensta() -> str:
    tools.require("opensta")
    return f"opensta {tools.find('opensta').version}"


def timed(
    netlist: Netlist,
    top: str,
    technology: Technology,
    *,
    case: Mapping[str, int] | None = None,
    paths: int = 1,
) -> Timing:
    """Return the delay of a netlist under the technology's drivers and loads.

    With flip-flops in it, this is the least period of their clock; the clock's tree counts as without delay.

    Parameters
    ----------
    case : mapping
        Ports that are held at a value, and pins (``controller/mode_register/Q``) held at 0 or 1. A port's
        value does not pass through registers: those behind it are held by their pins
        (`constants.held_registers`).
    paths : int
        How many of the critical paths to keep, of different ends.

    Raises
    ------
    ToolError
        ``H701``: OpenSTA failed; ``H711``: no path was found, so nothing was timed; ``H731``: logic runs in a
        loop; ``H712``: there are several clocks.
    """
    held = dict(case or {})
    clock = the_clock(fanout.clock_ports(netlist, technology), top)
    question = asked(netlist, top, technology, clock, held, paths)
    return answered(*question, top, technology, held)


def asked(
    netlist: Netlist,
    top: str,
    technology: Technology,
    clock: str,
    case: Mapping[str, int],
    paths: int,
    known: dict[int, tuple[Module, str]] | None = None,
) -> tuple[str, str]:
    """Return a netlist and what is asked of it as two texts, which together decide the answer.

    Parameters
    ----------
    known
        Texts of modules written before, as of `verilog_netlist.write`.
    """
    _, synthesis = technology.timed()
    if synthesis.timer == "own":
        return netlists.to_json(netlist, known), json.dumps({"clock": clock, "case": case, "paths": paths})
    commands = the_commands(netlist, top, technology, clock, case, paths)
    return verilog_netlist.write(netlist, known), commands


def answered(text: str, question: str, top: str, technology: Technology, held: Mapping[str, int]) -> Timing:
    """Return the timing that `asked` asks for; errors as of `timed`."""
    _, synthesis = technology.timed()
    if synthesis.timer != "own":
        return run_commands(text, question, top, technology, held)
    wanted = json.loads(question)
    whole = netlists.from_json(text)
    return by_own(whole, top, technology, wanted["clock"], wanted["case"], wanted["paths"])


def by_own(
    netlist: Netlist, top: str, technology: Technology, clock: str, case: Mapping[str, int], paths: int
) -> Timing:
    """Return what the own static timing finds, whatever times the technology; errors as of `timed`.

    Of a large netlist it takes a thirtieth of OpenSTA's time.
    """
    found = static_timing.paths(netlist, top, technology, clock=clock, case=case, count=paths)
    if not found:
        raise nothing("the own timing found no path", top)
    ways = tuple(
        Path_(one.points[0][0], one.points[-1][0], one.delay_ns, tuple(Point(*point) for point in one.points))
        for one in found
    )
    return Timing(ways[0].delay_ns, ways, static_timing.VERSION, dict(case))


def nothing(what: str, top: str) -> ToolError:
    """Return the error of a design in which nothing was timed."""
    return ToolError(
        "H711",
        f"{what} for `{top}`",
        notes=["a result without a slack is no result: nothing was timed"],
        help="does a path lead to a register or to an output?",
    )


def run_commands(
    verilog: str, commands: str, top: str, technology: Technology, held: Mapping[str, int]
) -> Timing:
    """Return what OpenSTA finds by commands of `the_commands`; errors as of `timed`."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "netlist.v").write_text(verilog, encoding="utf-8")
        library = f"read_liberty {{{_library(verilog, technology)}}}\n"
        (folder / "timing.tcl").write_text(library + commands, encoding="utf-8")
        doing = f"timing {top}"
        tool = tools.require("opensta")
        printed = run([tool, "-no_splash", "-exit", "timing.tcl"], folder, doing=doing, seconds=900)
    lines = printed.splitlines()
    if _END not in lines or any(line.startswith("Error") for line in lines):
        raise failed("sta", doing, printed, "it did not do all of its commands")
    found = _paths(printed)
    if not found:
        raise nothing("OpenSTA gave no slack", top)
    return Timing(max(one.delay_ns for one in found), found, _opensta(), dict(held))


def _library(verilog: str, technology: Technology) -> Path:
    latches = [one.name for one in technology.register if one.kind == "latch"]
    used = any(f" {name} " in verilog for name in latches)
    return timing_file(technology) if used else fixing.fixed_file(technology)


def the_clock(ports: Mapping[str, set[str]], top: str) -> str:
    """Return the port that clocks the flip-flops (of `fanout.clock_ports`), empty if there is none.

    Raises
    ------
    UsageError
        ``H712``: there are several.
    """
    clocks = sorted(ports[top])
    if len(clocks) > 1:
        raise UsageError(
            "H712", f"`{top}` has several clocks: {', '.join(clocks)}", help="a design here has one clock"
        )
    return clocks[0] if clocks else ""


def the_commands(
    netlist: Netlist, top: str, technology: Technology, clock: str, case: Mapping[str, int], paths: int
) -> str:
    """Return OpenSTA's commands for a netlist, without that which reads the library."""
    _, synthesis = technology.timed()
    where = f" [get_ports {{{clock}}}]" if clock else ""
    data = _bits(netlist, top, "input", {clock, *case})
    results = _bits(netlist, top, "output", set())
    lines = [
        "set sta_gated_clock_checks_enabled 1",
        "read_verilog netlist.v",
        f"link_design {{{top}}}",
        f"create_clock -name clock -period {PERIOD_NS:g}{where}",
        # What gates the clock must be there before the edge that it lets through; it has no setup of its own.
        "set_clock_gating_check -setup 0 -hold 0",
    ]
    for name in data:
        lines.append(f"set_input_delay 0 -clock clock [get_ports {{{name}}}]")
        lines.append(f"set_driving_cell -lib_cell {synthesis.input_driver} [get_ports {{{name}}}]")
    for name in results:
        lines.append(f"set_output_delay 0 -clock clock [get_ports {{{name}}}]")
        lines.append(f"set_load {synthesis.load_ff / 1000:g} [get_ports {{{name}}}]")
    lines += held(netlist, top, case)
    report = _REPORT.replace("COUNT", str(paths)).replace("PERIOD", f"{PERIOD_NS:g}")
    return "\n".join([*lines, report, f'puts "{_END}"', ""])


def held(netlist: Netlist, top: str, case: Mapping[str, int]) -> list[str]:
    """Return OpenSTA's commands that hold ports and pins at values."""
    widths = {port.name: len(port.bits) for port in netlist[top].ports}
    lines = []
    for name, value in case.items():
        width = widths.get(name, 1)
        for n in range(width):
            bit = verilog_netlist.bit_name(name, n, width)
            lines.append(f"set_case_analysis {value >> n & 1} {_object(netlist, top, bit)}")
    return lines


# The slack has to be printed by us: a report without any path exits without an error.
# Of paths between different edges of the clock the slack at any period follows from that at one.
_REPORT = """set edges {rise rise 1 0 rise fall 2 0 fall rise 2 PERIOD/2. fall fall 1 PERIOD/2.}
foreach {begin end part first} $edges {
  set from [list -${begin}_from [get_clocks clock]]
  set to [list -${end}_to [get_clocks clock]]
  foreach path [find_timing_paths -path_delay max -group_count COUNT {*}$from {*}$to] {
    puts "path [expr $part * (PERIOD / $part - [get_property $path slack])]"
    foreach point [get_property $path points] {
      puts "point [expr [get_property $point arrival] - $first] [get_full_name [get_property $point pin]]"
    }
  }
}"""


def _object(netlist: Netlist, top: str, name: str) -> str:
    ports = {port.name for port in netlist[top].ports}
    known = name in ports or name.split("[")[0] in ports
    return f"[get_ports {{{pattern(name)}}}]" if known else f"[get_pins {{{pattern(name)}}}]"


def pattern(name: str) -> str:
    """Return a name that stands for itself: brackets would be a class of characters."""
    return name.replace("[", "\\[").replace("]", "\\]")


def _bits(netlist: Netlist, top: str, direction: str, without: set[str]) -> list[str]:
    return [
        pattern(verilog_netlist.bit_name(port.name, n, len(port.bits)))
        for port in netlist[top].ports
        if port.direction == direction and port.name not in without
        for n in range(len(port.bits))
    ]


def _paths(printed: str) -> tuple[Path_, ...]:
    delays: list[float] = []
    points: list[list[Point]] = []
    for line in printed.splitlines():
        words = line.split(None, 2)
        if words[:1] == ["path"]:
            delays.append(float(words[1]))
            points.append([])
        elif words[:1] == ["point"] and points:
            points[-1].append(Point(words[2].strip(), float(words[1])))
    found = [
        Path_(way[0].pin if way else "", way[-1].pin if way else "", delay, tuple(way))
        for delay, way in zip(delays, points, strict=True)
    ]
    longest: dict[str, Path_] = {}
    for one in sorted(found, key=lambda one: -one.delay_ns):
        longest.setdefault(one.end, one)
    return tuple(longest.values())


def delay_alone(netlist: Netlist, top: str, technology: Technology) -> float | None:
    """Return the delay of a function or block by itself; None if it has no path of its own.

    Units below it, which are not in the netlist, end paths.
    """
    try:
        return timed(netlist, top, technology).delay_ns
    except ToolError as error:
        if error.code == "H711":
            return None
        raise
