"""Kernels for the Pentiums as rows of the report: made and judged where the store does not have them."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay import engine_file
from cipherassay.errors import DescriptionError
from cipherassay.processors.wanted import FULL_KEYING, ONE_KEY, RECIPE
from cipherassay.results import Row, Store
from cipherassay.x86 import kept, model

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

NTT_RECIPES = {"e2": "two-operand-tables"}
"""By cipher the strategy of what Aoki and Ueda (1999, 3.2) did by hand: rows apart from the best code's."""
_PACKAGE = Path(__file__).parents[1]
_SOURCES = ("x86/*", "strategies/*", "lang/*.py", "ciphers/*.py", "vectors/data/*/ecb_v*")


@dataclass(frozen=True)
class Wanted:
    """A kernel that the report shows."""

    cipher: Cipher
    operation: str
    key_bits: int
    processor: str
    key: str = ""
    recipe: str = ""
    """The strategy that does what a paper describes; empty: the best code is wanted."""

    @property
    def title(self) -> str:
        """What it is, for progress."""
        one = " for one key" if self.key else f", {RECIPE}," if self.recipe else ""
        return f"{self.cipher.name} {self.operation} {self.key_bits}{one} on {self.processor}"

    @property
    def name(self) -> str:
        """The name of its run in the store."""
        operation = self.operation.replace("_", "-")
        one = "-one-key" if self.key else "-recipe" if self.recipe else ""
        return f"processor/{self.processor}/{self.cipher.slug}-{operation}-{self.key_bits}{one}"

    def inputs(self) -> dict[str, Any]:
        """Return what its rows depend on."""
        from cipherassay.x86.judge import available

        digest = hashlib.sha256(Path(self.cipher.file).read_bytes()).hexdigest()
        return {"cipher": digest, "sources": _sources(), "judge": available() or "this machine"}

    def rows(self) -> list[Row]:
        """Make and judge it; none if the program has something that there is no code for yet."""
        from cipherassay.x86.kernel import best, for_blocks
        from cipherassay.x86.rows import rows

        machine = model.load(self.processor)
        try:
            among = for_blocks(self.cipher, machine) if self.operation.startswith("key") else ()
            made = best(
                self.cipher, self.operation, machine, key_bits=self.key_bits, key=self.key, among=among,
                strategy=self.recipe,
            )  # fmt: skip
        except DescriptionError:
            return []
        return list(rows(made, configuration=RECIPE if self.recipe else ""))


def wanted(ciphers: Sequence[Cipher]) -> list[Wanted]:
    """Return what a report shows: ciphers by their shortest keys, E2's key setup as its paper by all.

    E2's blocks are shown by its paper's recipe, too. Ciphers whose tables depend on the key have their blocks
    for one key, too, as Twofish's authors did.
    Processors of one kernel follow each other: they share its program and its steps.
    """
    kernels = [
        (cipher, operation, bits)
        for cipher in ciphers
        for operation in ("encrypt", "decrypt", "key_setup_encrypt")
        for bits in (
            cipher.key_bits if cipher.slug == "e2" and operation.startswith("key") else cipher.key_bits[:1]
        )
    ]
    found = [Wanted(*one, processor) for one in kernels for processor in model.names()]
    keyed = [
        cipher for cipher in ciphers if FULL_KEYING in cipher.forms and len(ONE_KEY) * 8 in cipher.key_bits
    ]
    found += [
        Wanted(cipher, operation, cipher.key_bits[0], processor, recipe=NTT_RECIPES[cipher.slug])
        for cipher in ciphers
        if cipher.slug in NTT_RECIPES
        for operation in ("encrypt", "decrypt")
        for processor in model.names()
    ]
    return found + [
        Wanted(cipher, operation, 8 * len(ONE_KEY), processor, ONE_KEY.hex())
        for cipher in keyed
        for operation in ("encrypt", "decrypt")
        for processor in model.names()
    ]


def pentium_rows(
    asked: Sequence[Wanted],
    store: Store,
    *,
    seconds: float = math.inf,
    advance: Callable[[float, str], None] = lambda amount, note: None,
) -> tuple[list[Row], int]:
    """Return the rows of kernels, and how many are left: after so many seconds no further one is made."""
    end = time.monotonic() + seconds
    rows: list[Row] = []
    left = 0
    for one in asked:
        advance(0, one.title)
        found = store.find(one.name, one.inputs())
        if found is None and time.monotonic() < end:
            found = one.rows()
            store.put(one.name, one.inputs(), found)
        left += found is None
        rows += found or []
        advance(1, "")
    return rows, left


@lru_cache(maxsize=1)
def _sources() -> str:
    """Return the hash of the engine, of the files that all kernels depend on, and of kept orders."""
    digest = hashlib.sha256(engine_file.digest().encode())
    files = [path for pattern in _SOURCES for path in sorted(_PACKAGE.glob(pattern))]
    for path in [*files, *sorted(kept.FOLDER.glob("*.json"))]:
        if path.is_file():
            digest.update(f"{path.parent.name}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()
