"""Results of jobs of synthesis, from the cache or made by an executor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.hardware.tools import cached
from cipherassay.jobs import SILENT, Executor, Progress, run
from cipherassay.jobs import Job as Work

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis.jobs import Job


def results(jobs: Sequence[Job], executor: Executor, watch: Progress = SILENT) -> list[str]:
    """Return the results of jobs in their order; see `cipherassay.jobs.run`."""
    # The large ones first: at the end, none keeps the others waiting.
    order = sorted(jobs, key=lambda job: -job.memory_mb)
    works = [Work(job.key, job.title, job.run, inputs=dict, memory_mb=job.memory_mb) for job in order]
    found = run(works, cached.CACHE, place=executor, progress=watch).results
    return [found[job.key] for job in jobs]
