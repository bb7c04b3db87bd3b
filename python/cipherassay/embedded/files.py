"""What firmware files of all processors share: facts for drivers and READMEs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cipherassay.embedded.build import SEPARATE
from cipherassay.embedded.measuring import of_keys
from cipherassay.lang.shapes import BLOCK_CIPHER, PERMUTATION
from cipherassay.vectors.drivers import Answers

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.measuring import CipherCode

ANSWERS = 3
"""At most four: the driver for MCS-51 prints twice their number as one digit."""
WITHOUT_KEY = """\
Put {what} into
`{p}_block`, call {calls}, and take the result from there."""


def title(made: CipherCode) -> str:
    """Return what the files are of."""
    variant = f", {made.variant}" if made.variant and not made.cipher.keyed else ""
    return f"{made.cipher.name}{of_keys(made.key_bits)}{variant}"


def answers(made: CipherCode) -> Answers:
    """Return the known answers that the driver checks."""
    return Answers.of(made.cipher, made.key_bits, made.variant, count=ANSWERS)


def facts(made: CipherCode) -> dict[str, Any]:
    """Return what drivers and READMEs say of the code; ``vectors``: the known answers as C."""
    known, p = answers(made), made.prefix
    return {
        "title": title(made), "p": p, "what": what(made.cipher),
        "bits": made.key_bits, "key": made.key_bits // 8, "block": made.cipher.input_bits // 8,
        "answers": len(known.blocks), "checks": known.checks,
        "vectors": known.rows(), "sizes": known.sizes, "record": known.record, "parts": known.parts,
        "checked": known.counted, "forward": known.directions[0], "contents": contents(made, known),
        "calls": " or ".join(f"`{p}_{one}`" for one in known.directions), "objects": objects(made),
        "declared": ", ".join(f"{p}_{one}(void)" for one in (*setups(made)[:1], *known.directions)),
    }  # fmt: skip


def what(cipher: Cipher) -> str:
    """Return what a README calls what is put into the block."""
    if cipher.tweak_bytes:
        return "a block, its tweak behind it,"
    known = {BLOCK_CIPHER.forward: "a block", PERMUTATION.forward: "a state"}
    return known.get(cipher.directions[0], "an input")


def contents(made: CipherCode, known: Answers) -> str:
    """Return what a README says that the assembly holds."""
    return known.operations + (f" for keys of {made.key_bits} bits" if known.keyed else "")


def objects(made: CipherCode) -> str:
    """Return the objects in RAM that a caller uses, as C declares them with their sizes."""
    sizes = {"key": made.key_bits // 8, "block": max(made.cipher.sizes)}
    return ", ".join(f"{made.prefix}_{name}[{size}]" for name, size in sizes.items() if size)


def use(made: CipherCode, keyed: str) -> str:
    """Return what a README says of calls: ``keyed`` where there is a key."""
    return (keyed if made.cipher.keyed else WITHOUT_KEY).format(**facts(made))


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
