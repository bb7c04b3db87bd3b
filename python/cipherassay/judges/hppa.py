"""PA-RISC kernels under qemu-hppa, from a program without a library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cipherassay.errors import VerificationError
from cipherassay.judges.batch import Batch, Emulator

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
class Qemu(Emulator):
    """The emulator of a big-endian PA-RISC computer in user mode."""

    name: str = "qemu-hppa"
    isa: ClassVar[str] = "pa-risc"

    def start(self, batch: Batch) -> str:
        """Return the program that calls the kernel for every record and writes the records."""
        return start(batch)


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
    if own:
        raise VerificationError("M606", "`%r20`, which calls the kernel, is one of its arguments")
    return _START.format(
        arguments="\n".join(lines), size=batch.size, total=len(batch.records), count=batch.count
    )
