"""Work in other processes: results in order, errors whole."""

from __future__ import annotations

import os
import pickle

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import Place as Source
from cipherassay.errors import ToolError
from cipherassay.jobs import Place, each
from cipherassay.lang.cipher import Cipher
from support.refusals import refusal


def halved(number: int) -> tuple[int, int]:
    if number % 2:
        raise ToolError(
            "T999", f"{number} is odd", places=[Source("x.py", 3)], notes=["a note"], help="add one"
        )
    return number // 2, os.getpid()


def test_results_come_in_order_from_other_processes() -> None:
    found = each(halved, range(0, 20, 2), where=Place.PROCESS)
    assert [result for result, _ in found] == list(range(10))
    assert os.getpid() not in {place for _, place in found}


def test_an_error_arrives_whole() -> None:
    with pytest.raises(ToolError) as raised:
        each(halved, [2, 3, 4], where=Place.PROCESS)
    assert str(raised.value) == ("error[T999]: 3 is odd\n  --> x.py:3\n   = a note\n   = help: add one")


def test_a_cipher_is_made_again_from_its_file() -> None:
    rc6 = load("rc6")
    again: Cipher = pickle.loads(pickle.dumps(rc6))
    assert (again.slug, again.file) == (rc6.slug, rc6.file)
    assert again.compile(128).text() == rc6.compile(128).text()


def ended(_: int) -> None:
    os._exit(9)


def test_a_process_that_ends_too_early() -> None:
    assert refusal(ToolError, each, ended, [1], where=Place.PROCESS) == (
        "error[J100]: a worker process ended before its job did\n"
        "   = the system may have ended it for lack of memory\n"
        "   = help: run the command again; what was finished is kept"
    )
