"""Generated C, measured on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_main_operation

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher

ORDER = 1
INPUTS, REPEATS = 15, 12
"""Inputs and runs of a quick measurement."""


def levels() -> Sequence[Level]:
    """Return the level of C."""
    return [Level("c", "code here", "C, cycles a block", _jobs, of_main_operation("cycles"))]


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    from cipherassay.native import measuring
    from cipherassay.native.measurement import Settings
    from cipherassay.native.selection import Selection
    from cipherassay.native.session import Tolerance
    from cipherassay.strategies import preferred

    selection = Selection(cipher, preferred(cipher), "", cipher.key_bits[:1])
    settings = Settings(INPUTS, REPEATS) if quick else Settings()
    first = measuring.names_of(selection, cipher.key_bits[0]) + cipher.directions[0]
    jobs = measuring.jobs([selection], settings, Tolerance(0))
    needed = {need for job in jobs if job.name == first for need in job.needs}
    chosen = [job for job in jobs if job.name == first or job.name in needed]
    # A quick table is a first look: what an unsteady machine gave is marked in it, and kept.
    return [replace(job, reusable=lambda result: True) for job in chosen] if quick else chosen
