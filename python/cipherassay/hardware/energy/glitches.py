"""What moves in a netlist with the delays of its cells: changes before signals settle count, too.

Icarus Verilog simulates the netlist with the delays that OpenSTA writes as SDF, from registers at 0, and the
changes of every net are counted in its waves. A pulse shorter than the delay of what it passes is not passed
on. The clock is slower than the stated one: what moves until signals settle does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import verilog_netlist
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import gate_level
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import Answers, Vector
from cipherassay.hardware.simulation.waves import RESET_CLOCKS
from cipherassay.hardware.timing.static_timing.cells import library
from cipherassay.hardware.timing.static_timing.flat import FlatNetlist, flatten
from cipherassay.hardware.timing.static_timing.tables import Places

BLOCKS = 8
"""Blocks of each core whose clocks count; as many go before them."""
_SLOWER = 1.5
"""The period over the stated one: the test bench's inputs come a little after the clock's edge."""
_SCOPE = "netlist"
"""The instance of the netlist in `gate_level.wrapper`."""


@dataclass
class Changes:
    """The changes of every net of a flat netlist in the clocks of some blocks."""

    flat: FlatNetlist
    clock: str
    rises: Places
    falls: Places
    clocks: int
    blocks: int


def changes(
    device: Device, netlist: Netlist, technology: Technology, clock: str, period_ns: float,
    of: tuple[int, bool],
) -> Changes:  # fmt: skip
    """Return what moves while a device makes random blocks of a key size and direction, back to back.

    Parameters
    ----------
    clock : str
        Its port.
    of : tuple of int and bool
        Key size in bits; whether backward.

    Raises
    ------
    VerificationError
        ``H505``: the netlist gives another result than the cipher. What `gate_level.run` raises.
    """
    count = BLOCKS * device.copies
    tests = list(traffic(device, *of, 2 * count))
    slower = _SLOWER * period_ns
    with gate_level.run(device, netlist, technology, tests, slower, waves=True) as (events, waves):
        verdict = verdict_of(device, tests, events, "icarus, gates")
        if verdict.failures or verdict.complaints:
            verdict.demand()
        begin, end = (events.results[number - 1][0] for number in (count, 2 * count))
        plain = {name: gate_level.plain(module) for name, module in netlist.items()}
        flat = flatten(plain, device.name, library(technology))
        made = Changes(flat, clock, *_zeros(flat), end - begin, count)
        # The edge that ends the clock of a result; those of the reset come before all that are counted.
        first = begin + RESET_CLOCKS + 1
        _count(made, waves, device, (first, first + end - begin))
    return made


def _zeros(flat: FlatNetlist) -> tuple[Places, Places]:
    return np.zeros(flat.nets, dtype=np.int64), np.zeros(flat.nets, dtype=np.int64)


def traffic(device: Device, bits: int, decrypt: bool, count: int) -> Iterator[Vector]:
    """Yield random blocks under one key, back to back."""
    random = Random(bits + decrypt)
    answers = Answers(device.programs[bits], device)
    key = random.randbytes(bits // 8)
    for number in range(1, count + 1):
        block = random.randbytes(device.input_bytes)
        expected = answers.run(key, block, decrypt)
        yield Vector("energy", number, key, decrypt, block, expected, number == 1, False, False)


def _count(made: Changes, waves: Path, device: Device, edges: tuple[int, int]) -> None:
    """Count changes from one rising edge of the clock to another, by their numbers from 1."""
    rises, falls = [0] * made.flat.nets, [0] * made.flat.nets
    with waves.open(encoding="utf-8") as lines:
        nets, clock = _head(lines, _names(made.flat, device))
        values: dict[str, str] = {}
        seen = 0
        for line in lines:
            value = line[0]
            if value not in "01x":
                continue
            code = line[1:].rstrip()
            before = values.get(code)
            values[code] = value
            if code == clock and value == "1" and before == "0":
                seen += 1
                if seen == edges[1]:
                    break
            if seen >= edges[0] and code in nets:
                if (before, value) == ("0", "1"):
                    rises[nets[code]] += 1
                elif (before, value) == ("1", "0"):
                    falls[nets[code]] += 1
        else:
            raise VerificationError("H510", "the waves do not show the clock of the device")
    made.rises, made.falls = np.array(rises, dtype=np.int64), np.array(falls, dtype=np.int64)


def _names(flat: FlatNetlist, device: Device) -> dict[str, int]:
    """Return the nets by their names in the waves: outputs of cells, and the ports of the whole."""
    found: dict[str, int] = {}
    for name, (_, nets) in flat.ports.items():
        for bit, net in enumerate(nets.tolist()):
            found[verilog_netlist.bit_name(name, bit, len(nets))] = net
    for cells in flat.cells:
        for output in cells.type.outputs:
            for row, net in enumerate(cells.column(output).tolist()):
                found[f"{cells.name(row)}/{output}"] = net
    return found


def _head(lines: Iterable[str], names: dict[str, int]) -> tuple[dict[str, int], str]:
    """Read the head of waves: the net of each code, a code for each net, and the code of the clock."""
    known: set[int] = set()
    scope: list[str] = []
    nets: dict[str, int] = {}
    clock = ""
    for line in lines:
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2].lstrip("\\"))
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"] and _SCOPE in scope:
            inside = scope[scope.index(_SCOPE) + 1 :]
            name = "/".join([*inside, words[4].lstrip("\\")])
            name += words[5] if len(words) > 6 else ""
            if (net := names.get(name)) is not None and net not in known:
                known.add(net)
                nets[words[3]] = net
            if name == "clock":
                clock = words[3]
        elif words[:1] == ["$enddefinitions"]:
            break
    return nets, clock
