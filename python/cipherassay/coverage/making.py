"""The cells of the table: all jobs in one run, kept in the store, each failure a reason of its cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.coverage.level import REFUSED, Cell, Level
from cipherassay.errors import AssayError
from cipherassay.jobs import Job, Outcome, RowCache, Rows, run
from cipherassay.results import Store

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Progress
    from cipherassay.lang.cipher import Cipher

UNEXPECTED = "R040"
"""A producer failed with an error that is not one of its own."""
NOT_BEGUN = "R041"
"""There was no time left."""
NOTHING = "R042"
"""A producer gave nothing and no reason."""

Made = Mapping[tuple[str, str], Sequence[Job[Rows]]]


def cells(
    ciphers: Sequence[Cipher],
    chosen: Sequence[Level],
    *,
    quick: bool,
    place: Executor,
    progress: Progress,
    seconds: float = float("inf"),
) -> list[Cell]:
    """Return a cell for each primitive and level, primitive by primitive.

    Parameters
    ----------
    quick : bool
        One choice for each kernel, one recipe for each design, nothing searched for.
    seconds : float
        After this time nothing more is begun; cells without a result then say so.
    """
    refused: dict[tuple[str, str], AssayError] = {}
    made: dict[tuple[str, str], Sequence[Job[Rows]]] = {}
    for level in chosen:  # level by level: what is soon made is there first
        for cipher in ciphers:
            key = (cipher.slug, level.name)
            try:
                made[key] = [_guarded(job) for job in _expected(partial(level.jobs, cipher, quick, place))]
            except AssayError as error:
                refused[key] = error
    jobs = {job.name: job for some in made.values() for job in some}
    outcome = run(list(jobs.values()), RowCache(Store()), place=place, progress=progress, seconds=seconds)
    return [_cell(cipher, level, made, refused, outcome) for cipher in ciphers for level in chosen]


def _cell(
    cipher: Cipher, level: Level, made: Made, refused: Mapping[tuple[str, str], AssayError],
    outcome: Outcome[Rows],
) -> Cell:  # fmt: skip
    key = (cipher.slug, level.name)
    if key in refused:
        return _of_error(cipher, level, refused[key])
    jobs = made[key]
    rows = [row for job in jobs if job.name in outcome.results for row in outcome.results[job.name].rows]
    row = level.number(cipher, rows)
    if row is not None:
        return Cell(cipher, level, row)
    for job in jobs:
        if job.name in outcome.failed:
            return _of_error(cipher, level, outcome.failed[job.name])
    why = next((one.certificate for one in rows if one.metric == REFUSED), None)
    if why:
        code, _, reason = why.partition(": ")
        return Cell(cipher, level, code=code, reason=reason)
    if any(job.name not in outcome.results for job in jobs):
        return Cell(cipher, level, code=NOT_BEGUN, reason="not begun in the time given")
    return Cell(cipher, level, code=NOTHING, reason="nothing was made, and nothing says why")


def _of_error(cipher: Cipher, level: Level, error: AssayError) -> Cell:
    return Cell(cipher, level, code=error.code, reason="; ".join([error.message, *error.notes[:2]]))


def _guarded(job: Job[Rows]) -> Job[Rows]:
    """Return a job whose failure, of whatever kind, ends no other."""
    inputs = partial(_expected, job.inputs) if job.inputs is not None else None
    return replace(job, work=partial(_expected, job.work), inputs=inputs, optional=True)


def _expected(work: Callable[[], Any]) -> Any:
    """Return what work gives; an unexpected error becomes one of ours.

    Raises
    ------
    AssayError
        ``R040``: an error of another kind.
    """
    try:
        return work()
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(
            UNEXPECTED,
            f"its producer failed: {type(error).__name__}: {error}",
            help="this is a defect: please report it",
        ) from error
