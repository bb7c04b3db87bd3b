"""`assay schedule` for x86-32: an operation's cycles in the models of the Pentiums."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from cipherassay.cli.schedule.checked import show_checked
from cipherassay.console.output import write_json

if TYPE_CHECKING:
    from cipherassay._engine import MicroOpsRun
    from cipherassay.ciphers import Cipher
    from cipherassay.x86.kernel import Kernel

SEARCH = 20000
"""Moves of `--select search`."""


def schedule_x86(
    cipher: Cipher,
    operation: str,
    processor: str,
    key_bits: int,
    variant: str,
    strategy: str,
    *,
    loop: bool,
    key: bytes,
    search: bool,
    json: bool,
) -> None:
    """Make a kernel for x86-32, have it checked and simulated, and show what came out.

    With ``loop`` of the strategies that keep rounds as loops, with a key for this key alone.
    """
    from cipherassay.x86 import model
    from cipherassay.x86.checking import checked
    from cipherassay.x86.fitting import Effort
    from cipherassay.x86.kernel import best, looping

    one = partial(
        best, cipher, operation, model.load(processor), key_bits=8 * len(key) or key_bits, variant=variant,
        key=key.hex(),
    )  # fmt: skip
    effort = Effort(moves=SEARCH) if search else None
    kernel = one(strategy=strategy, among=looping(cipher) if loop else (), effort=effort)
    runs, checked_by = checked(kernel)
    known = document(kernel, runs, checked_by)
    if json:
        write_json(known)
    else:
        _show(known)


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
