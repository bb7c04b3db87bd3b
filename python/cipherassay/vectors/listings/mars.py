"""MARS: ``IVn`` holds the data words after step n, each as its four bytes in memory order.

The listings of decryption are left out: in the mixing phases they show states between the operations of an
inverse round, which no variable of a description holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.fields import Field
from cipherassay.vectors.listings._parts import BLOCK_LINE, Collector, Listing, Step, lines, little_words

FILES = {
    "": ("mars_ecb_ivt.txt", "mars_subkeys.txt"),
    "round-1": ("mars_r1_ecb_ivt.txt", "mars_r1_subkeys.txt"),
}
OUTER = (0, 34)
"""Steps that are the input and the output themselves."""
_STEP = re.compile(r"IV(\d+)\s*=\s*([0-9A-Fa-f ]+)$")
_KEYS = re.compile(r"(K\d+-\d+)\s*=\s*([0-9A-Fa-f ]+)$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per block, or one per key in a file of expanded keys."""
    collector = Collector()
    keys: list[Step] = []
    for place, line in lines(path, text):
        block, step, expanded = BLOCK_LINE.match(line), _STEP.match(line), _KEYS.match(line)
        if step and int(step[1]) not in OUTER:
            data = Field(f"IV{step[1]}", step[2].replace(" ", ""), place).blocks(whole=True)
            collector.step(f"IV{step[1]}", place, *little_words(data))
        elif expanded:
            keys.append(Step(expanded[1], place, tuple(int(word, 16) for word in expanded[2].split())))
            if expanded[1].endswith("-39"):
                yield Listing("encrypt", collector.key, b"", b"", (), tuple(keys))
                keys = []
        elif block:
            taken = collector.take(block[1], block[2], place)
            yield from (listing for listing in taken if listing.operation == "encrypt")
