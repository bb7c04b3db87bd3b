"""The rows of devices that the report shows: kept ones that still hold, and a few devices made here.

Synthesis of everything takes an hour, so a report makes only the iterative devices for 128-bit keys, at few
points; what it made is kept in the store. Kept results of the package
count only if the generator still writes the same Verilog.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.errors import VerificationError
from cipherassay.hardware.results.designs import TARGET
from cipherassay.jobs import Job, Place, Producer, Rows
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.jobs import Executor
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store

POINTS, MOST = 3, 6
"""Recipes tried for each function of a device that a report makes, and whole designs timed at most."""
STRATEGY = "on-the-fly"
PRODUCER = Producer(
    "device",
    1,
    ("cipherassay.hardware.results.synthesized", "cipherassay.hardware.rtl.build"),
    ("rtl",),
)


def kept_rows(technology: str = TARGET, store: Store | None = None) -> list[Row]:
    """Return the rows of devices that were synthesized before in a technology, where they still hold."""
    from cipherassay.results import Store

    made_here = [
        row
        for row in (store or Store()).rows()
        if (row.level, row.target, row.basis) == ("hardware", technology, "synthesized")
    ]
    return [*package_rows(technology)[0], *made_here]


def package_rows(technology: str = TARGET, ciphers: Sequence[str] = ()) -> tuple[list[Row], list[str]]:
    """Return the rows that the package keeps, and which designs are left out and why.

    Parameters
    ----------
    ciphers
        Slugs; all without any.
    """
    from cipherassay.hardware.results import rows, stored

    found: list[Row] = []
    left_out: list[str] = []
    for document in stored.kept_documents(technology):
        if ciphers and document["cipher"] not in ciphers:
            continue
        try:
            stored.verify(document)
        except VerificationError as error:
            left_out.append(f"{error.message} ({'; '.join(error.notes)}); {error.help}")
            continue
        found += [*stored.rows_of(document), *rows.function_rows(document, stored.recompute(document))]
    return found, left_out


def kept_job(ciphers: Sequence[Cipher]) -> Job[Rows]:
    """Return the job that reads what the package keeps of ciphers' devices, where it still holds."""

    def work() -> Rows:
        rows, left_out = package_rows(ciphers=[cipher.slug for cipher in ciphers])
        return Rows(rows, remarks=left_out)

    return Job("hardware/kept", "kept devices", work)


def device_jobs(
    ciphers: Sequence[Cipher], place: Executor, *, points: int = POINTS, most: int = MOST, brief: bool = False
) -> list[Job[Rows]]:
    """Return the jobs that synthesize a small sweep of each cipher's device, by an executor's other jobs.

    Parameters
    ----------
    points, most : int
        Recipes tried for each function of a device, and whole designs timed at most.
    brief : bool
        As of `synthesized.rows`.
    """
    return [_device_job(cipher, place, points, most, brief) for cipher in ciphers]


def _device_job(cipher: Cipher, place: Executor, points: int, most: int, brief: bool) -> Job[Rows]:
    from cipherassay.hardware.libraries import technology
    from cipherassay.hardware.results import design_hashes, synthesized
    from cipherassay.hardware.synthesis.jobs import Library

    def inputs() -> dict[str, object]:
        library = Library.of(technology.load(TARGET))
        return PRODUCER.inputs(
            verilog=design_hashes.design_hash(cipher, "iterative", "", "both", STRATEGY),
            points=[points, most], tools=[library.yosys, library.timer, library.digest],
        )  # fmt: skip

    def work() -> Rows:
        chosen = technology.load(TARGET)
        return Rows(synthesized.rows(
            cipher, chosen, place, strategies=(STRATEGY,), points=points, most=most, repair=False,
            brief=brief,
        ))  # fmt: skip

    sweep = "" if (points, most) == (POINTS, MOST) else f"-{points}-{most}"
    return Job(
        f"hardware/{TARGET}/{cipher.slug}{sweep}", f"device of {cipher.name}", work, inputs=inputs,
        place=Place.COORDINATOR, optional=True,
    )  # fmt: skip
