"""The Pentium Pro and the Pentium II: kernels for x86-32, judged and simulated as micro-operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.cli._common import progress

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row, Store

SECONDS = 300.0
"""After this time a report makes no other kernel; the next one goes on."""


def rows(ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False) -> tuple[list[Row], list[str]]:
    """Return the kernels' rows, made and judged where the store does not have them, and how many lack."""
    from cipherassay.x86.wanted import pentium_rows, wanted

    asked = wanted(ciphers)
    with progress("Pentiums", len(asked), quiet=quiet) as bar:
        found, left = pentium_rows(asked, store, seconds=SECONDS, advance=bar.advance)
    lack = [f"the Pentiums: {left} kernels were not made in time (run the report again)"]
    return found, lack if left else []
