"""Platforms that bring rows of their own to the report: a module each, found by scanning.

A module has a function ``rows(ciphers, store, *, quiet) -> list[Row]``: the rows that hold, made where that
takes little time, else from the store.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher
    from cipherassay.results import Row, Store


def platform_rows(ciphers: Sequence[Cipher], store: Store, *, quiet: bool = False) -> list[Row]:
    """Return the rows of every platform, in the order of the modules' names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return [row for module in modules for row in module.rows(ciphers, store, quiet=quiet)]
