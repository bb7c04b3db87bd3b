"""The rows of devices that the report shows: kept ones that still hold, and a few devices made here.

Synthesis of everything takes an hour, so a report makes only the iterative devices for 128-bit keys, at few
points, and begins no other after some time; what it made is kept in the store. Kept results of the package
count only if the generator still writes the same Verilog.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.errors import AssayError, ToolError, VerificationError
from cipherassay.report.hardware import TARGET
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.hardware.executors import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store

SECONDS = 100.0
"""After this time a report begins no other device."""
POINTS, MOST = 3, 6
"""Recipes tried for each function of a device that a report makes, and whole designs timed at most."""
STRATEGY = "on-the-fly"


def kept_rows(technology: str = TARGET, store: Store | None = None) -> list[Row]:
    """Return the rows of devices that were synthesized before in a technology, where they still hold."""
    from cipherassay.results import Store

    made_here = [
        row
        for row in (store or Store()).rows()
        if (row.level, row.target, row.basis) == ("hardware", technology, "synthesized")
    ]
    return [*package_rows(technology)[0], *made_here]


def package_rows(technology: str = TARGET, ciphers: Sequence[str] = ()) -> tuple[list[Row], list[str]]:
    """Return the rows that the package keeps, and which designs are left out and why.

    Parameters
    ----------
    ciphers
        Slugs; all without any.
    """
    from cipherassay.hardware import key_jump_kept, rows, stored

    found: list[Row] = []
    left_out: list[str] = []
    for document in stored.kept_documents(technology):
        if ciphers and document["cipher"] not in ciphers:
            continue
        try:
            stored.verify(document)
        except VerificationError as error:
            left_out.append(f"{error.message} ({'; '.join(error.notes)}); {error.help}")
            continue
        found += [*stored.rows_of(document), *rows.function_rows(document)]
    if not ciphers or "serpent" in ciphers:
        found += key_jump_kept.rows(technology)
    return found, left_out


def hardware_rows(
    ciphers: Sequence[Cipher], store: Store, *, make: bool = True, quiet: bool = False
) -> tuple[list[Row], list[str]]:
    """Return the rows, and what was left out and why; without `make` no device is made."""
    from cipherassay.cli._common import progress
    from cipherassay.hardware.executors import executor

    rows, missing = package_rows(ciphers=[cipher.slug for cipher in ciphers])
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


def _live(cipher: Cipher, store: Store, place: Executor) -> list[Row]:
    """Return the rows of a cipher's device, made now if the store does not have them."""
    from cipherassay.hardware import build, documents, synthesized, technology
    from cipherassay.hardware.jobs import Library

    chosen = technology.load(TARGET)
    library = Library.of(chosen)
    device = build.build(cipher, strategy_name=STRATEGY)
    inputs = {
        "verilog": documents.design_hash(device), "points": [POINTS, MOST],
        "tools": [library.yosys, library.timer, library.digest],
    }  # fmt: skip
    name = f"hardware/{TARGET}/{device.name}"
    found = store.find(name, inputs)
    if found is None:
        found = synthesized.rows(
            cipher.slug, chosen, place, strategies=(STRATEGY,), points=POINTS, most=MOST, repair=False
        )
        store.put(name, inputs, found)
    return found
