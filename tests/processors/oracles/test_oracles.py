"""Oracles from outside: assemblers, emulators and the execution of disassemblies agree with what a kernel means."""

from __future__ import annotations

import random

import pytest

from cipherassay.errors import UsageError, VerificationError
from cipherassay.processors.harness import Interface, Object, Pointer
from cipherassay.processors.oracles import Disassembly, Qemu, Ski, assemble
from cipherassay.processors.oracles.batch import Batch
from cipherassay.processors.oracles.gas import binutils
from cipherassay.processors.oracles.ia64_execution import Machine
from support.refusals import refusal

IA64 = """\
	.text
	.global kernel
	.proc kernel
kernel:
{ .mii
	alloc r14=ar.pfs,3,5,0,8
	mov ar.lc=7
	mov ar.ec=2 ;;
}
{ .mmi
	mov r16=r32
	mov r17=r33
	mov r18=r34
}
{ .mmi
	nop.m 0
	nop.m 0
	mov pr.rot=0x10000 ;;
}
.Lloop:
{ .mii
(p16)	ld4 r32=[r16],4
(p17)	xor r19=r33,r18
	nop.i 0 ;;
}
{ .mib
(p17)	st4 [r17]=r19,4
	nop.i 0
	br.ctop.sptk.few .Lloop ;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.many b0 ;;
}
	.endp kernel
"""
PA = """\
	.level 2.0
	.text
	.globl kernel
	.type kernel, @function
kernel:
	ldi 8,%r3
loop:
	ldw,ma 4(%r26),%r4
	xor %r4,%r24,%r4
	addib,<> -1,%r3,loop
	stw,ma %r4,4(%r25)
	bve (%r2)
	nop
"""


def _interface(big_endian: bool) -> Interface:
    registers = ("%r26", "%r25", "%r24") if big_endian else ("r32", "r33", "r34")
    objects = (
        Object("in", 32, 4, 4, 4, "little", "parameter", 0),
        Object("out", 32, 4, 4, 4, "little", "result", 0),
        Object("table", 512, 4096, 1, 1, "none", "table", 0, tuple(range(256))),
    )
    return Interface(objects, (Pointer(0), Pointer(1), Pointer(2)), registers, big_endian)


def test_memory_of_interleaved_tables() -> None:
    objects = (
        Object("a", 4 + 16, 16, 4, 16, "none", "table", 0, (1, 2)),
        Object("b", 4 + 16, 4, 4, 16, "none", "table", 0, (3, 4), (0, 4)),
        Object("c", 4, 4, 4, 4, "none", "table", 0, (5,), (1, 28)),
    )
    offsets, memory = Interface(objects, (), (), False).shared()
    assert offsets == {0: 0, 1: 4, 2: 32}
    words = [int.from_bytes(memory[k : k + 4], "little") for k in range(0, len(memory), 4)]
    assert words == [1, 3, 0, 0, 2, 4, 0, 0, 5, 0, 0, 0]


@pytest.mark.parametrize("order", ["little", "big"])
def test_packing_there_and_back(order: str) -> None:
    one = Object("x", 16, 4, 4, 4, order, "result", 0)  # type: ignore[arg-type]
    data = bytes(range(16))
    for big_endian in (False, True):
        memory = bytearray(16)
        one.write(memory, 0, data, big_endian=big_endian)
        assert bytes(one.unpack(bytes(memory), big_endian=big_endian)) == data
        assert (bytes(memory) == data) == (big_endian == (order == "big"))


@pytest.mark.parametrize(
    "oracle", [Qemu.of("pa-risc"), Ski(), Disassembly()], ids=lambda oracle: str(oracle.name)
)
def test_a_loop_runs(oracle: Qemu | Ski | Disassembly) -> None:
    if why := oracle.available():
        pytest.skip(why)
    pa = isinstance(oracle, Qemu)
    interface = _interface(big_endian=pa)
    rng = random.Random(1)
    calls = [[bytes(rng.randrange(256) for _ in range(32))] for _ in range(100)]
    found = oracle.run(PA if pa else IA64, interface, calls)
    # The third argument is the address of a table, aligned to 4096 bytes: the low bits stay as they are.
    for (data,), (result,) in zip(calls, found, strict=True):
        words = [int.from_bytes(data[k : k + 2], "little") & 0xFFF for k in range(0, 32, 4)]
        assert [int.from_bytes(bytes(result[k : k + 2]), "little") & 0xFFF for k in range(0, 32, 4)] == words
        key = {
            bytes(a ^ b for a, b in zip(data[k : k + 4], result[k : k + 4], strict=True))
            for k in range(0, 32, 4)
        }
        assert len(key) == 1


# Three instructions of 4 bytes; the section is padded to 32.
ALPHA = """\t.text
\t.balign 32
\t.globl kernel
kernel:
\taddq $16,$17,$0
\tfnop
\tret $31,($26),1
\t.size kernel, .-kernel
"""


def test_sizes_come_from_the_object_file_without_its_padding() -> None:
    for isa, text, size, operations in (
        ("ia64", IA64, 96, 12),
        ("pa-risc", PA, 28, 6),
        ("alpha", ALPHA, 12, 2),
    ):
        if why := binutils(isa).available():
            pytest.skip(why)
        found = assemble(text, isa)
        assert (found.bytes, found.operations) == (size, operations)


def test_gas_refuses_a_group_that_reads_what_it_wrote() -> None:
    if why := binutils("ia64").available():
        pytest.skip(why)
    wrong = "{ .mmi\n\tadd r14=r15,r16\n\tadd r17=r14,r16\n\tnop.i 0 ;;\n}\n"
    with pytest.raises(VerificationError) as caught:
        assemble(wrong, "ia64")
    assert str(caught.value) == (
        "error[M601]: `ia64-linux-gnu-as` refuses the text\n"
        "   = line 3: Warning: Use of 'add' violates RAW dependency 'GR%, % in 1 - 127' (impliedf), specific resource "
        "number is 14\n"
        "   = line 2: Warning: This is the location of the conflicting usage\n"
        "   = the line: add r17=r14,r16"
    )


def test_execution_refuses_a_group_that_reads_what_it_wrote() -> None:
    """Ski executes a group operation by operation and would not see it."""
    listing = (
        "   0:\t0b 70 3c 20 00 20 \t[MMI]       add r14=r15,r16\n"
        "   6:\t10 71 40 00 40 00 \t            add r17=r14,r16\n"
        "   c:\t00 00 04 00       \t            nop.i 0x0;;\n"
    )
    with pytest.raises(VerificationError) as caught:
        Machine(listing).run(0)
    assert str(caught.value) == "error[M605]: a group reads r14, which it wrote"


def test_an_instruction_set_without_tools_is_refused() -> None:
    assert refusal(UsageError, binutils, "epic") == (
        "error[M607]: no assembler is known for `epic`\n   = help: add [binutils] to isas/epic.toml"
    )
    assert refusal(UsageError, Qemu.of, "epic") == (
        "error[M612]: no emulator is known for `epic`\n   = help: add [emulator] to isas/epic.toml"
    )


def test_what_calls_the_kernel_is_no_argument_of_it() -> None:
    for isa, register in (("pa-risc", "%r20"), ("rv32im", "t1"), ("armv7-m", "r12")):
        one = Object("in", 4, 4, 4, 4, "none", "parameter", 0)
        batch = Batch.of(Interface((one,), (Pointer(0),), (register,), isa == "pa-risc"), [[[1]]])
        with pytest.raises(VerificationError) as caught:
            Qemu.of(isa).start(batch)
        assert str(caught.value) == (
            f"error[M606]: `{register}`, which calls the kernel, is one of its arguments"
        )


def test_execution_refuses_what_it_does_not_know() -> None:
    listing = "   0:\t00 00 00 00 00 00 \t[MIB]       frob r14=r15\n"
    with pytest.raises(VerificationError) as caught:
        Machine(listing).run(0)
    assert str(caught.value) == "error[M610]: `frob r14=r15` is not known to the execution of disassemblies"


def test_execution_ends_a_program_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cipherassay.processors.oracles.ia64_execution._LIMIT", 2)
    listing = (
        "   0:\t0b 70 3c 20 00 20 \t[MMI]       add r14=r15,r16\n"
        "   6:\t10 71 40 00 40 00 \t            add r17=r15,r16\n"
        "   c:\t00 00 04 00       \t            add r18=r15,r16;;\n"
    )
    with pytest.raises(VerificationError) as caught:
        Machine(listing).run(0)
    assert str(caught.value) == "error[M611]: the program does not end within 2 operations"


def test_execution_refuses_a_system_call_that_it_does_not_know() -> None:
    with pytest.raises(VerificationError) as caught:
        Machine("   0:\t00 00 00 00 00 00 \t[MIB]       break.m 0x100000;;\n").run(0)
    assert str(caught.value) == "error[M613]: no system call 0 is known here"
