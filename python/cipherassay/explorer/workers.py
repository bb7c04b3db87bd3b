"""The server's side of the forks: jobs in turn, one more than cores at a time; ended if not wanted."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cipherassay.errors import DescriptionError, ToolError, error_document
from cipherassay.limits import limits

MOST_RESULTS = 48 << 20
"""Bytes that a job may show."""
_LONGEST = 1 << 20
_START = "import sys, json; job = json.loads(sys.argv[1]); sys.path[:] = job['path']; " \
    "from cipherassay.explorer.forking import main; main(job['channel'])"  # fmt: skip


@dataclass(frozen=True)
class WorkerJob:
    """What a fork is to do.

    Parameters
    ----------
    folder, file : str
        Where the description lies, and its name.
    origin : str
        The cipher of the project that it began as; empty: none.
    options : mapping
        What was chosen.
    panel, target : str
        One of both: what is to be made.
    seconds : float
        After which time it is ended.
    alone : bool
        Nothing else runs meanwhile.
    order : int
        Of the jobs that wait the lowest begins.
    """

    folder: str
    file: str
    origin: str
    options: Mapping[str, str]
    panel: str = ""
    target: str = ""
    seconds: float = 60.0
    alone: bool = False
    order: int = 0

    def document(self) -> dict[str, Any]:
        """Return what the fork needs to know."""
        return {
            "folder": self.folder, "file": self.file, "origin": self.origin, "options": dict(self.options),
            "panel": self.panel, "target": self.target, "alone": self.alone, "memory": limits().memory,
        }  # fmt: skip


class Turns:
    """So many at a time, in their order; one that runs alone waits for all others and keeps them waiting."""

    def __init__(self, slots: int) -> None:
        self.slots = self._free = slots
        self._waiting: list[tuple[int, int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()

    @asynccontextmanager
    async def turn(self, order: int, *, alone: bool) -> AsyncIterator[None]:
        """Wait for a turn; it ends with the block."""
        needs = self.slots if alone else 1
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (order, next(self._numbers), needs, mine))
        self._begin()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._free += needs
            mine.cancel()
            self._begin()

    def _begin(self) -> None:
        while self._waiting:
            _, _, needs, first = self._waiting[0]
            if first.done():  # nobody waits for it any more
                heapq.heappop(self._waiting)
            elif needs <= self._free:
                heapq.heappop(self._waiting)
                self._free -= needs
                first.set_result(None)
            else:
                return


@dataclass
class Workers:
    """The forking process and what runs in its forks; used as an asynchronous context."""

    slots: int = 0
    """Forks side by side; 0: one more than there are cores, since checks go on behind panels."""
    catalogue: dict[str, Any] = field(default_factory=dict)
    """The panels and targets, as the forking process has found them."""

    def __post_init__(self) -> None:
        self.slots = self.slots or len(os.sched_getaffinity(0)) + 1
        self._turns = Turns(self.slots)
        self._numbers = itertools.count(1)
        self._ended: dict[int, asyncio.Future[int]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Workers:
        """Return it; the forking process starts with the first job, or with `ready`."""
        return self

    async def __aexit__(self, *rest: object) -> None:
        """End the forking process and all forks."""
        self._close()

    async def ready(self) -> None:
        """Wait until the forking process is loaded; start it where there is none."""
        async with self._starting:
            if self._process is not None and self._process.poll() is None:
                return
            self._close()
            await self._start()

    async def _start(self) -> None:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        here.setblocking(False)
        for end in (here, there):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
        job = {"path": sys.path, "channel": there.fileno()}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(job)],
            stdin=subprocess.DEVNULL, stdout=2, pass_fds=(there.fileno(),), start_new_session=True,
        )  # fmt: skip
        there.close()
        self._channel = here
        said = await asyncio.get_running_loop().sock_recv(here, _LONGEST)
        if not said:
            what = "the process that runs descriptions did not start"
            raise ToolError("W005", what, help="what it printed stands above")
        self.catalogue = json.loads(said)["catalogue"]
        asyncio.get_running_loop().add_reader(here.fileno(), self._listen, here)

    def _listen(self, channel: socket.socket) -> None:
        try:
            said = channel.recv(_LONGEST)
        except (BlockingIOError, ConnectionError):
            return
        if not said:  # it has ended: so have its forks
            asyncio.get_running_loop().remove_reader(channel.fileno())
            for waiting in self._ended.values():
                _set(waiting, -signal.SIGKILL)
            return
        content = json.loads(said)
        if (ended := self._ended.get(content["ended"])) is not None:
            _set(ended, content["status"])

    def _close(self) -> None:
        if self._channel is not None:
            with contextlib.suppress(RuntimeError, ValueError):
                asyncio.get_running_loop().remove_reader(self._channel.fileno())
            self._channel.close()  # it ends its forks, then itself
            self._channel = None
        if self._process is not None:
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    async def run(self, job: WorkerJob) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield kinds and contents of what a job shows; cancelled, it ends the fork.

        The last is ``done``, ``error`` or ``bug``.
        """
        await self.ready()
        async with self._turns.turn(job.order, alone=job.alone):
            number = next(self._numbers)
            ended = self._ended[number] = asyncio.get_running_loop().create_future()
            reading, writing = os.pipe()
            try:
                self._tell({"run": number, "job": job.document()}, writing)
                os.close(writing)
                writing = -1
                async for line in self._said(job, reading, ended):
                    yield line
            finally:
                if writing >= 0:
                    os.close(writing)
                self._tell({"end": number})
                if self._channel is not None:
                    with contextlib.suppress(asyncio.TimeoutError):
                        await asyncio.shield(asyncio.wait_for(ended, 5))
                del self._ended[number]

    def _tell(self, content: Mapping[str, Any], descriptor: int = -1) -> None:
        if self._channel is None:
            return
        data = json.dumps(content).encode()
        with contextlib.suppress(OSError):  # it has ended: the next job starts another
            if descriptor < 0:
                self._channel.send(data)
            else:
                socket.send_fds(self._channel, [data], [descriptor])

    async def _said(
        self, job: WorkerJob, reading: int, ended: asyncio.Future[int]
    ) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield what a fork says; where it does not come to an end of its own, why."""
        stream = asyncio.StreamReader(limit=MOST_RESULTS)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", buffering=0)
        )
        end, left = asyncio.get_running_loop().time() + job.seconds, MOST_RESULTS
        try:
            while True:
                try:
                    async with asyncio.timeout_at(end):
                        line = await stream.readline()
                except TimeoutError:
                    yield "late", error_document(_out_of_time(job))
                    return
                except ValueError:  # a line of more than the limit
                    left = 0
                    line = b"\n"
                left -= len(line)
                if left < 0:
                    yield "error", error_document(_too_much(job))
                    return
                if not line.endswith(b"\n"):
                    yield "error", error_document(_gone(job, await ended))
                    return
                kind, content = json.loads(line)
                yield kind, content
                if kind in ("done", "error", "bug"):
                    return
        finally:
            transport.close()


def _set(future: asyncio.Future[int], value: int) -> None:
    if not future.done():
        future.set_result(value)


def _out_of_time(job: WorkerJob) -> DescriptionError:
    return DescriptionError(
        "W006",
        f"`{job.target or job.panel}` of `{job.file}` is not made within {job.seconds:g} s",
        help="the verbs of `assay` have no such limit: `assay help` lists them",
    )


def _too_much(job: WorkerJob) -> DescriptionError:
    return DescriptionError(
        "W007",
        f"`{job.target or job.panel}` of `{job.file}` has more than {MOST_RESULTS >> 20} MiB",
        help="the verbs of `assay` write it into files",
    )


def _gone(job: WorkerJob, status: int) -> DescriptionError:
    how = f"with exit status {status}" if status >= 0 else f"by the signal {signal.Signals(-status).name}"
    return DescriptionError(
        "W008",
        f"the process that runs `{job.file}` was ended {how}",
        notes=["so it is where memory ends"] if status < 0 else [],
        help="a cipher's file only describes; `assay --memory GB explore` allows more memory",
    )
