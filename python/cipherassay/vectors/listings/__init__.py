"""Submitters' listings of intermediate values: one module per cipher, for the submitter's own layout.

A module defines ``FILES`` (patterns of file names, by variant) and ``parse(path, text)``, which yields a
:class:`~cipherassay.vectors.listings._parts.Listing` per block.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from cipherassay.ciphers import Cipher
from cipherassay.vectors.listings._parts import Listing, Step

__all__ = ["Listing", "Step", "find", "read"]


def find(cipher: Cipher, variant: str, folder: Path) -> list[Path]:
    """Return the files in a folder that list intermediate values of a cipher, by their names."""
    module = _module(cipher.slug)
    if module is None or not folder.is_dir():
        return []
    patterns = module.FILES.get(variant, ())
    return sorted({path for pattern in patterns for path in folder.glob(pattern)})


def variant_of(cipher: Cipher, path: Path) -> str | None:
    """Return the variant of a cipher that a file's name is a listing of; None: it is none of this cipher."""
    module = _module(cipher.slug)
    found = module.FILES.items() if module is not None else ()
    return next((v for v, patterns in found if any(fnmatch(path.name, p) for p in patterns)), None)


def read(cipher: Cipher, path: Path) -> Iterator[Listing]:
    """Yield the listings of a file (``K003`` to ``K007`` with file and line: what is wrong in it)."""
    module = _module(cipher.slug)
    if module is not None:
        yield from module.parse(str(path), path.read_text())


def _module(slug: str) -> Any:
    if slug not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{slug}")
