"""Serpent: ``R[i]`` (decryption: ``Rinv[i]``) is the state after round i, ``SK[i]`` a bit-slice round key.

Strings are numbers, most significant digit first; the states are those of the standard form, in which the
four bits of an S-box lie side by side. Bit 4n + k of such a state is bit n of word k of the bit-slice form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.fields import Field
from cipherassay.vectors.listings._parts import BLOCK_LINE, Collector, Listing, Step, lines, little_words

FILES = {"": ("serpent_ecb_iv.txt",)}
_STEP = re.compile(r"(R|Rinv|SK)\[(\d+)\]\s*=\s*([0-9A-Fa-f]+)$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per block."""
    collector = Collector(order=lambda data: data[::-1])
    for place, line in lines(path, text):
        block, step = BLOCK_LINE.match(line), _STEP.match(line)
        if step:
            label = f"{step[1]}[{step[2]}]"
            data = Field(label, step[3], place).blocks(whole=True)
            if step[1] == "SK":
                collector.round_keys.append(Step(label, place, little_words(data[::-1])))
            else:
                collector.step(label, place, *bit_slices(int.from_bytes(data)))
        elif block:
            yield from collector.take(block[1], block[2], place)


def bit_slices(state: int) -> tuple[int, ...]:
    """Return the four words of the bit-slice form of a state of the standard form."""
    return tuple(sum((state >> (4 * n + k) & 1) << n for n in range(32)) for k in range(4))
