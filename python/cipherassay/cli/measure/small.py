"""`assay measure --target avr` and others: code for a small processor, in a simulator that counts cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.console.output import show_table, write_json
from cipherassay.console.progress import progress
from cipherassay.console.small import budgeted, refuse_budget

if TYPE_CHECKING:
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row


def measure_small(jobs: list[Selection], processor: str, *, unrolled: bool, tables: str, json: bool) -> None:
    """Measure the jobs' ciphers on a small processor, in a simulator, and show the rows."""
    from cipherassay.embedded import target as small

    rows: list[Row] = []
    with progress("measure", sum(len(job.key_bits) for job in jobs), quiet=json) as bar:
        for job in jobs:
            for bits in job.key_bits:
                bar.advance(0, f"{job.cipher.name} {bits}")
                made = small.make(
                    job.cipher, bits, job.variant, unrolled=unrolled, processor=processor, tables=tables
                )
                rows += small.measure(made)
                bar.advance(1)
    show_small(rows, json=json)


def measure_budgeted(jobs: list[Selection], target: str, ram: int, *, json: bool) -> None:
    """Measure the jobs' ciphers within a budget of RAM and show the rows."""
    from cipherassay.embedded.budget.measure import measure

    refuse_budget(target)
    rows: list[Row] = []
    for job in jobs:
        for bits in job.key_bits:
            rows += measure(budgeted(job.cipher, target, bits, job.variant, ram, quiet=json))
    show_small(rows, json=json)


def count_calls(jobs: list[Selection], target: str, *, json: bool) -> None:
    """Show how often the key schedule has to be run for an encryption, by bytes of RAM."""
    from cipherassay.embedded.budget.counting import rows

    refuse_budget(target)
    show_counts([row for job in jobs for bits in job.key_bits for row in rows(job.cipher, bits)], json=json)


def show_small(rows: list[Row], *, json: bool) -> None:
    """Show rows of small processors, or write them."""
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
        return
    show_table(
        ["cipher", "key bits", "operation", "metric", "value", "configuration"],
        [
            [row.cipher, row.key_bits, row.operation, row.metric, round(row.value, 1), row.configuration]
            for row in rows
        ],
        title=f"{rows[0].target}: {rows[0].tools}",
    )


def show_counts(rows: list[Row], *, json: bool) -> None:
    """Show bytes of RAM beside runs of the key schedule, or write the rows."""
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})
        return
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
