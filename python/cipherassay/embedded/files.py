"""What firmware files of all processors share: facts for drivers and READMEs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.embedded.build import SEPARATE
from cipherassay.vectors.drivers import rows
from cipherassay.vectors.single_blocks import single_blocks

if TYPE_CHECKING:
    from cipherassay.embedded.measuring import CipherCode

ANSWERS = 3
"""At most four: the driver for MCS-51 prints twice their number as one digit."""


def title(made: CipherCode) -> str:
    """Return what the files are of."""
    return f"{made.cipher.name}, keys of {made.key_bits} bits"


def facts(made: CipherCode) -> dict[str, Any]:
    """Return what drivers and READMEs say of the code; ``vectors``: key, plaintext, ciphertext as C."""
    known = single_blocks(made.cipher, made.key_bits, made.variant, count=ANSWERS)
    return {
        "title": title(made), "p": made.prefix, "bits": made.key_bits, "key": made.key_bits // 8,
        "block": made.cipher.block_bits // 8, "answers": len(known), "checks": 2 * len(known),
        "vectors": rows(known),
    }  # fmt: skip


def setups(made: CipherCode) -> list[str]:
    """Return the functions that set up a key: none, one, or one for each direction."""
    return [name for name in made.functions if name.startswith("key_schedule")]


def more_setup(made: CipherCode) -> str:
    """Return what a README adds where decryption has round keys of its own."""
    if SEPARATE not in made.functions:
        return ""
    p = made.prefix
    return (
        f"\nDecryption has round keys of its own: call `{p}_{SEPARATE}` as well, which leaves them in\n"
        f"`{p}_keys_decrypt`.\n"
    )
