"""Distributions of simulated clocks, for the report: rows and the samples behind them, kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.cli._common import progress
from cipherassay.results import Row

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Store


def simulated_rows(
    ciphers: Sequence[Cipher], store: Store, *, full: bool = False, quiet: bool = False
) -> list[Row]:
    """Return the statistics of the clocks on the modelled PA-8500; the store keeps them."""
    from cipherassay.processors.distribution_rows import cells, distribution_rows

    wanted = cells(ciphers, full=full)
    with progress("distributions", len(wanted), quiet=quiet) as bar:
        return distribution_rows(wanted, store, advance=bar.advance)


def simulated_samples(store: Store, ciphers: Sequence[Cipher]) -> dict[tuple[str, str, str], list[float]]:
    """Return the kept clocks of some ciphers by cipher, variant and operation."""
    names = {cipher.name for cipher in ciphers}
    lines = store.query(
        "select cipher, coalesce(variant, ''), operation, list(cycles order by input) from samples "
        "where level = 'processor' and configuration = 'distribution' group by all"
    )[1]
    return {(name, *rest): cycles for name, *rest, cycles in lines if name in names}
