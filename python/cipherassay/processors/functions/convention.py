"""How C calls functions on an instruction set: `[abi]` of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cipherassay._engine import Processor
from cipherassay.errors import UsageError
from cipherassay.processors import document


@dataclass(frozen=True)
class Program:
    """How a program of functions and C is built and run; see `Abi` in the engine's `isa.rs`."""

    tool: str
    packages: str
    build: str
    run: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class Convention:
    """The calling convention of an instruction set, as templates of lines.

    Parameters
    ----------
    isa : str
        The instruction set.
    known : mapping
        The fields of its ``[abi]``; `docs/processors.md` says what each is.
    general : sequence of str
        The general registers that kernels use, in the order in which they are given out.
    saved : sequence of str
        Those of all classes that a function must keep, in that order.
    word_bytes : int
        Bytes of a general register.
    """

    isa: str
    known: Mapping[str, Any]
    general: Sequence[str]
    saved: Sequence[str]
    word_bytes: int

    @property
    def name(self) -> str:
        """The convention's name."""
        return str(self.known["name"])

    @property
    def arguments(self) -> Sequence[str]:
        """The registers of pointers that C passes, in order."""
        return tuple(self.known["arguments"])

    @property
    def stack(self) -> str:
        """The stack pointer."""
        return str(self.known["stack"])

    @property
    def alignment(self) -> int:
        """The bytes of whose multiple the stack pointer is one."""
        return int(self.known["alignment"])

    @property
    def program(self) -> Program | None:
        """How a program is built, None where the file does not say."""
        known = self.known["program"]
        return Program(**known) if known else None

    def line(self, name: str, **fields: object) -> str:
        """Return a line of the convention with its fields."""
        return str(self.known[name]).format(**fields)

    def lines(self, name: str, **fields: object) -> list[str]:
        """Return several lines with their fields."""
        return [line.format(**fields) for line in self.known[name]]

    def moved(self, name: str, bytes: int, **fields: object) -> Iterator[str]:
        """Yield lines that move a register by any number of bytes, each by as many as one line can."""
        most = int(self.known["most"])
        while bytes > 0:
            yield self.line(name, bytes=min(bytes, most), **fields)
            bytes -= min(bytes, most)

    def added(self, register: str, source: str, bytes: int) -> Iterator[str]:
        """Yield lines that set a register to another one and a number of bytes."""
        if bytes == 0 and register != source:
            yield self.line("copy", **{"register": register, "from": source})
        most = int(self.known["most"])
        while bytes > 0:
            step = min(bytes, most)
            yield self.line("add", **{"register": register, "from": source, "bytes": step})
            source, bytes = register, bytes - step


def known(processor: Processor) -> bool:
    """Whether the file of a processor's instruction set says how C calls functions."""
    return document(processor)["isa"]["abi"] is not None


def of(processor: Processor) -> Convention:
    """Return the calling convention of a processor.

    Raises
    ------
    UsageError
        ``M740``: the file of its instruction set names none.
    """
    isa = document(processor)["isa"]
    if isa["abi"] is None:
        name = isa["name"]
        raise UsageError(
            "M740",
            f"no calling convention of C is known for `{name}`",
            help=f"add [abi] to isas/{name}.toml (docs/processors.md), or name an operation: encrypt, …",
        )
    general = next((one for one in isa["registers"] if one["name"] == "gr"), isa["registers"][0])
    return Convention(
        isa=isa["name"],
        known=isa["abi"],
        general=tuple(general["usable"]),
        saved=tuple(name for one in isa["registers"] for name in one["saved"]),
        word_bytes=isa["word_bits"] // 8,
    )
