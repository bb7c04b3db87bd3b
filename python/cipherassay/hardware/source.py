"""Devices whose synthesis is kept in the package, those that the generator still writes the same."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = ("hardware", "kept/grades", "lang", "ciphers", "strategies", "published", ENGINE)


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of each technology that designs are kept for."""
    from cipherassay import keeping
    from cipherassay.hardware.results.report_jobs import package_rows
    from cipherassay.hardware.results.stored import KIND

    for technology in sorted({path.parent.name for path in keeping.files(KIND, "*/*.json")}):
        yield f"hardware/kept/{technology}", package_rows(technology)[0]
