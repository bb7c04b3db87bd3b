"""`--ram BYTES`: code for a small processor within a budget of RAM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.cli._common import progress, say, write_files
from cipherassay.cli._emit_small import about, command, refuse_operation
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher
    from cipherassay.embedded.budget.choose import Budgeted
    from cipherassay.native.selection import Selection
    from cipherassay.results import Row

Ram = Annotated[
    int | None,
    typer.Option(
        "--ram",
        metavar="BYTES",
        help="For small processors: at most so much RAM, with stack; it decides whether round keys are kept.",
        show_default=False,
    ),
]
RamCalls = Annotated[
    bool,
    typer.Option(
        "--ram-calls",
        help="For small processors: count runs of the key schedule against RAM as the E2 paper does.",
    ),
]


def emit_budgeted(
    cipher: Cipher,
    processor: str,
    operation: str,
    folder: Path | None,
    key_bits: int,
    variant: str,
    ram: int,
    *,
    json: bool,
) -> None:
    """Write a cipher that keeps to a budget of RAM: operations, a driver, a README."""
    from cipherassay.embedded.measuring import options

    _known(processor)
    refuse_operation(processor, operation)
    made = _made(cipher, processor, key_bits, variant, ram, quiet=json)
    given = f"{options(variant)} --ram {ram}"
    written = made.text.offer.files(made, command(cipher, processor, key_bits, given))
    ways = {o: c.way.name for o, c in made.ways.items()}
    known = {**about(cipher, processor, key_bits), "ram_bytes": made.ram, "ways": ways}
    if not json:
        for o, c in made.ways.items():
            say(f"{o}: {c.way.name}, {c.cycles} cycles")
        say(f"RAM: {made.ram} of {ram} bytes")
    write_files(folder or Path(), written, known, json=json)


def measure_budgeted(jobs: list[Selection], target: str, ram: int, *, json: bool) -> None:
    """Measure the jobs' ciphers within a budget of RAM and show the rows."""
    from cipherassay.cli._measure_small import show_small
    from cipherassay.embedded.budget.measure import measure

    _known(target)
    rows: list[Row] = []
    for job in jobs:
        for bits in job.key_bits:
            rows += measure(_made(job.cipher, target, bits, job.variant, ram, quiet=json))
    show_small(rows, json=json)


def count_calls(jobs: list[Selection], target: str, *, json: bool) -> None:
    """Show how often the key schedule has to be run for an encryption, by bytes of RAM."""
    from cipherassay.cli._measure_small import show_counts
    from cipherassay.embedded.budget.counting import rows

    _known(target)
    show_counts([row for job in jobs for bits in job.key_bits for row in rows(job.cipher, bits)], json=json)


def _known(processor: str) -> None:
    from cipherassay.embedded.budget.choose import offering

    if processor not in (known := offering()):
        names = ", ".join(f"`{name}`" for name in known)
        raise UsageError("E152", f"`--ram` is not for `{processor}`", notes=[f"it is for {names}"])


def _made(cipher: Cipher, processor: str, key_bits: int, variant: str, ram: int, *, quiet: bool) -> Budgeted:
    from cipherassay.embedded.budget.choose import budgeted

    with progress(f"{cipher.name} {key_bits}", 1, quiet=quiet) as bar:
        return budgeted(cipher, key_bits, ram, variant, lambda what: bar.advance(0, what), processor)
