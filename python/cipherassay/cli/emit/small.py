"""`assay emit asm` for a small processor: all operations of a cipher in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.console.output import write_files
from cipherassay.console.progress import say
from cipherassay.console.small import budgeted, refuse_budget
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def emit_small(
    cipher: Cipher,
    processor: str,
    operation: str,
    folder: Path | None,
    key_bits: int,
    variant: str,
    *,
    unrolled: bool,
    tables: str,
    json: bool,
) -> None:
    """Write a cipher for a small processor: all operations, a driver, a README."""
    from cipherassay.embedded import processors, target
    from cipherassay.embedded.measuring import options

    refuse_operation(processor, operation)
    made = target.make(cipher, key_bits, variant, unrolled=unrolled, processor=processor, tables=tables)
    given = options(variant, unrolled=unrolled) + made.processor.given
    files = processors.firmware(made, command(cipher, processor, key_bits, given))
    write_files(folder or Path(), files, about(cipher, processor, key_bits), json=json)


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
    from cipherassay.embedded import processors
    from cipherassay.embedded.measuring import options

    refuse_budget(processor)
    refuse_operation(processor, operation)
    made = budgeted(cipher, processor, key_bits, variant, ram, quiet=json)
    given = f"{options(variant)} --ram {ram}"
    written = processors.firmware_within_budget(made, command(cipher, processor, key_bits, given))
    ways = {o: c.candidate.name for o, c in made.chosen.items()}
    known = {**about(cipher, processor, key_bits), "ram_bytes": made.ram, "ways": ways}
    if not json:
        for o, c in made.chosen.items():
            say(f"{o}: {c.candidate.name}, {c.cycles} cycles")
        say(f"RAM: {made.ram} of {ram} bytes")
    write_files(folder or Path(), written, known, json=json)


def refuse_operation(processor: str, operation: str) -> None:
    """Raise UsageError ``E142`` if an operation is named."""
    if operation:
        raise UsageError(
            "E142",
            f"`{processor}` takes no operation, not `{operation}`",
            help="all are written into one file",
        )


def command(cipher: Cipher, processor: str, key_bits: int, options: str) -> str:
    """Return the command that writes the files again."""
    from cipherassay.ciphers import argument

    of_key = cipher.key_option(key_bits)
    return f"assay emit asm {argument(cipher)} --processor {processor}{of_key}{options} -o DIR"


def about(cipher: Cipher, processor: str, key_bits: int) -> dict[str, Any]:
    """Return what JSON says besides the files."""
    return {"cipher": cipher.slug, "processor": processor, "key_bits": key_bits or None}
