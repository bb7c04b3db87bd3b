"""What a processor brings for budgets of RAM: inner functions, drivers that call them, a simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.budget.text import Text
    from cipherassay.embedded.processor import Call

Action = tuple[str, int | None]
"""A function that is called, with None, or a byte in memory that gets a number."""


class Window(NamedTuple):
    """An array of which only some rows are kept: which ones is known when the code runs.

    ``rows`` rows at the object ``name``, the first of them numbered by the byte at ``first``. ``order`` gives
    the number of each row; rows that loops count have their own.
    """

    name: str
    first: str
    rows: int
    order: tuple[int, ...]


class Runner(Protocol):
    """A program in a simulator, to count cycles and stack while ways are compared."""

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
    code : int
        The bytes of flash or ROM that code and tables may take.
    stack : int
        Bytes of stack of a function that keeps all registers that it has to, with its return address.
    deeper : int
        Bytes of stack of an inner function that is called by one that keeps the registers for it.
    stack_is : str
        What the bytes of stack are, for text.
    needs : tuple of str
        The outside tools without which the ways cannot be compared.
    even : int
        Objects begin at multiples of this.
    """

    code: int
    stack: int
    deeper: int
    stack_is: str = "stack"
    needs: tuple[str, ...] = ()
    even: int = 1

    @abstractmethod
    def lowered(
        self, program: Program, function: str, name: str, places: dict[str, str], window: Window | None
    ) -> Code:
        """Return a function of bytes as instructions without registers; ``name`` is what it is called."""

    @abstractmethod
    def function(
        self, code: Code, block: str, *, inner: bool, most: int | None
    ) -> tuple[MachineFunction, int]:
        """Return a function, and the bytes that it needs for values.

        ``block`` is the block's object. An inner function is called by one that keeps the registers for it.
        ``most`` bytes for values are aimed at.
        """

    @abstractmethod
    def driver(self, name: str, actions: list[Action], inner: list[MachineFunction]) -> MachineFunction:
        """Return a function that calls inner ones and keeps the registers that they change."""

    @abstractmethod
    def written(self, text: Text, prefix: str, head: list[str]) -> str:
        """Return a whole file: comments, functions, tables, objects in RAM."""

    @abstractmethod
    def size(self, text: Text) -> int:
        """Return the bytes of code and tables."""

    @abstractmethod
    def runner(self, text: str, folder: Path) -> Runner:
        """Return what counts while ways are compared; the machine of the processor is the oracle."""
