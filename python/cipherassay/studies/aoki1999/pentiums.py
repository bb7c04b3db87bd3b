"""The kernels for the Pentiums that do what the paper did by hand (3.2): rows apart from the best code's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cipherassay.x86 import model
from cipherassay.x86.report_list import Request

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

RECIPES = {"e2": "two-operand-tables"}
"""By cipher the strategy of the paper's code."""


def requests(ciphers: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the kernels of the recipes."""
    for cipher in ciphers:
        if cipher.slug in RECIPES:
            for operation in ("encrypt", "decrypt"):
                for processor in model.names():
                    recipe = RECIPES[cipher.slug]
                    yield Request(cipher, operation, cipher.key_bits[0], processor, recipe=recipe)
