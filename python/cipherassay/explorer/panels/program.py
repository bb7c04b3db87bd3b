"""The program that a description compiles into, or that a strategy makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.explorer import lines
from cipherassay.explorer.panels import Given, Option, Show

TITLE = "Program"
ORDER = 1
NICE = 5
AS_WRITTEN = "as-written"


def options() -> Sequence[Option]:
    """Return the strategies whose program may be shown."""
    from cipherassay import strategies

    known = (strategies.load(name) for name in strategies.names())
    of_all = [(one.name, one.name) for one in known if not one.for_each_key]
    return (Option("strategy", "Strategy", [(AS_WRITTEN, "as written"), *of_all]),)


def make(given: Given, show: Show) -> None:
    """Show what is known of the description, then the program's text."""
    from cipherassay import strategies

    cipher, (strategy,) = given.cipher, options()
    chosen = given.option("program", strategy)
    program = cipher.compile(given.key_bits)
    show("facts", _facts(given))
    if chosen != AS_WRITTEN:
        program = strategies.program(cipher, given.key_bits, chosen)
    text = program.text()
    tied = lines.of_program(text, program.mirror().files, given.file)
    show("text", lines.document(f"{cipher.slug}.program", "program", text, tied))


def _facts(given: Given) -> dict[str, Any]:
    cipher = given.cipher
    return {
        "name": cipher.name, "structure": cipher.structure, "source": cipher.source,
        "block_bits": cipher.block_bits, "tweak_bits": cipher.tweak_bits,
        "key_sizes": [bits for bits in cipher.key_bits if bits], "key_bits": given.key_bits,
        "operations": list(cipher.directions), "operation": given.operation,
        "variants": list(cipher.variants), "forms": list(cipher.forms),
    }  # fmt: skip
