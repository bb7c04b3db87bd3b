"""Java on this machine: what ``assay measure -p java-jit`` and ``java-interpreted`` left in the store.

A report measures none, as each takes minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.jobs import Job, Rows
from cipherassay.results import Store

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher


def jobs(ciphers: Sequence[Cipher]) -> list[Job[Rows]]:
    """Return the job that reads the rows of our classes."""
    return [Job("java", "Java measured before", partial(_rows, {cipher.name for cipher in ciphers}))]


def _rows(names: set[str]) -> Rows:
    from cipherassay.java.measuring import TARGETS
    from cipherassay.native.environment import machine_name

    store, machine, begin = Store(), machine_name(), tuple(f"{target}, " for target in TARGETS)
    return Rows([
        row
        for target in TARGETS
        for row in store.rows(f"native/{target}/")
        if row.cipher in names and row.target == machine and (row.configuration or "").startswith(begin)
    ])  # fmt: skip
