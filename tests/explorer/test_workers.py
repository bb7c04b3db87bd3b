"""The server's side of the forks: turns, limits of time and size, what ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherassay.errors import ToolError
from cipherassay.explorer import workers as module
from cipherassay.explorer.workers import Turns, WorkerJob, Workers
from support.small_cipher import TEXT


@asynccontextmanager
async def started() -> AsyncIterator[Workers]:
    async with Workers(1) as workers:
        await workers.ready()
        yield workers


def job(folder: Path, **changed: Any) -> WorkerJob:
    (folder / "mine.py").write_text(TEXT)
    return replace(WorkerJob(str(folder), "mine.py", "", {}, panel="program"), **changed)


async def said(workers: Workers, one: WorkerJob) -> list[tuple[str, Any]]:
    return [line async for line in workers.run(one)]


def test_a_job_ends_with_done(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with started() as workers:
            return [kind for kind, _ in await said(workers, job(tmp_path))]

    assert asyncio.run(main()) == ["facts", "text", "done"]


def test_a_job_that_takes_too_long(tmp_path: Path) -> None:
    async def main() -> list[tuple[str, Any]]:
        async with started() as workers:
            return await said(workers, job(tmp_path, seconds=0.0))

    ((kind, content),) = asyncio.run(main())
    assert kind == "late"
    assert (content["code"], content["message"]) == ("W006", "`program` of `mine.py` is not made within 0 s")


def test_a_job_that_shows_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[tuple[str, Any]]:
        async with started() as workers:
            return await said(workers, job(tmp_path))

    monkeypatch.setattr(module, "MOST_RESULTS", 1 << 10)
    kind, content = asyncio.run(main())[-1]
    assert kind == "error"
    assert (content["code"], content["message"]) == ("W007", "`program` of `mine.py` has more than 0 MiB")


def test_a_forking_process_that_ends_is_started_anew(tmp_path: Path) -> None:
    async def main() -> list[list[str]]:
        async with started() as workers:
            found = []
            for _ in range(2):
                found.append([kind for kind, _ in await said(workers, job(tmp_path))])
                assert workers._process is not None
                workers._process.kill()
                workers._process.wait()
            return found

    assert asyncio.run(main()) == [["facts", "text", "done"]] * 2


def test_a_forking_process_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with started():
            pass

    monkeypatch.setattr(module, "_START", "raise SystemExit")
    with pytest.raises(ToolError) as raised:
        asyncio.run(main())
    assert str(raised.value) == (
        "error[W005]: the process that runs descriptions did not start\n"
        "   = help: what it printed stands above"
    )


def test_turns_come_in_their_order_and_some_alone() -> None:
    events: list[str] = []

    async def one(turns: Turns, name: str, order: int, *, alone: bool = False) -> None:
        async with turns.turn(order, alone=alone):
            events.append(f"{name} begins")
            await asyncio.sleep(0.02)
            events.append(f"{name} ends")

    async def main() -> None:
        turns = Turns(2)
        given = [("a", 0, False), ("b", 0, False), ("late", 9, False), ("alone", 5, True), ("c", 1, False)]
        tasks = [asyncio.create_task(one(turns, name, order, alone=alone)) for name, order, alone in given]
        dropped = asyncio.create_task(one(turns, "dropped", 2))
        await asyncio.sleep(0)
        dropped.cancel()
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert events[:2] == ["a begins", "b begins"]
    assert "dropped begins" not in events
    at = events.index("alone begins")
    assert events[at + 1] == "alone ends"
    assert events.index("c ends") < at < events.index("late begins")
