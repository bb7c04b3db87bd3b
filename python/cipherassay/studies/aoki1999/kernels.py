"""The kernels that do what the paper did by hand, where the cache is small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.lang.cipher import Cipher
from cipherassay.processors.kernel import Choice
from cipherassay.processors.report_list import request
from cipherassay.processors.requests import Request

RECIPES = {
    ("alpha-21164a", "e2", "encrypt"): Choice("straight-64-masked", avoid=("and",), window=112),
    ("alpha-21164a", "e2", "decrypt"): Choice("straight-64-masked", avoid=("and",), window=112),
}  # fmt: skip
"""By processor, cipher and operation, what Aoki and Ueda (1999, 3.2.5) did by hand: a table of 2 KiB and
eight masks where the cache is small. The masks are of bytes (zapnot); registers allow this look-ahead."""


def kernels(chosen: Sequence[Cipher]) -> Iterator[Request]:
    """Yield the recipes' kernels of the ciphers."""
    slugs = {cipher.slug: cipher for cipher in chosen}
    for (processor, cipher, operation), choice in RECIPES.items():
        if cipher in slugs:
            yield request(slugs[cipher], operation, processor, choice=choice)
