"""Sweeps: many searches side by side, in processes of this machine or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cipherassay.circuits.documents import Document
from cipherassay.circuits.engine import Problem
from cipherassay.errors import AssayError, ToolError

LOCAL = "local"


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
    pool = ProcessPoolExecutor(max(1, jobs), mp_context=multiprocessing.get_context("spawn"))

    def run(tasks: Sequence[tuple[Problem, float, bool]]) -> Iterator[Outcome]:
        for future in as_completed([pool.submit(run_one, *task) for task in tasks]):
            yield future.result()

    try:
        yield run
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _dask(address: str, jobs: int) -> Iterator[Run]:
    distributed = _distributed()
    cluster = None
    try:
        if address == LOCAL:
            cluster = distributed.LocalCluster(
                n_workers=max(1, jobs), threads_per_worker=1, dashboard_address=None
            )
        client = distributed.Client(cluster or address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ToolError(
            "C331",
            f"the Dask scheduler `{address}` does not answer",
            notes=[str(error).splitlines()[0] if str(error) else type(error).__name__],
            help="start one with `dask scheduler` and workers with `dask worker`, or use --dask local",
        ) from None

    def run(tasks: Sequence[tuple[Problem, float, bool]]) -> Iterator[Outcome]:
        # A search has a state of its own (its file): two runs of one are not the same.
        futures = [client.submit(run_one, *task, pure=False) for task in tasks]
        for future in distributed.as_completed(futures):
            yield future.result()

    try:
        yield run
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ToolError(
            "C330",
            "Dask is not installed",
            notes=["it is for sweeps on several machines; without it they run on this one"],
            help="pip install 'cipherassay[dask]', or leave out --dask",
        ) from None
    return distributed
