"""The library of the best circuits known."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = ("circuits", "kept/circuits", "published", ENGINE)


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of the library."""
    from cipherassay.circuits.report_jobs import circuit_job

    job = circuit_job()
    yield job.name, list(job.work().rows)
