"""`assay check`: the check of what somebody wrote: a cipher's file, a paper, a processor, a technology."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cipherassay.cli.check import cipher, processors, published, technologies
from cipherassay.console.help import DESCRIBE
from cipherassay.console.named import kind_of
from cipherassay.console.output import Json
from cipherassay.errors import UsageError
from cipherassay.limits import Limits

ALL = ("published", "processors", "technologies")
"""Words for everything of a kind."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("check", rich_help_panel=DESCRIBE)(check)


def check(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FILE…", show_default=False,
            help=f"A cipher's file or name; papers, processors, technologies, or all: {', '.join(ALL)}.",
        ),
    ],
    vectors: Annotated[
        list[Path] | None,
        typer.Option(
            "--vectors", help="A file of known answers (default: NAME*.kat.txt beside the cipher file)."
        ),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="Let pass what is still missing: citations, known answers.")
    ] = False,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Wall time for each step: loading, compiling for a key size, …")
    ] = 60.0,
    memory: Annotated[float, typer.Option("--memory", help="Memory that the file may take, in GiB.")] = 2.0,
    operations: Annotated[
        int, typer.Option("--operations", help="Operations that a key size may have as it is written.")
    ] = Limits.operations,
    path: Annotated[
        Path | None,
        typer.Option(
            "--path", metavar="DIR", help="A folder with more processors or papers.", show_default=False
        ),
    ] = None,
    liberty: Annotated[
        Path | None,
        typer.Option(
            "--liberty", metavar="FILE", show_default=False,
            help="Of a technology: check this Liberty file instead of its own.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a cipher's file, a paper, a processor or a technology.

    Of a cipher: sources cited, known answers pass, decryption inverts encryption, it compiles. The file runs
    in a process of its own, with limits of time and memory; only a finished check passes. Of a paper: each
    relation between printed numbers holds, or an erratum says that it breaks. Of a processor: no
    contradictions. Of a technology: units, cells, areas, transistors, functions, arcs and tables, as
    synthesis sees them. `assay check processors` checks all of them, `assay check published` all papers.

    Exits with 0 if all is well, 3 for a fault of the description, 4 for a wrong or missing answer.
    """
    kind, wanted = (names[0], []) if names[0] in ALL else (_kind(names, path), names)
    if kind == "ciphers":
        cipher.check(
            names[0], vectors or [], draft=draft, seconds=seconds, memory=memory, operations=operations,
            json=json,
        )  # fmt: skip
    elif kind == "published":
        published.check(wanted, path, json=json)
    elif kind == "processors":
        processors.check(wanted, path, json=json)
    else:
        technologies.check(wanted, liberty, json=json)


def _kind(names: Sequence[str], path: Path | None) -> str:
    """Return what all names are the names of.

    Raises
    ------
    UsageError
        ``U062``: of different things, or of several ciphers.
    """
    found = list(dict.fromkeys(kind_of(name, path) for name in names))
    if len(found) > 1 or (found == ["ciphers"] and len(names) > 1):
        kinds = " and ".join(found)
        what = "a cipher's file is checked alone" if "ciphers" in found else f"these are {kinds}"
        raise UsageError("U062", what, help="check one after the other")
    return found[0]
