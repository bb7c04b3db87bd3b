"""Where jobs run: on this machine's cores within a memory budget, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from cipherassay import dask_client, signals
from cipherassay.errors import ToolError, UsageError
from cipherassay.jobs.job import Place
from cipherassay.tools import running

T = TypeVar("T")

LOCAL = "local"
DASK = "dask://"
MEMORY_MB = 7000.0


class Executor(Protocol):
    """Does work; several threads may hand it work at the same time."""

    @property
    def workers(self) -> int:
        """Jobs that may run side by side."""

    def submit(
        self, work: Callable[[], T], *, place: Place, memory_mb: float,
        begin: Callable[[], None], fail: Callable[[BaseException], None],
    ) -> Future[T]:  # fmt: skip
        """Do the work when there is room for it.

        Parameters
        ----------
        begin : callable
            Called just before the work begins; may refuse it by raising.
        fail : callable
            Called with what the work raises, before the same thread begins anything else.
        """

    def cancel(self) -> None:
        """End what runs, as far as it can be ended, and refuse what waits."""


class Local:
    """The cores of this machine: so many jobs at a time, and no more than fit into the memory budget.

    Both limits hold for everything that is submitted, by whichever thread. Used as a context manager: its
    threads and processes end with the block.

    Parameters
    ----------
    workers : int
        Jobs side by side; 0: as many as there are cores for this process.
    memory_mb : float
        A job whose estimate is larger runs while no other does.
    """

    def __init__(self, workers: int = 0, memory_mb: float = MEMORY_MB) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))
        self.memory_mb = memory_mb
        self._free, self._idle, self._alone_waiting = memory_mb, self.workers, 0
        self._changed = threading.Condition()
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="assay-job")
        # Counters of cycles belong to a thread: all measurements run in the same one.
        self._alone = ThreadPoolExecutor(1, thread_name_prefix="assay-alone")
        self._processes: ProcessPoolExecutor | None = None
        self._cancelled = False

    def __enter__(self) -> Local:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self.cancel()
        for pool in (self._threads, self._alone):
            pool.shutdown(wait=True, cancel_futures=kind is not None)
        if self._processes is not None:
            self._processes.shutdown(wait=kind is None, cancel_futures=True)

    def submit(
        self, work: Callable[[], T], *, place: Place, memory_mb: float,
        begin: Callable[[], None], fail: Callable[[BaseException], None],
    ) -> Future[T]:  # fmt: skip
        """Do the work when there is room for it."""
        pool = self._alone if place is Place.ALONE else self._threads
        return pool.submit(self._run, work, place, memory_mb, begin, fail)

    def cancel(self) -> None:
        """End outside programs and processes, and refuse what waits; a thread ends with the job it is in."""
        with self._changed:
            self._cancelled = True
            processes = self._processes
            self._changed.notify_all()
        running.end_all()
        if processes is not None:
            for worker in list((processes._processes or {}).values()):
                worker.terminate()

    def _run(
        self, work: Callable[[], T], place: Place, memory_mb: float,
        begin: Callable[[], None], fail: Callable[[BaseException], None],
    ) -> T:  # fmt: skip
        share, slots = self._take(place, memory_mb)
        try:
            begin()
            return self._done(work, place)
        except BaseException as error:
            fail(error)
            raise
        finally:
            with self._changed:
                self._free, self._idle = self._free + share, self._idle + slots
                self._changed.notify_all()

    def _done(self, work: Callable[[], T], place: Place) -> T:
        try:
            if place is Place.PROCESS:
                return self._pool().submit(work).result()
            return work()
        except BrokenProcessPool:
            if self._cancelled:
                raise CancelledError from None
            raise ToolError(
                "J100", "a worker process ended before its job did",
                notes=["the system may have ended it for lack of memory"],
                help="run the command again; what was finished is kept",
            ) from None  # fmt: skip

    def _take(self, place: Place, memory_mb: float) -> tuple[float, int]:
        """Wait for room and take it: memory and slots."""
        alone = place is Place.ALONE
        share, slots = min(memory_mb, self.memory_mb), self.workers if alone else 1
        with self._changed:
            self._alone_waiting += alone
            try:
                self._changed.wait_for(lambda: self._cancelled or self._has_room(share, slots, alone))
            finally:
                self._alone_waiting -= alone
            if self._cancelled:
                raise CancelledError
            self._free, self._idle = self._free - share, self._idle - slots
        return share, slots

    def _has_room(self, share: float, slots: int, alone: bool) -> bool:
        # What must be alone would never begin if the others went on beginning.
        return self._free >= share and self._idle >= slots and (alone or not self._alone_waiting)

    def _pool(self) -> ProcessPoolExecutor:
        with self._changed:
            if self._processes is None:
                # Forked processes would share locks of this one's threads.
                self._processes = ProcessPoolExecutor(
                    self.workers, mp_context=multiprocessing.get_context("spawn"),
                    initializer=signals.in_worker,
                )  # fmt: skip
            return self._processes


class Dask:
    """A Dask cluster's workers; a worker that is lost gives its jobs back to the others."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._submitted: list[Any] = []
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="assay-dask")

    @property
    def workers(self) -> int:
        """Jobs that may be on the cluster at a time: it has its own queue, and may grow."""
        return 64

    def submit(
        self, work: Callable[[], T], *, place: Place, memory_mb: float,
        begin: Callable[[], None], fail: Callable[[BaseException], None],
    ) -> Future[T]:  # fmt: skip
        """Do the work on a worker; results come back pickled, so that workers need no common folder."""
        return self._threads.submit(self._run, work, begin)

    def _run(self, work: Callable[[], T], begin: Callable[[], None]) -> T:
        begin()
        future = self.client.submit(work, pure=False)
        self._submitted.append(future)
        result: T = future.result()
        return result

    def cancel(self) -> None:
        """Take back what the cluster was given."""
        self.client.cancel(self._submitted)


@contextmanager
def executor(name: str = LOCAL, *, workers: int = 0, memory_mb: float = MEMORY_MB) -> Iterator[Executor]:
    """Give the executor of a name: ``local``, ``dask://HOST:PORT``, or ``dask://local`` for trying.

    Raises
    ------
    UsageError
        ``H709``: there is none of that name.
    ToolError
        ``H707``: Dask is not installed, or its scheduler does not answer.
    """
    if name == LOCAL:
        with Local(workers, memory_mb) as local:
            yield local
        return
    if not name.startswith(DASK) or name == DASK:
        raise UsageError(
            "H709", f"unknown executor `{name}`", help="known: local, dask://HOST:PORT, dask://local"
        )
    with dask_client.client(name.removeprefix(DASK), workers or 2) as client:
        yield Dask(client)
