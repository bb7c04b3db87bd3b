"""A device down to its gates: mapped, signed off, and simulated with delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import gate_level
from cipherassay.hardware.simulation.events import Verdict
from cipherassay.hardware.simulation.vectors import Vector
from cipherassay.hardware.synthesis import flow
from cipherassay.hardware.timing import signoff
from cipherassay.jobs import SILENT, Executor, Progress

LONGER = (1.0, 1.5)
"""The periods simulated over the stated one: what fails at a longer one too is no matter of setup."""


@dataclass(frozen=True)
class Mapped:
    """A device's netlist, with the period that timing states for it and its area."""

    device: Device
    technology: Technology
    netlist: Netlist
    period_ns: float
    area_um2: float


def mapped(
    device: Device, technology: Technology, recipe: str, executor: Executor, watch: Progress = SILENT
) -> Mapped:
    """Map all functions of a device by one recipe; errors as of `flow.synthesize`."""
    made = flow.synthesize(
        device.verilog, technology, executor, top=device.name, names=(recipe,), splits=("auto",), most=1,
        repair=False, watch=watch,
    )  # fmt: skip
    point = made.grades[0]
    return Mapped(device, technology, point.netlist, point.delay_ns, point.area_um2)


def signed_off(one: Mapped) -> tuple[signoff.Check, ...]:
    """Return the checks of sign-off at the stated period; errors as of `signoff.checked`."""
    return signoff.checked(one.netlist, one.device.name, one.technology, one.period_ns)


def simulated(one: Mapped, vectors: Sequence[Vector], longer: float = 1.0) -> Verdict:
    """Return what the gates do at so many times the stated period; errors as of `gate_level.simulated`."""
    return gate_level.simulated(one.device, one.netlist, one.technology, vectors, longer * one.period_ns)


def demand_right(design: str, period_ns: float, wrong: Sequence[object]) -> None:
    """Raise VerificationError ``H772`` if anything is wrong with what gates do at a period."""
    if wrong:
        raise VerificationError(
            "H772",
            f"the gates of `{design}` compute wrong at {period_ns:.3f} ns",
            notes=[*map(str, wrong)],
            help="this is an error in Cipherassay: please report it with the command",
        )
