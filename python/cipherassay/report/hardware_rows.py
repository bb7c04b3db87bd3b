"""The rows of devices that the report shows: iterative devices for 128-bit keys, made here.

Synthesis takes minutes, so a report makes few devices, at few points, and begins no other after some time;
what it made is kept in the store.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.errors import AssayError, ToolError
from cipherassay.report.hardware import TARGET
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.hardware.build import Device
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store

SECONDS = 240.0
"""After this time a report begins no other device."""
POINTS = 3
"""Recipes tried for each function of a device that a report makes."""
STRATEGY = "on-the-fly"


def hardware_rows(
    ciphers: Sequence[Cipher], store: Store, *, make: bool = True, quiet: bool = False
) -> tuple[list[Row], list[str]]:
    """Return the rows, and what was left out and why; without `make` no device is made."""
    from cipherassay.cli._common import progress
    from cipherassay.hardware.executors import executor

    rows: list[Row] = []
    missing: list[str] = []
    if not make:
        return rows, ["devices were not synthesized, as asked"]
    end = time.monotonic() + SECONDS
    with executor("local") as place, progress("devices", len(ciphers), quiet=quiet) as bar:
        for cipher in ciphers:
            if time.monotonic() > end:
                missing.append(f"{cipher.name}: no device for lack of time; the next report makes it")
                continue
            try:
                rows += _live(cipher, store, place)
            except ToolError as error:
                return rows, [*missing, f"devices are not synthesized: {error.message}"]
            except AssayError as error:
                missing.append(f"{cipher.name}: no device: {error.message}")
            bar.advance(1, cipher.name)
    return rows, missing


def _live(cipher: Cipher, store: Store, place: Any) -> list[Row]:
    """Return the rows of a cipher's device, made now if the store does not have them."""
    from cipherassay.hardware import build, kept, recipes, rows, synthesis, technology
    from cipherassay.hardware.jobs import Library

    device = build.build(cipher, strategy_name=STRATEGY)
    files = dict(device.design.files("verilog"))
    chosen = technology.load(TARGET)
    library = Library.of(chosen)
    inputs = {
        "verilog": kept.digest("".join(f"{name}\n{text}" for name, text in sorted(files.items()))),
        "tools": [library.yosys, library.timer, library.digest], "points": POINTS,
    }  # fmt: skip
    name = f"hardware/{TARGET}/{device.name}"
    found = store.find(name, inputs)
    if found is None:
        names = [one.name for one in recipes.of_points(POINTS)]
        made = synthesis.synthesize(files, chosen, place, top=device.name, names=names, splits=["operators"])
        found = list(rows.device_rows(made, device, command=_command(device)))
        store.put(name, inputs, found)
    return found


def _command(device: Device) -> str:
    return (
        f"assay synthesize {device.cipher} --architecture {device.architecture} --key {device.key} "
        f"--direction {device.direction} --strategy {device.strategy.name} --points {POINTS}"
    )
