"""Table layouts of S-box layers with linear layers, those whose fronts are kept, and key schedules by RAM."""

from __future__ import annotations

from collections.abc import Iterator

from cipherassay.results.row import Row
from cipherassay.results.sources import ENGINE

READS = (
    "layouts", "lang", "linear", "ciphers", "embedded", "report/ntt_rows.py", "kept/layouts", ENGINE,
)  # fmt: skip


def runs() -> Iterator[tuple[str, list[Row]]]:
    """Yield the fronts of E2's layers by word width, and its runs of the key schedule by bytes of RAM."""
    from cipherassay import ciphers
    from cipherassay.report import ntt_rows

    cipher = ciphers.load(ntt_rows.E2)
    for bits in ntt_rows.WORDS:
        found = ntt_rows.front_rows(cipher, bits, kept_only=True)
        if found:
            yield ntt_rows.front_name(cipher, bits), found
    for job in ntt_rows.call_jobs([cipher]):
        yield job.name, list(job.work().rows)
