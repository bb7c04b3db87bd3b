"""Tables and boxes that look like permutations and are none: a slip of typing that a cipher may survive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cipherassay.review.verdict import Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def note_tables(cipher: Cipher) -> Iterator[Verdict]:
    """Yield a note for each table from n bits to n bits that gives one value twice."""
    program = cipher.compile().mirror()
    found = [(one.name, one.bits, one.entries) for one in program.table_list]
    found += [(one.name, one.inputs, one.entries) for one in program.box_list]
    for name, bits, numbers in found:
        if len(numbers) != 1 << bits or max(numbers) >= len(numbers):
            continue
        first: dict[int, int] = {}
        for place, value in enumerate(numbers):
            if value in first:
                twice = f"it gives {value:#x} for {first[value]:#x} and for {place:#x}"
                yield Verdict("tables", "note", f"`{name}` is no permutation: {twice}")
                break
            first[value] = place
