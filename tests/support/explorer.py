"""The explorer as a process of its own, as a user starts it, and requests to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from support.places import SOURCE

SECONDS = 120.0


@dataclass
class Running:
    """An explorer that listens."""

    url: str
    port: int
    process: subprocess.Popen[str]
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=SECONDS))

    @property
    def origin(self) -> str:
        """What its own page sends as ``Origin``."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str = "", **headers: str) -> httpx.Response:
        """Ask for something below the token."""
        return self.client.get(self.url + path, headers=headers)

    def post(self, content: bytes, **headers: str) -> httpx.Response:
        """Send a body to what runs descriptions, as its page does if no header says otherwise."""
        usual = {"origin": self.origin, "content-type": "application/json"}
        return self.client.post(self.url + "api/run", content=content, headers=usual | headers)

    def run(self, text: str, **given: Any) -> list[dict[str, Any]]:
        """Run a description to its end; return the messages."""
        return list(self.messages(text, **given))

    def messages(self, text: str, **given: Any) -> Iterator[dict[str, Any]]:
        """Yield the messages of a run as they come."""
        headers = {"origin": self.origin}
        body = request(text, **given)
        with self.client.stream("POST", self.url + "api/run", json=body, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                yield json.loads(line)

    def forks(self) -> list[int]:
        """Return the processes that run descriptions now."""
        return [fork for child in children(self.process.pid) for fork in children(child)]


def request(text: str, /, **given: Any) -> dict[str, Any]:
    """Return a request for the program of a description; ``given`` are other fields."""
    usual = {"tab": "tab", "stem": "mine", "origin": "", "panels": ["program"], "targets": [], "options": {}}
    return {**usual, "text": text} | given


def children(process: int) -> list[int]:
    """Return the processes that a process has started and that run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


@contextmanager
def explorer(
    files: Sequence[Path] = (), options: Sequence[str] = (), **environment: str
) -> Iterator[Running]:
    """Start `assay explore` and end it with Ctrl-C; ``options`` stand before the verb."""
    command = [sys.executable, "-c", "from cipherassay.cli import main; main()", *options]
    command += ["explore", "--no-browser", "--json", *map(str, files)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
    )  # fmt: skip
    errors: list[str] = []
    assert process.stdout is not None
    assert process.stderr is not None
    listening = threading.Thread(target=lambda stream=process.stderr: errors.extend(stream), daemon=True)
    listening.start()
    said = ""
    while not said.endswith("}\n"):
        line = process.stdout.readline()
        assert line, "".join(errors)
        said += line
    known = json.loads(said)
    running = Running(known["url"], known["port"], process)
    try:
        yield running
    finally:
        running.client.close()
        process.send_signal(signal.SIGINT)
        process.wait(30)
        listening.join(5)
    assert not [line for line in errors if "Traceback" in line], "".join(errors)
