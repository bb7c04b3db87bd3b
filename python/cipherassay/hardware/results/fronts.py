"""A cipher's organizations side by side: area, latency, throughput, energy, and which no other beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.hardware import plain
from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.build import CORE
from cipherassay.hardware.rtl.organizations import Organization
from cipherassay.hardware.simulation import counts
from cipherassay.hardware.simulation.checking import check
from cipherassay.hardware.simulation.simulators import simulator
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.hardware.synthesis import exploring, flow

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.hardware.simulation.counts import Counts
    from cipherassay.jobs import Executor, Progress


BY_HAND = Organization("by-hand", "a round a clock, no interface, written by hand", CORE, "")
"""What `cipherassay.hardware.plain` has of a cipher."""


@dataclass(frozen=True)
class FrontPoint:
    """A speed grade of an organization."""

    organization: Organization
    grade: int
    """From 1, the fastest."""
    area_ge: float
    """Gate equivalents: areas of a two-input NAND."""
    without_interface_ge: float
    """The same less the registers of the Interface; a core has none."""
    period_ns: float
    clocks: int
    """From the clock that takes a block to its result."""
    latency_ns: float
    throughput_mbps: float
    energy_pj_bit: float | None = None
    """Picojoules for a bit of a block; None where it was not asked for."""

    @property
    def mbps_per_kge(self) -> float:
        """Throughput for a thousand gate equivalents."""
        return 1000 * self.throughput_mbps / self.area_ge


@dataclass(frozen=True)
class Quantity:
    """What is set against area."""

    label: str
    of: Callable[[FrontPoint], float]
    larger: bool
    """More of it is better."""

    def cost(self, one: FrontPoint) -> float:
        """Return what shall be small."""
        return -self.of(one) if self.larger else self.of(one)


FRONTS = {
    "latency": Quantity("latency, ns", lambda one: one.latency_ns, larger=False),
    "throughput": Quantity("throughput, Mbit/s", lambda one: one.throughput_mbps, larger=True),
}


def points(
    organization: Organization,
    device: Device,
    technology: Technology,
    executor: Executor,
    settings: exploring.Settings,
    watch: Progress,
    *,
    energy: bool = False,
    glitches: bool = False,
) -> list[FrontPoint]:
    """Synthesize an organization; return its speed grades, the fastest first, with energy if wanted.

    Raises
    ------
    AssayError
        Whatever `exploring.explored` raises; where energy is asked for, what `estimation.energies` does.
    """
    found = exploring.explored({device.strategy.name: device}, technology, executor, settings, watch)
    return [
        _point(organization, found, number, one, energy=energy or glitches, glitches=glitches)
        for number, one in enumerate(found.grades, 1)
    ]


def _point(
    organization: Organization, found: exploring.Exploration, number: int, one: exploring.Candidate, *,
    energy: bool, glitches: bool,
) -> FrontPoint:  # fmt: skip
    from cipherassay.hardware.energy import estimation
    from cipherassay.hardware.netlists.netlist import registers
    from cipherassay.hardware.results.documents import INTERFACE

    trial, unit = found.every[one.strategy], found.technology.gate_equivalent_um2
    (mode, of_block), *_ = trial.counts.items()
    held = one.point.blocks.get(INTERFACE)
    interface = registers(held, found.technology).area_um2 if held is not None else 0.0
    of_bit = None
    if energy:
        period_ns = one.point.delay_ns if glitches else None
        every = estimation.energies(trial.device, one.point.netlist, found.technology, period_ns)
        of_bit = next(each.total for each in every if (each.key_bits, each.decrypt) == mode)
    area, without = one.area_um2 / unit, (one.area_um2 - interface) / unit
    return _with_counts(organization, number, area, without, one.point.delay_ns, of_block, of_bit)


def _with_counts(
    organization: Organization, number: int, area: float, without_interface: float, period_ns: float,
    of_block: Counts, of_bit: float | None,
) -> FrontPoint:  # fmt: skip
    found = figures(of_block, period_ns)
    return FrontPoint(
        organization, number, area, without_interface, period_ns, max(of_block.latency, of_block.per_block),
        found.block_ns, found.throughput_mbps, of_bit,
    )


def points_by_hand(
    device: Device,
    technology: Technology,
    executor: Executor,
    settings: exploring.Settings,
    watch: Progress,
) -> list[FrontPoint]:
    """Synthesize what was written by hand of a generated core, in the same way; no point where nothing was.

    It passes known answers in Icarus with the clocks of the generated core before.

    Raises
    ------
    AssayError
        Whatever `checking.check` and `flow.synthesize` raise.
    """
    files = plain.files(device)
    if not files:
        return []
    check(device, vectors(device, counts.EVERY), simulator("icarus"), list(files.items())).demand()
    made = flow.synthesize(
        files, technology, executor, top=device.name, names=settings.names, splits=settings.splits,
        most=settings.most, repair=settings.repair, watch=watch,
    )  # fmt: skip
    (of_block, *_) = counts.confirmed(device, brief=settings.brief).values()
    unit = technology.gate_equivalent_um2
    return [
        _with_counts(BY_HAND, number, one.area_um2 / unit, one.area_um2 / unit, one.delay_ns, of_block, None)
        for number, one in enumerate(made.grades, 1)
    ]


@dataclass(frozen=True)
class Comparison:
    """What was written by hand, and the generated points that are at least as good in one quantity."""

    by_hand: FrontPoint
    smallest: FrontPoint | None
    """Of those whose latency is not longer the smallest."""
    fastest: FrontPoint | None
    """Of those whose area is not larger the one of shortest latency."""


def comparisons(every: Sequence[FrontPoint]) -> list[Comparison]:
    """Compare each point written by hand with the generated ones of the same points."""
    generated = [one for one in every if one.organization != BY_HAND]

    def comparison(one: FrontPoint) -> Comparison:
        as_fast = [other for other in generated if other.latency_ns <= one.latency_ns]
        as_small = [other for other in generated if other.area_ge <= one.area_ge]
        smallest = min(as_fast, key=lambda other: other.area_ge, default=None)
        return Comparison(one, smallest, min(as_small, key=lambda other: other.latency_ns, default=None))

    return [comparison(one) for one in every if one.organization == BY_HAND]


def on_fronts(every: Sequence[FrontPoint]) -> dict[str, list[FrontPoint]]:
    """Return the points of each front, smallest first: those that no other beats or equals in both."""
    found = {}
    for name, quantity in FRONTS.items():
        kept: list[FrontPoint] = []
        for one in sorted(every, key=lambda point: (point.area_ge, quantity.cost(point))):
            if not kept or quantity.cost(one) < quantity.cost(kept[-1]):
                kept.append(one)
        found[name] = kept
    return found
