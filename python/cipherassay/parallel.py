"""Work in processes beside this one: for Python code, which one process does on one core."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
    """Yield each task with its result, in order, as they are done by as many processes as there are cores.

    Tasks are taken one by one as processes get free, so that an iterator may stop where time is up. Function,
    tasks and results are pickled. The first error ends it, as does Ctrl-C: what has not begun is not begun.
    """
    cores = os.cpu_count() or 1
    # Forked processes would share locks of this one's threads.
    pool = ProcessPoolExecutor(
        cores, mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    begun: deque[tuple[Task, Future[Result]]] = deque()
    try:
        for task in tasks:
            begun.append((task, pool.submit(work, task)))
            if sum(not future.done() for _, future in begun) >= cores:
                yield _first(begun)
        while begun:
            yield _first(begun)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _first(begun: deque[tuple[Task, Future[Result]]]) -> tuple[Task, Result]:
    task, future = begun.popleft()
    return task, future.result()
