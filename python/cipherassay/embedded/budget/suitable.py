"""What the orders of a key schedule that need less RAM suppose of a cipher."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.text_form import width
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Program


def check_suitable(name: str, program: Program) -> None:
    """Check that a cipher has one key schedule, whose words are whole bytes; ``name`` is for the message.

    Raises
    ------
    UsageError
        ``E155``: it has not.
    """
    functions = {function["name"]: function for function in program.functions()}
    reason = ""
    if "key_schedule_decrypt" in functions:
        reason = "decryption has a key schedule of its own"
    for text in functions["key_schedule"]["results"]:
        if width(text.split("[")[0]) % 8:
            reason = f"its round keys are words of {width(text.split('[')[0])} bits, no whole bytes"
    if reason:
        raise UsageError(
            "E155",
            f"there are no budgets of RAM for {name}: {reason}",
            help="code without a budget keeps all round keys: leave out `--ram` and `--ram-calls`",
        )
