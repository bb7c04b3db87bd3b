"""Alpha kernels under qemu-alpha, from a program without a library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cipherassay.judges.batch import Batch, Emulator

# The kernel may use every register but those for the return, the global pointer and the stack, so what the
# loop needs lies in memory. The calls of the system: 4 writes, 1 ends.
_START = """\
	.arch ev56
	.text
	.globl _start
	.type _start, @function
_start:
	br $29,here
here:
	ldgp $29,0($29)
again:
	ldq $0,state
{arguments}
	jsr $26,kernel
	ldgp $29,0($26)
	ldq $0,state
	ldil $1,{size}
	addq $0,$1,$0
	stq $0,state
	ldq $0,count
	subq $0,1,$0
	stq $0,count
	bne $0,again
	ldil $16,1
	lda $17,records
	ldil $18,{total}
	ldil $0,4
	callsys
	ldil $16,0
	ldil $0,1
	callsys
	.data
	.balign 8
state:
	.quad records
count:
	.quad {count}
"""


@dataclass(frozen=True)
class QemuAlpha(Emulator):
    """The emulator of an Alpha computer in user mode."""

    name: str = "qemu-alpha"
    isa: ClassVar[str] = "alpha"

    def start(self, batch: Batch) -> str:
        """Return the program that calls the kernel for every record and writes the records."""
        lines = []
        for register, common, distance in batch.pointers():
            if common:
                lines.append(f"\tlda {register},tables+{distance}")
            else:
                lines += [f"\tldil {register},{distance}", f"\taddq $0,{register},{register}"]
        return _START.format(
            arguments="\n".join(lines), size=batch.size, total=len(batch.records), count=batch.count
        )
