"""Work in other processes: results in order, begun only as long as tasks come, errors whole."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import Place, ToolError
from cipherassay.lang.cipher import Cipher
from cipherassay.parallel import in_processes


def halved(number: int) -> tuple[int, int]:
    if number % 2:
        raise ToolError(
            "T999", f"{number} is odd", places=[Place("x.py", 3)], notes=["a note"], help="add one"
        )
    return number // 2, os.getpid()


def test_results_come_in_order_from_other_processes() -> None:
    found = list(in_processes(halved, range(0, 20, 2)))
    assert [(task, result) for task, (result, _) in found] == [(2 * n, n) for n in range(10)]
    assert os.getpid() not in {place for _, (_, place) in found}


def test_tasks_are_taken_as_processes_get_free() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for n in range(0, 2000, 2):
            taken.append(n)
            yield n

    some = in_processes(halved, tasks())
    assert next(some)[1][0] == 0
    some.close()
    assert len(taken) <= 2 * (os.cpu_count() or 1) + 2


def test_an_error_arrives_whole() -> None:
    with pytest.raises(ToolError) as raised:
        list(in_processes(halved, [2, 3, 4]))
    assert str(raised.value) == ("error[T999]: 3 is odd\n  --> x.py:3\n   = a note\n   = help: add one")


def test_a_cipher_is_made_again_from_its_file() -> None:
    rc6 = load("rc6")
    again: Cipher = pickle.loads(pickle.dumps(rc6))
    assert (again.slug, again.file) == (rc6.slug, rc6.file)
    assert again.compile(128).text() == rc6.compile(128).text()
