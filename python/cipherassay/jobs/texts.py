"""Results that are texts, cached in files by what they are made of."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cipherassay.cache import cache_folder
from cipherassay.jobs.digests import digest


@dataclass(frozen=True)
class TextCache:
    """A folder of compressed texts.

    Parameters
    ----------
    kind : str
        The folder's name in the cache.
    """

    kind: str

    def made(self, name: str, make: Callable[[], str]) -> str:
        """Return the text of a name that tells all it depends on; made and kept where there is none."""
        text = self.find(name)
        if text is None:
            text = make()
            self.put(name, {}, text)
        return text

    def find(self, name: str, inputs: Mapping[str, Any] = MappingProxyType({})) -> str | None:
        """Return the text made from these inputs, None if there is none or it is damaged."""
        try:
            return gzip.decompress(self._path(name, inputs).read_bytes()).decode()
        except (OSError, EOFError, ValueError):
            return None

    def put(self, name: str, inputs: Mapping[str, Any], result: str) -> None:
        """Keep a text, whole or not at all."""
        path = self._path(name, inputs)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as temporary:
            temporary.write(gzip.compress(result.encode(), 5, mtime=0))
        os.replace(temporary.name, path)

    def _path(self, name: str, inputs: Mapping[str, Any]) -> Path:
        key = digest({"name": name, **inputs})
        return cache_folder(self.kind) / key[:2] / f"{key[2:]}.gz"
