"""A cipher's organizations side by side: area, latency, throughput, energy, and which no other beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherassay.hardware.results.figures import figures
from cipherassay.hardware.rtl.organizations import Organization
from cipherassay.hardware.synthesis import exploring

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.jobs import Executor, Progress


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
) -> list[FrontPoint]:
    """Synthesize an organization; return its speed grades, the fastest first.

    Raises
    ------
    AssayError
        Whatever `exploring.explored` raises; where energy is asked for, what `estimation.energies` does.
    """
    found = exploring.explored({device.strategy.name: device}, technology, executor, settings, watch)
    return [
        _point(organization, found, number, one, energy=energy) for number, one in enumerate(found.grades, 1)
    ]


def _point(
    organization: Organization, found: exploring.Exploration, number: int, one: exploring.Candidate, *,
    energy: bool,
) -> FrontPoint:  # fmt: skip
    from cipherassay.hardware.energy import estimation
    from cipherassay.hardware.netlists.netlist import registers
    from cipherassay.hardware.results.documents import INTERFACE

    trial, unit = found.every[one.strategy], found.technology.gate_equivalent_um2
    (mode, counts), *_ = trial.counts.items()
    of_block = figures(counts, one.point.delay_ns)
    held = one.point.blocks.get(INTERFACE)
    interface = registers(held, found.technology).area_um2 if held is not None else 0.0
    of_bit = None
    if energy:
        every = estimation.energies(trial.device, one.point.netlist, found.technology)
        of_bit = next(each.total for each in every if (each.key_bits, each.decrypt) == mode)
    return FrontPoint(
        organization, number, one.area_um2 / unit, (one.area_um2 - interface) / unit, one.point.delay_ns,
        max(counts.latency, counts.per_block), of_block.block_ns, of_block.throughput_mbps, of_bit,
    )  # fmt: skip


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
