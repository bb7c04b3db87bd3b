"""What the papers print for a kernel on a machine."""

from __future__ import annotations

from cipherassay import published
from cipherassay.published import PublishedRow

PAPER = "worley2000"
TABLE = "appendix-a"
"""The summary of best performance, which has every metric; the other tables are asked after it."""
MACHINES = {
    "mckinley-paper": "ia64",
    "mckinley": "ia64",
    "ia64pp": "ia64pp",
    "pa8500": "pa8500",
    "four-banger": "ia64-four-bundles",
}
"""The paper's machine that a model stands beside. The documented `mckinley` differs from the paper's
snapshot by one shifter; both are compared with the paper's IA-64."""
SETUPS = ("key_setup_encrypt", "key_setup_both")


def printed(
    cipher: str, operation: str, processor: str, metric: str = "cycles", *, variant: str = ""
) -> PublishedRow | None:
    """Return the HP paper's number for a kernel with a 128-bit key, None where there is none.

    A cipher whose one key setup serves both directions is compared with the paper's ``key_setup_both``. Where
    text and appendix differ, the appendix stands.
    """
    target = MACHINES.get(processor)
    if target is None:
        return None
    for name in _operations(operation):
        found = [
            row
            for row in published.lookup(paper=PAPER, cipher=cipher, operation=name, target=target)
            if row.metric == metric and row.variant == variant and row.key_bits == 128 and not row.part
        ]
        if found:
            return min(found, key=lambda row: (row.table != TABLE, row.table))
    return None


def _operations(operation: str) -> tuple[str, ...]:
    return SETUPS if operation == "key_setup_encrypt" else (operation,)
