"""Code with loops of small processors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_targets

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher

ORDER = 5
BOUNDS = frozenset({"E113", "E118", "E124"})
"""Code, tables, RAM, or what has to lie where direct addresses reach, do not fit: bytes needed and there."""


def levels() -> Sequence[Level]:
    """Return a level for each of them."""
    from cipherassay.embedded import processors

    return of_targets(processors.names(), "small processors", _jobs, BOUNDS)


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    from cipherassay.embedded import rows

    return [rows.job(cipher, cipher.key_bits[0], name, False)]
