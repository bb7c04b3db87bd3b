"""The cells of the table, each a job that hands on those of its level: a failure is its cell's alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Cell, Level
from cipherassay.errors import AssayError
from cipherassay.jobs import Job, Outcome, Place, RowCache, Rows, run
from cipherassay.results import Store
from cipherassay.results.refusal import reason_in

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Progress
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

UNEXPECTED = "R040"
"""A producer failed with an error that is not one of its own."""
NOT_BEGUN = "R041"
"""There was no time left."""
NOTHING = "R042"
"""A producer gave nothing and no reason."""


def cells(
    ciphers: Sequence[Cipher],
    chosen: Sequence[Level],
    *,
    quick: bool,
    place: Executor,
    progress: Progress,
    seconds: float = float("inf"),
    made: Callable[[Cell], None] = lambda cell: None,
) -> list[Cell]:
    """Return a cell for each primitive and level, primitive by primitive.

    Parameters
    ----------
    quick : bool
        One choice for each kernel, one recipe for each design, nothing searched for.
    seconds : float
        After this time no further cell is begun; those without a result then say so.
    made : callable
        Hears of each cell as soon as it is made, in any thread.
    """
    jobs = [_job(cipher, level, quick, place, made) for level in chosen for cipher in ciphers]
    outcome = run(jobs, place=place, progress=progress, seconds=seconds)
    return [_cell(cipher, level, outcome) for cipher in ciphers for level in chosen]


def _job(
    cipher: Cipher, level: Level, quick: bool, place: Executor, made: Callable[[Cell], None]
) -> Job[Rows]:
    def work() -> Rows:
        try:
            found = _rows(cipher, level, quick, place)
        except AssayError as error:
            made(_failed(cipher, level, error))
            raise
        made(_found(cipher, level, found.rows))
        return found

    return Job(
        _name(cipher, level), f"{cipher.name}: {level.title}", work, place=Place.COORDINATOR, optional=True
    )


def _name(cipher: Cipher, level: Level) -> str:
    return f"{cipher.slug}/{level.name}"


def _rows(cipher: Cipher, level: Level, quick: bool, place: Executor) -> Rows:
    """Return all rows of a level's jobs; what is kept of them is not made again.

    Raises
    ------
    AssayError
        The first error of one of them; ``R040``: an error of another kind.
    """
    try:
        made = run(level.jobs(cipher, quick, place), RowCache(Store()), place=place)
    except (AssayError, CancelledError):
        raise
    except Exception as error:
        raise AssayError(
            UNEXPECTED,
            f"its producer failed: {type(error).__name__}: {error}",
            help="this is a defect: please report it",
        ) from error
    for failed in made.failed.values():
        raise failed
    return Rows([row for result in made.results.values() for row in result.rows])


def _cell(cipher: Cipher, level: Level, outcome: Outcome[Rows]) -> Cell:
    name = _name(cipher, level)
    if error := outcome.failed.get(name):
        return _failed(cipher, level, error)
    if name not in outcome.results:
        return Cell(cipher, level, code=NOT_BEGUN, reason="not begun in the time given")
    return _found(cipher, level, outcome.results[name].rows)


def _failed(cipher: Cipher, level: Level, error: AssayError) -> Cell:
    return Cell(cipher, level, code=error.code, reason="; ".join([error.message, *error.notes[:2]]))


def _found(cipher: Cipher, level: Level, rows: Sequence[Row]) -> Cell:
    row = level.number(cipher, rows)
    if row is not None:
        return Cell(cipher, level, row, rows=rows)
    code, reason = reason_in(rows) or (NOTHING, "nothing was made, and nothing says why")
    return Cell(cipher, level, code=code, reason=reason, rows=rows)
