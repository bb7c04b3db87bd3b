"""The page of the Python library: its public names, each with its docstring."""

from __future__ import annotations

import inspect

import cipherassay

ORDER = ("load", "cipher", "rows", "sql", "list_ciphers", "list_processors")
"""The functions that a reader begins with; what they return follows."""


def page() -> str:
    """Return the page; mkdocstrings reads the docstrings."""
    public = [name for name in cipherassay.__all__ if not name.startswith("_")]
    functions = sorted((n for n in public if inspect.isfunction(getattr(cipherassay, n))), key=_place)
    classes = [name for name in public if inspect.isclass(getattr(cipherassay, name))]
    return "\n".join([
        "# The Python library\n",
        "`import cipherassay as ca` gives the names of this page. Nothing is loaded before it is used. "
        "[A tour](../python.md) shows them at work.\n",
        "## Functions\n", *(f"::: cipherassay.api.{name}\n" for name in functions),
        "## What they return\n", *(f"::: cipherassay.api.{name}\n" for name in classes),
    ])  # fmt: skip


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)
