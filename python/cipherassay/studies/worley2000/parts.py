"""The rows of the paper's equation sets and of its distributions on the modelled PA-8500."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.report.parts import Options, Part

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

EQUATIONS_OF = "serpent"
"""The cipher of the equation sets."""


def parts(ciphers: Sequence[Cipher], options: Options) -> list[Part]:
    """Return the equation sets, which are quickly measured, and the distributions."""
    from cipherassay.processors import distributions
    from cipherassay.studies.worley2000 import distribution_rows, equation_jobs

    found = []
    if any(one.slug == EQUATIONS_OF for one in ciphers):
        found.append(Part("equations", "equation sets", [equation_jobs.equation_job()]).complete())
    if options.modelled:
        full = options.settings.inputs >= distributions.FULL_INPUTS
        jobs = [cell.job() for cell in distribution_rows.cells(ciphers, full=full)]
        found.append(Part("distributions", "distributions of simulated cycles", jobs))
    return found
