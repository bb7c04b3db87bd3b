"""Bytes of a kernel: its code, as assembled where the assembler is here, and its tables."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from cipherassay.processors.kernel import Kernel

if TYPE_CHECKING:
    from cipherassay.processors.oracles.gas import Binutils

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
    from cipherassay.processors.oracles import gas

    bundles = kernel.assembly["bundles"]
    known, in_bundles, _ = _isa(kernel.processor.json())
    if known is None or (in_bundles and bundles is None):
        return None, ""
    if (chosen := binutils(kernel)) is not None:
        try:
            return gas.assemble(kernel.text, chosen).bytes, "assembled"
        except ToolError:
            pass
    words = kernel.assembly["operations"] + kernel.assembly["nops"]
    return (bundles * BUNDLE_BYTES, "bundles") if bundles else (words * WORD_BYTES, "instructions")


def binutils(kernel: Kernel) -> Binutils | None:
    """Return the binutils that assemble a kernel; None where no encoding of all its instructions exists."""
    known, in_bundles, hypothetical = _isa(kernel.processor.json())
    unlimited = in_bundles and kernel.assembly["bundles"] is None
    return None if unlimited or hypothetical & kernel.counts.keys() else known


@lru_cache(maxsize=64)
def _isa(processor: str) -> tuple[Binutils | None, bool, frozenset[str]]:
    """Return an instruction set's binutils, whether its text is of bundles, and what nothing can assemble."""
    from cipherassay.processors.oracles import gas

    known = json.loads(processor)["isa"]
    unreal = {one["name"] for one in known["instructions"] if one["confidence"] == "hypothetical"}
    return gas.of_document(known), known["instruction_bytes"] is None, frozenset(unreal)


def table_bytes(kernel: Kernel) -> int:
    """Return the bytes of the tables that the kernel reads."""
    return sum(len(one.elements) * one.element for one in kernel.interface.objects if one.role == "table")
