"""What the papers print for a kernel on a machine."""

from __future__ import annotations

from cipherassay import published
from cipherassay.published import PublishedRow

PAPER, NTT = "worley2000", "aoki1999"
TABLE = "appendix-a"
"""The summary of best performance, which has every metric; the other tables are asked after it."""
MACHINES = {
    "mckinley-paper": (PAPER, "ia64"),
    "mckinley": (PAPER, "ia64"),
    "ia64pp": (PAPER, "ia64pp"),
    "pa8500": (PAPER, "pa8500"),
    "four-banger": (PAPER, "ia64-four-bundles"),
    "alpha-21164a": (NTT, "alpha-21164a"),
}
"""The paper and its machine that a model stands beside. The documented `mckinley` differs from the paper's
snapshot by one shifter; both are compared with the paper's IA-64."""
SETUPS = ("key_setup_encrypt", "key_setup_both")


def printed(
    cipher: str, operation: str, processor: str, metric: str = "cycles", *, variant: str = ""
) -> PublishedRow | None:
    """Return a paper's number for a kernel with a 128-bit key, None where there is none.

    A cipher whose one key setup serves both directions is compared with the paper's ``key_setup_both``. Where
    text and appendix differ, the appendix stands.
    """
    if processor not in MACHINES:
        return None
    paper, target = MACHINES[processor]
    for name in _operations(operation):
        found = [
            row
            for row in published.lookup(paper=paper, cipher=cipher, operation=name, target=target)
            if (row.metric, row.variant, row.part) == (metric, variant, "") and row.key_bits in (128, None)
        ]
        if found:
            return min(found, key=lambda row: (row.table != TABLE, row.table))
    return None


def _operations(operation: str) -> tuple[str, ...]:
    return SETUPS if operation == "key_setup_encrypt" else (operation,)
