"""Straight-line code of the Pentiums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.coverage.level import Level, of_targets

if TYPE_CHECKING:
    from cipherassay.jobs import Executor, Job, Rows
    from cipherassay.lang.cipher import Cipher

ORDER = 4


def levels() -> Sequence[Level]:
    """Return a level for each of them."""
    from cipherassay.x86 import model

    return of_targets(model.names(), "processors", _jobs)


def _jobs(name: str, cipher: Cipher, quick: bool, place: Executor) -> Sequence[Job[Rows]]:
    from cipherassay.x86.report_list import Request

    return [Request(cipher, cipher.directions[0], cipher.key_bits[0], name, quick=quick).job()]
