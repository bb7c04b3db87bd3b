"""`assay report`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cipherassay.cli.measure.asked import DEFAULT_INPUTS, DEFAULT_REPEATS, FULL_INPUTS
from cipherassay.console.help import RESULTS
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, write_json
from cipherassay.console.progress import say


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report", rich_help_panel=RESULTS)(report)


def report(
    ciphers: Annotated[
        list[str] | None, typer.Argument(help="Ciphers; all without it.", show_default=False)
    ] = None,
    cipher: Annotated[
        list[str] | None,
        typer.Option(help="A further cipher or file beside these; may be repeated.", show_default=False),
    ] = None,
    folder: Annotated[
        Path, typer.Option("-o", "--output", callback=writable_folder, metavar="DIR", help="Where to write.")
    ] = Path("report"),
    full: Annotated[bool, typer.Option("--full", help=f"{FULL_INPUTS:,} inputs per operation.")] = False,
    inputs: Annotated[int, typer.Option(help="Random keys or blocks per operation.")] = DEFAULT_INPUTS,
    repeats: Annotated[int, typer.Option(help="Timed runs per input; the least counts.")] = DEFAULT_REPEATS,
    libraries: Annotated[bool, typer.Option(help="Whether to measure other libraries, too.")] = True,
    strategies: Annotated[bool, typer.Option(help="Whether to measure every strategy, too.")] = True,
    devices: Annotated[bool, typer.Option(help="Whether to synthesize devices, too.")] = True,
    modelled: Annotated[
        bool, typer.Option(help="Whether to make code for modelled and small processors, too.")
    ] = True,
    seconds: Annotated[
        float | None, typer.Option(help="Begin nothing more after this time; the page says what is left.")
    ] = None,
    accept_unstable: Annotated[
        bool,
        typer.Option(
            "--accept-unstable", help="Do not wait for a steady machine before rows are measured and marked."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write the report: pages, tables, figures.

    The ciphers are verified, their C is measured on this machine, code for processors and devices are made.
    What was finished before under the same conditions is not done again; Ctrl-C keeps what is finished.
    """
    from cipherassay import tools
    from cipherassay.errors import UsageError
    from cipherassay.native.measurement import Settings
    from cipherassay.native.session import Tolerance
    from cipherassay.report.making import make_report
    from cipherassay.report.parts import REFUSALS, Options

    if inputs < 1 or repeats < 1:
        raise UsageError("R020", "--inputs and --repeats must be at least 1")
    tools.require_packages(*tools.REPORTING)
    options = Options(
        Settings(FULL_INPUTS if full else inputs, repeats),
        ciphers or (),
        beside=cipher or (),
        tolerance=Tolerance(0 if accept_unstable else REFUSALS),
        libraries=libraries,
        strategies=strategies,
        devices=devices,
        modelled=modelled,
        seconds=float("inf") if seconds is None else seconds,
        quiet=json,
    )
    page = make_report(folder, options)
    if json:
        from json import loads

        write_json({"page": str(page), **loads((folder / "rows.json").read_text())})
    else:
        say("the report:")
        typer.echo(str(page))
