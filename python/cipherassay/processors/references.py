"""What the papers print for a kernel on a machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from cipherassay import published
from cipherassay.processors import document, load
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


def fitted(cipher: str, operation: str, processor: str) -> list[str]:
    """Return the parameters of a processor that were chosen to meet the paper's cycles of a kernel.

    What meets such a figure does not validate the model. The parameters are those whose entry in the
    processor's file has ``fitted`` with the paper, the cipher and the operation.
    """
    if processor not in MACHINES:
        return []
    figure = dict(zip(("paper", "target"), MACHINES[processor], strict=True))
    figure |= {"ciphers": cipher, "operations": operation}
    return [one["name"] for one in _fits(processor) if any(_covers(fit, figure) for fit in one["fitted"])]


@cache
def _fits(processor: str) -> list[dict[str, Any]]:
    return [one for one in document(load(processor))["parameters"] if one["fitted"]]


def _covers(fit: Mapping[str, Any], figure: Mapping[str, str]) -> bool:
    """Whether a fit names a figure; a field that it leaves out or empty stands for all."""
    same = fit["paper"] == figure["paper"] and fit["target"] in (None, figure["target"])
    return same and all(figure[name] in (fit[name] or [figure[name]]) for name in ("ciphers", "operations"))


def _operations(operation: str) -> tuple[str, ...]:
    return SETUPS if operation == "key_setup_encrypt" else (operation,)
