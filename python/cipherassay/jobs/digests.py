"""Digests: what a result depends on, as short texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def digest(inputs: Mapping[str, Any]) -> str:
    """Return the digest of inputs that hold as JSON."""
    return text_digest(json.dumps(inputs, sort_keys=True, ensure_ascii=False))


def text_digest(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def files_digest(paths: Iterable[Path], root: Path) -> str:
    """Return the digest of files: their places below `root`, and what they hold."""
    found = hashlib.sha256()
    for path in sorted(set(paths)):
        found.update(f"{path.relative_to(root).as_posix()}\n".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
