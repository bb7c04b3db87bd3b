"""What the orders of a key schedule that need less RAM suppose of a cipher."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay import ir
    from cipherassay._engine import Program


def check_suitable(name: str, program: Program) -> None:
    """Check that a cipher decrypts, by one key schedule of whole bytes; ``name`` is for the message.

    Raises
    ------
    UsageError
        ``E155``: it has not.
    """
    functions = program.mirror().functions
    if reason := _reason(functions):
        keeps = "keeps all round keys" if "key_schedule" in functions else "takes no more"
        raise UsageError(
            "E155",
            f"there are no budgets of RAM for {name}: {reason}",
            help=f"code without a budget {keeps}: leave out `--ram` and `--ram-calls`",
        )


def _reason(functions: Mapping[str, ir.Function]) -> str:
    """Return why a program does not suit budgets; empty: it does."""
    if "key_schedule" not in functions:
        return "it has no round keys, which alone can be left out"
    for ty in functions["key_schedule"].results:
        if ty.bits % 8:
            return f"its round keys are words of {ty.bits} bits, no whole bytes"
    if "decrypt" not in functions:
        return "it has no `decrypt`, and the code within a budget is for both directions"
    if "key_schedule_decrypt" in functions:
        return "decryption has a key schedule of its own"
    return ""
