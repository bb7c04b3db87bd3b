"""`assay emit`: a cipher as source code, as assembly text, as hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.cli._common import Json, output_folder, say, write_file, write_json
from cipherassay.cli._emit_asm import emit_asm
from cipherassay.cli._emit_rtl import emit_rtl
from cipherassay.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb."""
    emit = typer.Typer(help="Write a cipher as source code, assembly text or hardware.", no_args_is_help=True)
    emit.command("c")(emit_c)
    emit.command("asm")(emit_asm)
    emit.command("rtl")(emit_rtl)
    app.add_typer(emit, name="emit")


def emit_c(
    cipher: Annotated[str, typer.Argument(help="A cipher's name, or a cipher file.", show_default=False)],
    folder: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write.")] = Path(),
    key_bits: Annotated[
        list[int] | None,
        typer.Option("--key-bits", help="A key size; may be given several times. Default: all."),
    ] = None,
    strategy: Annotated[str, typer.Option("--strategy", help="Default: the cipher's own.")] = "",
    variant: Annotated[str, typer.Option("--variant", help="A variant of the cipher.")] = "",
    key: Annotated[
        str, typer.Option("--key", metavar="HEX", help="The key, for code made for one key.")
    ] = "",
    json: Json = False,
) -> None:
    """Write dependency-free C11: NAME.c and NAME.h."""
    from cipherassay import strategies
    from cipherassay.ciphers import load

    described = load(cipher)
    files = strategies.emit_c(described, sorted(set(key_bits or ())), strategy, variant, _key(key))
    output_folder(folder)
    for name, text in files:
        write_file(folder / name, text)
    written = [str(folder / name) for name, _ in files]
    if json:
        chosen = strategy or described.strategy
        write_json({"cipher": described.slug, "variant": variant, "strategy": chosen, "files": written})
    else:
        say("\n".join(f"wrote {path}" for path in written))


def _key(text: str) -> bytes | None:
    if not text:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(
            "S034", f"the key `{text}` is not hexadecimal", help="two digits a byte: --key 000102…"
        ) from None
