"""PA-RISC kernels under qemu-hppa, from a program without a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cipherassay import tools
from cipherassay.judges.batch import Batch, build, execute, workplace
from cipherassay.judges.gas import BINUTILS, reason
from cipherassay.processors.harness import Argument, Interface

# The kernel may use every register, so what the loop needs lies in memory.
_START = """\
	.text
	.globl _start
	.type _start, @function
_start:
	ldil L'state,%r1
	ldo R'state(%r1),%r1
	ldw 0(%r1),%r20
{arguments}
	bl kernel,%r2
	nop
	ldil L'state,%r1
	ldo R'state(%r1),%r1
	ldw 0(%r1),%r20
	ldil L'{size},%r19
	ldo R'{size}(%r19),%r19
	add,l %r19,%r20,%r20
	stw %r20,0(%r1)
	ldw 4(%r1),%r20
	addi,= -1,%r20,%r20
	b _start
	stw %r20,4(%r1)
	ldi 1,%r26
	ldil L'records,%r25
	ldo R'records(%r25),%r25
	ldil L'{total},%r24
	ldo R'{total}(%r24),%r24
	ble 0x100(%sr2,%r0)
	ldi 4,%r20
	ldi 0,%r26
	ble 0x100(%sr2,%r0)
	ldi 1,%r20
	.data
	.balign 8
state:
	.word records
	.word {count}
"""


@dataclass(frozen=True)
class Qemu:
    """The emulator of a big-endian PA-RISC computer in user mode."""

    name: str = "qemu-hppa"

    def available(self) -> str | None:
        """Return why it cannot be used, None where it can."""
        return BINUTILS["pa-risc"].available() or reason("qemu-hppa")

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
            program = build(text, start(batch), BINUTILS["pa-risc"], (), batch, Path(name))
            return batch.results(execute([tools.require("qemu-hppa"), str(program)]))


def start(batch: Batch) -> str:
    """Return the program that calls the kernel for every record and writes the records."""
    lines = []
    for register, common, distance in batch.pointers():
        if common:
            lines += [
                f"\tldil L'tables+{distance},{register}",
                f"\tldo R'tables+{distance}({register}),{register}",
            ]
        else:
            lines += [f"\tldil L'{distance},{register}", f"\tldo R'{distance}({register}),{register}"]
            lines += [f"\tadd,l %r20,{register},{register}"]
    # The register of the record's address must not be overwritten before the others are made from it.
    own = [k for k, line in enumerate(lines) if line.endswith(",%r20") and "ldil" in line]
    assert not own, "r20 passes no argument"
    return _START.format(
        arguments="\n".join(lines), size=batch.size, total=len(batch.records), count=batch.count
    )
