"""An operation of a cipher on a modelled processor: made, checked in the simulator, counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.api.tables import Rows
from cipherassay.errors import DescriptionError, UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.jobs import Job
    from cipherassay.jobs import Rows as MadeRows
    from cipherassay.lang.cipher import Cipher
    from cipherassay.processors.requests import Request
    from cipherassay.results import Row


class RefusedError(DescriptionError):
    """Code that could not be made, or failed its check; code and reason are those of what refused it."""


class Schedule:
    """What machine code of one operation costs.

    Attributes
    ----------
    rows : Rows
        Every number: cycles, operations, registers, bytes and so on.
    """

    def __init__(self, rows: list[Row]) -> None:
        self.rows = Rows.of(rows)
        # Rows of small processors also say what the operation takes without the call.
        self._cycles = max((row for row in rows if row.metric == "cycles"), key=lambda row: row.value)

    @property
    def cycles(self) -> float:
        """Cycles of one call, as the simulator counts them."""
        return self._cycles.value

    @property
    def bound(self) -> float | None:
        """The cycles below which no schedule of these instructions exists, where a bound is known."""
        return self._cycles.bound

    @property
    def published(self) -> float | None:
        """The cycles that a paper prints for the same, where one does; `source` says which."""
        return self._cycles.reference

    @property
    def source(self) -> str | None:
        """Where `published` is printed."""
        return self._cycles.reference_source

    @property
    def command(self) -> str:
        """The command that makes the same."""
        return self._cycles.command or ""

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()

    def __repr__(self) -> str:
        bound = f", bound {self.bound:g}" if self.bound is not None else ""
        paper = f", published {self.published:g}" if self.published is not None else ""
        return f"<Schedule: {self._cycles.describe()} {self.cycles:g}{bound}{paper}>"


def list_processors() -> list[str]:
    """Return the names of all modelled processors, those that `Cipher.schedule` takes."""
    from cipherassay import families

    return families.names()


def schedule(
    cipher: Cipher, processor: str, operation: str, *, key_bits: int, variant: str, loop: bool,
    store: str | Path | None,
) -> Schedule:  # fmt: skip
    """Return an operation's code on a processor; see `cipherassay.api.Cipher.schedule`."""
    from cipherassay.console.progress import job_progress
    from cipherassay.jobs import Place, RowCache, run
    from cipherassay.results import Store
    from cipherassay.results.refusal import reason_in

    found = _job(cipher, processor, operation, key_bits, variant, loop=loop)
    # In a thread: a script that is no module may not start processes of its own.
    job = replace(found, place=Place.THREAD, optional=False)
    with job_progress("schedule") as bar:
        made = run([job], RowCache(Store(store)), progress=bar).results[job.name].rows
    refused = reason_in(made)
    if refused is not None:
        raise RefusedError(*refused)
    if not made:  # of what no strategy is for there are no rows; making it says so
        _request(cipher, processor, operation, cipher.key_size(key_bits), variant, loop=loop).kernel()
    rows = [row for row in made if row.operation == operation]
    if not any(row.metric == "cycles" for row in rows):
        known = sorted({row.operation for row in made if row.operation})
        raise UsageError(
            "U050", f"{cipher.name} has no `{operation}` on `{processor}`", help=nearest(operation, known)
        )
    return Schedule(rows)


def _job(
    cipher: Cipher, processor: str, operation: str, key_bits: int, variant: str, *, loop: bool
) -> Job[MadeRows]:
    """Return the job that makes the rows, of the family that the processor belongs to."""
    from cipherassay import families

    families.family_of(processor)
    size = cipher.key_size(key_bits)
    for of_family in (_small, _x86):
        job: Job[MadeRows] | None = of_family(cipher, processor, operation, size, variant, loop)
        if job is not None:
            return job
    from cipherassay.processors.rows import job as kernel_job

    return kernel_job(_request(cipher, processor, operation, size, variant, loop=loop))


def _request(
    cipher: Cipher, processor: str, operation: str, size: int, variant: str, *, loop: bool
) -> Request:
    from cipherassay.processors import load
    from cipherassay.processors.kernel import FORMS
    from cipherassay.processors.requests import Request

    return Request(cipher, operation, load(processor), FORMS[loop], variant, size)


def _small(cipher: Cipher, processor: str, operation: str, size: int, variant: str, loop: bool) -> Any:
    from cipherassay.embedded import processors

    if processor not in processors.names():
        return None
    from cipherassay.embedded.rows import job

    _refuse_variant(variant, processor)
    return job(cipher, size, processor, not loop)


def _x86(cipher: Cipher, processor: str, operation: str, size: int, variant: str, loop: bool) -> Any:
    from cipherassay.x86 import model

    if processor not in model.names():
        return None
    from cipherassay.x86 import report_list

    _refuse_variant(variant, processor)
    return report_list.Request(cipher, operation, size, processor).job()


def _refuse_variant(variant: str, processor: str) -> None:
    if variant:
        raise UsageError(
            "U051", f"variants are not scheduled here for `{processor}`",
            help=f"assay measure … --processor {processor} --variant {variant}",
        )  # fmt: skip
