"""Rows of modelled processors as one table: a line for each operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.console.output import show_table
from cipherassay.console.progress import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cipherassay.results import Row

WHOLE = "call to return"
"""What rows of small processors call cycles with the call; others are what the operation takes inside."""


def show(rows: Sequence[Row]) -> None:
    """Print a line for each operation of each form of code, and why some could not be made."""
    lines: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        form, *rest = (row.configuration or "").split(", ")
        is_inside = row.level == "embedded" and WHOLE not in rest
        key = (row.cipher, row.variant, row.operation, row.key_bits)
        if row.metric == "refused":
            say(f"left out: {' '.join(str(word) for word in key if word)}: {row.certificate or form}")
            continue
        line = lines.setdefault((*key, row.architecture or form), {"strategy": row.strategy})
        if row.metric == "cycles" and not is_inside:
            line |= {
                "cycles": round(row.value, 1), "bound": row.bound, "published": row.reference,
                "proved": (row.certificate or "").split(";")[0] if row.bound is not None else None,
            }  # fmt: skip
        elif row.metric == "cycles":
            line["inside"] = round(row.value, 1)
        elif row.metric in ("code_bytes", "ram_bytes"):
            line[row.metric] = int(row.value)
    if lines:
        show_table(*_columns(lines), title=f"{rows[0].target}: cycles of one call")
        say("\n".join(dict.fromkeys(row.tools for row in rows if row.tools)))


def _columns(lines: dict[tuple[Any, ...], dict[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    names = {
        "cycles": "cycles", "inside": "inside", "bound": "bound", "proved": "proof", "published": "published",
        "ratio": "ratio", "code_bytes": "bytes", "ram_bytes": "RAM", "strategy": "strategy",
    }  # fmt: skip
    body = []
    for (cipher, variant, operation, bits, form), line in lines.items():
        if line.get("published"):
            line["ratio"] = round(line["cycles"] / line["published"], 3)
        named = [cipher, variant, (operation or "").replace("_", " "), bits, form]
        body.append([*named, *(line.get(name) for name in names)])
    columns = ["cipher", "variant", "operation", "key", "form", *names.values()]
    used = [n for n in range(len(columns)) if any(line[n] is not None for line in body)]
    return [columns[n] for n in used], [[line[n] for n in used] for line in body]
