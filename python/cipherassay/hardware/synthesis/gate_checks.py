"""Whether speed grades compute right as gates: sign-off, and simulation with delays, for each key size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cipherassay import tools
from cipherassay.hardware.netlists import netlist
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import benches, gate_level
from cipherassay.hardware.simulation.vectors import Vector, few
from cipherassay.hardware.synthesis.down_to_gates import LONGER, demand_right
from cipherassay.hardware.synthesis.exploring import Candidate, Exploration
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.hardware.synthesis.jobs import Library
from cipherassay.hardware.timing import signoff
from cipherassay.hardware.tools import cached
from cipherassay.jobs import SILENT, Executor, Progress

FORM = 1
"""The form of results; another number makes them anew."""


@dataclass(frozen=True)
class Simulation:
    """Simulate a grade's gates at a period; a job of synthesis."""

    device: Device
    netlist: netlist.Netlist
    library: Library
    vectors: Sequence[Vector]
    period_ns: float

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        bench = benches.bench(self.device, self.vectors, "verilog", self.period_ns)
        texts = [netlist.to_json(self.netlist), *bench, *benches.vector_file(self.device, self.vectors)]
        return cached.key(
            kind="gates with delays", form=FORM, texts=list(map(cached.digest, texts)),
            library=self.library.digest, tools=[self.library.timer, tools.find("iverilog").version],
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"gates of {self.device.name} at {self.period_ns:.3f} ns"

    @property
    def memory_mb(self) -> float:
        """An estimate by the number of cells."""
        return 200.0 + 0.02 * sum(len(one.instances) for one in self.netlist.values())

    def run(self) -> str:
        """Return what fails, as JSON."""
        technology = self.library.load()
        found = gate_level.simulated(self.device, self.netlist, technology, self.vectors, self.period_ns)
        return json.dumps([*map(str, found.failures), *found.complaints])


def checked(found: Exploration, executor: Executor, watch: Progress = SILENT) -> list[dict[str, Any]]:
    """Check all grades of a device, those of the literal form behind the others.

    Returns
    -------
    list of dict
        Of each grade `sign_off`, by check: places, the worst slack over all key sizes, its unit; and
        `simulated`: number of vectors, and the periods over the stated one.

    Raises
    ------
    VerificationError
        ``H770``: a grade fails sign-off; ``H772``: its gates compute wrong; those of `gate_level.simulated`.
    """
    grades = [*found.grades, *found.literal]
    timings = found.all_timings(grades)
    signed = [
        _signed_off(found, grade, {bits: one.delay_ns for bits, one in timing.items()})
        for grade, timing in zip(grades, timings, strict=True)
    ]
    library = Library.of(found.technology)
    vectors = {name: _by_size(found.every[name].device) for name in {one.strategy for one in grades}}
    jobs = [
        Simulation(
            found.every[grade.strategy].device, grade.point.netlist, library, tests,
            longer * timing[bits].delay_ns,
        )
        for grade, timing in zip(grades, timings, strict=True)
        for bits, tests in vectors[grade.strategy].items()
        for longer in LONGER
    ]  # fmt: skip
    for job, text in zip(jobs, results(jobs, executor, watch), strict=True):
        demand_right(job.device.name, job.period_ns, json.loads(text)[:3])
    return [
        {
            "sign_off": checks,
            "simulated": {
                "vectors": sum(map(len, vectors[grade.strategy].values())), "periods": list(LONGER),
            },
        }
        for grade, checks in zip(grades, signed, strict=True)
    ]  # fmt: skip


def _by_size(device: Device) -> dict[int, list[Vector]]:
    """Return a few vectors of each key size: each has a period of its own."""
    found: dict[int, list[Vector]] = {bits: [] for bits in device.programs}
    for one in few(device):
        found[8 * len(one.key)].append(one)
    return found


def _signed_off(
    found: Exploration, grade: Candidate, periods: Mapping[int, float]
) -> dict[str, list[float | int | str]]:
    """Return the worst of each check over the key sizes, each held at its own period."""
    device = found.every[grade.strategy].device
    worst: dict[str, list[float | int | str]] = {}
    for bits, period in periods.items():
        case = {"key_size": device.size_code(bits)} if device.size_width else {}
        checks = signoff.checked(grade.point.netlist, device.name, found.technology, period, case=case)
        signoff.demand(checks, device.name)
        for one in checks:
            known = worst.get(one.name)
            if one.places and (known is None or one.worst < float(known[1])):
                worst[one.name] = [one.places, round(one.worst, 4), one.unit]
    return worst
