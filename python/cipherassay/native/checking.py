"""Compiled code checked against the reference evaluator before its time counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.errors import VerificationError
from cipherassay.native.backend import LoadedBackend

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher

KEYS, BLOCKS, SEED = 4, 8, 20


def check_implementation(
    cipher: Cipher, backend: LoadedBackend, key_bits: int, *, variant: str = "", what: str = ""
) -> None:
    """Compare an implementation with the reference evaluator on random keys and blocks, in each direction.

    The evaluator computes the literal description, which passes the known answers; the keys include all
    zeros and all ones.

    Raises
    ------
    VerificationError
        ``N030``: a block differs.
    """
    import numpy as np

    from cipherassay.vectors import EvaluatorBackend

    reference = EvaluatorBackend(cipher, variant)
    generator = np.random.Generator(np.random.PCG64([SEED, key_bits]))
    size = key_bits // 8
    keys = [bytes(size), b"\xff" * size, *(generator.bytes(size) for _ in range(KEYS))]
    for key in keys:
        blocks = generator.bytes(cipher.input_bits // 8 * BLOCKS)
        for direction in cipher.directions:
            expected = reference.run(direction, reference.keys(key, direction), blocks)
            found = backend.run(direction, backend.keys(key, direction), blocks)
            if found != expected:
                raise _difference(cipher, what or backend.name, direction, key, blocks, expected, found)


def _difference(
    cipher: Cipher, what: str, direction: str, key: bytes, blocks: bytes, expected: bytes, found: bytes
) -> VerificationError:
    size, output = cipher.sizes
    numbers = range(len(blocks) // size)
    number = next(n for n in numbers if found[n * output :][:output] != expected[n * output :][:output])
    given, part = slice(number * size, (number + 1) * size), slice(number * output, (number + 1) * output)
    return VerificationError(
        "N030",
        f"{what} computes {cipher.name} wrongly: {direction}" + (f", {8 * len(key)}-bit key" if key else ""),
        notes=[
            *([f"key      {key.hex().upper()}"] if key else []),
            f"input    {blocks[given].hex().upper()}",
            f"expected {expected[part].hex().upper()}",
            f"found    {found[part].hex().upper()}",
        ],
        help="its times are not measured; `assay kat check --backend c` shows the first difference",
    )
