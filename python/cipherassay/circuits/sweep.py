"""Sweeps: many searches side by side, in processes of this machine or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass

from cipherassay import dask_client, signals
from cipherassay.circuits.documents import Document
from cipherassay.circuits.engine import Problem
from cipherassay.errors import AssayError

_FAULTS = dask_client.Faults("C331", "use --dask local")


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


def sweep(
    problems: Sequence[Problem], *, seconds: float, jobs: int = 1, dask: str = "", fresh: bool = False
) -> Iterator[Outcome]:
    """Run a search per problem, each on one core, and give the outcomes as they come.

    Parameters
    ----------
    seconds : float
        For each search, on the clock.
    jobs : int
        Searches side by side; on a cluster of another machine, as many as it has workers.
    dask : str
        Empty: processes of this machine. ``local``: a Dask cluster of this machine, for trying; else the
        address of a scheduler, ``tcp://host:8786``, whose workers have this package.

    Raises
    ------
    ToolError
        ``C330``: Dask is not installed; ``C331``: the scheduler does not answer.
    """
    place = _dask(dask, jobs) if dask else _processes(jobs)
    with place as run:
        yield from run([(problem, seconds, fresh) for problem in problems])


Run = Callable[[Sequence[tuple[Problem, float, bool]]], Iterator[Outcome]]


@contextmanager
def _processes(jobs: int) -> Iterator[Run]:
    # Forked processes would share locks of this one's threads.
    pool = ProcessPoolExecutor(
        max(1, jobs), mp_context=multiprocessing.get_context("spawn"), initializer=signals.in_worker
    )

    def run(tasks: Sequence[tuple[Problem, float, bool]]) -> Iterator[Outcome]:
        for future in as_completed([pool.submit(run_one, *task) for task in tasks]):
            yield future.result()

    try:
        yield run
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _dask(address: str, jobs: int) -> Iterator[Run]:
    with dask_client.client(address, max(1, jobs), _FAULTS) as client:

        def run(tasks: Sequence[tuple[Problem, float, bool]]) -> Iterator[Outcome]:
            # A search has a state of its own (its file): two runs of one are not the same.
            futures = [client.submit(run_one, *task, pure=False) for task in tasks]
            for future in dask_client.library().as_completed(futures):
                yield future.result()

        yield run
