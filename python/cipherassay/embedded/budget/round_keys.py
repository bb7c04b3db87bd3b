"""What code within a budget of RAM asks of a program: its round keys, its block, how much work there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cipherassay._engine import Program, RoundKeys

OPERATIONS = ("encrypt", "decrypt")


def round_keys(program: Program) -> RoundKeys:
    """Return the orders in which key schedule and operations of a program can run.

    Raises
    ------
    DescriptionError
        ``E156``, from the methods of what is returned: round keys are uneven copies.
    """
    from cipherassay import strategies
    from cipherassay._engine import RoundKeys

    return RoundKeys(strategies.passed(program, strategies.pipeline("front")))


def block_bytes(program: Program) -> int:
    """Return the bytes of the block that a program encrypts."""
    return program.mirror().functions["encrypt"].params[-1].type.cells


def work(program: Program, function: str) -> int:
    """Return about how many operations on bytes a function executes."""
    widths = {ty.bits for one in program.mirror().function_list for ty in one.types().values()}
    widest = 4 if 32 in widths else 1
    return widest * sum(counts["dynamic"] for counts in program.statistics(function).values())
