"""Fronts that a search found, kept as files: whoever reads one checks every layout again.

That the space was exhausted is the search's word, which stands in the file; what each layout computes and
costs is found anew. A front of another layer is not used.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cipherassay import keeping
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.searching import LayoutFront, read

KIND = "layouts"
"""The kind of kept artefacts; a file per cipher, layer and word width."""


def file_of(cipher: str, layer: Layer, word_bits: int) -> str:
    """Return the name of a front's file."""
    return f"{cipher}-{layer.name.lower()}-{word_bits}.json"


def keep(text: str, cipher: str, layer: Layer, word_bits: int) -> Path:
    """Write a front, the engine's JSON, with the layer that it is of; return the file."""
    document = {"schema": keeping.SCHEMAS[KIND], "layer": _layer(layer), "front": json.loads(text)}
    text = json.dumps(document, separators=(",", ":")) + "\n"
    return keeping.write(KIND, file_of(cipher, layer, word_bits), text)


def load(cipher: str, layer: Layer, word_bits: int) -> LayoutFront | None:
    """Return a kept front, every layout checked; None if none is kept, or only one of another layer.

    Raises
    ------
    DescriptionError
        ``A001``: the file is damaged.
    VerificationError
        ``L401``, ``L402``: a layout that is wrong.
    """
    for path in keeping.candidates(KIND, file_of(cipher, layer, word_bits)):
        found = load_file(path, layer, word_bits)
        if found is not None:
            return found
    return None


def load_file(path: Path, layer: Layer, word_bits: int) -> LayoutFront | None:
    """Read and check one file as `load` does."""
    document = keeping.read(KIND, path)
    try:
        if document is None or document["layer"] != _layer(layer):
            return None
        return read(json.dumps(document["front"]), layer, word_bits)
    except (ValueError, KeyError, TypeError) as error:
        raise keeping.damaged(KIND, path, error) from None


def _layer(layer: Layer) -> dict[str, Any]:
    tables = {name: hashlib.sha256(bytes(table)).hexdigest() for name, table in sorted(layer.tables.items())}
    return {
        "matrix": [list(row) for row in layer.matrix], "polynomial": layer.polynomial,
        "boxes": list(layer.boxes), "second": layer.second, "tables": tables,
    }  # fmt: skip
