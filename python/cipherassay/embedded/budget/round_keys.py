"""The round keys of a program, and the candidates of code within a budget of RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.embedded.build import STRATEGIES, byte_passes

if TYPE_CHECKING:
    from cipherassay._engine import BudgetCandidates, Microcontroller, Program, RoundKeys

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


def candidates(
    program: Program, keys: RoundKeys, isa: Microcontroller, prefix: str, budget: int
) -> BudgetCandidates:
    """Return the candidates for a program with its round keys.

    Parameters
    ----------
    program : Program
        As it was compiled.
    keys : RoundKeys
        What `round_keys` returns of it.
    isa : Microcontroller
        The processor.
    prefix : str
        What the names of functions and objects begin with.
    budget : int
        Bytes of RAM for everything.
    """
    from cipherassay import strategies
    from cipherassay._engine import BudgetCandidates

    unrolled, looped = (
        strategies.for_target(byte_passes(program, STRATEGIES[unrolled])) for unrolled in (True, False)
    )
    return BudgetCandidates(
        isa, program, keys, prefix, budget,
        unrolled=unrolled, looped=looped, circuits=strategies.circuits(),
    )  # fmt: skip
