"""What a processor brings for budgets of RAM beside its records: files, a simulator to compare candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from cipherassay._engine import BudgetText, Microcontroller
    from cipherassay.embedded.processor import Call


class Runner(Protocol):
    """A program in a simulator, to count cycles and stack while candidates are compared."""

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""

    def call(self, function: str) -> Call:
        """Call a function."""


class Budgets(ABC):
    """A processor's part in code within a budget of RAM.

    Attributes
    ----------
    isa : Microcontroller
        The instruction set, whose records say how such code is made.
    stack_is : str
        What the bytes of stack are, for text.
    needs : tuple of str
        The outside tools without which candidates cannot be compared.
    """

    isa: Microcontroller
    stack_is: str = "stack"
    needs: tuple[str, ...] = ()

    @abstractmethod
    def written(self, text: BudgetText, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""

    @abstractmethod
    def runner(self, text: str, folder: Path) -> Runner:
        """Return what counts while candidates are compared; the machine of the processor is the oracle."""
