"""Jobs of rows done by the runner, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.jobs import Job, RowCache, Rows, run
from cipherassay.results import Row, Store


def done(jobs: Sequence[Job[Rows]], store: Store, seconds: float = float("inf")) -> tuple[list[Row], int]:
    """Return the rows of jobs, and how many were left for lack of time."""
    outcome = run(jobs, RowCache(store), seconds=seconds)
    return [row for result in outcome.results.values() for row in result.rows], len(outcome.left)
