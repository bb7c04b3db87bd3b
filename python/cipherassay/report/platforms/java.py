"""Java on this machine: what ``assay measure --target java-jit`` and ``java-interpreted`` kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row, Store


def rows(ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False) -> tuple[list[Row], list[str]]:
    """Return the kept rows of our classes; a report measures none, as each takes minutes."""
    from cipherassay.java.measuring import TARGETS
    from cipherassay.native.environment import machine_name

    machine, names = machine_name(), {cipher.name for cipher in ciphers}
    begin = tuple(f"{target}, " for target in TARGETS)
    kept = [
        row
        for row in store.rows()
        if row.cipher in names and row.target == machine and (row.configuration or "").startswith(begin)
    ]
    return kept, []
