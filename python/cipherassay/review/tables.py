"""Tables and boxes that look like permutations and are none: a slip of typing that a cipher may survive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cipherassay.review.verdict import Verdict

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

_TABLE = re.compile(r"^table @(\S+): u(\d+)\[\d+\] = \[([^]]*)\]", re.MULTILINE)
_BOX = re.compile(r"^box @(\S+): (\d+) -> \d+ = \[([^]]*)\]", re.MULTILINE)


def note_tables(cipher: Cipher) -> Iterator[Verdict]:
    """Yield a note for each table from n bits to n bits that gives one value twice."""
    text = cipher.compile(cipher.key_bits[0]).text()
    for name, bits, entries in [*_TABLE.findall(text), *_BOX.findall(text)]:
        numbers = [int(entry, 0) for entry in entries.replace(",", " ").split()]
        if len(numbers) != 1 << int(bits) or max(numbers) >= len(numbers):
            continue
        first: dict[int, int] = {}
        for place, value in enumerate(numbers):
            if value in first:
                twice = f"it gives {value:#x} for {first[value]:#x} and for {place:#x}"
                yield Verdict("tables", "note", f"`{name}` is no permutation: {twice}")
                break
            first[value] = place
