"""Fronts that a search found, kept as files: whoever reads one checks every layout again.

That the space was exhausted is the search's word, which stands in the file; what each layout computes and
costs is found anew. A front of another layer is not used.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cipherassay.errors import DescriptionError
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.searching import Found, read

FOLDER = Path(__file__).parents[3] / "stored" / "layouts"
"""A file per cipher, layer and word width."""


def path_of(cipher: str, layer: Layer, word_bits: int, folder: Path | None = None) -> Path:
    """Return the file of a front."""
    return (folder or FOLDER) / f"{cipher}-{layer.name.lower()}-{word_bits}.json"


def keep(text: str, cipher: str, layer: Layer, word_bits: int, folder: Path | None = None) -> Path:
    """Write a front, the engine's JSON, with the layer that it is of; return the file."""
    path = path_of(cipher, layer, word_bits, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {"layer": _layer(layer), "front": json.loads(text)}
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def load(cipher: str, layer: Layer, word_bits: int, folder: Path | None = None) -> Found | None:
    """Return a kept front, every layout checked; None if none is kept, or only one of another layer.

    Raises
    ------
    DescriptionError
        ``L110``: the file is no front.
    VerificationError
        ``L401``, ``L402``: a layout that is wrong.
    """
    path = path_of(cipher, layer, word_bits, folder)
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["layer"] != _layer(layer):
            return None
        return read(json.dumps(document["front"]), layer, word_bits)
    except (ValueError, KeyError, TypeError) as error:
        raise DescriptionError("L110", f"`{path}` does not hold a front of layouts: {error}") from None


def _layer(layer: Layer) -> dict[str, Any]:
    tables = {name: hashlib.sha256(bytes(table)).hexdigest() for name, table in sorted(layer.tables.items())}
    return {
        "matrix": [list(row) for row in layer.matrix], "polynomial": layer.polynomial,
        "boxes": list(layer.boxes), "second": layer.second, "tables": tables,
    }  # fmt: skip
