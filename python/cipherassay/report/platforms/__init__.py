"""Platforms that bring rows of their own to the report: a module each, found by scanning.

A module has a function ``jobs(ciphers) -> list[Job[Rows]]``: the jobs that make or read its rows.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.jobs import Job, Rows
    from cipherassay.lang.cipher import Cipher


def platform_jobs(ciphers: Sequence[Cipher]) -> list[Job[Rows]]:
    """Return the jobs of every platform, in the order of the modules' names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return [job for module in modules for job in module.jobs(ciphers)]
