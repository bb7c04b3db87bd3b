"""Whether a description gives the same each time: it may depend on key and block, on nothing else."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.errors import DescriptionError, Place
from cipherassay.lang.agreement import ALONE, unrepeated
from cipherassay.lang.cipher import numbers

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

RUNS = 4


def check_repeats(cipher: Cipher) -> None:
    """Call each function several times with the same key and block, and load the file anew.

    Raises
    ------
    DescriptionError
        D039: a result, or the program of the file loaded anew, is another.
    """
    key_bits = cipher.key_bits[0]
    drawn = random.Random(f"{cipher.slug} {key_bits} again")
    key, block = drawn.randbytes(key_bits // 8), drawn.randbytes(cipher.block_bits // 8)
    for direction in cipher.directions:
        schedule = cipher.schedule(direction)
        first: tuple[object, bytes] | None = None
        for _ in range(RUNS):
            keys = cipher.run(schedule, key) if schedule else None
            given = numbers(keys) if schedule else [], cipher.run(direction, keys, block)
            first = first or given
            if given[0] != first[0]:
                raise unrepeated(cipher, schedule)
            if given[1] != first[1]:
                raise unrepeated(cipher, direction)
    _same_when_loaded_anew(cipher, key_bits)


def _same_when_loaded_anew(cipher: Cipher, key_bits: int) -> None:
    from cipherassay.lang.files import load_anew

    again = load_anew(Path(cipher.file))
    if again.program_text(key_bits) != cipher.program_text(key_bits):
        raise DescriptionError(
            "D097",
            f"{cipher.name}: the file gives a different program when it is loaded twice",
            places=[Place(cipher.file)],
            help=ALONE,
        )
