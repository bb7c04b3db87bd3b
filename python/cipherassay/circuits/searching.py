"""Search: the engines' units run one after another or side by side until time is over or nothing is left.

Every circuit is checked and measured by code that is no engine's; what is better by the objective (its
metrics in order) is the best. Finished units and the best are kept in a file, so that a search goes on where
it was stopped.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from cipherassay import signals
from cipherassay.circuits import constructing, engine
from cipherassay.circuits.bounds import known
from cipherassay.circuits.documents import Document, one
from cipherassay.circuits.engine import Problem, Step
from cipherassay.circuits.library import compose
from cipherassay.circuits.record import Record, open_record, unfinished
from cipherassay.errors import UsageError, nearest

LARGE, SLOW = 7, "beam"
"""Input bits from which this engine's first unit takes longer than all others' together."""
ProgressCallback = Callable[[float, str], None]
"""Called now and then with the seconds that passed and a line on what is being done."""


@dataclass(frozen=True)
class SearchResult:
    """What a search came to."""

    document: Document | None
    """The best circuit with its head; None if none was found."""
    record: Record
    stop: str
    """Why it ended: ``finished``, ``optimal``, ``time``, ``interrupted``."""
    seconds: float
    """On the clock."""


@dataclass
class _Run:
    """What the threads of one search share."""

    record: Record
    until: float
    stop: threading.Event
    line: str = ""

    def told(self, text: str) -> bool:
        self.line = text or self.line
        return self.stop.is_set() or time.monotonic() >= self.until

    def unit(self, name: str, unit: int) -> tuple[str, int, Step, float]:
        start = time.monotonic()
        step = engine.run_unit(
            self.record.problem, name, unit, lambda text: self.told(text and f"{name}: {text}")
        )
        return name, unit, step, time.monotonic() - start


def search(
    problem: Problem,
    *,
    seconds: float = 60.0,
    jobs: int = 1,
    only: Sequence[str] = (),
    fresh: bool = False,
    told: ProgressCallback | None = None,
) -> SearchResult:
    """Search a circuit for a problem.

    Parameters
    ----------
    seconds : float
        On the clock.
    jobs : int
        Units that run side by side.
    only : sequence of str
        Names of engines; all that serve the problem without it.
    fresh : bool
        Begin anew instead of going on where an earlier search of the same problem stopped.

    Raises
    ------
    UsageError
        ``C321``: no engine serves the problem; ``C322``: there is no such engine.
    VerificationError
        ``C320``: an engine gave a wrong circuit.
    """
    start = time.monotonic()
    record = open_record(problem, fresh=fresh)
    record.know(known(problem))
    if not record.best and not only:
        for step in constructing.steps(problem):
            record.add(constructing.NAME, 0, replace(step, finished=False), time.monotonic() - start)
    chosen = _engines(problem, only, has_best=bool(record.best))
    start = time.monotonic()
    run = _Run(record, start + seconds, threading.Event())
    waiting = _in_turns(record, chosen)
    stop = _loop(run, waiting, jobs, start, told or (lambda _seconds, _line: None))
    return SearchResult(_document(record), record, stop, time.monotonic() - start)


def _loop(
    run: _Run, waiting: Iterator[tuple[str, int]], jobs: int, start: float, told: ProgressCallback
) -> str:
    pool = ThreadPoolExecutor(max(1, jobs))
    running: set[Future[tuple[str, int, Step, float]]] = set()
    stop = "finished"
    try:
        while True:
            over = _reason_to_stop(run)
            while not over and len(running) < max(1, jobs) and (next_one := next(waiting, None)):
                running.add(pool.submit(run.unit, *next_one))
            if over:
                stop = over
                run.stop.set()
            if not running:
                break
            done, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in done:
                run.record.add(*future.result())
            told(time.monotonic() - start, _line(run))
    except KeyboardInterrupt:
        stop = "interrupted"
        signals.finishing()
        run.stop.set()
        for future in wait(running, timeout=5).done:
            run.record.add(*future.result())
    finally:
        run.stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
    return stop


def _reason_to_stop(run: _Run) -> str:
    if time.monotonic() >= run.until:
        return "time"
    return "optimal" if len(run.record.optimal()) == len(run.record.problem.objective) else ""


def _line(run: _Run) -> str:
    record = run.record
    best = ", ".join(f"{m} {record.metrics[m]:g}" for m in record.problem.objective if m in record.metrics)
    return f"best: {best or 'none yet'}; {record.units} units finished; {run.line}"


def _in_turns(record: Record, chosen: Sequence[engine.Engine]) -> Iterator[tuple[str, int]]:
    """Give a unit of each engine in turn, so that no engine waits for another's last unit."""
    streams = [unfinished(record, each.name, each.units) for each in chosen]
    for turn in itertools.zip_longest(*streams):
        yield from ((each.name, unit) for each, unit in zip(chosen, turn, strict=True) if unit is not None)


def _engines(problem: Problem, only: Sequence[str], *, has_best: bool) -> list[engine.Engine]:
    """Return the engines that serve a problem: for large boxes those whose units end soon first."""
    serving = engine.engines(problem)
    if problem.box.inputs >= LARGE:
        serving.sort(key=lambda each: each.name == SLOW)
    for name in only:
        if name not in {each.name for each in serving}:
            known = nearest(name, (each.name for each in serving))
            raise UsageError("C322", f"no engine `{name}` serves this problem", help=known)
    chosen = [each for each in serving if not only or each.name in only]
    if not chosen and not has_best:
        box = problem.box
        raise UsageError(
            "C321",
            f"no engine searches circuits of {box.inputs} input bits for {problem.target.name}"
            f" with few {problem.objective[0]}",
            help="choose another target or objective; `assay circuit list engines` lists what there is",
        )
    return chosen


def _document(record: Record) -> Document | None:
    if not record.best:
        return None
    problem = record.problem
    return compose(
        one(record.best),
        problem.box,
        problem.target,
        problem.objective,
        proof=record.proof(),
        effort=record.effort(),
        origin="own search",
    )
