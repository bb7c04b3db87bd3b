"""Results that are computed once in a process."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from cipherassay.once import once


def test_threads_that_ask_at_once_wait_for_the_first() -> None:
    begun, finish = threading.Event(), threading.Event()
    calls = []

    @once
    def square(number: int) -> int:
        calls.append(number)
        begun.set()
        assert finish.wait(10)
        return number * number

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(square, 3)
        assert begun.wait(10)
        others = [pool.submit(square, 3) for _ in range(3)]
        finish.set()
        assert [one.result(10) for one in (first, *others)] == [9, 9, 9, 9]
    assert calls == [3]
    assert square(4) == 16
    assert calls == [3, 4]


def test_an_error_is_not_kept() -> None:
    answers = iter([ValueError("not yet"), 7])

    @once
    def answer(*, of: str = "") -> int:
        found = next(answers)
        if isinstance(found, Exception):
            raise found
        return found

    with pytest.raises(ValueError, match="not yet"):
        answer(of="it")
    assert answer(of="it") == 7
    assert answer(of="it") == 7
