"""Energy of a device: blocks of chance through its netlist, what moves, and what that takes.

Each change of a net takes half of C V²: the pins on it by the library, no wires. What a cell takes inside,
and at its clock and data pins without a change of its output, comes from the library's tables, with the load
and the slopes of static timing. Changes before signals settle count where the netlist is simulated with its
delays. Not counted: the clock's tree, leakage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from cipherassay.errors import UsageError, VerificationError
from cipherassay.hardware.energy.activity import LANES, Activity, Words
from cipherassay.hardware.energy.glitches import Changes, changes
from cipherassay.hardware.libraries import fixing, liberty
from cipherassay.hardware.libraries.liberty import Group
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import fanout
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.rtl.key_modes import key_mode
from cipherassay.hardware.simulation.vectors import Answers
from cipherassay.hardware.timing import analysis, hold, static_timing
from cipherassay.hardware.timing.static_timing.cells import scale_of
from cipherassay.hardware.timing.static_timing.tables import Numbers, PackedTables, Tables, read
from cipherassay.jobs import SILENT, Progress
from cipherassay.published import platform
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis.exploring import Exploration

BLOCKS = 4
"""Blocks of every lane and core whose clocks count; as many go before them."""
CHECKED = 4
"""Lanes whose results are compared with the reference evaluator's."""
PATIENCE = 4000
BASIS = {
    False: "random blocks, no glitches, no wires, no clock tree, no leakage",
    True: "random blocks, with delays and glitches, no wires, no clock tree, no leakage",
}
"""Whether changes before signals settle count: what that means, for people."""


@dataclass(frozen=True)
class Energy:
    """Energy of one direction and key size, in pJ a bit: all, and its parts."""

    key_bits: int
    decrypt: bool
    switching: float
    internal: float
    clock: float
    """Of the parts, what the clock's pins take."""
    blocks: int
    clocks: int

    @property
    def total(self) -> float:
        """All of it."""
        return self.switching + self.internal


def energies(
    device: Device, netlist: Netlist, technology: Technology, period_ns: float | None = None
) -> Iterator[Energy]:
    """Yield the energy of every key size and direction of a device, whose results are checked.

    Parameters
    ----------
    period_ns : float, optional
        With it, cells have their delays at this period, and what changes before signals settle counts.

    Raises
    ------
    UsageError
        ``H741``: the technology states no voltage. ``H740``: a kind of register that is not simulated.
    VerificationError
        ``H742``: the netlist gives another result than the cipher; ``H747``: none. With delays what
        `glitches.changes` raises.
    """
    if technology.corner is None:
        raise UsageError("H741", f"the technology `{technology.name}` states no voltage", help="add [corner]")
    clock = analysis.the_clock(fanout.clock_ports(netlist, technology), device.name)
    loads, slopes = static_timing.electrical(netlist, device.name, technology, clock)
    for mode in device.clocks:
        run: Activity | Changes
        if period_ns is None:
            run = Activity(netlist, device.name, technology, clock)
            blocks = _Traffic(device, run, *mode).run()
            run.clocked()
        else:
            run = changes(device, netlist, technology, clock, period_ns, mode)
            blocks = run.blocks
        yield _summed(run, loads, slopes, technology, (*mode, blocks), 8 * device.result_bytes)


class _Traffic:
    """Keys and blocks through a netlist: a key a lane, then block after block as fast as they are taken."""

    def __init__(self, device: Device, run: Activity, bits: int, decrypt: bool) -> None:
        self.device, self.simulation, self.bits, self.decrypt = device, run, bits, decrypt
        self.random = Random(bits + decrypt)
        self.keys = [self.random.randbytes(bits // 8) for _ in range(LANES)]
        self.sent: list[list[bytes]] = []
        self.keyed = not device.loads_key
        self.results = 0
        self.count = BLOCKS * device.clocks[bits, decrypt].copies

    def run(self) -> int:
        """Return how many blocks the counted clocks are for, of all lanes."""
        self.sent.append(self.blocks())
        for clock in range(PATIENCE):
            reset = clock < 3
            self.simulation.step(self.pins(reset))
            if not reset:
                self.see()
            if self.results == self.count and self.simulation.clocks == clock:
                self.simulation.forget()
            if self.results == 2 * self.count:
                return self.count * LANES
            self.simulation.edge()
        raise VerificationError(
            "H747", f"the netlist of `{self.device.name}` gives no result in {PATIENCE} clocks"
        )

    def blocks(self) -> list[bytes]:
        return [self.random.randbytes(self.device.input_bytes) for _ in range(LANES)]

    def pins(self, reset: bool) -> dict[str, Words]:
        loads_key = not reset and not self.keyed
        loads_data = not reset and self.keyed
        width = self.device.key_width // 8
        values = {
            "load_key": _same(loads_key, 1), "load_data": _same(loads_data, 1), "take": _same(True, 1),
            self.device.roles[1]: _same(self.decrypt, 1),
            "key_size": _same(self.device.size_code(self.bits), self.device.size_width),
            **{pin: _words(blocks) for pin, blocks in self._data().items()},
        }  # fmt: skip
        if width:
            values["key"] = _words([key.ljust(width, b"\0") for key in self.keys])
        return {name: values[name] for name in self.device.inputs} | {"reset": _same(reset, 1)}

    def _data(self) -> dict[str, list[bytes]]:
        """Return the bytes of blocks and tweaks, of each lane."""
        lanes = [self.device.data_pins(block) for block in self.sent[-1]]
        return {pin: [bytes(lane[pin]) for lane in lanes] for pin in lanes[0] if pin in self.device.inputs}

    def see(self) -> None:
        """Look at the outputs: a key or a block is taken, a result is there."""
        ready = bool(self.simulation.output("ready")[0] & np.uint64(1))
        if ready and self.keyed:
            self.sent.append(self.blocks())
        # The first key after reset is taken while nothing is ready.
        self.keyed = True
        if self.simulation.output("valid")[0] & np.uint64(1):
            self.check(_bytes(self.simulation.output("data_out")))
            self.results += 1

    def check(self, found: list[bytes]) -> None:
        answers = Answers(self.device.programs[self.bits], self.device)
        for lane in range(CHECKED):
            block = self.sent[self.results][lane]
            expected = answers.run(self.keys[lane], block, self.decrypt)
            if found[lane] != expected:
                raise VerificationError(
                    "H742",
                    f"the netlist of `{self.device.name}` gives another result than the cipher",
                    notes=[
                        f"key {self.keys[lane].hex() or 'none'}, {self.device.noun(self.decrypt)} of "
                        f"{block.hex()}: expected {expected.hex()}, found {found[lane].hex()}"
                    ],
                )


def _same(value: int, width: int) -> Words:
    """Return a value that all lanes have."""
    return np.array([2**64 - 1 if value >> n & 1 else 0 for n in range(width)], dtype=np.uint64)


def _words(texts: list[bytes]) -> Words:
    """Return a word of lanes for each bit of the texts, of which every lane has one; the last bit first."""
    bits = np.unpackbits(np.array([list(text) for text in texts], dtype=np.uint8), axis=1)[:, ::-1]
    return np.packbits(bits.T, axis=1, bitorder="little").copy().view(np.uint64).reshape(-1)


def _bytes(words: Words) -> list[bytes]:
    """Return the text of every lane of `_words`."""
    bits = np.unpackbits(words.reshape(-1, 1).view(np.uint8), axis=1, bitorder="little").T[:, ::-1]
    return [bytes(row) for row in np.packbits(bits, axis=1)]


def _summed(
    run: Activity | Changes,
    loads: Numbers,
    slopes: Numbers,
    technology: Technology,
    of: tuple[int, bool, int],
    block_bits: int,
) -> Energy:
    bits, decrypt, blocks = of
    assert technology.corner is not None
    moved = np.stack([run.rises, run.falls], axis=1).reshape(-1).astype(np.float64)
    each = moved * loads * technology.corner.voltage_v**2 / 2
    clock = int(run.flat.ports[run.clock][1][0]) if run.clock else -1
    inside, inside_clock = _inside(run, moved, loads, slopes, technology, clock)
    unit = blocks * block_bits
    at_clock = each[2 * clock : 2 * clock + 2].sum() + inside_clock if run.clock else 0.0
    return Energy(
        bits, decrypt, float(each.sum()) / unit, inside / unit, float(at_clock) / unit, blocks, run.clocks
    )


def _inside(
    run: Activity | Changes, moved: Numbers, loads: Numbers, slopes: Numbers, technology: Technology,
    clock: int,
) -> tuple[float, float]:  # fmt: skip
    """Return what cells take inside, in pJ, and the part of it that pins at the clock's net cause."""
    power = _power(technology, fixing.digest(technology))
    total = at_clock = 0.0
    for cells in run.flat.cells:
        for one in power.of.get(cells.type.name, ()):
            nets = cells.column(one.pin)
            related = cells.column(one.related)
            for edge, table in enumerate(one.tables):
                tables = np.full(len(nets), table)
                steep = slopes[2 * related + edge]
                load = loads[2 * nets + edge] if one.pin != one.related else steep
                found = moved[2 * nets + edge] * power.tables.at(tables, load, steep) * one.share
                total += float(found.sum())
                at_clock += float(found[nets == clock].sum())
    return total, at_clock


def rows(
    found: Exploration, watch: Progress = SILENT, *, glitches: bool = False, **fields: Any
) -> Iterator[Row]:
    """Yield the energy of every speed grade, key size and direction as rows; errors as of `energies`."""
    watch.expect(len(found.grades))
    for number, grade in enumerate(found.grades, 1):
        tried = found.every[grade.strategy]
        point = grade.point
        latches = hold.unsafe(point.netlist, tried.made.top, found.technology, point.delay_ns)
        period_ns = point.delay_ns if glitches else None
        for one in energies(tried.device, grade.point.netlist, found.technology, period_ns):
            parts = f"inside cells {one.internal:.4g}, at the clock's pins {one.clock:.4g}"
            row = Row(
                **fields, level="hardware", target=found.technology.name, basis="simulated",
                tools=tried.made.tools, cipher=tried.device.title, variant=tried.device.key or None,
                platform=platform(found.technology.name), strategy=grade.strategy,
                configuration=f"{tried.device.architecture}, speed {number}" + ", glitches" * glitches,
                architecture=tried.device.architecture, key_mode=key_mode(tried.device.key),
                speed_grade=number,
                key_bits=one.key_bits or None, operation=tried.device.operation(one.decrypt),
                metric="energy_pj_per_bit", value=one.total,
                certificate=f"{parts}; {one.blocks} {BASIS[glitches]}",
            )  # fmt: skip
            yield hold.marked(row, latches)
        watch.done(1, f"energy of speed {number}")


@dataclass(frozen=True)
class _Inside:
    """The tables of a pin's changes; `related` is the pin whose slope counts, `share` its part of them."""

    pin: str
    related: str
    tables: tuple[int, int]
    share: float


@dataclass(frozen=True)
class _Power:
    of: Mapping[str, tuple[_Inside, ...]]
    tables: PackedTables


@lru_cache(maxsize=8)
def _power(technology: Technology, _digest: str) -> _Power:
    root = liberty.read(fixing.fixed(technology), technology.name)
    templates = {group.name: group for group in root.of_kind("power_lut_template")}
    tables = Tables()
    scale = scale_of(root)
    # Energies are in pJ (units of V, and of pF or of mA and ns): only loads and slopes need their units.
    found = {cell.name: tuple(_of_cell(cell, templates, tables, scale)) for cell in root.of_kind("cell")}
    return _Power(found, tables.packed())


def _of_cell(
    cell: Group, templates: Mapping[str, Group], tables: Tables, scale: tuple[float, float]
) -> Iterator[_Inside]:
    for pin in cell.of_kind("pin"):
        groups = [group for group in pin.of_kind("internal_power") if len(group.groups) == 2]
        for group in groups:
            by_kind = {table.kind: table for table in group.groups}
            if not {"rise_power", "fall_power"} <= set(by_kind):
                continue
            numbers = [
                tables.add(read(by_kind[kind], templates, scale, value=1.0))
                for kind in ("rise_power", "fall_power")
            ]
            related = group.text("related_pin").split() or [pin.name]
            yield _Inside(pin.name, related[0], (numbers[0], numbers[1]), 1 / len(groups))
