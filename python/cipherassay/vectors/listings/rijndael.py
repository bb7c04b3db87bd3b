"""Rijndael: ``CTi`` is the state after the first key addition and i rounds.

The listings of decryption are left out: their ``PTi`` are states between the operations of an inverse round,
which no variable of a description holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.fields import Field
from cipherassay.vectors.listings._parts import BLOCK_LINE, Collector, Listing, lines

FILES = {"": ("rijndael_ecb_iv.txt",)}
_STEP = re.compile(r"(CT\d+)\s*=\s*([0-9A-Fa-f]+)$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per encrypted block."""
    collector = Collector()
    for place, line in lines(path, text):
        block, step = BLOCK_LINE.match(line), _STEP.match(line)
        if step:
            collector.step(step[1], place, Field(step[1], step[2], place).blocks(whole=True))
        elif block:
            yield from collector.take(block[1], block[2], place)
