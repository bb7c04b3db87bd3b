"""The library of the best circuits known, and published equation sets as this project counts them."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = ("circuits", "kept/circuits", "published", "report/circuits.py", ENGINE)


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of the library and of the equation sets."""
    from cipherassay.report import circuits

    for job in (circuits.circuit_job(), circuits.equation_job()):
        yield job.name, list(job.work().rows)
