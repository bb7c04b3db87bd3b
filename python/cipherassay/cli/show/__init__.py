"""`assay show`: a cipher, a published paper, a processor or a technology."""

from __future__ import annotations

from typing import Annotated

import typer

from cipherassay.cli.show import cipher, processor, published, technology
from cipherassay.console.help import DESCRIBE
from cipherassay.console.kernel import KeyBits, Variant
from cipherassay.console.named import kind_of
from cipherassay.console.output import Json
from cipherassay.console.processor import Addressing, Folder, MemoryPorts, Settings, Width


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("show", rich_help_panel=DESCRIBE)(show)


def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE", show_default=False,
            help="A cipher, a published paper, a processor (NAME-infinite: without limits) or a technology.",
        ),
    ],
    table: Annotated[
        str, typer.Argument(metavar="[TABLE]", help="Of a paper: one table.", show_default=False)
    ] = "",
    key_bits: KeyBits = 0,
    variant: Variant = "",
    form: Annotated[str, typer.Option(help="An alternative formulation of the cipher.")] = "",
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="NAME", help="The program as this strategy transforms it.")
    ] = "",
    text: Annotated[bool, typer.Option("--text", help="Print the program's text form only.")] = False,
    beforehand: Annotated[
        bool,
        typer.Option(
            "--precomputation", help="Show what need not be computed for every key, and not for every block."
        ),
    ] = False,
    orders: Annotated[
        bool,
        typer.Option("--byte-orders", help="Show what the choice of the order of bytes in words saves."),
    ] = False,
    path: Folder = None,
    settings: Settings = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    addressing: Addressing = None,
    json: Json = False,
) -> None:
    """Show a cipher, a paper, a processor or a technology.

    Of a cipher: facts, the program's statistics, its text. Of a paper: its tables, the numbers of one,
    errata. Of a processor and a technology: all that its files hold, each entry with its source.
    """
    kind = kind_of(name, path)
    if kind == "ciphers":
        cipher.show(
            name, key_bits, variant, form, strategy, text=text, beforehand=beforehand, orders=orders,
            json=json,
        )  # fmt: skip
    elif kind == "processors":
        processor.show(name, path, settings, width, memory_ports, addressing, json=json)
    elif kind == "technologies":
        technology.show(name, json=json)
    elif table:
        published.table(name, table, json=json)
    else:
        published.show(name, json=json)
