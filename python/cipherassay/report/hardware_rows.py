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
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store

SECONDS = 240.0
"""After this time a report begins no other device."""
POINTS = 3
"""Recipes tried for each function of a device that a report makes."""
STRATEGY = "on-the-fly"


def kept_rows(technology: str = TARGET, store: Store | None = None) -> list[Row]:
    """Return the rows of devices that were synthesized before in a technology."""
    from cipherassay.results import Store

    return [
        row
        for row in (store or Store()).rows()
        if (row.level, row.target, row.basis) == ("hardware", technology, "synthesized")
    ]


def hardware_rows(
    ciphers: Sequence[Cipher], store: Store, *, make: bool = True, quiet: bool = False
) -> tuple[list[Row], list[str]]:
    """Return the rows, and what was left out and why; without `make` no device is made."""
    from cipherassay.cli._common import progress
    from cipherassay.hardware.executors import executor

    rows, missing = _stored()
    if not make:
        return rows, [*missing, "devices were not synthesized, as asked"]
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


def _stored() -> tuple[list[Row], list[str]]:
    """Return the rows of kept results that are still of the designs, and what is left out and why."""
    from cipherassay.hardware import stored

    good, bad = stored.checked(TARGET)
    return [row for document in good for row in stored.rows_of(document)], list(bad.values())


def _live(cipher: Cipher, store: Store, place: Any) -> list[Row]:
    """Return the rows of a cipher's device, made now if the store does not have them."""
    from cipherassay.hardware import build, documents, synthesized, technology
    from cipherassay.hardware.jobs import Library

    device = build.build(cipher, strategy_name=STRATEGY)
    chosen = technology.load(TARGET)
    library = Library.of(chosen)
    inputs = {
        "verilog": documents.design_hash(device), "points": POINTS, "form": documents.FORM,
        "tools": [library.yosys, library.timer, library.digest],
    }  # fmt: skip
    name = f"hardware/{TARGET}/{device.name}"
    found = store.find(name, inputs)
    if found is None:
        found = synthesized.rows(cipher.slug, chosen, place, strategies=[STRATEGY], points=POINTS)
        store.put(name, inputs, found)
    return found
