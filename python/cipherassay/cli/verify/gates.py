"""`assay verify gates`: a device mapped to cells, signed off, and simulated with the delays of its gates."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.console.device import (
    Architecture,
    CipherName,
    Direction,
    Every,
    Key,
    Storage,
    Strategy,
    Variant,
    device_of,
)
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.progress import progress


def gates(
    cipher: CipherName,
    architecture: Architecture = "iterative",
    key: Key = "",
    direction: Direction = "both",
    strategy: Strategy = "rounds",
    storage: Storage = "",
    variant: Variant = "",
    technology: Annotated[
        str, typer.Option("--technology", "-t", help="The technology, or its .toml file.")
    ] = "osu050",
    recipe: Annotated[str, typer.Option(help="Map all functions by this recipe.")] = "A-plain",
    every: Every = 16,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Check a device's gates: sign-off, then known answers with delays.

    The device is mapped and timed. At its period setup, hold, clock gates, pulses, loads, slopes and sinks
    are checked. Icarus Verilog then simulates the gates with their delays from unknown registers, at the
    period and at one and a half of it: both directions, changes of key, gaps.
    """
    from cipherassay import jobs
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.simulation.vectors import vectors
    from cipherassay.hardware.synthesis import down_to_gates, recipes
    from cipherassay.hardware.timing import signoff

    library = technologies.load(technology)
    chosen = recipes.find(recipe).name
    device = device_of(cipher, architecture, key, direction, strategy, variant, storage)
    with progress("gates", 2 + len(down_to_gates.LONGER), quiet=quiet) as bar, jobs.executor() as place:
        one = down_to_gates.mapped(device, library, chosen, place)
        bar.advance(1, "mapped")
        checks = down_to_gates.signed_off(one)
        bar.advance(1, "signed off")
        tests = vectors(device, every)
        verdicts = []
        for longer in down_to_gates.LONGER:
            verdicts.append((longer, down_to_gates.simulated(one, tests, longer)))
            bar.advance(1, f"simulated at {longer:g} periods")
    if json:
        write_json(
            {
                "design": device.name, "technology": library.name, "recipe": chosen,
                "period_ns": one.period_ns, "area_um2": one.area_um2,
                "checks": [vars(check) | {"passes": not check.failing} for check in checks],
                "simulations": [
                    {
                        "period_ns": longer * one.period_ns, "vectors": verdict.vectors,
                        "failing": len(verdict.failures),
                    }
                    for longer, verdict in verdicts
                ],
            }
        )  # fmt: skip
    else:
        output().print(f"{device.name} in {library.name}: {one.period_ns:.3f} ns", markup=False)
        rows = [(check.name, check.places, check.failing, _slack(check)) for check in checks]
        show_table(("check", "places", "failing", "worst slack"), rows)
        show_table(
            ("period ns", "vectors", "failing"),
            [(f"{k * one.period_ns:.3f}", v.vectors, len(v.failures)) for k, v in verdicts],
        )
    signoff.demand(checks, device.name)
    for longer, verdict in verdicts:
        wrong = [*verdict.failures[:3], *verdict.complaints[:3]]
        down_to_gates.demand_right(device.name, longer * one.period_ns, wrong)


def _slack(check: object) -> str:
    from cipherassay.hardware.timing.signoff import Check

    assert isinstance(check, Check)
    return f"{check.worst:.3f} {check.unit}".rstrip() if check.where and check.worst < float("inf") else ""
