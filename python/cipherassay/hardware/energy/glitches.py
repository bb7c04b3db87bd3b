"""What moves in a netlist with the delays of its cells: changes before signals settle count, too.

Icarus Verilog simulates the netlist with the delays that OpenSTA writes as SDF, from registers at 0, and the
changes of every net are counted in its waves. A pulse shorter than the delay of what it passes is not passed
on. The clock is slower than the stated one: what moves until signals settle does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from cipherassay.hardware.simulation.waves import RESET_CLOCKS, variables
from cipherassay.hardware.timing.static_timing.cells import library
from cipherassay.hardware.timing.static_timing.flat import FlatNetlist, flatten
from cipherassay.hardware.timing.static_timing.tables import Places

BLOCKS = 8
"""Blocks of each core whose clocks count; as many go before them."""
_SLOWER = 1.5
"""The period over the stated one: the test bench's inputs come a little after the clock's edge."""
_SCOPE = "netlist"
"""The instance of the netlist in `gate_level.wrapper`."""


@dataclass(frozen=True)
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
        verdict_of(device, tests, events, "icarus, gates").demand(clocks=False)
        begin, end = (events.results[number - 1][0] for number in (count, 2 * count))
        plain = {name: gate_level.plain(module) for name, module in netlist.items()}
        flat = flatten(plain, device.name, library(technology))
        # The edge that ends the clock of a result; those of the reset come before all that are counted.
        first = begin + RESET_CLOCKS + 1
        rises, falls = _counted(waves, flat, clock, (first, first + end - begin))
    return Changes(flat, clock, rises, falls, end - begin, count)


def traffic(device: Device, bits: int, decrypt: bool, count: int) -> Iterator[Vector]:
    """Yield random blocks under one key, back to back."""
    random = Random(bits + decrypt)
    answers = Answers(device.programs[bits], device)
    key = random.randbytes(bits // 8)
    for number in range(1, count + 1):
        block = random.randbytes(device.input_bytes)
        expected = answers.run(key, block, decrypt)
        yield Vector("energy", number, key, decrypt, block, expected, number == 1, False, False)


def _counted(waves: Path, flat: FlatNetlist, clock: str, edges: tuple[int, int]) -> tuple[Places, Places]:
    """Return how often nets rise and fall from one rising edge of the clock to another, numbered from 1."""
    rises, falls = [0] * flat.nets, [0] * flat.nets
    with waves.open(encoding="utf-8") as lines:
        nets = _nets(lines, _names(flat))
        of_clock = int(flat.ports[clock][1][0])
        values: dict[str, str] = {}
        seen = 0
        for line in lines:
            value, code = line[0], line[1:].rstrip()
            net = nets.get(code)
            if net is None or value not in "01x":
                continue
            change = values.get(code, "x") + value
            values[code] = value
            if net == of_clock and change == "01":
                seen += 1
                if seen == edges[1]:
                    break
            if seen >= edges[0]:
                rises[net] += change == "01"
                falls[net] += change == "10"
        else:
            raise VerificationError("H510", "the waves do not show the clock of the device")
    return np.array(rises, dtype=np.int64), np.array(falls, dtype=np.int64)


def _names(flat: FlatNetlist) -> dict[str, int]:
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


def _nets(lines: Iterator[str], names: dict[str, int]) -> dict[str, int]:
    """Read the head of waves; return the net of each code: the first code of a net stands for it."""
    codes: dict[int, str] = {}
    for inside, name, code in variables(lines, _SCOPE):
        net = names.get("/".join([*inside, name]))
        if net is not None:
            codes.setdefault(net, code)
    return {code: net for net, code in codes.items()}
