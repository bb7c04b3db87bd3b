"""Bytes of a kernel: its code, from the assembled section where the assembler is here, and its tables."""

from __future__ import annotations

import json
from functools import lru_cache

from cipherassay.processors.kernel import Kernel

BUNDLE_BYTES, WORD_BYTES = 16, 4


def code_bytes(kernel: Kernel) -> tuple[int | None, str]:
    """Return the size of the code, and how it is known; None where no encoding exists.

    Machines without limits have no bundles, hypothetical instructions no encoding: with one of the latter the
    bundles count.

    Raises
    ------
    VerificationError
        ``M601``: the assembler refuses the text of a kernel of real instructions.
    """
    from cipherassay.errors import ToolError
    from cipherassay.judges import gas

    bundles = kernel.assembly["bundles"]
    isa, hypothetical = _isa(kernel.processor.json())
    if isa not in gas.BINUTILS or (isa == "ia64" and bundles is None):
        return None, ""
    if not hypothetical & kernel.counts.keys():
        try:
            return gas.assemble(kernel.text, isa).bytes, "assembled section"
        except ToolError:
            pass
    words = kernel.assembly["operations"] + kernel.assembly["nops"]
    return (bundles * BUNDLE_BYTES, "bundles") if bundles else (words * WORD_BYTES, "instructions")


@lru_cache(maxsize=64)
def _isa(processor: str) -> tuple[str, frozenset[str]]:
    """Return the name of the instruction set and which instructions nothing can assemble."""
    known = json.loads(processor)["isa"]
    unreal = {one["name"] for one in known["instructions"] if one["confidence"] == "hypothetical"}
    return str(known["name"]), frozenset(unreal)


def table_bytes(kernel: Kernel) -> int:
    """Return the bytes of the tables that the kernel reads."""
    return sum(len(one.elements) * one.element for one in kernel.interface.objects if one.role == "table")
