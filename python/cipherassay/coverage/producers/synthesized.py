"""Iterative devices, synthesized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level
from cipherassay.coverage.producers.simulated import BOUNDS

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

ORDER = 7
POINTS, DESIGNS = 1, 1
"""Recipes tried for each function, and whole designs timed, if quick."""


def levels() -> Sequence[Level]:
    """Return the level of the technology that reports are made in."""
    from cipherassay.hardware.results.designs import TARGET

    return [Level("synthesis", "devices", f"iterative in {TARGET}, GE", _jobs, _number, BOUNDS)]


def _number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
    """Return the whole area of the smallest device."""
    areas = [row for row in rows if row.metric == "area_ge" and row.part is None]
    return min(areas, key=lambda row: row.value, default=None)


def _jobs(cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    from cipherassay.hardware.results import report_jobs

    if quick:
        return report_jobs.device_jobs([cipher], place, points=POINTS, most=DESIGNS, brief=True)
    return report_jobs.device_jobs([cipher], place)
