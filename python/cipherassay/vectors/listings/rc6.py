"""RC6: ``IV[i]`` holds the registers A, B, C, D after round i, as bytes in memory order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.fields import Field
from cipherassay.vectors.listings._parts import BLOCK_LINE, Listing, Step, lines, little_words

FILES = {"": ("rc6_ecb_iv*.txt", "ecb_vkiv.txt", "ecb_vtiv.txt")}
_STEP = re.compile(r"(IV\[\d+\])\s*=\s*([0-9A-Fa-f]+)$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per record; key or plaintext may stand before the records of a section."""
    fields: dict[str, bytes] = {}
    steps: list[Step] = []
    for place, line in lines(path, text):
        block, step = BLOCK_LINE.match(line), _STEP.match(line)
        if step:
            data = Field(step[1], step[2], place).blocks(whole=True)
            steps.append(Step(step[1], place, little_words(data)))
        elif block:
            fields[block[1]] = Field(block[1], block[2], place).data()
            if block[1] == "CT":
                yield Listing("encrypt", fields["KEY"], fields["PT"], fields["CT"], tuple(steps))
                steps = []
