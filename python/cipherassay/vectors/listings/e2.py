"""E2: round keys k1 to k16, ``IT`` after the initial transformation, ``LnRn`` after round n."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.fields import Field
from cipherassay.vectors.listings._parts import BLOCK_LINE, Collector, Listing, Step, lines

FILES = {"": ("e2_iv.txt",)}
_STEP = re.compile(r"(IT|L\d+R\d+|k\d+)\s*=\s*([0-9A-Fa-f]+)$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per block."""
    collector = Collector()
    for place, line in lines(path, text):
        block, step = BLOCK_LINE.match(line), _STEP.match(line)
        if step:
            data = Field(step[1], step[2], place).blocks(whole=True)
            if step[1].startswith("k"):
                collector.round_keys.append(Step(step[1], place, (data,)))
            else:
                collector.step(step[1], place, data[:8], data[8:])
        elif block:
            yield from collector.take(block[1], block[2], place)
