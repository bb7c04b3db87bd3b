"""In which order and colours reports show ciphers: data of the ciphers."""

from __future__ import annotations

from collections.abc import Mapping

from cipherassay.ciphers import papers_table

OTHERS = "#8a8f98"
"""The colour of ciphers that have none of their own."""


def shown() -> Mapping[str, tuple[str, str]]:
    """Return name and colour by slug, in the order of reports."""
    return {one["slug"]: (one["name"], one["colour"]) for one in papers_table()}


def cipher_colour(name: str) -> str:
    """Return a cipher's colour by its name; grey for one that has none of its own."""
    return dict(shown().values()).get(name, OTHERS)
