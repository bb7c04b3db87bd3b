"""`assay emit asm` without an operation: all of them as functions that C can call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.console.output import write_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay._engine import Processor
    from cipherassay.ciphers import Cipher


def emit_functions(
    cipher: Cipher,
    processor: Processor,
    folder: Path | None,
    key_bits: int,
    variant: str,
    strategy: str,
    form: str,
    without: Sequence[str],
    options: Sequence[str],
    *,
    json: bool,
) -> None:
    """Write a folder: functions, header, driver, README; ``options`` are further words of the command."""
    from cipherassay.ciphers import argument
    from cipherassay.processors.functions import convention
    from cipherassay.processors.functions.files import Folder
    from cipherassay.processors.functions.kernels import kernels

    try:
        convention.of(processor)
    except UsageError as error:
        raise UsageError(
            "E141", f"no operation is named for `{processor.name}`", notes=[error.message], help=error.help
        ) from None
    chosen = kernels(
        cipher, processor, key_bits=key_bits, variant=variant, form=form, strategy=strategy, avoid=without
    )
    given = [("--variant", variant), ("--strategy", strategy), *(("--without", name) for name in without)]
    words = ["assay", "emit", "asm", argument(cipher), "--processor", processor.name]
    words += cipher.key_option(key_bits).split()
    words += [f"--{form}"] if form != "unrolled" else []
    words += [word for name, value in given if value for word in (name, value)]
    command = " ".join([*words, *options, "-o DIR"])
    about = {"cipher": cipher.slug, "processor": processor.name, "key_bits": key_bits or None}
    write_files(folder or Path(), Folder(chosen, command).files(), about, json=json)
