"""The rows of the paper's section besides cycles: table layouts, runs of the key schedule by RAM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.report.parts import Options, Part

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def parts(ciphers: Sequence[Cipher], options: Options) -> list[Part]:
    """Return the layouts, which are kept, and the runs of the key schedule."""
    from cipherassay.studies.aoki1999 import report_jobs

    found = [Part("layouts", "table layouts", list(report_jobs.layout_jobs(ciphers))).complete()]
    if options.modelled:
        calls = list(report_jobs.call_jobs(ciphers))
        found.append(Part("calls", "runs of the key schedule", calls))
    return found
