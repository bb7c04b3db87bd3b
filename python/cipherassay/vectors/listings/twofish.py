"""Twofish: ``R[n]`` holds the four words after round n; the subkeys stand in comment lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cipherassay.vectors.listings._parts import BLOCK_LINE, Collector, Listing, Step, lines

FILES = {"": ("twofish_ecb_ival.txt",)}
ROUNDS = range(17)
"""R[-1] is the plaintext and R[17] the ciphertext."""
_STEP = re.compile(r"R\[\s*(-?\d+)\]: x=((?:\s+[0-9A-Fa-f]{8}){4})\.")
_SUBKEYS = re.compile(r";\s+([0-9A-Fa-f]{8}) ([0-9A-Fa-f]{8})(?:\s+(?:Input|Output|Round).*)?$")


def parse(path: str, text: str) -> Iterator[Listing]:
    """Yield one listing per block and direction."""
    collector = Collector()
    for place, line in lines(path, text):
        block, step, subkeys = BLOCK_LINE.match(line), _STEP.match(line), _SUBKEYS.match(line)
        if step:
            number = int(step[1])
            if number in ROUNDS:
                collector.step(f"R[{number}]", place, *(int(word, 16) for word in step[2].split()))
        elif subkeys:
            words = tuple(int(word, 16) for word in subkeys.groups())
            collector.round_keys.append(Step(f"subkeys {2 * len(collector.round_keys)}", place, words))
        elif block:
            yield from collector.take(block[1], block[2], place)
