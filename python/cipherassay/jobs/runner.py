"""The runner: takes from the cache what still holds, has the rest done in order, and keeps it at once."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Generic, TypeVar

from cipherassay.errors import AssayError, MeasurementError
from cipherassay.jobs.digests import digest
from cipherassay.jobs.executor import Executor, Local
from cipherassay.jobs.job import Cache, Job, Place
from cipherassay.jobs.progress import SILENT, Progress
from cipherassay.jobs.turns import Turns
from cipherassay.tools import running

T = TypeVar("T")
V = TypeVar("V")
THREADS_PER_WORKER = 4
_POLL_SECONDS = 0.1
PAUSE_SECONDS = 15.0
"""How long to wait for a calmer machine before a measurement is tried again."""

_lock = threading.Lock()
_telling = threading.Lock()
_around: ContextVar[Callable[[], bool]] = ContextVar("around", default=lambda: False)
"""Whether the list of jobs has ended of which this thread runs one that hands out others."""
_under_way: dict[tuple[str, str], threading.Event] = {}
"""Jobs that run now in this process, by name and digest of inputs: who needs the same result waits for it."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What came of a list of jobs."""

    results: Mapping[str, T]
    """By the jobs' names, in the order of the list."""
    left: Sequence[Job[T]] = ()
    """Jobs that were not begun for lack of time, or because one that they need was not done."""
    failed: Mapping[str, AssayError] = field(default_factory=dict)
    """Errors of optional jobs, by name."""


def run(
    jobs: Sequence[Job[T]],
    cache: Cache[T] | None = None,
    *,
    place: Executor | None = None,
    seconds: float = float("inf"),
    fresh: bool = False,
    progress: Progress = SILENT,
) -> Outcome[T]:
    """Do jobs and return their results.

    What the cache has is not done again, and what is done is kept at once: an interruption, by the user, by a
    signal or by an error, loses only the jobs that were under way. A job that another thread has under way is
    waited for.

    Parameters
    ----------
    jobs : sequence of Job
        In the order in which they should begin; one that another needs may stand behind it. Of several with
        one name the first counts.
    place : Executor, optional
        Where they run; by default the cores of this machine.
    seconds : float
        After this time no further job is begun; cached results are still taken.
    fresh : bool
        Whether to do also what the cache has.

    Raises
    ------
    AssayError
        The first error of a job that is not optional; the others are ended.
    ValueError
        Jobs need each other in a circle, or one that is not in the list.
    """
    listed = {job.name: job for job in reversed(jobs)}
    _check_needs(listed)
    if place is not None:
        return _Run(listed, jobs, cache, place, seconds, fresh, progress).outcome()
    with Local() as local:
        return _Run(listed, jobs, cache, local, seconds, fresh, progress, owned=True).outcome()


def _check_needs(jobs: Mapping[str, Job[T]]) -> None:
    done: set[str] = set()
    waiting = dict(jobs)
    while waiting:
        ready = [name for name, job in waiting.items() if done.issuperset(job.needs)]
        if not ready:
            raise ValueError(f"jobs whose needs are never done: {', '.join(sorted(waiting))}")
        done.update(ready)
        for name in ready:
            del waiting[name]


class _OutOfTimeError(Exception):
    """The time for beginning jobs is over."""


class _Run(Generic[T]):
    """One call of `run`: what is done, what is under way, what waits."""

    def __init__(
        self, jobs: Mapping[str, Job[T]], order: Sequence[Job[T]], cache: Cache[T] | None, place: Executor,
        seconds: float, fresh: bool, progress: Progress, owned: bool = False,
    ) -> None:  # fmt: skip
        self.owned = owned
        self.cache, self.place, self.fresh, self.progress = cache, place, fresh, progress
        self.order = list(dict.fromkeys(job.name for job in order))
        self.waiting = {name: jobs[name] for name in self.order}
        self.end = time.monotonic() + seconds
        self.results: dict[str, T] = {}
        self.left: dict[str, Job[T]] = {}
        self.failed: dict[str, AssayError] = {}
        self.futures: dict[Future[T], Job[T]] = {}
        self.done: SimpleQueue[Future[T]] = SimpleQueue()
        self.ended = threading.Event()
        self.cancelled = False
        self.turns, self.numbers = Turns(), dict[str, int]()
        self.around = _around.get()

    def outcome(self) -> Outcome[T]:
        """Do everything."""
        self.progress.expect(len(self.waiting))
        # Threads that look into the cache and wait for the executor: they take no core.
        pool = ThreadPoolExecutor(THREADS_PER_WORKER * self.place.workers, thread_name_prefix="assay-run")
        try:
            self._begin_ready(pool)
            while self.futures:
                future = self.done.get()
                self._finish(self.futures.pop(future), future)
                self._begin_ready(pool)
        except BaseException as error:
            self.ended.set()
            # An error here is not the business of others who use the same executor; an interruption is.
            if self.owned or not isinstance(error, Exception):
                self.place.cancel()
            # Jobs that coordinate others begin no more of them; the programs that those wait for are ended.
            while wait(self.futures, timeout=_POLL_SECONDS).not_done:
                running.end_all()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        if self.cancelled:
            raise CancelledError
        return Outcome(self._in_order(self.results), list(self._in_order(self.left).values()),
                       self._in_order(self.failed))  # fmt: skip

    def _in_order(self, found: Mapping[str, V]) -> dict[str, V]:
        return {name: found[name] for name in self.order if name in found}

    def _begin_ready(self, pool: ThreadPoolExecutor) -> None:
        """Begin every job whose needs are done; leave those whose needs never will be."""
        changed = True
        while changed:
            changed = False
            for name, job in list(self.waiting.items()):
                if any(need in self.left or need in self.failed for need in job.needs):
                    self.left[name] = self.waiting.pop(name)
                    changed = True
                elif self.results.keys() >= set(job.needs):
                    del self.waiting[name]
                    self.numbers[job.name] = len(self.numbers)
                    future = pool.submit(self._in_turn, job)
                    self.futures[future] = job
                    future.add_done_callback(self.done.put)

    def _finish(self, job: Job[T], future: Future[T]) -> None:
        try:
            self.results[job.name] = future.result()
        except _OutOfTimeError:
            self.left[job.name] = job
        except CancelledError:  # the error that ended the list comes from another job
            self.cancelled = True
        except AssayError as error:
            if not job.optional:
                raise
            self.failed[job.name] = error
            self._tell(job.title)

    def _in_turn(self, job: Job[T]) -> T:
        try:
            return self._result(job)
        finally:
            self.turns.pass_on(self.numbers[job.name])

    def _result(self, job: Job[T]) -> T:
        """Return a job's result: cached, made by another thread that has it under way, or made here."""
        if job.inputs is None or self.cache is None:
            return self._worked(job)
        inputs = job.inputs()
        key = (job.name, digest(inputs))
        while True:
            known = None if self.fresh else self.cache.find(job.name, inputs)
            if known is not None and job.reusable(known):
                self._tell("")
                return known
            with _lock:
                other = _under_way.get(key)
                if other is None:
                    _under_way[key] = threading.Event()
            if other is None:
                break
            self.turns.pass_on(self.numbers[job.name])
            other.wait()
        try:
            result = self._worked(job)
            self.cache.put(job.name, inputs, result)
            return result
        finally:
            with _lock:
                _under_way.pop(key).set()

    def _worked(self, job: Job[T]) -> T:
        """Do a job's work; a measurement on too unsteady a machine is tried again after a pause."""
        for remaining in reversed(range(max(job.tries, 1))):
            try:
                result = self._once(job)
            except MeasurementError:
                if not remaining or self.ended.wait(PAUSE_SECONDS):
                    raise
            else:
                self._tell(job.title)
                return result
        raise AssertionError("unreachable")

    def _once(self, job: Job[T]) -> T:
        number = self.numbers[job.name]
        self.turns.wait(number)
        if job.place is Place.COORDINATOR:
            self.turns.pass_on(number)
            self._begin(job)
            token = _around.set(self._has_ended)
            try:
                return job.work()
            finally:
                _around.reset(token)
        future = self.place.submit(
            job.work, place=job.place, memory_mb=job.memory_mb, begin=partial(self._begin, job),
            fail=partial(self._fail, job),
        )  # fmt: skip
        self.turns.pass_on(number)
        return future.result()

    def _fail(self, job: Job[T], error: BaseException) -> None:
        """Let no other job begin after an error that ends the list."""
        unsteady = isinstance(error, MeasurementError)
        expected = isinstance(error, AssayError) and (job.optional or unsteady)
        if not expected and not isinstance(error, _OutOfTimeError):
            self.ended.set()

    def _begin(self, job: Job[T]) -> None:
        if self._has_ended():
            raise CancelledError
        if time.monotonic() > self.end:
            raise _OutOfTimeError
        if job.title:
            with _telling:
                self.progress.begun(job.title)

    def _has_ended(self) -> bool:
        return self.ended.is_set() or self.around()

    def _tell(self, title: str) -> None:
        with _telling:
            self.progress.done(1, title)


def together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Return what calls give that hand jobs to an executor, side by side; where one fails, the others end."""
    jobs = [Job(str(n), "", call, place=Place.COORDINATOR) for n, call in enumerate(calls)]
    return list(run(jobs).results.values())


def each(
    work: Callable[[V], T], given: Sequence[V], title: Callable[[V], str] = lambda one: "", *,
    where: Place = Place.THREAD, workers: int = 0, progress: Progress = SILENT,
) -> list[T]:  # fmt: skip
    """Return what `work` gives of each of the `given`, side by side on this machine; nothing is cached.

    In a process that is itself a worker it is done one after the other: the others have the cores.

    Parameters
    ----------
    workers : int
        How many at a time; 0: as many as there are cores for this process. One works in the calling thread.
    """
    if workers == 1 or multiprocessing.parent_process() is not None:
        return [work(one) for one in given]
    jobs = [Job(str(n), title(one), partial(work, one), place=where) for n, one in enumerate(given)]
    with Local(workers) as place:
        return list(run(jobs, place=place, progress=progress).results.values())
