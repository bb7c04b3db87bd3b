"""What the server does for a request: a folder with the description, a fork per panel and target, in turn."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from cipherassay.errors import UsageError, nearest
from cipherassay.explorer.protocol import RunRequest
from cipherassay.explorer.sources import Document, document
from cipherassay.explorer.workers import WorkerJob, Workers

PANEL_SECONDS = 60.0
"""Wall time of a panel."""
PATIENCE = (3.0, 30.0, 600.0)
"""Wall time of a target, round by round: what does not end in one is begun again when all others have."""
_AFTER_PANELS = 1000
"""The order of targets: behind all panels, of whatever page."""
_ROUND = 1_000_000
Message = dict[str, Any]


@dataclass
class Sessions:
    """All pages: of each what is being made for it."""

    workers: Workers
    known: Mapping[str, Document]
    _tasks: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    """How long a target took when it was last made: the quick ones come first."""

    async def run(self, request: RunRequest, jobs: Sequence[WorkerJob]) -> AsyncGenerator[Message, None]:
        """Yield messages as the jobs of a request are done.

        A later request of the same page ends what this one still makes of the same panels and targets.
        """
        messages: asyncio.Queue[Message | None] = asyncio.Queue()
        with tempfile.TemporaryDirectory(prefix="assay-explore-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            await asyncio.to_thread(self._put, request, folder)
            tasks = []
            for job in jobs:
                key = (request.tab, job.panel or f"target {job.target}")
                if (before := self._tasks.get(key)) is not None:
                    before.cancel()
                task = asyncio.create_task(self._made(replace(job, folder=name), messages))
                self._tasks[key] = task
                task.add_done_callback(partial(self._forget, key))
                tasks.append(task)
            whole = asyncio.create_task(_end_of(tasks, messages))
            try:
                while (message := await messages.get()) is not None:
                    yield message
            finally:
                for task in (*tasks, whole):
                    task.cancel()
                await asyncio.gather(*tasks, whole, return_exceptions=True)

    def _forget(self, key: tuple[str, str], done: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is done:
            del self._tasks[key]

    async def jobs(self, request: RunRequest) -> list[WorkerJob]:
        """Return what is to be done for a request.

        Raises
        ------
        UsageError
            ``W003``: there is no document that it began as; ``W004``: no such panel or target.
        ToolError
            ``W005``: the process that runs descriptions does not start.
        """
        await self.workers.ready()
        panels = [one["name"] for one in self.workers.catalogue["panels"]]
        targets = [one["name"] for one in self.workers.catalogue["targets"]]
        for asked, there in ((request.panels, panels), (request.targets, targets)):
            for name in asked:
                if name not in there:
                    raise UsageError("W004", f"there is nothing called `{name}`", help=nearest(name, there))
        began_as = document(self.known, request.origin) if request.origin else None
        origin = began_as.name if began_as and not began_as.own else ""
        one = WorkerJob("", f"{request.stem}.py", origin, request.options)
        made = [
            replace(one, panel=name, order=number, seconds=PANEL_SECONDS)
            for number, name in enumerate(request.panels)
        ]
        return made + [replace(one, target=name) for name in self._quick_first(request.targets, targets)]

    def _quick_first(self, asked: Sequence[str], targets: Sequence[str]) -> list[str]:
        return sorted(asked, key=lambda name: (self._seconds.get(name, PATIENCE[0]), targets.index(name)))

    def _put(self, request: RunRequest, folder: Path) -> None:
        text = request.text.encode("utf-8", "surrogateescape")
        (folder / f"{request.stem}.py").write_bytes(text)
        if request.origin:
            self.known[request.origin].put_answers(folder, request.stem)

    async def _made(self, job: WorkerJob, messages: asyncio.Queue[Message | None]) -> None:
        if job.panel:
            await self._tried(job, messages)
            return
        alone = False
        for number, seconds in enumerate(PATIENCE):
            last = number == len(PATIENCE) - 1
            if not alone and self._seconds.get(job.target, 0.0) > seconds and not last:
                continue
            order = _AFTER_PANELS + number * _ROUND + round(10 * self._seconds.get(job.target, PATIENCE[0]))
            tried = replace(job, seconds=seconds, order=order, alone=alone)
            end = await self._tried(tried, messages, say_late=last)
            if end == "alone":  # at the end of a round, when nothing else runs
                alone = True
            elif end != "late":
                return

    async def _tried(
        self, job: WorkerJob, messages: asyncio.Queue[Message | None], *, say_late: bool = True
    ) -> str:
        """Put what a job shows on the queue; return the kind of its end."""
        about = {"panel": job.panel} if job.panel else {"target": job.target}
        begin = time.monotonic()
        end = "done"
        async with contextlib.aclosing(self.workers.run(job)) as shown:
            async for kind, content in shown:
                took = time.monotonic() - begin
                if kind == "alone":
                    end = "alone"
                elif kind == "late":
                    end = "late"
                    self._seconds[job.target] = max(took, self._seconds.get(job.target, 0.0))
                    if say_late:
                        await messages.put({**about, "kind": "error", "content": content})
                elif end == "done":
                    await messages.put({**about, "kind": kind, "content": content, "seconds": round(took, 3)})
        if end == "done" and job.target:
            self._seconds[job.target] = time.monotonic() - begin
        return end


async def _end_of(tasks: Sequence[asyncio.Task[None]], messages: asyncio.Queue[Message | None]) -> None:
    """Say that nothing more comes, when all has ended; an error that nobody foresaw is said before."""
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            await messages.put({"kind": "bug", "content": f"{type(result).__name__}: {result}"})
    await messages.put(None)
