"""The operations of a description's functions: by kind, by line; whether their time may depend on secrets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.explorer import lines
from cipherassay.explorer.panels import Given, Option, Show

TITLE = "Operations"
ORDER = 2
NICE = 5


def options() -> Sequence[Option]:
    """Nothing may be chosen."""
    return ()


def make(given: Given, show: Show) -> None:
    """Show counts as executed, function by function, and those of the operation by line."""
    program = given.cipher.compile(given.key_bits)
    functions = [one["name"] for one in program.functions()]
    counts = {name: program.statistics(name) for name in functions}
    kinds = sorted({kind for one in counts.values() for kind in one})
    executed = [[kind, *(_executed(counts[name], kind) for name in functions)] for kind in kinds]
    sums = [sum(kind["dynamic"] for kind in counts[name].values()) for name in functions]
    by_line = lines.operations_by_line(program.mirror(), given.file)
    show(
        "table",
        {
            "title": "Operations executed, of the description as it is written",
            "columns": [["operation", "text"], *([name, "number"] for name in functions)],
            "rows": [*executed, ["all", *sums]],
            "notes": [
                [f"{name}: constant time", program.constant_time(name)["sentence"]] for name in functions
            ],
            "by_line": by_line.get(given.operation, {}),
            "metrics": dict(zip(functions, sums, strict=True)),
        },
    )


def _executed(counts: Any, kind: str) -> int | None:
    return counts[kind]["dynamic"] if kind in counts else None
