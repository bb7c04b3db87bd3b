"""How many vector instructions a compiler makes of emitted C: a comparison with what libraries ship."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

from cipherassay.circuits.emitted.commands import run_tool
from cipherassay.errors import UsageError
from cipherassay.tools import require
from cipherassay.tools.compiler import find_compiler

_LOGIC = re.compile(r"\b(v?p?(?:ternlog|andn?|x?or)[dqp]?[sd]?)\b")
_COPY = re.compile(r"\b(v?mov\w+)\b\s+%[xyz]mm\d+,%[xyz]mm\d+")


def vector_instructions(
    text: str, *, compiler: str = "gcc", flags: tuple[str, ...] = ("-O2",)
) -> dict[str, int]:
    """Compile C for AVX-512 (or AVX2, by its intrinsics) and count its instructions of logic by name.

    Returns
    -------
    dict
        Instructions by name (``vpternlogq``, ``vpxorq`` …), ``copies`` between registers, and ``logic``, the
        sum without the copies.

    Raises
    ------
    UsageError
        ``C412``: the text has no vector instructions of logic.
    ToolError
        ``N002``, ``N003``: no compiler; ``T002``: no objdump.
    VerificationError
        ``C411``: the compiler refuses the text.
    """
    found = find_compiler("c", compiler)
    disassembler = require("objdump")
    machine = "-mavx512f" if "__m512i" in text else "-mavx2"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "box.c").write_text(text)
        run_tool([*found.command, "-std=c11", *flags, machine, "-c", "box.c", "-o", "box.o"], folder, "c")
        listing = run_tool([disassembler, "-d", "--no-show-raw-insn", "box.o"], folder, "c")
    return _counted(listing)


def _counted(listing: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    copies = 0
    for line in listing.splitlines():
        instruction = line.partition(":")[2].strip()
        mnemonic = instruction.split(" ")[0]
        if _LOGIC.fullmatch(mnemonic) and "mm" in instruction:
            counts[mnemonic] += 1
        elif _COPY.match(instruction):
            copies += 1
    if not counts:
        raise UsageError(
            "C412",
            "the compiled text holds no vector instructions of logic",
            help="give C that `assay circuit emit` wrote with intrinsics of AVX2 or AVX-512",
        )
    return {**dict(sorted(counts.items())), "copies": copies, "logic": sum(counts.values())}
