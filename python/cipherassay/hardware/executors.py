"""Where jobs run: on this machine's cores within a memory budget, or on a Dask cluster; results are kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ThreadPoolExecutor,
    as_completed,
    wait,
)
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from cipherassay import dask_client
from cipherassay.errors import UsageError
from cipherassay.hardware import kept, process
from cipherassay.hardware.jobs import Job

LOCAL = "local"
DASK = "dask://"
MEMORY_MB = 7000.0
_FAULTS = dask_client.Faults("H707", "H707", "use --executor local", "use --executor local")

Done = Callable[[int, str], None]
T = TypeVar("T")


class Watch(Protocol):
    """Whoever wants to see how far the work is."""

    def expect(self, jobs: int) -> None:
        """Hear of jobs that will be done."""

    def done(self, jobs: int, title: str) -> None:
        """Hear of jobs that are done; no title: they were kept from before."""


class Silent:
    """Watches without a word."""

    def expect(self, jobs: int) -> None:
        """Hear of jobs that will be done."""

    def done(self, jobs: int, title: str) -> None:
        """Hear of jobs that are done."""


SILENT = Silent()


class Together:
    """Watches several pieces of work that run side by side: their jobs share an executor.

    What one of them does itself, between its jobs, then keeps no core waiting.
    """

    def __init__(self, watch: Watch = SILENT) -> None:
        self.watch = watch
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def expect(self, jobs: int) -> None:
        """Hear of jobs that will be done."""
        self._go_on()
        with self._lock:
            self.watch.expect(jobs)

    def done(self, jobs: int, title: str) -> None:
        """Hear of jobs that are done."""
        self._go_on()
        with self._lock:
            self.watch.done(jobs, title)

    def results(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """Return what calls give that use this as their watch; where one fails, the others end."""
        pool = ThreadPoolExecutor(max(1, len(calls)))
        futures = [pool.submit(call) for call in calls]
        try:
            for future in as_completed(futures):
                future.result()
            return [future.result() for future in futures]
        except BaseException:
            self._ended.set()
            while wait(futures, timeout=0.1).not_done:
                process.end_all()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _go_on(self) -> None:
        if self._ended.is_set():
            raise CancelledError


class Executor(Protocol):
    """Runs jobs and tells of each result as it comes."""

    def run(self, jobs: Sequence[Job], done: Done) -> None:
        """Run the jobs; `done` gets the number of each and its result."""


_lock = threading.Lock()
_under_way: dict[str, threading.Event] = {}
"""Jobs that run now: who needs the same result waits for it."""


def results(jobs: Sequence[Job], executor: Executor, watch: Watch = SILENT) -> list[str]:
    """Return the results of jobs; what is kept is not done again, what is done is kept at once.

    A job that another thread has under way is waited for. An interruption, by the user or by an error, loses
    only the jobs that were under way.
    """
    found: dict[str, str] = {}
    for job in jobs:
        text = None if job.key in found else kept.find(job.key)
        if text is not None:
            found[job.key] = text
    missing = {job.key: job for job in jobs if job.key not in found}
    watch.expect(len(jobs))
    watch.done(len(jobs) - len(missing), "")
    while missing:
        with _lock:
            others = {key: _under_way[key] for key in missing if key in _under_way}
            own = {key: job for key, job in missing.items() if key not in others}
            _under_way.update({key: threading.Event() for key in own})
        found |= _done(own, executor, watch)
        for key, event in others.items():
            event.wait()
            # Where it failed there, it is done here.
            if (text := kept.find(key)) is not None:
                found[key] = text
                watch.done(1, missing[key].title)
        missing = {key: job for key, job in missing.items() if key not in found}
    return [found[job.key] for job in jobs]


def _done(jobs: dict[str, Job], executor: Executor, watch: Watch) -> dict[str, str]:
    """Return the results of jobs that nobody else has under way, by their keys."""
    found: dict[str, str] = {}
    listed = list(jobs.values())

    def done(number: int, text: str) -> None:
        job = listed[number]
        kept.put(job.key, text)
        found[job.key] = text
        with _lock:
            _under_way.pop(job.key).set()
        watch.done(1, job.title)

    try:
        if listed:
            executor.run(listed, done)
    finally:
        with _lock:
            for key in jobs.keys() & _under_way.keys() - found.keys():
                _under_way.pop(key).set()
    return found


class Local:
    """Cores of this machine: so many jobs at a time, and no more than fit into the memory budget.

    Both hold for all threads together that run jobs here.
    """

    def __init__(self, workers: int = 0, memory_mb: float = MEMORY_MB) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))
        self.memory_mb = memory_mb
        self._free, self._idle = memory_mb, self.workers
        self._changed = threading.Condition()

    def run(self, jobs: Sequence[Job], done: Done) -> None:
        """Run the jobs in threads: each waits for a program of its own."""
        # The large ones first: at the end, none keeps the others waiting.
        order = sorted(range(len(jobs)), key=lambda n: -jobs[n].memory_mb)
        pool = ThreadPoolExecutor(self.workers)
        futures: dict[Future[str], int] = {pool.submit(self._one, jobs[n]): n for n in order}
        try:
            while futures:
                finished, _ = wait(futures, return_when=FIRST_COMPLETED)
                for future in finished:
                    done(futures.pop(future), future.result())
        except BaseException:
            for future in futures:
                future.cancel()
            process.end_all()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _one(self, job: Job) -> str:
        # One that is larger than the budget runs alone.
        share = min(job.memory_mb, self.memory_mb)
        with self._changed:
            self._changed.wait_for(lambda: self._free >= share and self._idle)
            self._free, self._idle = self._free - share, self._idle - 1
        try:
            return job.run()
        finally:
            with self._changed:
                self._free, self._idle = self._free + share, self._idle + 1
                self._changed.notify_all()


class Dask:
    """A Dask cluster's workers; a worker that is lost gives its jobs back to the others."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, jobs: Sequence[Job], done: Done) -> None:
        """Run the jobs; results come back as texts, so that workers need no common folder."""
        distributed = dask_client.library(_FAULTS)
        futures = {self.client.submit(_run, job, key=f"assay-{job.key}"): n for n, job in enumerate(jobs)}
        try:
            for future in distributed.as_completed(futures):
                done(futures[future], future.result())
        except BaseException:
            self.client.cancel(list(futures))
            raise


def _run(job: Job) -> str:
    return job.run()


@contextmanager
def executor(name: str, *, workers: int = 0, memory_mb: float = MEMORY_MB) -> Iterator[Executor]:
    """Give the executor of a name: ``local``, ``dask://HOST:PORT``, or ``dask://local`` for trying.

    Raises
    ------
    UsageError
        ``H709``: there is none of that name.
    ToolError
        ``H707``: Dask is not installed, or its scheduler does not answer.
    """
    if name == LOCAL:
        yield Local(workers, memory_mb)
        return
    if not name.startswith(DASK) or name == DASK:
        raise UsageError(
            "H709", f"unknown executor `{name}`", help="known: local, dask://HOST:PORT, dask://local"
        )
    with dask_client.client(name.removeprefix(DASK), workers or 2, _FAULTS) as client:
        yield Dask(client)
