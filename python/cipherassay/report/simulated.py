"""Distributions of simulated cycles, for the report: the samples behind their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store


def simulated_samples(store: Store, ciphers: Sequence[Cipher]) -> dict[tuple[str, str, str], list[float]]:
    """Return the kept cycles of some ciphers by cipher, variant and operation."""
    names = {cipher.name for cipher in ciphers}
    lines = store.query(
        "select cipher, coalesce(variant, ''), operation, list(cycles order by input) from samples "
        "where level = 'processor' and configuration = 'distribution' group by all order by 1, 2, 3"
    )[1]
    return {(name, *rest): cycles for name, *rest, cycles in lines if name in names}
