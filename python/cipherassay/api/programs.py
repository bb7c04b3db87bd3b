"""A program as a notebook shows it: its functions, what they cost in operations, its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.api.html import folded, table

if TYPE_CHECKING:
    from cipherassay import _engine


class Program:
    """A cipher's program for one key size, as a strategy's passes made it.

    Parameters
    ----------
    title : str
        What it is, for people.
    engine : cipherassay._engine.Program
        The program itself, which the methods of this class read.
    """

    def __init__(self, title: str, engine: _engine.Program) -> None:
        self.title, self.engine = title, engine

    @property
    def functions(self) -> list[str]:
        """The names of its functions, in order."""
        return [one["name"] for one in self.engine.functions()]

    @property
    def text(self) -> str:
        """Its text form (docs/program.md)."""
        return self.engine.text()

    def operations(self, function: str) -> dict[str, int]:
        """Return how many operations of each kind a call executes; UsageError ``P203``: no such function."""
        return {kind: count["dynamic"] for kind, count in self.engine.statistics(function).items()}

    def is_constant_time(self, function: str) -> bool:
        """Whether the time of compiled code can depend on neither key nor data; UsageError ``P203``."""
        return self.engine.constant_time(function)["constant_time"]

    def evaluate(self, function: str, *arguments: Any) -> list[int | list[int]]:
        """Return the results of a function, computed by the reference evaluator.

        Arguments are numbers, lists of numbers and bytes; UsageError ``P203``, ``P204``, ``P209``: they do
        not fit.
        """
        return self.engine.evaluate(function, list(arguments))

    def _repr_html_(self) -> str:
        lines: list[Sequence[Any]] = []
        for name in self.functions:
            counts = self.operations(name)
            most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
            words = ", ".join(f"{kind} {count}" for kind, count in most)
            lines.append([name, sum(counts.values()), self.is_constant_time(name), words])
        head = ("function", "operations", "constant time", "by kind")
        return table(head, lines, title=self.title) + folded("text", self.text)

    def __repr__(self) -> str:
        return f"<Program: {self.title}>"
