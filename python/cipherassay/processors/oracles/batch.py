"""Many calls of a kernel in one process: one memory behind the other, one loop, one write of the results."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cipherassay import tools
from cipherassay.errors import VerificationError
from cipherassay.processors.harness import Argument, Interface
from cipherassay.processors.oracles.gas import Binutils, assemble_to, binutils, link, reason
from cipherassay.tools import running


@dataclass(frozen=True)
class Batch:
    """The memory of many calls."""

    interface: Interface
    tables: bytes
    records: bytes
    size: int
    """Bytes from one call's memory to the next."""
    count: int

    @classmethod
    def of(cls, interface: Interface, calls: Sequence[Sequence[Argument]]) -> Batch:
        """Lay the memory of the calls."""
        _, tables = interface.shared()
        records = [interface.record(arguments)[1] for arguments in calls]
        return cls(interface, tables, b"".join(records), len(records[0]) if records else 0, len(records))

    def pointers(self) -> list[tuple[str, bool, int]]:
        """Return of each argument its register, whether it points into the tables, and the distance."""
        tables, _ = self.interface.shared()
        own, _ = self.interface.record(
            [()] * (1 + max((o.number for o in self.interface.objects), default=0))
        )
        found = []
        for register, pointer in zip(self.interface.registers, self.interface.pointers, strict=False):
            common = pointer.object in tables
            base = tables[pointer.object] if common else own[pointer.object]
            found.append((register, common, base + pointer.offset))
        return found

    def results(self, memory: bytes) -> list[list[list[int]]]:
        """Return of each call its results.

        Raises
        ------
        VerificationError
            ``M603``: the memory is not that of all calls.
        """
        if len(memory) != len(self.records):
            raise VerificationError(
                "M603",
                f"the program wrote {len(memory)} bytes, {len(self.records)} were expected",
                help="this is a bug of the oracle: please report it",
            )
        parts = (memory[k * self.size : (k + 1) * self.size] for k in range(self.count))
        return [self.interface.results(part) for part in parts]

    def data(self, folder: Path) -> str:
        """Write the memory into files; return the text that includes them."""
        (folder / "tables.bin").write_bytes(self.tables)
        (folder / "records.bin").write_bytes(self.records)
        alignment = self.interface.alignment
        tables, records = (folder / name for name in ("tables.bin", "records.bin"))
        return (
            f'\t.data\n\t.balign {alignment}\ntables:\n\t.incbin "{tables}"\n'
            f'\t.balign {alignment}\nrecords:\n\t.incbin "{records}"\n'
        )


def build(
    text: str, start: str, chosen: Binutils, options: Sequence[str] | None, batch: Batch, folder: Path
) -> Path:
    """Assemble and link the kernel with the program that calls it; return the program's place."""
    assemble_to(text, chosen, folder / "kernel.o")
    assemble_to(start + batch.data(folder), chosen, folder / "start.o", options)
    place = folder / "program"
    link([folder / "start.o", folder / "kernel.o"], chosen, place)
    return place


def execute(command: Sequence[str]) -> bytes:
    """Run a program and return what it writes.

    Raises
    ------
    VerificationError
        ``M604``: it ends otherwise than by its own exit; the emulator's words.
    """
    try:
        done = running.run(command, seconds=running.EXECUTE)
    except running.OutOfTime as error:
        raise VerificationError("M604", error.message, notes=error.notes, help=error.help) from None
    if done.code:
        raise VerificationError(
            "M604", f"under `{command[0]}` it ends with {done.code}", notes=done.err.splitlines()[:8]
        )
    return done.data


@dataclass(frozen=True)
class Emulator:
    """An oracle that runs programs without a library.

    ``name`` is its tool, ``options`` are the assembler's for the program, None for those of kernels.
    """

    name: str = ""
    isa: str = ""
    options: ClassVar[tuple[str, ...] | None] = None

    def available(self) -> str | None:
        """Return why it cannot be used, None where it can."""
        return binutils(self.isa).available() or reason(self.name)

    def command(self) -> tuple[str, ...]:
        """Return the options of the emulator."""
        return ()

    def start(self, batch: Batch) -> str:
        """Return the program that calls the kernel for every record and writes the records."""
        raise NotImplementedError

    def run(
        self, text: str, interface: Interface, calls: Sequence[Sequence[Argument]]
    ) -> list[list[list[int]]]:
        """Call a kernel once per list of arguments, all in one process; return the results of each call.

        Raises
        ------
        VerificationError
            ``M601``: the assembler refuses the kernel; ``M603``, ``M604``: it does not run to its end.
        ToolError
            ``T002``: a tool is not here.
        """
        batch = Batch.of(interface, calls)
        with workplace() as name:
            program = build(text, self.start(batch), binutils(self.isa), self.options, batch, Path(name))
            return batch.results(execute([tools.require(self.name), *self.command(), str(program)]))


def workplace() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for the files of one run."""
    return tempfile.TemporaryDirectory(prefix="assay-oracle-")
