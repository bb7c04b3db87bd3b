"""Published equation sets as this project counts them."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = ("circuits", "published", "studies/worley2000", ENGINE)


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of the equation sets."""
    from cipherassay.studies.worley2000.equation_jobs import equation_job

    job = equation_job()
    yield job.name, list(job.work().rows)
