"""The process that has everything loaded and forks: a fork begins at once, and knows nothing of the others.

It listens on a socket: ``run`` with the file descriptor that results go to, ``end``. It says which fork has
ended how. When the socket closes, all forks end, and it does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from typing import Any, NoReturn

LOADED = (
    "cipherassay.explorer.worker", "cipherassay.coverage", "cipherassay.families._listing",
    "cipherassay.hardware.rtl.build", "cipherassay.jobs", "cipherassay.processors.quick",
    "cipherassay.review.checking", "cipherassay.vectors.explaining",
)  # fmt: skip
"""What forks use; the modules of panels and levels are loaded besides."""
_LONGEST = 1 << 16
"""Bytes of a message."""


def main(descriptor: int) -> NoReturn:
    """Load, say so, and fork until the socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process after Ctrl-C
    channel = socket.socket(fileno=descriptor)
    for name in LOADED:
        importlib.import_module(name)
    from cipherassay.explorer import panels, worker

    catalogue = panels.catalogue()
    worker.load()
    gc.collect()
    gc.freeze()  # forks do not copy what a collection would touch
    Forks(channel).serve(catalogue)
    os._exit(0)


class Forks:
    """The forks that run."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.running: dict[int, int] = {}
        """Numbers of jobs by process."""
        self._wake, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self, catalogue: dict[str, Any]) -> None:
        """Listen until the other side closes; then end all."""
        self._say({"catalogue": catalogue})
        while True:
            ready, _, _ = select.select([self.channel.fileno(), self._wake], [], [])
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._reap()
            if self.channel.fileno() in ready:
                data, descriptors, _, _ = socket.recv_fds(self.channel, _LONGEST, 1)
                if not data:
                    break
                self._do(json.loads(data), descriptors)
        for process in list(self.running):
            _kill(process)

    def _do(self, asked: dict[str, Any], descriptors: list[int]) -> None:
        if "run" in asked:
            (results,) = descriptors
            self._fork(asked["run"], asked["job"], results)
            os.close(results)
        for process, number in self.running.items():
            if number == asked.get("end"):
                _kill(process)

    def _fork(self, number: int, job: dict[str, Any], results: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            try:
                os.setsid()
                signal.set_wakeup_fd(-1)
                for one in (signal.SIGCHLD, signal.SIGTERM):
                    signal.signal(one, signal.SIG_DFL)
                self.channel.close()
                from cipherassay.explorer import worker

                worker.main(job, results)
            finally:
                os._exit(1)
        self.running[process] = number

    def _reap(self) -> None:
        for process in list(self.running):
            if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            _kill(process)  # what it has started: until it is waited for, the number is its own
            _, status = os.waitpid(process, 0)
            self._say({"ended": self.running.pop(process), "status": os.waitstatus_to_exitcode(status)})

    def _say(self, content: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the server has gone: the socket is closed next
            self.channel.send(json.dumps(content).encode())


def _kill(process: int) -> None:
    """End a process and what it has started: it leads its group, once it has come so far."""
    for end in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(process, signal.SIGKILL)
