"""The rows of the study of addressing modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.report.parts import Options, Part

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def parts(ciphers: Sequence[Cipher], options: Options) -> list[Part]:
    """Return the study of all ciphers; none where only some are reported."""
    from cipherassay.studies.fiskiran2001 import report_jobs

    if options.ciphers or not options.modelled:
        return []
    return [Part("addressing", "addressing modes", [report_jobs.addressing_job(ciphers)])]
