"""Markdown for the generated pages: tables, and text that says nothing to Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(columns: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """Return a table; what does not apply (None, empty) is an empty cell."""
    head = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    return head + "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def cell(value: Any) -> str:
    """Return a value as a cell of a table."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(cell, value))
    text = f"{value:g}" if isinstance(value, float) else str(value)
    parts = " ".join(text.split()).split("`")  # within code a bar separates no cells
    return "`".join(part if at % 2 else part.replace("|", "\\|") for at, part in enumerate(parts))


def plain(text: str) -> str:
    """Return a text of the code whose signs Markdown and HTML would read; what stands in backticks stays."""
    parts = text.split("`")
    return "`".join(_escaped(part) if at % 2 == 0 else part for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    for sign in "\\*_[]":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Return a text as code; nothing for an empty one."""
    return f"`{text}`" if text else ""
