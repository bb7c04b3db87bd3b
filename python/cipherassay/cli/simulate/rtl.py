"""`assay simulate --rtl`: known answers through the pins of a device, its clock counts confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.cli.simulate.every import simulate_all
from cipherassay.console.device import command_of, device_of
from cipherassay.console.output import output, show_table, write_json
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device
    from cipherassay.hardware.simulation.events import Verdict
    from cipherassay.hardware.simulation.simulators import Simulator
    from cipherassay.hardware.simulation.vectors import Vector


@dataclass(frozen=True)
class RtlOptions:
    """What the caller asked for."""

    architecture: str
    direction: str
    simulator: str
    every: int
    against: str
    files: Path | None
    all: bool
    keep: bool
    storage: str

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by name."""
        plain = RtlOptions(**DEFAULTS)
        return {name: value for name, value in vars(self).items() if value != getattr(plain, name)}


DEFAULTS: dict[str, Any] = {
    "architecture": "iterative", "direction": "both", "simulator": "own", "every": 1, "against": "",
    "files": None, "all": False, "keep": False, "storage": "",
}  # fmt: skip


def simulate_rtl(
    cipher: str, key: str, strategy: str, variant: str, wanted: RtlOptions, *, json: bool
) -> None:
    """Run the Variable Key and Text tests and mixed traffic through the pins; confirm clock counts.

    Icarus and Verilator run the emitted Verilog, GHDL the emitted VHDL, each with the emitted test bench.
    Where a vector fails, the first clock and register that differ are named.
    """
    direction, simulator, every, files = wanted.direction, wanted.simulator, wanted.every, wanted.files
    store, against = wanted.keep, wanted.against
    if wanted.all == bool(cipher):
        raise UsageError("H808", "nothing to simulate", help="name one cipher, or give --all")
    if wanted.all:
        simulate_all(simulator, strategy, every, store, json)
        return
    if store and (direction != "both" or variant or files):
        raise UsageError(
            "H810",
            "only whole devices as they are generated are kept",
            help="--keep without --direction, --variant and --files",
        )
    from cipherassay.hardware.simulation import simulators, verified
    from cipherassay.hardware.simulation.checking import check
    from cipherassay.hardware.simulation.simulation_rows import rows
    from cipherassay.hardware.simulation.vectors import vectors

    reference = simulators.simulator(simulator)
    other = simulators.simulator(against) if against else None
    device = device_of(cipher, wanted.architecture, key, direction, strategy, variant, wanted.storage)
    tests = vectors(device, every)
    modules = simulators.modules_in(files, device, reference) if files else None
    verdict = check(device, tests, reference, modules)
    verdict.demand()
    if store:
        verified.keep(simulator, verified.record(device, verdict, reference, every))
    compared = _compared(device, tests, reference, other) if other else None
    command = command_of("simulate", cipher, device, variant) + f" --rtl --simulator {simulator}"
    if every != 1:
        command += f" --every {every}"
    if json:
        made = [row.as_dict() for row in rows(device, verdict, command)]
        agreed = {} if compared is None else {"against": {"simulator": against, "clocks": compared}}
        write_json(document(device, verdict) | agreed | {"rows": made})
    else:
        _show(device, verdict)
        if compared is not None:
            output().print(
                f"{simulator} and {against} agree in every register and output for {compared} clocks"
            )


def _compared(device: Device, tests: list[Vector], reference: Simulator, other: Simulator) -> int:
    """Return the clocks in which two simulators agree; raises ``H509`` where they do not."""
    from cipherassay.errors import VerificationError
    from cipherassay.hardware.simulation.checking import agreement

    different, clocks = agreement(device, tests, reference, other)
    if different:
        raise VerificationError(
            "H509",
            f"{reference.name} and {other.name} do not agree about {device.name}",
            notes=[str(d) for d in different[:3]],
            help=f"expected is what {other.name} shows",
        )
    return clocks


def document(device: Device, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON has it."""
    return {
        "design": device.name, "simulator": verdict.simulator, "clocks": verdict.clocks,
        "tests": {name: {"passed": good, "vectors": count} for name, (good, count) in verdict.passed.items()},
        "confirmed": [
            {
                "key_bits": c.key_bits or None, "direction": device.operation(c.decrypt),
                "count": c.metric, "clocks": c.planned, "blocks": c.blocks,
            }
            for c in verdict.confirmed
        ],
    }  # fmt: skip


def _show(device: Device, verdict: Verdict) -> None:
    from cipherassay.hardware.rtl.build import rate

    output().print(f"{device.name} in {verdict.simulator}: {verdict.clocks} clocks")
    show_table(
        ("test", "vectors", "passed"), [(name, count, good) for name, (good, count) in verdict.passed.items()]
    )
    table: dict[tuple[int, str], list[int | str]] = {}
    for count in verdict.confirmed:
        mode = (count.key_bits, device.operation(count.decrypt))
        table.setdefault(mode, []).append(rate(count.planned, count.blocks))
    heads: tuple[str, ...] = ("key bits", "direction", "key setup", "latency", "block to block")
    lines: list[tuple[object, ...]] = [(*mode, *counts) for mode, counts in table.items()]
    if not device.keyed:
        heads, lines = (heads[1], *heads[3:]), [line[1:] for line in lines]
    show_table(heads, lines, title="clocks, confirmed")
