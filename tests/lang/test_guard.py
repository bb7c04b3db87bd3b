"""An author's text runs guarded in several threads at once: each is refused for itself, nothing stays replaced."""

from __future__ import annotations

import os
import posix
import sys
import threading

import pytest

from cipherassay.errors import DescriptionError
from cipherassay.lang.guard import guarded


def test_overlapping_guards_leave_the_process_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdin, sys.stdout, os._exit, os.abort
    first_entered, second_entered, first_left = (threading.Event() for _ in range(3))

    def first() -> None:
        with guarded():
            sys.stdout.write("first\n")
            first_entered.set()
            second_entered.wait(10)
        first_left.set()

    def second() -> None:
        first_entered.wait(10)
        with guarded():
            second_entered.set()
            first_left.wait(10)
            sys.stdout.write("second\n")

    threads = [threading.Thread(target=one) for one in (first, second)]
    for thread in threads:
        thread.start()
    first_entered.wait(10)
    sys.stdout.write("not guarded\n")
    for thread in threads:
        thread.join(10)
    assert (sys.stdin, sys.stdout, os._exit, os.abort) == before
    assert capsys.readouterr() == ("not guarded\n", "first\nsecond\n")


def test_only_the_guarded_thread_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    with guarded():
        other = threading.Thread(target=lambda: os._exit(3))
        other.start()
        other.join(10)
        for end in (os._exit, posix._exit):
            with guarded(), pytest.raises(DescriptionError, match="D027"):
                end(4)
    os._exit(5)
    assert ended == [3, 5]
