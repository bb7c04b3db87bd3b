"""`assay verify netlists`: netlists of functions proved equal to their Verilog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cipherassay.console.design_files import design_files
from cipherassay.console.output import Json, nothing_verified, show_table, write_json
from cipherassay.console.progress import progress
from cipherassay.errors import UsageError, VerificationError


def netlists(
    files: Annotated[list[str], typer.Argument(help="Verilog files of one design.", metavar="FILES…")],
    function: Annotated[
        list[str] | None,
        typer.Option(help="Only this module; may be repeated. By default, those that blocks use."),
    ] = None,
    top: Annotated[str, typer.Option(help="The top module; by default the one that no other uses.")] = "",
    technology: Annotated[
        str, typer.Option("--technology", "-t", help="The technology, or its .toml file.")
    ] = "osu050",
    recipe: Annotated[
        list[str] | None, typer.Option(help="Map by this recipe; may be repeated. By default, all five.")
    ] = None,
    given: Annotated[
        Path | None, typer.Option("--netlist", help="Prove this netlist of one function instead of our own.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Prove that netlists compute what the Verilog says.

    For every input of every function, by ABC's cec.
    """
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.netlists import equivalence
    from cipherassay.hardware.synthesis import frontend, recipes
    from cipherassay.hardware.synthesis.functions import functions, mapped

    one = technologies.load(technology)
    top, modules = frontend.elaborate(design_files(files), top)
    names = functions(modules, top, function or [])
    if not names:
        raise nothing_verified("functions", "the design has no module without registers")
    if given is not None and len(names) != 1:
        raise UsageError(
            "H723",
            "a netlist is of one function",
            notes=[f"the design has {len(names)}: {', '.join(names)}"],
            help="name it with --function",
        )
    wanted = [recipes.find(name).name for name in recipe or recipes.NAMED]
    texts = _given(given, names[0]) if given is not None else mapped(modules, names, wanted, one)
    verdicts = []
    count = len(names) * (1 if given is not None else len(wanted))
    with progress("netlists", count, quiet=quiet) as bar:
        for name, by, text in texts:
            verdicts.append((by, equivalence.prove(modules, name, text, one)))
            bar.advance(1, f"{name} by {by}")
    if json:
        write_json(
            [{"function": v.function, "recipe": by, "equal": v.equal, "words": v.words} for by, v in verdicts]
        )
    else:
        rows = [(v.function, by, "equal" if v.equal else f"differs: {v.words}") for by, v in verdicts]
        show_table(("function", "netlist", "verdict"), rows)
    wrong = [v for _, v in verdicts if not v.equal]
    if wrong:
        s = "" if len(wrong) == 1 else "s"
        raise VerificationError(
            "H724",
            f"{len(wrong)} netlist{s} of {len(verdicts)} not equal to the source",
            notes=[f"{v.function}: {v.words}" for v in wrong],
        )


def _given(path: Path, name: str) -> Iterator[tuple[str, str, str]]:
    (text,) = design_files([str(path)]).values()
    yield name, path.name, text
