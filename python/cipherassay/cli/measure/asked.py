"""What `assay measure` is asked for, and what a family of processors gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.console.progress import job_progress, say
from cipherassay.console.small import refuse_budget, refuse_tables

if TYPE_CHECKING:
    from cipherassay.jobs import Job, Outcome, Rows
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row

DEFAULT_INPUTS, FULL_INPUTS = 1000, 100_000
DEFAULT_REPEATS = 30
KEPT, SEARCH = SELECTIONS = ("kept", "search")


@dataclass(frozen=True)
class Timing:
    """Options of measurements on this machine."""

    inputs: int = DEFAULT_INPUTS
    repeats: int = DEFAULT_REPEATS
    full: bool = False
    seed: int = 1
    accept_unstable: bool = False
    seconds: float | None = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, by name."""
        plain = Timing()
        other = {name: value for name, value in vars(self).items() if value != getattr(plain, name)}
        return {name.replace("_", "-"): value for name, value in other.items()}


@dataclass(frozen=True)
class Asked:
    """The command's arguments and options."""

    ciphers: Sequence[str] = ()
    operations: Sequence[str] = ()
    key_bits: Sequence[int] = ()
    strategy: str = ""
    variant: str = ""
    loop: bool | None = None
    """None: as is usual for the processor."""
    key: str = ""
    select: str = KEPT
    of_slots: Mapping[str, Any] = field(default_factory=dict)
    """Options that only processors of issue slots have, by their names; falsy where they were not given."""
    ram: int | None = None
    ram_calls: bool = False
    tables: str = ""
    timing: Timing = field(default_factory=Timing)
    fresh: bool = False
    path: Path | None = None
    json: bool = False

    def sizes(self, selected: Selection) -> Sequence[int]:
        """Return the key sizes that are asked for; the first where none is."""
        return selected.key_bits if self.key_bits else selected.key_bits[:1]

    def of_code(self) -> dict[str, Any]:
        """Return the options of machine code, which measurements on this machine do not have."""
        return {
            "operation": self.operations, "loop": self.loop, "unrolled": self.loop is False, "key": self.key,
            "select": self.select != KEPT, **self.of_slots, "path": self.path,
        }  # fmt: skip

    def refuse_small(self, processor: str) -> None:
        """Refuse the options that only small processors have.

        Raises
        ------
        UsageError
            ``E152``, ``E154``: budgets of RAM, places of tables.
        """
        if self.ram is not None or self.ram_calls:
            refuse_budget(processor)
        refuse_tables(self.tables, f"`{processor}`")


def run_jobs(jobs: Sequence[Job[Rows]], asked: Asked, doing: str = "measure") -> Outcome[Rows]:
    """Run jobs whose rows the results store keeps; without its package nothing is kept, which is said.

    ``doing`` is what the progress line begins with.
    """
    from cipherassay import tools
    from cipherassay.jobs import NoCache, RowCache, run
    from cipherassay.results import Store

    here = tools.find("pyarrow").place
    if not here:
        say("the numbers are not kept: pip install 'cipherassay[results]'")
    cache = RowCache(Store()) if here else NoCache()
    with job_progress(doing, quiet=asked.json) as bar:
        return run(jobs, cache, fresh=asked.fresh, progress=bar)


def shows(show: Callable[[dict[str, Any]], None], documents: Sequence[dict[str, Any]]) -> Callable[[], None]:
    """Return what shows several documents, one after the other."""

    def every() -> None:
        for document in documents:
            show(document)

    return every


@dataclass
class Measured:
    """Rows of a processor, all that is known of each kernel, and how people see it."""

    rows: list[Row]
    show: Callable[[], None]
    kernels: list[dict[str, Any]] = field(default_factory=list)
