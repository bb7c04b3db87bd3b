"""Sweeps: many searches side by side, in processes of this machine or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cipherassay import jobs
from cipherassay.circuits.documents import Document
from cipherassay.circuits.engine import Problem
from cipherassay.errors import AssayError


@dataclass(frozen=True)
class Outcome:
    """What one search of a sweep came to; `error` is the text of an error, empty if there was none."""

    problem: Problem
    document: Document | None = None
    stop: str = ""
    seconds: float = 0.0
    error: str = ""


def run_one(problem: Problem, seconds: float, fresh: bool) -> Outcome:
    """Run one search; errors come back as text, so that one box does not end the sweep."""
    from cipherassay.circuits.searching import search

    try:
        found = search(problem, seconds=seconds, fresh=fresh)
    except AssayError as error:
        return Outcome(problem, error=str(error))
    return Outcome(problem, found.document, found.stop, found.seconds)


@dataclass(frozen=True)
class _Keeper:
    """A cache that has nothing and hands on what it is given: a search keeps its own state."""

    keep: Callable[[Outcome], None]

    def find(self, name: str, inputs: Mapping[str, Any]) -> Outcome | None:
        return None

    def put(self, name: str, inputs: Mapping[str, Any], result: Outcome) -> None:
        self.keep(result)


def sweep(
    problems: Sequence[Problem],
    keep: Callable[[Outcome], None],
    place: jobs.Executor,
    *,
    seconds: float,
    fresh: bool = False,
    progress: jobs.Progress = jobs.SILENT,
) -> None:
    """Run a search per problem, each on one core.

    Parameters
    ----------
    keep : callable
        Called with each outcome as it comes, by several threads.
    place : Executor
        Where they run: processes of this machine, or a Dask cluster whose workers have this package.
    seconds : float
        For each search, on the clock.
    """
    searches = [
        jobs.Job(
            str(n), f"{one.box.name} for {one.target.name}", partial(run_one, one, seconds, fresh),
            inputs=partial(dict, n=n), place=jobs.Place.PROCESS,
        )
        for n, one in enumerate(problems)
    ]  # fmt: skip
    jobs.run(searches, _Keeper(keep), place=place, progress=progress)
