"""The Pentium Pro and the Pentium II: kernels for x86-32, checked and simulated as micro-operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.jobs import Job, Rows
    from cipherassay.lang.cipher import Cipher


def jobs(ciphers: Sequence[Cipher]) -> list[Job[Rows]]:
    """Return the jobs that make and check the kernels."""
    from cipherassay.x86.report_list import requests

    return [request.job() for request in requests(ciphers)]
