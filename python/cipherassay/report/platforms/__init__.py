"""Platforms that bring rows of their own to the report: a module each, found by scanning.

A module has a function ``rows(ciphers, store, *, quiet) -> tuple[list[Row], list[str]]``: the rows that hold,
made where that takes little time, else from the store; and what lacks after that, and why.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row, Store


def _modules() -> list[ModuleType]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


def platform_rows(
    ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False
) -> tuple[list[Row], list[str]]:
    """Return the rows of every platform, in the order of the modules' names, and what they lack and why."""
    found = [module.rows(ciphers, store, quiet=quiet) for module in _modules()]
    return [row for rows, _ in found for row in rows], [text for _, lack in found for text in lack]
