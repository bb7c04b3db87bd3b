"""`assay measure` on small processors: cycles by their simulators, also within a budget of RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.cli.measure import small_details as details
from cipherassay.cli.measure import table
from cipherassay.cli.measure.asked import KEPT, Asked, Measured, run_jobs, shows
from cipherassay.cli.measure.slots import COUNTED
from cipherassay.console.kernel import refuse_options
from cipherassay.console.output import show_table
from cipherassay.console.small import budgeted, refuse_budget, refuse_tables
from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row


def measure(name: str, asked: Asked) -> Measured:
    """Make the ciphers' code, run it in the processor's simulator against known answers, count its cycles."""
    from cipherassay.native.selection import select

    refuse_options(name, {"strategy": asked.strategy, **asked.timing.given()}, COUNTED)
    more = {"key": asked.key, "select": asked.select != KEPT, "path": asked.path}
    refuse_options(name, {**asked.of_slots, **more})
    jobs = select(asked.ciphers, asked.key_bits, "", asked.variant)
    if asked.ram_calls:
        return _calls(jobs, name, asked)
    if asked.ram is not None:
        refuse_tables(asked.tables, "code within a budget of RAM")
        return _budgeted(jobs, name, asked.ram, asked)
    for job in jobs:
        for operation in asked.operations:
            known_operation(job.cipher, operation, asked.variant)
    rows = _rows(jobs, name, asked)
    if len(jobs) == 1 and len(asked.operations) == 1:
        return _one(jobs[0].cipher, name, asked, rows)
    return Measured(rows, lambda: table.show(rows))


def known_operation(cipher: Cipher, operation: str, variant: str) -> None:
    """Refuse what is no operation of a cipher.

    Raises
    ------
    UsageError
        ``E143``: no such operation; ``E144``: not of this cipher.
    """
    from cipherassay.embedded.build import SEPARATE

    known = details.operations(cipher)
    if operation not in known:
        raise UsageError("E143", f"unknown operation `{operation}`", help=nearest(operation, known))
    if operation == "key_setup_both" and cipher.author_function(SEPARATE, variant) is not None:
        raise UsageError(
            "E144",
            f"{cipher.name} has no key setup that serves both directions",
            help="key_setup_encrypt or key_setup_decrypt",
        )


def _rows(jobs: list[Selection], name: str, asked: Asked) -> list[Row]:
    """Return the rows of the operations that are asked for; all are made, since they share code."""
    from cipherassay.embedded.rows import job

    alone = sum(len(asked.sizes(one)) for one in jobs) == 1
    listed = [
        job(one.cipher, bits, name, asked.loop is False, one.variant, asked.tables, refuses=alone)
        for one in jobs
        for bits in asked.sizes(one)
    ]
    outcome = run_jobs(listed, asked)
    for error in outcome.failed.values():
        raise error
    rows = [row for found in outcome.results.values() for row in found.rows]
    if not asked.operations:
        return rows
    wanted = {
        one
        for job in jobs
        for word in asked.operations
        for one in (word, details.operations(job.cipher)[word])
    }
    return [row for row in rows if row.operation in wanted or row.metric == "refused"]


def _one(cipher: Cipher, name: str, asked: Asked, rows: list[Row]) -> Measured:
    from cipherassay.embedded import processors

    sizes = dict.fromkeys(row.key_bits for row in rows)
    processor = processors.load(name)
    processor = processor.with_tables(asked.tables) if asked.tables else processor
    known = [
        details.document([row for row in rows if row.key_bits == bits], processor, cipher.block_bits)
        for bits in sizes
    ]
    return Measured(rows, shows(details.show, known), known)


def _budgeted(jobs: list[Selection], name: str, ram: int, asked: Asked) -> Measured:
    """Measure the jobs' ciphers within a budget of RAM."""
    from cipherassay.embedded.budget.measure import measure

    refuse_budget(name)
    rows: list[Row] = []
    for job in jobs:
        for bits in asked.sizes(job):
            rows += measure(budgeted(job.cipher, name, bits, job.variant, ram, quiet=asked.json))
    return Measured(rows, lambda: show_small(rows))


def _calls(jobs: list[Selection], name: str, asked: Asked) -> Measured:
    """Count how often the key schedule has to be run for an encryption, by bytes of RAM."""
    from cipherassay.embedded.budget.counting import rows

    refuse_budget(name)
    found = [row for job in jobs for bits in asked.sizes(job) for row in rows(job.cipher, bits)]
    return Measured(found, lambda: show_counts(found))


def show_small(rows: list[Row]) -> None:
    """Show rows within a budget: a line for each number."""
    show_table(
        ["cipher", "key", "operation", "metric", "value", "configuration"],
        [
            [row.cipher, row.key_bits, row.operation, row.metric, round(row.value, 1), row.configuration]
            for row in rows
        ],
        title=f"{rows[0].target}: {rows[0].tools}",
    )


def show_counts(rows: list[Row]) -> None:
    """Show bytes of RAM beside runs of the key schedule."""
    ram = {(r.cipher, r.key_bits, r.configuration): r.value for r in rows if r.metric == "ram_bytes"}
    show_table(
        ["cipher", "key bits", "bytes of RAM", "runs of the key schedule"],
        [
            [r.cipher, r.key_bits, f"{ram[r.cipher, r.key_bits, r.configuration]:.0f}", f"{r.value:.0f}"]
            for r in rows
            if r.metric == "calls"
        ],
        title="Counted with runs of the key schedule: block, key, state of the key schedule, subkeys",
    )
