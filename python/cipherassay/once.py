"""Results that are computed once in a process, however many threads ask for them at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose results are kept; threads that ask for one at once wait for the first.

    `functools.cache` computes it in each of them instead. An error is not kept.

    Parameters
    ----------
    function : callable
        Takes arguments that can be hashed.
    """
    results: dict[Any, Future[T]] = {}
    lock = threading.Lock()

    @wraps(function)
    def result(*given: P.args, **named: P.kwargs) -> T:
        key = (given, tuple(sorted(named.items())))
        with lock:
            known = results.get(key)
            future = known or results.setdefault(key, Future())
        if known is None:
            try:
                future.set_result(function(*given, **named))
            except BaseException as error:
                del results[key]
                future.set_exception(error)
                raise
        return future.result()

    return result
