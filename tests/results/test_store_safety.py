"""The store under bad circumstances: killed writers, readers beside them, no space, nothing writable."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cipherassay.results import Row, Store, catalogue, runs
from cipherassay.results.store import StoreError
from support.places import SOURCE, TESTS
from support.stored_rows import LINES, put

NOBODY = 65534


WRITER = """
import itertools, sys
sys.path[:0] = sys.argv[2:]
from support.stored_rows import put
from cipherassay.results import Store
store = Store(sys.argv[1])
put(store, "both", 0.0)
print("begun", flush=True)
for n in itertools.count(1):
    put(store, "both", float(n))
    put(store, f"own/{n}", float(n))
    print(n, flush=True)
"""


@contextmanager
def writer(root: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WRITER, str(root), str(SOURCE), str(TESTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        try:
            yield process
        finally:
            process.kill()


def whole(found: list[Row]) -> bool:
    return len(found) == LINES and len({row.value for row in found}) == 1


def test_a_killed_writer_loses_only_what_it_was_writing(tmp_path: Path) -> None:
    store, cache = Store(tmp_path / "store"), tmp_path / "cache"
    seen = 0
    for attempt in range(4):
        with writer(store.root) as process:
            end = time.monotonic() + random.Random(attempt).uniform(0.2, 0.9)
            while time.monotonic() < end:
                made = runs.rows_of(runs.read_table(store.root / "both.parquet")[0])
                assert whole(made), "a reader sees one run whole"
                assert store.find("both", {"value": -1.0}) is None
                assert not catalogue.catalogue(store, cache).unreadable
                seen += 1
            process.send_signal(signal.SIGKILL)
            assert process.stdout is not None
            finished = [int(line) for line in process.stdout.read().split()]
        for n in finished:
            assert whole(store.find(f"own/{n}", {"value": float(n)}) or [])
        known = store.rows()
        assert len(known) == LINES * len(store.runs())
    assert seen > 8


def test_two_writers_of_one_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with writer(tmp_path) as first, writer(tmp_path) as second:
        for _ in range(30):
            assert whole(runs.rows_of(runs.read_table(tmp_path / "both.parquet")[0]))
        assert first.poll() is None
        assert second.poll() is None
    threads = [threading.Thread(target=put, args=(store, "threads", float(n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole(runs.rows_of(runs.read_table(tmp_path / "threads.parquet")[0]))


def test_what_a_killed_writer_left_is_removed_later(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old, new = tmp_path / ".x.parquet.1-1.tmp", tmp_path / ".x.parquet.2-2.tmp"
    for path in (old, new):
        path.write_bytes(b"half of a ru")
    os.utime(old, (0, 0))
    assert store.runs() == []
    put(store, "x", 1.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == [new.name, "x.parquet"]


@contextmanager
def most_file_bytes(count: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def keeps_nothing(store: Store, reason: str) -> None:
    """Check that `put` fails with its error and that what was there is still there, and nothing more."""
    before = {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()}
    for name in ("small", "another"):
        with pytest.raises(StoreError) as caught:
            put(store, name, 2.0)
        assert str(caught.value) == (
            f"error[R010]: the results cannot be kept under `{store.root}`\n"
            f"   = {reason}\n"
            "   = help: name another folder in the environment variable ASSAY_STORE"
        )
    assert {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()} == before
    assert whole(store.find("small", {"value": 1.0}) or [])


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, "small", 1.0)
    with most_file_bytes(1000):
        keeps_nothing(store, "File too large")


def test_a_full_disk() -> None:
    with tempfile.TemporaryDirectory() as name:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=32k", "none", name], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip("no file system can be mounted here")
        try:
            store = Store(name)
            put(store, "small", 1.0)
            with pytest.raises(OSError, match="No space left"):
                Path(name, "filler").write_bytes(bytes(1 << 20))
            keeps_nothing(store, "No space left on device")
        finally:
            subprocess.run(["umount", name], check=True)


def test_a_store_that_is_only_read() -> None:
    """As another user where this one is root, whom mode bits do not bind."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        store = Store(Path(name, "store"))
        put(store, "small", 1.0)
        store.root.chmod(0o555)
        (store.root / "small.parquet").chmod(0o444)
        user = os.geteuid()
        if user == 0:
            os.seteuid(NOBODY)
        try:
            keeps_nothing(store, "Permission denied")
            assert whole(store.rows())
        finally:
            os.seteuid(user)
            store.root.chmod(0o755)
