"""A level that a primitive can be made at, and a cell of the table: its number or a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol, cast

from cipherassay import scanning
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row

NUMBER, BOUND, MISSING = "number", "bound", "missing"
"""What a cell has: a number; a reason with a computed bound; neither."""


@dataclass(frozen=True)
class Level:
    """A level.

    Parameters
    ----------
    name : str
        As commands take it: ``avr``, ``iterative-vhdl``.
    group : str
        Levels of one group stand in one table.
    title : str
        What it is, in a few words, with the unit.
    jobs : callable
        Returns the jobs of a primitive: quick ones, or those of a report. Their executor is for jobs that
        hand work on.
    number : callable
        Returns the row of a primitive's rows whose value the table shows, None where none is.
    bounds : frozenset of str
        Codes of errors that state what is needed and what is there.
    """

    name: str
    group: str
    title: str
    jobs: Callable[[Cipher, bool, Executor], Sequence[Job[Rows]]]
    number: Callable[[Cipher, Sequence[Row]], Row | None]
    bounds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Cell:
    """What a level has of a primitive.

    Parameters
    ----------
    code, reason : str
        Of the error where there is no number.
    """

    cipher: Cipher
    level: Level
    row: Row | None = None
    code: str = ""
    reason: str = ""
    rows: Sequence[Row] = ()
    """All rows of the level's jobs: also of code, memory, the other directions."""

    @property
    def status(self) -> str:
        """`NUMBER`, `BOUND` or `MISSING`."""
        if self.row is not None:
            return NUMBER
        return BOUND if self.code in self.level.bounds else MISSING


class LevelsModule(Protocol):
    """A module of `cipherassay.coverage.producers`."""

    def levels(self) -> Sequence[Level]:
        """Return the levels that it brings, in the order of the table."""


@cache
def levels() -> tuple[Level, ...]:
    """Return every level: measured code, processors, hardware, circuits."""
    modules = cast(list[LevelsModule], scanning.modules("coverage.producers", "coverage_levels"))
    return tuple(level for module in sorted(modules, key=_order) for level in module.levels())


def find_levels(names: Sequence[str]) -> list[Level]:
    """Return the levels of these names, all without any, in the order of the table.

    Raises
    ------
    UsageError
        ``U041``: there is no such level.
    """
    known = {one.name: one for one in levels()}
    for name in names:
        if name not in known:
            raise UsageError("U041", f"there is no level `{name}`", help=nearest(name, list(known)))
    return [one for one in known.values() if not names or one.name in names]


def _order(module: LevelsModule) -> int:
    return int(getattr(module, "ORDER", 0))


def of_targets(
    names: Sequence[str],
    group: str,
    jobs: Callable[[str, Cipher, bool, Executor], Sequence[Job[Rows]]],
    bounds: frozenset[str] = frozenset(),
) -> list[Level]:
    """Return a level for each target of a kind: cycles a block, of jobs that are given its name first."""
    number = of_main_operation("cycles")
    return [
        Level(name, group, f"{name}, cycles a block", partial(jobs, name), number, bounds) for name in names
    ]


def of_main_operation(metric: str) -> Callable[[Cipher, Sequence[Row]], Row | None]:
    """Return what finds a metric of the first direction: of an encryption, or a permutation."""

    def number(cipher: Cipher, rows: Sequence[Row]) -> Row | None:
        found = (r for r in rows if r.metric == metric and r.operation == cipher.directions[0])
        return next(found, None)

    return number
