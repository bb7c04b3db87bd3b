"""What a small processor has to bring: selection, text, assembler and simulator.

Files for firmware and code within budgets of RAM are modules beside it: `cipherassay.embedded.processors`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Code, MachineFunction, Program
    from cipherassay.embedded.lines import Tables


@dataclass(frozen=True)
class Call:
    """A call of a function.

    ``cycles`` from the first instruction to the return with the returning instruction itself, ``inside``
    without what `Processor.inside` leaves out; ``stack`` bytes, the return address among them.
    """

    cycles: int
    inside: int
    stack: int


class Machine(Protocol):
    """A simulated processor with a program in its memory; used as a context."""

    def __enter__(self) -> Machine: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

    def write(self, symbol: str, data: bytes) -> None:
        """Write bytes into RAM."""

    def read(self, symbol: str, count: int) -> bytes:
        """Return bytes of RAM."""

    def size(self, symbol: str) -> int:
        """Return the bytes of a function."""

    def paint(self, byte: int) -> None:
        """Fill the RAM."""

    def touched(self, byte: int) -> int:
        """Return how many bytes of RAM do not hold a value."""

    def call(self, function: str) -> Call:
        """Call a function."""


class Processor(ABC):
    """A small processor that there is code for.

    Attributes
    ----------
    name : str
        As ``--processor`` takes it: the name of its folder with hyphens.
    title : str
        Its architecture, for text.
    target : str
        As rows name it: with the device that is simulated.
    simulator : str
        What runs the code.
    inside : str
        What the configuration of rows of `Call.inside` says.
    conventions : tuple of str
        Comments above the code: registers, labels.
    needs : tuple of str
        The outside tools that checking and measuring need, as `cipherassay.tools` names them.
    section : str
        The directive that code begins with.
    forms : tuple of str
        Forms of a cipher's description that suit the processor, the best first.
    memories : tuple of str
        Where tables may lie, where they usually do first.
    program_bytes : int
        Bytes of program memory that its addresses reach.
    placed, given : str
        What configurations and commands say of tables that do not lie where they usually do.
    """

    name: str
    title: str
    target: str
    simulator: str
    inside: str
    program_bytes: int
    conventions: tuple[str, ...]
    needs: tuple[str, ...]
    section: str = ".section .text"
    forms: tuple[str, ...] = ()
    memories: tuple[str, ...] = ("rom",)
    placed: str = ""
    given: str = ""

    def with_tables(self, where: str) -> Processor:
        """Return the processor with tables in one of its `memories`.

        Raises
        ------
        UsageError
            ``E153``: it cannot have them there.
        """
        if where != self.memories[0]:
            raise UsageError(
                "E153",
                f"tables of code for {self.title} do not lie in `{where}`",
                help=f"--tables {' or '.join(self.memories)}",
            )
        return self

    @abstractmethod
    def lowered(self, program: Program, function: str, name: str, places: dict[str, str]) -> Code:
        """Return a function of bytes as instructions without registers; ``name`` is what it is called."""

    @abstractmethod
    def function(
        self, program: Program, code: Code, block: str
    ) -> tuple[MachineFunction, int, dict[str, int]]:
        """Return a function, the bytes that its values need, and its objects; ``block`` is the block's."""

    @abstractmethod
    def data(self, program: Program, tables: Tables, prefix: str, objects: dict[str, int]) -> list[str]:
        """Return the text of tables, and of objects in RAM with their sizes."""

    @abstractmethod
    def machine(self, text: str, folder: Path, *, straight: bool = False) -> Machine:
        """Assemble a program in a folder and return the simulator that holds it.

        ``straight``: its rounds stand one after the other, which the error of code that does not fit says.
        """

    @abstractmethod
    def tools(self) -> str:
        """Return what assembles, with its version."""

    def instructions(self) -> list[dict[str, Any]]:
        """Return the instructions that the model knows: ``name`` and what each takes.

        Empty where only the simulator knows them.
        """
        return []
