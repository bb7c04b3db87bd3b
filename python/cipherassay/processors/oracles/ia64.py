"""IA-64 kernels from a program without a library: under ski, and by executing what the disassembler says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cipherassay.processors.harness import Argument, Interface
from cipherassay.processors.oracles.batch import Batch, Emulator, build, workplace
from cipherassay.processors.oracles.gas import binutils, output
from cipherassay.processors.oracles.ia64_execution import Machine

# The frame of the caller survives the kernel: what the loop needs lies in it; the arguments are its outputs.
_START = """\
	.text
	.global _start
	.proc _start
_start:
	alloc r32=ar.pfs,0,5,8,0 ;;
	movl r33=records ;;
	movl r34={count} ;;
	movl r35={size} ;;
	movl r36=tables ;;
.Lcall:
{arguments}
	br.call.sptk.many b0=kernel ;;
	add r33=r33,r35
	adds r34=-1,r34 ;;
	cmp.ne p6,p0=r34,r0 ;;
(p6)	br.cond.sptk.many .Lcall ;;
	mov r15=1027
	mov r32=1 ;;
	movl r33=records ;;
	movl r34={total} ;;
	break.m 0x100000 ;;
	mov r15=1025
	mov r32=0 ;;
	break.m 0x100000 ;;
	.endp _start
"""
_OPTIONS = ("-x",)


@dataclass(frozen=True)
class Ski(Emulator):
    """The emulator ski, in the form without a console."""

    name: str = "ski"
    isa: str = "ia64"
    options: ClassVar[tuple[str, ...]] = _OPTIONS

    def start(self, batch: Batch) -> str:
        """Return the program that calls the kernel for every record and writes the records."""
        return start(batch)


@dataclass(frozen=True)
class Disassembly:
    """The same program, linked, taken apart by objdump and executed here, operation by operation.

    It shares nothing with the models of processors and the simulators: what an operation does is written
    down once more, for the names that objdump prints. Unlike ski it refuses a group that reads what it wrote.
    """

    name: str = "objdump and execution"

    def available(self) -> str | None:
        """Return why it cannot be used, None where it can."""
        return binutils("ia64").available()

    def run(
        self, text: str, interface: Interface, calls: Sequence[Sequence[Argument]]
    ) -> list[list[list[int]]]:
        """Call a kernel once per list of arguments; return the results of each call.

        Raises
        ------
        VerificationError
            ``M601``: the assembler refuses the kernel; ``M603``, ``M605``, ``M610``, ``M611``: it does not
            run to its end.
        ToolError
            ``T002``: a tool is not here.
        """
        batch = Batch.of(interface, calls)
        chosen = binutils("ia64")
        with workplace() as name:
            program = build(text, start(batch), chosen, _OPTIONS, batch, Path(name))
            listing = output([chosen.command("objdump"), "-d", str(program)])
            symbols = output([chosen.command("nm"), str(program)])
        places = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
        machine = Machine(listing)
        machine.memory.load(places["tables"], batch.tables)
        machine.memory.load(places["records"], batch.records)
        return batch.results(machine.run(places["_start"]))


def start(batch: Batch) -> str:
    """Return the program that calls the kernel for every record and writes the records."""
    lines = []
    for register, common, distance in batch.pointers():
        outgoing = f"r{int(register[1:]) + 5}" if int(register[1:]) >= 32 else register
        base = "r36" if common else "r33"
        lines += [f"\tmovl {outgoing}={distance} ;;", f"\tadd {outgoing}={base},{outgoing} ;;"]
    return _START.format(
        arguments="\n".join(lines), size=batch.size, total=len(batch.records), count=batch.count
    )
