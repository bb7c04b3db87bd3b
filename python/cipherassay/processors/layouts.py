"""Layouts of tables in memory, and what each saves."""

from __future__ import annotations

from dataclasses import replace

from cipherassay.errors import UsageError, nearest
from cipherassay.lang.cipher import Cipher
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.making import make

LAYOUTS = ("contiguous", "aligned", "interleaved")
"""How tables lie: behind one another; each at a multiple of the power of two that holds it; several of them
in turn, each in one bank of the data cache."""
JOIN_BY_XOR = "join by xor"
"""The alternative of selection that joins an index to the address of an aligned table by exclusive or."""


def laid(kernel: Kernel, cipher: Cipher, layout: str) -> Kernel:
    """Return a kernel with its tables laid out anew, indices added or joined by exclusive or.

    Raises
    ------
    UsageError
        M717: no such layout.
    """
    if layout not in LAYOUTS:
        raise UsageError("M717", f"there is no layout `{layout}` of tables", help=nearest(layout, LAYOUTS))
    choice = kernel.choice
    avoid = tuple(name for name in choice.avoid if name != JOIN_BY_XOR)
    ways = [avoid] if layout == LAYOUTS[0] else [avoid, (*avoid, JOIN_BY_XOR)]
    found = [
        make(
            cipher, kernel.operation, kernel.processor, replace(choice, layout=layout, avoid=way),
            key_bits=kernel.key_bits, variant=kernel.variant,
        )
        for way in ways
    ]  # fmt: skip
    return min(found, key=lambda one: (one.cycles, one.operations))


def best_layout(kernel: Kernel, cipher: Cipher) -> Kernel:
    """Return the kernel in the layout of fewest cycles; its own, if no other is shorter."""
    others = [laid(kernel, cipher, layout) for layout in LAYOUTS if layout != kernel.choice.layout]
    return min([kernel, *others], key=lambda one: one.cycles)
