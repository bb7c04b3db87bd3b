"""Tables as HTML, for notebooks: no scripts, no styles but those of the notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

DIGITS = 6
"""Significant digits of a number that is no integer."""


def cell(value: Any) -> str:
    """Return a value as text: nothing for None, a few digits of a fraction."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{int(value)}" if value.is_integer() and abs(value) < 1e15 else f"{value:.{DIGITS}g}"
    return str(value)


def table(columns: Sequence[str], lines: Iterable[Sequence[Any]], *, title: str = "", note: str = "") -> str:
    """Return a table; all texts are escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_data, line))}</tr>" for line in lines)
    parts = [
        f"<p><strong>{escape(title)}</strong></p>" if title else "",
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        f"<p>{escape(note)}</p>" if note else "",
    ]
    return "".join(parts)


def folded(title: str, text: str) -> str:
    """Return a text that a click opens."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def _data(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    align = ' style="text-align: right"' if number else ""
    return f"<td{align}>{escape(cell(value))}</td>"
