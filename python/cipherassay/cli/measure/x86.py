"""`assay measure` on the Pentiums: an operation's cycles in their models, of code that was executed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.cli.measure import table
from cipherassay.cli.measure.asked import SEARCH, Asked, Measured, run_jobs, shows
from cipherassay.cli.measure.checked import show_checked
from cipherassay.cli.measure.slots import COUNTED
from cipherassay.console.kernel import one_key, refuse_options

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun
    from cipherassay.results import Row
    from cipherassay.x86.kernel import Kernel
    from cipherassay.x86.report_list import Request

OPERATIONS = ("encrypt", "decrypt", "key_setup_encrypt")
MOVES = 20000
"""Moves of `--select search`."""


def measure(name: str, asked: Asked) -> Measured:
    """Make code for x86-32, have it checked and simulated; with loops of the strategies that keep them."""
    refuse_options(name, asked.timing.given(), COUNTED)
    asked.refuse_small(name)
    refuse_options(name, {**asked.of_slots, "path": asked.path})
    wanted = _requests(name, asked)
    if len(wanted) == 1 or asked.select == SEARCH:
        found = [_one(request, asked) for request in wanted]
        kernels = [document for _, document in found]
        rows = [row for some, _ in found for row in some]
        return Measured(rows, shows(_show, kernels), kernels)
    rows = _rows(wanted, asked)
    return Measured(rows, lambda: table.show(rows))


def _requests(name: str, asked: Asked) -> list[Request]:
    from cipherassay.native.selection import select
    from cipherassay.x86.report_list import Request

    found = []
    for one in select(asked.ciphers, asked.key_bits, "", asked.variant):
        for operation in asked.operations or (OPERATIONS if one.cipher.keyed else one.cipher.directions):
            key = one_key(asked.key, operation)
            for bits in [8 * len(key)] if key else asked.sizes(one):
                made = Request(
                    one.cipher, operation, bits, name, key.hex(), variant=asked.variant,
                    strategy=asked.strategy, loops=bool(asked.loop),
                )  # fmt: skip
                found.append(made)
    return found


def _rows(wanted: Sequence[Request], asked: Asked) -> list[Row]:
    found = run_jobs([one.job() for one in wanted], asked).results
    return [row for made in found.values() for row in made.rows]


def _one(request: Request, asked: Asked) -> tuple[list[Row], dict[str, Any]]:
    """Make one kernel; return its rows, which are kept, and all that is known of it."""
    from dataclasses import replace

    from cipherassay.jobs import Place
    from cipherassay.x86.checking import checked
    from cipherassay.x86.fitting import Effort

    kernel = request.kernel(Effort(moves=MOVES) if asked.select == SEARCH else None)
    job = replace(request.job(), work=lambda: request.rows_of(kernel), place=Place.THREAD)
    rows = run_jobs([job], asked, "check").results[job.name].rows
    return list(rows), document(kernel, *checked(kernel))


def document(kernel: Kernel, runs: list[MicroOpsRun], checked_by: str) -> dict[str, Any]:
    """Return everything that is known of a kernel as a document; cycles are the average of the runs."""
    from cipherassay.x86.rows import published

    cycles = sum(run["cycles"] for run in runs) / len(runs)
    paper = published(kernel)
    bits = 0 if kernel.operation.startswith("key_setup") else kernel.cipher.output_bits
    return {
        "cipher": kernel.cipher.name,
        "operation": kernel.operation,
        "key_bits": kernel.key_bits or None,
        "variant": kernel.variant,
        "processor": kernel.model.name,
        "cycles": round(cycles, 1),
        "cycles_without_misses": kernel.fitted.cycles,
        "misses": round(sum(run["misses"] for run in runs) / len(runs), 1),
        "text_misses": round(sum(run["text_misses"] for run in runs) / len(runs), 1),
        "mbit_per_second": round(bits * kernel.model.mhz / cycles, 1) if bits else None,
        "operations": kernel.fitted.operations,
        "ipc": round(kernel.fitted.operations / cycles, 4),
        "instructions": len(kernel.code),
        "code_bytes": kernel.code_bytes,
        "table_bytes": kernel.table_bytes,
        "spilled_bytes": kernel.fitted.spilled,
        "loops": len(kernel.labels),
        "strategy": kernel.strategy,
        "key": kernel.key,
        "circuits": kernel.circuits,
        "checked_by": checked_by,
        "published": paper and {
            "cycles": paper.value, "ratio": round(cycles / paper.value, 3),
            "source": f"{paper.paper}, {paper.where}",
        },
    }  # fmt: skip


def _show(known: dict[str, Any]) -> None:
    names = {
        "cycles": "cycles, average over random inputs",
        "cycles_without_misses": "cycles if every access hits the caches",
        "misses": "misses of the data cache", "text_misses": "misses of the instruction cache",
        "mbit_per_second": "Mbit/s",
        "operations": "micro-operations", "ipc": "micro-operations a cycle",
        "instructions": "instructions", "code_bytes": "bytes of code", "table_bytes": "bytes of tables",
        "spilled_bytes": "bytes of spilled values", "loops": "loops", "strategy": "strategy",
    }  # fmt: skip
    show_checked(known, names)
