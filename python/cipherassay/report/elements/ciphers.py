"""In which order and colours reports show ciphers: data, ``ciphers.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

OTHERS = "#8a8f98"
"""The colour of ciphers that have none of their own."""


@cache
def shown() -> Mapping[str, tuple[str, str]]:
    """Return name and colour by slug, in the order of reports."""
    text = Path(__file__).with_name("ciphers.toml").read_text(encoding="utf-8")
    return {one["slug"]: (one["name"], one["colour"]) for one in tomllib.loads(text)["cipher"]}


def cipher_colour(name: str) -> str:
    """Return a cipher's colour by its name; grey for one that has none of its own."""
    return dict(shown().values()).get(name, OTHERS)
