"""The engine as a file: what was computed with it is kept under its hash."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def digest() -> str:
    """Return the hash of the engine that is loaded."""
    from cipherassay import _engine

    return hashlib.sha256(Path(_engine.__file__).read_bytes()).hexdigest()
