"""What the papers print for a kernel on a machine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from cipherassay import published
from cipherassay.processors import document, load
from cipherassay.published import PublishedRow

KEY_BITS = 128
"""The key size of the papers' kernels, also where their tables do not say it."""
SETUPS = ("key_setup_encrypt", "key_setup_both")


def printed(
    cipher: str, operation: str, processor: str, metric: str = "cycles", *, key_bits: int, variant: str = ""
) -> PublishedRow | None:
    """Return a paper's number for a kernel, None where there is none: those of the papers are for `KEY_BITS`.

    A cipher whose one key setup serves both directions is compared with the paper's ``key_setup_both``. Where
    tables differ, the paper's summary stands.
    """
    if key_bits != KEY_BITS or processor not in (models := published.modelled()):
        return None
    paper, target = models[processor]
    for name in _operations(operation):
        found = [
            row
            for row in published.lookup(paper=paper.id, cipher=cipher, operation=name, target=target)
            if (row.metric, row.variant, row.part) == (metric, variant, "")
            and row.key_bits in (KEY_BITS, None)
        ]
        if found:
            return min(found, key=lambda row: (not paper.table(row.table).summary, row.table))
    return None


def fitted(cipher: str, operation: str, processor: str) -> list[str]:
    """Return the parameters of a processor that were chosen to meet the paper's cycles of a kernel.

    What meets such a figure does not validate the model. The parameters are those whose entry in the
    processor's file has ``fitted`` with the paper, the cipher and the operation.
    """
    if processor not in (models := published.modelled()):
        return []
    paper, target = models[processor]
    figure = {"paper": paper.id, "target": target, "ciphers": cipher, "operations": operation}
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
