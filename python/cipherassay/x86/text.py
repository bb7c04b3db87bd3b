"""Assembly files of kernels, for GNU as (``as --32``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay.ir import Table
    from cipherassay.x86.kernel import Kernel

_SAVED = ("ebx", "esi", "edi", "ebp")


def title(head: Kernel) -> str:
    """Return what a file is of: the cipher, the size of its keys."""
    return head.cipher.name + (f", keys of {head.key_bits} bits" if head.cipher.keyed else "")


def source(kernels: Sequence[Kernel]) -> str:
    """Return one file with the kernels of a cipher, their objects and tables."""
    head = kernels[0]
    lines = [
        f"# {title(head)}: x86-32 for {head.model.title} and its family.",
        f"# Source: {head.cipher.source}.",
        "# The functions take no arguments and are not reentrant: they work on the objects below.",
        "\t.text",
    ]
    for kernel in kernels:
        lines += _function(kernel)
    objects: dict[str, int] = {}
    tables: dict[str, Table] = {}
    for kernel in kernels:
        tables |= kernel.tables
        for name, size in kernel.objects().items():
            objects[name] = max(objects.get(name, 0), size)
    lines += ["\t.section .rodata", "\t.balign 32"]
    for name, table in sorted(tables.items()):
        lines += [f"{head.prefix}_{name}:", *_entries(table)]
    lines += ["\t.bss", "\t.balign 32"]
    for name, size in objects.items():
        if name.removeprefix(f"{head.prefix}_") not in tables:
            lines += [f"\t.globl {name}", f"{name}:", f"\t.zero {size + -size % 32}"]
    return "\n".join([*lines, '\t.section .note.GNU-stack,"",@progbits', ""])


def _function(kernel: Kernel) -> list[str]:
    name = f"{kernel.prefix}_{kernel.operation}"
    lines = [
        f"# {kernel.operation}: {kernel.fitted.cycles:g} cycles if every access hits the data cache, "
        f"{kernel.fitted.operations} micro-operations, {len(kernel.code)} instructions",
        f"\t.globl {name}", f"\t.type {name}, @function", "\t.balign 16", f"{name}:",
    ]  # fmt: skip
    lines += [f"\tpushl %{register}" for register in _SAVED]
    lines += (
        [f".Lbegin_{kernel.operation}:"]
        + [line if line.endswith(":") else f"\t{line}" for line in kernel.fitted.lines]
        + [f".Lend_{kernel.operation}:"]
    )
    lines += [f"\tpopl %{register}" for register in reversed(_SAVED)]
    return [*lines, "\tret", f"\t.size {name}, .-{name}"]


def _entries(table: Table) -> list[str]:
    directive, entries = {8: ".byte", 16: ".short", 32: ".long"}[table.bits], table.entries
    return [
        f"\t{directive} " + ",".join(f"{e:#x}" for e in entries[k : k + 8]) for k in range(0, len(entries), 8)
    ]
