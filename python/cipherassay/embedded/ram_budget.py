"""Code within a budget of RAM for a processor by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded import processors
from cipherassay.embedded.budget import choose

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.budget.choose import BudgetResult, ProgressCallback
    from cipherassay.embedded.budget.offer import Budgets


def offering() -> dict[str, Budgets]:
    """Return what there is for code within budgets, by the names of the processors that have such code."""
    return {name: offer for name in processors.names() if (offer := processors.budgets(name)) is not None}


def budgeted(
    cipher: Cipher,
    key_bits: int,
    budget: int,
    variant: str = "",
    tell: ProgressCallback = lambda _: None,
    processor: str = "avr",
) -> BudgetResult:
    """Return the fastest code of a cipher whose RAM stays within a budget: see `choose.fastest`.

    ``processor`` is one of those that `offering` names.
    """
    chosen = processors.load(processor)
    return choose.fastest(cipher, key_bits, budget, chosen, offering()[processor], variant, tell)
