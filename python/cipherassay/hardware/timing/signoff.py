"""Sign-off of a mapped netlist at a period: setup, hold, clock gates, pulses, slopes, loads, sinks.

OpenSTA checks times under the constraints that are emitted with a design, with real latches and the clock
propagated through gates. It reads no limits of loads in this version and knows no limit of sinks: slopes,
loads, sinks and the kind of the clock gates are checked here, by `static_timing`.

What is not there to be checked is no pass: a check says how many places it looked at.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cipherassay import tools
from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import fanout, verilog_netlist
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.timing import analysis, constraints, static_timing
from cipherassay.hardware.timing.static_timing.cells import limits_pf
from cipherassay.hardware.timing.static_timing.clocking import BOTH
from cipherassay.hardware.tools.process import failed, run

SINKS = 32
"""The most pins on a net, other than the clock's: twice what mapping and buffer trees allow."""
STILL = "clock gates that hold still"
"""The check of what kind clock gates are."""
EXACT_NS = 1e-3
"""A period is printed to the picosecond, and no slack is known better than that."""
_TRIPLE = re.compile(r"\((-?[0-9.]+)::(-?[0-9.]+)\)")
_WIRE = re.compile(r"^ *\(INTERCONNECT .* \(0\.0+::0\.0+\)\)\n", re.M)
_EMPTY = re.compile(r"^ \(CELL\n.*\n.*\n +\(DELAY\n +\(ABSOLUTE\n +\)\n +\)\n \)\n", re.M)
_END = "sign-off complete"


@dataclass(frozen=True)
class Check:
    """A check of all places of a kind: how many there are, how many fail, and the worst of them."""

    name: str
    places: int
    failing: int
    worst: float
    """Slack at the worst place: in ns, in pF, or in pins; infinite where there is no place."""
    where: str
    unit: str = "ns"

    @property
    def words(self) -> str:
        """What it found, for people."""
        if not self.places:
            return f"{self.name}: nothing to check"
        worst = f"worst {self.worst:.3f} {self.unit}".rstrip()
        return f"{self.name}: {self.failing} of {self.places} fail, {worst} at {self.where}"


def demand(checks: tuple[Check, ...], top: str) -> None:
    """Raise VerificationError ``H770`` if a check fails."""
    wrong = [one for one in checks if one.failing]
    if wrong:
        raise VerificationError(
            "H770",
            f"`{top}` does not pass sign-off",
            notes=[one.words for one in wrong],
            help="the netlist may compute wrong in silicon: use another grade, or a longer period for setup",
        )


def checked(
    netlist: Netlist,
    top: str,
    technology: Technology,
    period_ns: float,
    *,
    case: Mapping[str, int] | None = None,
    sdc: str | None = None,
) -> tuple[Check, ...]:
    """Check a netlist at a period, at the library's corner.

    Parameters
    ----------
    sdc : str, optional
        Other constraints than `constraints_of` gives.

    Raises
    ------
    ToolError
        ``T002``: OpenSTA is not here; ``H701``: it failed.
    """
    clock = analysis.the_clock(fanout.clock_ports(netlist, technology), top)
    work = static_timing.analysis(netlist, top, technology, clock=clock, case=case)
    rules = constraints_of(netlist, top, technology, clock, period_ns) if sdc is None else sdc
    printed = _opensta(netlist, top, technology, rules, case or {})
    return (*_of_times(printed, work), *_of_limits(work, technology))


def constraints_of(netlist: Netlist, top: str, technology: Technology, clock: str, period_ns: float) -> str:
    """Return the constraints of a netlist, whose ports are single bits (`constraints.sdc`)."""
    ports = [
        (port.direction, analysis.pattern(verilog_netlist.bit_name(port.name, n, len(port.bits))))
        for port in netlist[top].ports
        if port.name != clock
        for n in range(len(port.bits))
    ]
    latches = {one.name for one in technology.register if one.kind == "latch"}
    return constraints.sdc(
        top, clock, [name for direction, name in ports if direction == "input"],
        [name for direction, name in ports if direction == "output"],
        period_ns=period_ns, latches=any(latches & set(module.counts) for module in netlist.values()),
    )  # fmt: skip


def _opensta(netlist: Netlist, top: str, technology: Technology, rules: str, case: Mapping[str, int]) -> str:
    printed, _ = _asked(netlist, top, technology, rules, [*analysis.held(netlist, top, case), _ASK])
    return printed


def sdf(netlist: Netlist, top: str, technology: Technology, period_ns: float) -> str:
    """Return the delays of a netlist's cells as a Standard Delay Format file; errors as of `checked`."""
    clock = analysis.the_clock(fanout.clock_ports(netlist, technology), top)
    rules = constraints_of(netlist, top, technology, clock, period_ns)
    write = "write_sdf -divider / -no_timestamp -no_version delays.sdf"
    written = _asked(netlist, top, technology, rules, [write])[1]
    # Wires have no delay here, and simulators that read no wires' delays warn of each.
    return _TRIPLE.sub(r"(\2:\2:\2)", _EMPTY.sub("", _WIRE.sub("", written)))


def _asked(
    netlist: Netlist, top: str, technology: Technology, rules: str, questions: Sequence[str]
) -> tuple[str, str]:
    """Return what OpenSTA prints to questions about a netlist, and the delays that it writes."""
    _, synthesis = technology.timed()
    ports = [
        (port.direction, analysis.pattern(verilog_netlist.bit_name(port.name, n, len(port.bits))))
        for port in netlist[top].ports
        for n in range(len(port.bits))
    ]
    clocks = fanout.clock_ports(netlist, technology)[top]
    commands = [
        f"read_liberty {{{fixing.fixed_file(technology)}}}",
        "read_verilog netlist.v",
        f"link_design {{{top}}}",
        "read_sdc rules.sdc",
        *(f"set_driving_cell -lib_cell {synthesis.input_driver} [get_ports {{{name}}}]"
          for direction, name in ports if direction == "input" and name not in clocks),
        *(f"set_load {synthesis.load_ff / 1000:g} [get_ports {{{name}}}]"
          for direction, name in ports if direction == "output"),
        *questions,
        f'puts "{_END}"',
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "netlist.v").write_text(verilog_netlist.write(netlist), encoding="utf-8")
        (folder / "rules.sdc").write_text(rules, encoding="utf-8")
        (folder / "signoff.tcl").write_text("\n".join(commands) + "\n", encoding="utf-8")
        doing = f"signing off {top}"
        tool = tools.require("opensta")
        printed = run([tool, "-no_splash", "-exit", "signoff.tcl"], folder, doing=doing, seconds=900)
        written = folder / "delays.sdf"
        delays = written.read_text(encoding="utf-8") if written.exists() else ""
    lines = printed.splitlines()
    if _END not in lines or any(line.startswith("Error") for line in lines):
        raise failed("sta", doing, printed, "it did not do all of its commands")
    return printed, delays


_ASK = """foreach kind {max min} {
  foreach path [find_timing_paths -path_delay $kind -group_count 1000000] {
    puts "$kind [get_property $path slack] [get_full_name [get_property $path endpoint]]"
  }
}
puts "pulses"
report_check_types -min_pulse_width -recovery -removal -all_violators"""


def _of_times(printed: str, work: static_timing.Analysis) -> Iterator[Check]:
    """Yield the checks of times: what a slack is of follows from the cell at whose pin its path ends."""
    gates = {
        f"{work.flat.cells[gate.kind].name(row)}/{gate.pin}"
        for gate in work.clocking.gates
        for row in gate.rows
    }
    latches = {
        f"{cells.name(row)}/{cells.type.register.data}"
        for cells in work.flat.cells
        if cells.type.is_latch and cells.type.register is not None
        for row in range(len(cells.nets))
    }
    kinds = {"max": "setup", "min": "hold"}
    found: dict[str, list[tuple[float, str]]] = {
        f"{what}{of}": [] for what in kinds.values() for of in ("", " of latches", " of clock gates")
    }
    head, _, tail = printed.partition("pulses\n")
    for line in head.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in kinds:
            slack, _, where = rest.partition(" ")
            where = where.replace("\\", "").strip()
            of = " of clock gates" if where in gates else " of latches" if where in latches else ""
            found[kinds[kind] + of].append((float(slack), where))
    for name, slacks in found.items():
        worst, where = min(slacks, default=(float("inf"), ""))
        yield Check(name, len(slacks), sum(slack < -EXACT_NS for slack, _ in slacks), worst, where)
    clocked = sum(len(cells.nets) for cells in work.flat.cells if cells.type.register is not None)
    short = [line.replace("\\", "").split() for line in tail.splitlines() if "(VIOLATED)" in line]
    pulses = [(float(words[-2]), " ".join(words[:2])) for words in short]
    worst, where = min(pulses, default=(float("inf"), "no clock pin"))
    # What is 0 to two digits is printed as a violation, too.
    yield Check("pulse width", clocked, sum(slack < 0 for slack, _ in pulses), worst, where)


def _of_limits(work: static_timing.Analysis, technology: Technology) -> Iterator[Check]:
    """Yield the checks of loads, slopes and sinks against the library's limits, and of clock gates."""
    limits = limits_pf(technology, work.library)
    _, slope, _ = work.arrivals()
    loads, slopes, sinks = [], [], []
    steepest = work.library.steepest_ns
    count = np.zeros(work.flat.nets, dtype=np.int64)
    clocks = work.flat.ports[work.clock][1] if work.clock else np.zeros(0, dtype=np.int64)
    for cells in work.flat.cells:
        for pin in cells.type.pins:
            count += np.bincount(cells.column(pin), minlength=work.flat.nets)
    count[clocks] = 0
    for cells in work.flat.cells:
        for output in cells.type.outputs:
            nets = cells.column(output)
            of_net = np.maximum(work.load[2 * nets], work.load[2 * nets + 1])
            limit = limits[cells.type.name, output]
            steep = np.maximum(slope[2 * nets], slope[2 * nets + 1])
            for row in range(len(nets)):
                where = f"{cells.name(row)}/{output}"
                loads.append((limit - float(of_net[row]), where))
                slopes.append((steepest - float(steep[row]), where))
                sinks.append((SINKS - int(count[nets[row]]), where))
    yield _limit("load", loads, "pF")
    yield _limit("slope", slopes, "ns")
    yield _limit("sinks", sinks, "pins")
    gates = [
        (-1.0 if gate.edge == BOTH else 1.0, f"{work.flat.cells[gate.kind].name(row)}/{gate.pin}")
        for gate in work.clocking.gates
        for row in gate.rows.tolist()
    ]
    yield _limit(STILL, gates, "")


def _limit(name: str, slacks: Sequence[tuple[float, str]], unit: str) -> Check:
    worst, where = min(slacks, default=(float("inf"), ""))
    return Check(name, len(slacks), sum(slack < -1e-9 for slack, _ in slacks), float(worst), where, unit)
