"""Code with loops of small processors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_main_operation

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher

ORDER = 5
BOUNDS = frozenset({"E124"})
"""The code, its tables or its RAM do not fit the device: bytes needed and there."""


def levels() -> Sequence[Level]:
    """Return a level for each of them."""
    from cipherassay.embedded import processors

    def level(name: str) -> Level:
        title = f"{name}, cycles a block"
        number = of_main_operation("cycles")
        return Level(name, "small processors", title, partial(_jobs, name), number, BOUNDS)

    return [level(name) for name in processors.names()]


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    from cipherassay.embedded import rows

    return [rows.job(cipher, cipher.key_bits[0], name, False)]
