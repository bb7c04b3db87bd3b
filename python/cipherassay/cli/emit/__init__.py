"""`assay emit`: a cipher as source code, as assembly text, as hardware."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cipherassay.cli.emit.asm import emit_asm
from cipherassay.cli.emit.liberty import emit_liberty
from cipherassay.cli.emit.rtl import emit_rtl
from cipherassay.console.help import WRITE, Verbs
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, write_files
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.ciphers import Cipher


def register(app: typer.Typer) -> None:
    """Add the verb."""
    emit = Verbs("Write C, Java, assembly text, hardware, cell libraries.")
    emit.command("c")(emit_c)
    emit.command("java")(emit_java)
    emit.command("asm")(emit_asm)
    emit.command("rtl")(emit_rtl)
    emit.command("liberty")(emit_liberty)
    app.add_typer(emit, name="emit", rich_help_panel=WRITE)


_Cipher = Annotated[str, typer.Argument(help="A cipher's name, or a cipher file.", show_default=False)]
_Folder = Annotated[
    Path, typer.Option("-o", "--output", callback=writable_folder, metavar="DIR", help="Where to write.")
]
_KeyBits = Annotated[
    list[int] | None, typer.Option("--key-bits", help="A key size; may be given several times. Default: all.")
]
_Strategy = Annotated[str, typer.Option("--strategy", help="Default: the cipher's own.")]
_Variant = Annotated[str, typer.Option("--variant", help="A variant of the cipher.")]
_Key = Annotated[str, typer.Option("--key", metavar="HEX", help="The key, for code made for one key.")]


def emit_c(
    cipher: _Cipher,
    folder: _Folder = Path(),
    key_bits: _KeyBits = None,
    strategy: _Strategy = "",
    variant: _Variant = "",
    key: _Key = "",
    prefix: Annotated[
        str, typer.Option(metavar="NAME", help="What names of files and functions begin with: `my_`.")
    ] = "",
    json: Json = False,
) -> None:
    """Write C99 without dependencies, with a test and build files.

    NAME.c, NAME.h, a test with known answers, README, Makefile, CMake.
    """
    from cipherassay import strategies
    from cipherassay.ciphers import argument
    from cipherassay.native.emitting import project
    from cipherassay.review import load_right

    described = load_right(cipher)
    sizes = sorted(set(key_bits or ()))
    options = _options(sizes, strategy, variant, key) + (f" --prefix {prefix}" if prefix else "")
    command = f"assay emit c {argument(described)}{options} -o DIR"
    files = project(described, sizes, strategy, variant, _key(key), command, prefix)
    _write(described, folder, files, strategy or strategies.preferred(described), variant, json)


def emit_java(
    cipher: _Cipher,
    folder: _Folder = Path(),
    key_bits: _KeyBits = None,
    strategy: _Strategy = "",
    variant: _Variant = "",
    key: _Key = "",
    json: Json = False,
) -> None:
    """Write a class of plain Java 11, with a test and a POM.

    The JUnit test has known answers; there is a README, too.
    """
    from cipherassay import strategies
    from cipherassay.java.emitting import project
    from cipherassay.review import load_right

    described = load_right(cipher)
    files = project(described, sorted(set(key_bits or ())), strategy, variant, _key(key))
    chosen = strategy or strategies.preferred(described, strategies.JAVA)
    _write(described, folder, files, chosen, variant, json)


def _write(
    cipher: Cipher, folder: Path, files: list[tuple[str, str]], strategy: str, variant: str, json: bool
) -> None:
    about = {"cipher": cipher.slug, "variant": variant, "strategy": strategy}
    write_files(folder, files, about, json=json)


def _options(sizes: Sequence[int], strategy: str, variant: str, key: str) -> str:
    """Return the options that were given, as they stand in a command."""
    given = [("--key-bits", str(bits)) for bits in sizes]
    given += [("--strategy", strategy), ("--variant", variant), ("--key", key)]
    return "".join(f" {name} {value}" for name, value in given if value)


def _key(text: str) -> bytes | None:
    if not text:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(
            "S034", f"the key `{text}` is not hexadecimal", help="two digits a byte: --key 000102…"
        ) from None
