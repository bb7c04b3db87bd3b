"""What each pass and each choice of selection saves: the kernel made again without it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay import _engine, strategies
from cipherassay.errors import AssayError
from cipherassay.lang.cipher import Cipher
from cipherassay.processors import document, isa_files, processor_files
from cipherassay.processors.kernel import Kernel
from cipherassay.processors.making import make

if TYPE_CHECKING:
    from cipherassay._engine import Processor

NECESSARY = ("inline-calls", "circuits", "unroll")
"""Passes without which there is no straight-line code of instructions at all."""
SELECTION = {
    "near constants": "derive constants from near ones",
    "mask in place": "scale an index by masking its field where it stands",
    "join by xor": "join an index to the address of an aligned table by exclusive or",
}
"""Choices of selection that can be left out by name, beside instructions and recipes."""


def avoidable(
    processor: Processor, *, path: Path | None = None, instructions: Path | None = None
) -> set[str]:
    """Return all names that a kernel of a processor can be made without.

    They are those of passes, of choices of selection, and of the instructions and recipes of its instruction
    set and of the processors' own files.
    """
    isa = document(processor)["isa"]
    texts = [text for name, text, _ in isa_files(path) if name == isa]
    texts += [text for _, text, _ in processor_files(path)]
    texts += [instructions.read_text(encoding="utf-8")] if instructions is not None else []
    records = [tomllib.loads(text) for text in texts]
    named = {
        str(one["name"])
        for record in records
        for kind in ("instruction", "recipe")
        for one in record.get(kind, [])
        if "name" in one
    }
    return {*dict(_engine.available_passes()), *SELECTION, *named}


@dataclass(frozen=True)
class Saving:
    """A pass or choice that a kernel was made without: what that costs, or why it cannot be left out."""

    name: str
    description: str
    cycles: int | None = None
    operations: int | None = None
    bundles: int | None = None
    """Bundles more; None also where there are none."""
    refused: str = ""


def names(strategy: str) -> dict[str, str]:
    """Return what a kernel of a strategy can be made without, with descriptions, in the strategy's order."""
    described = dict(_engine.available_passes())
    passes = (text.split(":")[0] for text in strategies.load(strategy).passes)
    return {name: described[name] for name in passes if name not in NECESSARY} | SELECTION


def savings(kernel: Kernel, cipher: Cipher) -> Iterator[Saving]:
    """Yield for each pass of the kernel's strategy and each choice of selection what it saves."""
    for name, description in names(kernel.choice.strategy).items():
        if name in kernel.choice.avoid:
            continue
        choice = replace(kernel.choice, avoid=(*kernel.choice.avoid, name))
        try:
            other = make(
                cipher, kernel.operation, kernel.processor, choice,
                key_bits=kernel.key_bits, variant=kernel.variant,
            )  # fmt: skip
        except AssayError as error:
            yield Saving(name, description, refused=f"{error.code}: {error.message}")
            continue
        bundles = (other.assembly["bundles"], kernel.assembly["bundles"])
        yield Saving(
            name,
            description,
            other.cycles - kernel.cycles,
            other.operations - kernel.operations,
            bundles[0] - bundles[1] if all(bundles) else None,
        )
