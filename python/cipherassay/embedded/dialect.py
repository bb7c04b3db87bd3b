"""What the order of instructions and the allocation of registers ask of a processor's assembly language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.embedded.allocate import Allocator
    from cipherassay.embedded.code import Code
    from cipherassay.embedded.pairs import Pairs


@dataclass(frozen=True)
class Access:
    """A line that loads or stores bytes of an object at a fixed place.

    ``register`` is what it loads or stores, as the line has it.
    """

    name: str
    at: int
    size: int
    load: bool
    register: str


@dataclass(frozen=True)
class Rank:
    """From values that come alive, when the newest operand was made, and the place: the least goes first.

    With ``stretches`` the program is cut where few values are alive, and its parts stay in order. With
    ``together`` what wants another setting (`Instruction.setting`) than the last one waits.
    """

    key: Callable[[int, int, int], tuple[int, ...]]
    stretches: bool = False
    together: bool = False


class Dialect(ABC):
    """Registers of a byte, by number, and the lines that move bytes.

    Attributes
    ----------
    registers : sequence of int
        All registers.
    upper : sequence of int
        Those that immediate instructions, or whatever else asks for them, reach.
    scratch : int
        One that is never given to a value.
    orders : sequence of Rank
        Orders of the instructions to be tried besides those that every processor tries.
    """

    registers: tuple[int, ...]
    upper: tuple[int, ...]
    scratch: int
    orders: tuple[Rank, ...] = ()

    @abstractmethod
    def name(self, r: int) -> str:
        """Return a register's name."""

    @abstractmethod
    def copied(self, d: int, s: int) -> str:
        """Return the line that copies a register."""

    @abstractmethod
    def number(self, d: int, value: int) -> str:
        """Return the line that loads a number into a register of `upper`."""

    def zero(self, d: int) -> str:
        """Return a line that clears any register, or nothing."""
        return ""

    @abstractmethod
    def fetched(self, d: int, place: str) -> str:
        """Return the line that loads a byte from memory."""

    @abstractmethod
    def stored(self, place: str, s: int) -> str:
        """Return the line that stores a byte."""

    @abstractmethod
    def decremented(self, r: int) -> str:
        """Return the line that counts a register down and says whether zero was reached."""

    @abstractmethod
    def repeated(self, label: str) -> str:
        """Return the line that branches to a loop's head unless zero was reached."""

    @abstractmethod
    def tidied(self, lines: list[str]) -> list[str]:
        """Return lines that do the same in less time."""

    @abstractmethod
    def cycles(self, line: str) -> int:
        """Return the cycles of a line that is no label; branches as if not taken."""

    def accessed(self, line: str) -> Access | None:
        """Return what a line loads or stores at a fixed place; only processors with budgets of RAM know."""
        return None

    def readdressed(self, line: str, name: str, at: int) -> str:
        """Return a line that loads or stores at a fixed place with another place."""
        return line

    def over(self, done: Allocator) -> int:
        """Return by how many bytes code that has registers takes more than the processor has."""
        return 0

    def allocator(self, code: Code, pairs: Pairs | None) -> Allocator:
        """Return what gives the code registers."""
        from cipherassay.embedded.allocate import Allocator

        return Allocator(code, pairs)

    def again(self, done: Allocator) -> list[Allocator]:
        """Return further attempts at code that has registers."""
        return []
