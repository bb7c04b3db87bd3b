"""What the verbs about small processors share: where tables lie, budgets of RAM (`--ram BYTES`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.console.progress import progress
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.budget.choose import BudgetResult

SMALL = "Small processors"
Tables = Annotated[
    str,
    typer.Option(
        "--tables",
        metavar="flash|ram",
        help="Of `avr`: where S-boxes and other tables lie; a look-up in RAM takes a cycle less.",
        show_default="flash",
        rich_help_panel=SMALL,
    ),
]
Ram = Annotated[
    int | None,
    typer.Option(
        "--ram",
        metavar="BYTES",
        help="At most so much RAM, with stack; it decides whether round keys are kept.",
        show_default=False,
        rich_help_panel=SMALL,
    ),
]
RamCalls = Annotated[
    bool,
    typer.Option(
        "--ram-calls",
        help="Count runs of the key schedule against RAM, as some papers do.",
        rich_help_panel=SMALL,
    ),
]


def refuse_tables(tables: str, what: str) -> None:
    """Raise UsageError ``E154`` if tables are to lie somewhere."""
    if tables:
        raise UsageError("E154", f"`--tables {tables}` is not for {what}")


def refuse_budget(processor: str) -> None:
    """Raise UsageError ``E152`` if a processor has no code for budgets of RAM."""
    from cipherassay.embedded.ram_budget import offering

    if processor not in (known := offering()):
        names = ", ".join(f"`{name}`" for name in known)
        raise UsageError("E152", f"`--ram` is not for `{processor}`", notes=[f"it is for {names}"])


def budgeted(
    cipher: Cipher, processor: str, key_bits: int, variant: str, ram: int, *, quiet: bool
) -> BudgetResult:
    """Return the operations of a cipher within a budget of RAM, with a bar while they are searched."""
    from cipherassay.embedded import ram_budget

    with progress(f"{cipher.name} {key_bits}", 1, quiet=quiet) as bar:
        return ram_budget.budgeted(
            cipher, key_bits, ram, variant, lambda what: bar.advance(0, what), processor
        )
