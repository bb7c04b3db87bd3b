"""`assay emit asm` for x86-32: all operations of a cipher in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.console.output import write_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def emit_x86(
    cipher: Cipher,
    processor: str,
    operation: str,
    folder: Path | None,
    key_bits: int,
    variant: str,
    strategy: str,
    *,
    json: bool,
) -> None:
    """Write a cipher for x86-32: all operations, a driver, a README."""
    from cipherassay.ciphers import argument
    from cipherassay.x86.files import files
    from cipherassay.x86.operations import operations

    if operation:
        raise UsageError(
            "X003",
            f"`{processor}` takes no operation, not `{operation}`",
            help="all are written into one file",
        )
    kernels = operations(cipher, processor, key_bits, variant, strategy)
    options = (f" --variant {variant}" if variant else "") + (f" --strategy {strategy}" if strategy else "")
    command = (
        f"assay emit asm {argument(cipher)} --processor {processor}"
        f"{cipher.key_option(key_bits)}{options} -o DIR"
    )
    about = {"cipher": cipher.slug, "processor": processor, "key_bits": key_bits or None}
    write_files(folder or Path(), files(kernels, command), about, json=json)
