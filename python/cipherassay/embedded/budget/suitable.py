"""What the orders of a key schedule that need less RAM suppose of a cipher."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Program


def check_suitable(name: str, program: Program) -> None:
    """Check that a cipher decrypts, by one key schedule of whole bytes; ``name`` is for the message.

    Raises
    ------
    UsageError
        ``E155``: it has not.
    """
    functions = program.mirror().functions
    reason = ""
    if "key_schedule_decrypt" in functions:
        reason = "decryption has a key schedule of its own"
    if "decrypt" not in functions:
        reason = "it has no `decrypt`, and the code within a budget is for both directions"
    for ty in functions["key_schedule"].results:
        if ty.bits % 8:
            reason = f"its round keys are words of {ty.bits} bits, no whole bytes"
    if reason:
        raise UsageError(
            "E155",
            f"there are no budgets of RAM for {name}: {reason}",
            help="code without a budget keeps all round keys: leave out `--ram` and `--ram-calls`",
        )
