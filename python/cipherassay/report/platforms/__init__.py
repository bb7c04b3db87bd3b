"""Platforms that bring rows of their own to the report: a module each, found by scanning.

A module has a function ``rows(ciphers, store, *, quiet) -> list[Row]``: the rows that hold, made where that
takes little time, else from the store. It may have ``missing(ciphers, store) -> list[str]``: what the store
lacks after that, and why.
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


def platform_rows(ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False) -> list[Row]:
    """Return the rows of every platform, in the order of the modules' names."""
    return [row for module in _modules() for row in module.rows(ciphers, store, quiet=quiet)]


def platform_gaps(ciphers: Sequence[Cipher], store: Store) -> list[str]:
    """Return what the platforms' rows lack, and why."""
    having = [module.missing for module in _modules() if hasattr(module, "missing")]
    return [text for missing in having for text in missing(ciphers, store)]
