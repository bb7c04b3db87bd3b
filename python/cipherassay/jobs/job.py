"""A job: a piece of work with a name, what its result depends on, and how it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from cipherassay.results import Row, Store
    from cipherassay.results.store import Sample

T = TypeVar("T")
Inputs = Mapping[str, Any]


class Place(Enum):
    """Where a job runs."""

    THREAD = "thread"
    """In a thread of this process: for the engine, which releases Python's lock, and for outside programs."""
    PROCESS = "process"
    """In a process beside this one: for long work in Python. `Job.work` and its result are pickled."""
    ALONE = "alone"
    """In a thread while no other job runs: for measurements of time."""
    COORDINATOR = "coordinator"
    """In a thread that takes no core: for work that consists of handing jobs to the same executor."""


@dataclass(frozen=True, eq=False)
class Job(Generic[T]):
    """A piece of work.

    Parameters
    ----------
    name : str
        Its identity in a list of jobs and in the cache, as a path of readable names:
        ``processor/pa8500/CIPHER-encrypt-128-unrolled``.
    title : str
        What it is, in a few words, for progress.
    work : callable
        Makes the result.
    inputs : callable, optional
        Returns everything that the result depends on, in values that JSON has. Without it nothing is cached.
    needs : sequence of str
        Names of the jobs that must have succeeded before.
    place : Place
        Where it runs.
    memory_mb : float
        An upper estimate of the memory that it takes, in MiB.
    optional : bool
        Whether the others go on if it fails.
    reusable : callable
        Whether a cached result may be used: one that was measured on an unsteady machine may not.
    tries : int
        How often it is tried while the machine is too unsteady to measure.
    """

    name: str
    title: str
    work: Callable[[], T]
    inputs: Callable[[], Inputs] | None = None
    needs: Sequence[str] = ()
    place: Place = Place.THREAD
    memory_mb: float = 100.0
    optional: bool = False
    reusable: Callable[[T], bool] = lambda result: True
    tries: int = 1


class Cache(Protocol[T]):
    """Where results are kept by what they depend on."""

    def find(self, name: str, inputs: Inputs) -> T | None:
        """Return the result of the job `name` if it was made from exactly these inputs, else None."""

    def put(self, name: str, inputs: Inputs, result: T) -> None:
        """Keep the result of the job `name`, whole or not at all."""


@dataclass(frozen=True)
class Rows:
    """The result of a job that makes numbers: rows, the samples behind them, and remarks on what is left out.

    The cache keeps rows and samples.
    """

    rows: Sequence[Row]
    samples: Sequence[Sample] = ()
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class RowCache:
    """The results store as a cache; samples stay in the store."""

    store: Store

    def find(self, name: str, inputs: Inputs) -> Rows | None:
        """Return the kept rows."""
        rows = self.store.find(name, inputs)
        return None if rows is None else Rows(rows)

    def put(self, name: str, inputs: Inputs, result: Rows) -> None:
        """Keep rows and samples."""
        self.store.put(name, inputs, result.rows, result.samples)


class NoCache:
    """Nothing is kept, and nothing was."""

    def find(self, name: str, inputs: Inputs) -> Rows | None:
        """Return None."""

    def put(self, name: str, inputs: Inputs, result: Rows) -> None:
        """Do nothing."""
