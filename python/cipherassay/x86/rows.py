"""Kernels of x86-32 as rows of results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cipherassay import published as papers
from cipherassay.ciphers import argument
from cipherassay.published import PublishedRow
from cipherassay.x86.checking import INPUTS, checked

if TYPE_CHECKING:
    from cipherassay.results import Row
    from cipherassay.x86.kernel import Kernel

_KEYS = ("key_setup_encrypt", "key_setup_both")


def published(kernel: Kernel) -> PublishedRow | None:
    """Return the papers' cycles for a kernel on its processor, None where there are none."""
    operations = _KEYS if kernel.operation == "key_setup_encrypt" else (kernel.operation,)
    for paper in papers.load():
        for operation in operations:
            for row in papers.lookup(
                paper=paper.id, cipher=kernel.cipher.name, operation=operation, target=kernel.model.name
            ):
                sizes = (kernel.key_bits,) if operation in _KEYS else (kernel.key_bits, None)
                if (
                    row.metric == "cycles"
                    and row.key_bits in sizes
                    and row.variant == kernel.variant
                    and (row.strategy or "") == ("compiled" if kernel.key else "")
                ):
                    return row
    return None


def rows(kernel: Kernel, count: int = INPUTS, configuration: str = "") -> Iterator[Row]:
    """Yield the rows of a kernel once it has been checked: cycles are an average over random inputs.

    They name its form, or what ``configuration`` says.

    Raises
    ------
    VerificationError
        X310: it is wrong.
    """
    from cipherassay.results import Row

    runs, checked_by = checked(kernel, count)
    cycles = sum(run["cycles"] for run in runs) / len(runs)
    common: dict[str, Any] = {
        "cipher": kernel.cipher.name, "variant": kernel.variant or None,
        "operation": _operation(kernel), "key_bits": kernel.key_bits or None,
        "strategy": kernel.strategy, "level": "processor", "target": kernel.model.name, "basis": "simulated",
        "platform": papers.platform(kernel.model.name),
        "architecture": "loop" if kernel.labels else "unrolled",
        "key_mode": ("one key" if kernel.key else "one size") if kernel.cipher.keyed else None,
        "configuration": configuration or _configuration(kernel), "tools": checked_by,
        "command": f"assay measure {argument(kernel.cipher)} --processor {kernel.model.name} "
        f"--operation {kernel.operation}{kernel.cipher.key_option(kernel.key_bits)}"
        + (f" --variant {kernel.variant}" if kernel.variant else "")
        + (f" --strategy {kernel.strategy}" if configuration else "")
        + (f" --key {kernel.key}" if kernel.key else ""),
    }  # fmt: skip
    paper = published(kernel)
    more: dict[str, Any] = (
        {"reference": paper.value, "reference_source": f"{paper.paper}, {paper.where}"} if paper else {}
    )
    yield Row(
        **common, metric="cycles", value=round(cycles, 1), certificate="no bound: issued out of order", **more
    )
    yield Row(**common, metric="cycles_max", value=max(run["cycles"] for run in runs))
    misses = sum(run["text_misses"] for run in runs) / len(runs)
    yield Row(**common, metric="text_misses", value=round(misses, 1))
    yield Row(**common, metric="ops", value=kernel.fitted.operations, certificate="micro-operations")
    yield Row(**common, metric="ipc", value=kernel.fitted.operations / cycles, certificate="micro-operations")
    yield Row(**common, metric="code_bytes", value=kernel.code_bytes, certificate="lengths of encodings")
    yield Row(**common, metric="table_bytes", value=kernel.table_bytes)


def _configuration(kernel: Kernel) -> str:
    """Return the form as rows name it."""
    return ("loops" if kernel.labels else "unrolled") + (", for one key" if kernel.key else "")


def _operation(kernel: Kernel) -> str:
    """Return the operation as rows name it: one key setup that serves both directions is one for both."""
    separate = any(one["name"] == "key_schedule_decrypt" for one in kernel.program.functions())
    both = kernel.operation.startswith("key_setup") and not separate
    return "key_setup_both" if both else kernel.operation
