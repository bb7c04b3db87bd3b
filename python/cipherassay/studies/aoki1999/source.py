"""Table layouts of S-box layers with linear layers, those whose fronts are kept, and key schedules by RAM."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = (
    "layouts", "lang", "linear", "ciphers", "embedded", "studies/aoki1999", "kept/layouts", ENGINE,
)  # fmt: skip


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the fronts of E2's layers by word width, and its runs of the key schedule by bytes of RAM."""
    from cipherassay import ciphers
    from cipherassay.studies.aoki1999 import report_jobs

    cipher = ciphers.load(report_jobs.E2)
    for bits in report_jobs.WORDS:
        found = report_jobs.front_rows(cipher, bits, kept_only=True)
        if found:
            yield report_jobs.front_name(cipher, bits), found
    for job in report_jobs.call_jobs([cipher]):
        yield job.name, list(job.work().rows)
