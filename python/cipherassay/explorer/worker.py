"""What a fork does: one panel or one target of a description, within limits; results go to a pipe.

A result is a JSON document a line: its kind, then its content. Only whole lines count.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import traceback
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NoReturn

from cipherassay.errors import AssayError, DescriptionError, error_document
from cipherassay.explorer import panels
from cipherassay.review.child import Channel

if TYPE_CHECKING:
    from collections.abc import Callable

    from cipherassay.coverage import Level
    from cipherassay.jobs.job import Place

MEMORY = 3.0
"""GiB that a back end may take beside what a description may (`Limits.memory`)."""
LONGEST_FILE = 1 << 28
"""Bytes of a file that a back end's tools may write."""


def load() -> None:
    """Load what all forks use: known S-box circuits, strategies, processors' models."""
    from cipherassay import families, strategies

    strategies.circuits()
    for name in strategies.names():
        strategies.load(name)
    for family in families.families():
        for name in family.names():
            family.document(name)


def main(job: Mapping[str, Any], results: int) -> NoReturn:
    """Do a job: ``folder``, ``file``, ``origin``, ``panel`` or ``target``, ``options``; then end."""
    channel = Channel(results)
    _limit(job["memory"])
    os.chdir(job["folder"])
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    try:
        _make(job, channel.send)
        channel.send("done", None)
    except AssayError as error:
        channel.send("error", error_document(error))
    except MemoryError:
        from cipherassay.lang.run import memory_error

        channel.send("error", error_document(memory_error(f"`{job['file']}`")))
    except KeyboardInterrupt:  # the file's own: no signal comes here
        raised = DescriptionError("D016", f"`{job['file']}` raised KeyboardInterrupt")
        channel.send("error", error_document(raised))
    except ModuleNotFoundError as error:
        channel.send("error", error_document(_not_installed(error)))
    except BaseException as error:  # noqa: BLE001 - shown by the page, as a bug
        channel.send("bug", "".join(traceback.format_exception(error)))
    sys.stdout.flush()
    os._exit(0)


def _limit(memory: float) -> None:
    """Set what this process and those that it starts may take; time is the server's to watch."""
    if math.isfinite(memory):
        most = int((memory + MEMORY) * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LONGEST_FILE, LONGEST_FILE))


def _make(job: Mapping[str, Any], show: panels.Show) -> None:
    given = panels.Given(job["file"], job["options"], job["origin"])
    if job.get("target"):
        _cost(given, job["target"], show, alone=job["alone"])
    else:
        panel = panels.panels()[job["panel"]]
        os.nice(panel.NICE)
        panel.make(given, show)


def _not_installed(error: ModuleNotFoundError) -> AssayError:
    from cipherassay import tools

    tool = tools.of_module(error.name or "")
    return tools.missing(tool) if tool else DescriptionError("D016", f"the file raised {error!r}")


def _cost(given: panels.Given, name: str, show: panels.Show, *, alone: bool) -> None:
    """Show the number of a level; ``alone`` instead where it is measured and others may run beside it."""
    from cipherassay import coverage
    from cipherassay.jobs import Place
    from cipherassay.jobs.runner import run
    from cipherassay.results.refusal import reason_in

    level = next(one for one in coverage.levels() if one.name == name)
    place = Inline()
    jobs = level.jobs(given.cipher, True, place)
    if not alone and any(job.place is Place.ALONE for job in jobs):
        show("alone", None)
        return
    outcome = run(jobs, place=place)
    for failed in outcome.failed.values():
        raise failed
    rows = [row for result in outcome.results.values() for row in result.rows]
    row = level.number(given.cipher, rows)
    show("cost", _cell(level, row, reason_in(rows) if row is None else None))


def _cell(level: Level, row: Any, reason: tuple[str, str] | None) -> dict[str, Any]:
    if row is None:
        from cipherassay.coverage.making import NOTHING

        code, text = reason or (NOTHING, "nothing was made, and nothing says why")
        return {"target": level.name, "value": None, "code": code, "reason": text}
    return {
        "target": level.name, "value": row.value, "unit": row.unit, "metric": row.metric, "basis": row.basis,
        "strategy": row.strategy, "stable": row.stable, "tools": row.tools,
    }  # fmt: skip


class Inline:
    """An executor that does work at once, in this process."""

    workers = 1

    def submit(
        self, work: Callable[[], Any], *, place: Place, memory_mb: float,
        begin: Callable[[], None], fail: Callable[[BaseException], None],
    ) -> Future[Any]:  # fmt: skip
        """Do the work."""
        future: Future[Any] = Future()
        try:
            begin()
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed to who waits for the result
            fail(error)
            future.set_exception(error)
        return future

    def cancel(self) -> None:
        """Nothing waits."""


