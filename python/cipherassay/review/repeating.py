"""Whether a description gives the same each time: it may depend on key and block, on nothing else."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    key, block = drawn.randbytes(key_bits // 8), drawn.randbytes(cipher.input_bits // 8)
    made: dict[str, list[Any]] = {"": [None] * RUNS}
    for direction in cipher.directions:
        schedule = cipher.schedule(direction)
        if schedule not in made:
            made[schedule] = [cipher.run(schedule, key) for _ in range(RUNS)]
            if any(numbers(keys) != numbers(made[schedule][0]) for keys in made[schedule]):
                raise unrepeated(cipher, schedule)
        results = [cipher.run(direction, keys, block) for keys in made[schedule]]
        if any(result != results[0] for result in results):
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
