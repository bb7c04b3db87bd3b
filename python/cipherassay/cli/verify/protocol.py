"""`assay verify protocol`: what a device's pins do, proved for all clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.device import (
    Architecture,
    CipherName,
    Direction,
    Key,
    Storage,
    Strategy,
    Variant,
    device_of,
)
from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.progress import job_progress


def protocol(
    cipher: CipherName,
    architecture: Architecture = "iterative",
    key: Key = "",
    direction: Direction = "both",
    strategy: Strategy = "rounds",
    storage: Storage = "",
    variant: Variant = "",
    files: Annotated[
        Path | None,
        typer.Option(
            "--files", metavar="DIR", help="Modules that `emit rtl` wrote, as they are now.", exists=True,
            file_okay=False,
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, metavar="S", help="The time for each assertion.")
    ] = 60.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Prove the protocol of a device's pins, for all inputs and clocks.

    Each assertion that `emit rtl` writes is proved from unknown registers by ABC's property directed
    reachability, or contradicted by clocks that are shown. Where the time ends first, it is said for how
    many clocks no fault was found.
    """
    from cipherassay import jobs
    from cipherassay.hardware.protocol import proof
    from cipherassay.hardware.simulation import simulators

    device = device_of(cipher, architecture, key, direction, strategy, variant, storage)
    sources = device.verilog
    if files:
        sources = dict(simulators.modules_in(files, device, simulators.simulator("icarus")) or ())
    with job_progress("protocol", quiet=quiet) as bar, jobs.executor() as place:
        found = proof.prove(device, sources, place, seconds=seconds, watch=bar)
    if json:
        write_json(
            {
                "design": device.name,
                "assertions": [
                    {"name": one.label, "text": one.text, "proved": one.proved, "clocks": one.clocks or None}
                    for one in found
                ],
            }
        )  # fmt: skip
    else:
        show_table(("assertion", "says", "verdict"), [(one.label, one.text, one.verdict) for one in found])
        proved = sum(one.proved for one in found)
        output().print(f"{device.name}: {proved} of {len(found)} assertions proved", markup=False)
    proof.demand(device, sources, found)
