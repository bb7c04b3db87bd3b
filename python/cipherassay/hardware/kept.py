"""Results of synthesis, kept by what they are made of: the same work is done once."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from cipherassay.native.cache import cache_folder

FORM = 1
"""The form of what is kept: another number makes everything anew."""


def key(**parts: Any) -> str:
    """Return the name of a result: a hash of everything that it depends on."""
    text = json.dumps({"form": FORM, **parts}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def digest(text: str) -> str:
    """Return the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def find(name: str) -> str | None:
    """Return a result, None if there is none or it is damaged."""
    try:
        return gzip.decompress(_path(name).read_bytes()).decode()
    except (OSError, EOFError, UnicodeDecodeError, ValueError):
        return None


def put(name: str, text: str) -> None:
    """Keep a result, whole or not at all."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
        temporary.write(gzip.compress(text.encode(), 5, mtime=0))
    os.replace(temporary.name, path)


def _path(name: str) -> Path:
    return cache_folder() / "synthesis" / name[:2] / f"{name[2:]}.gz"
