"""One operation's cycles in a simulator as a table: beside what was published, with who checked it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cipherassay.console.output import output, show_table


def show_checked(known: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Print a document of an operation: the values that it has, by what people call them."""
    of_key = f", {known['key_bits']} bits" if known["key_bits"] else ""
    title = f"{known['cipher']} {known['operation']}{of_key}, on {known['processor']}"
    rows = [[label, known[name]] for name, label in names.items() if known[name] is not None]
    if (paper := known["published"]) is not None:
        rows.append(["published", f"{paper['cycles']:g} ({paper['source']}), ratio {paper['ratio']}"])
    show_table(["", "value"], rows, title=title)
    output().print(f"checked by {known['checked_by']}", markup=False, highlight=False)
