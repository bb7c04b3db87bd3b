"""Kept fronts of table layouts, checked: every layout computes its layer and costs what it says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from cipherassay.keeping.verification import Unit, Verdict, by_file, is_of_package, not_checked, plain
from cipherassay.layouts import kept
from cipherassay.layouts.kept import KIND
from cipherassay.layouts.layers import Layer, find


def layouts() -> list[Unit]:
    """Return the work of verifying every kept front."""
    return by_file(KIND, "*.json", _verify)


def _verify(path: Path) -> Iterator[Verdict]:
    cipher, _, rest = path.stem.partition("-")
    layer, _, bits = rest.rpartition("-")
    if not is_of_package(cipher) or not bits.isdecimal():
        yield not_checked(KIND, path)
        return
    same = [one for one in _layers(cipher, int(bits)) if one.name.lower() == layer]
    held = any(kept.load_file(path, one, int(bits)) is not None for one in same)
    yield plain(KIND, path, "" if held else "it is of another layer than the cipher's")


@lru_cache(maxsize=4)
def _layers(cipher: str, word_bits: int) -> list[Layer]:
    from cipherassay import ciphers

    described = ciphers.load(cipher)
    return [layer.joined(word_bits) for layer in find(described.compile())]
