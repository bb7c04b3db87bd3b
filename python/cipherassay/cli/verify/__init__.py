"""`assay verify`: what is kept is checked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay import keeping
from cipherassay.cli.verify.circuits import circuits
from cipherassay.cli.verify.gates import gates
from cipherassay.cli.verify.kept import kept
from cipherassay.cli.verify.netlists import netlists
from cipherassay.cli.verify.protocol import protocol
from cipherassay.console.help import RESULTS, Verbs
from cipherassay.console.output import Json, nothing_verified, output, show_table, write_json
from cipherassay.console.progress import job_progress, progress
from cipherassay.errors import AssayError, UsageError, VerificationError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from cipherassay.processors.again import KernelVerification


def register(app: typer.Typer) -> None:
    """Add the verb and its parts."""
    verify = Verbs("Check again what is kept: all of it, or one kind.")
    verify.command("kept")(kept)
    verify.command("circuits")(circuits)
    verify.command("schedules")(schedules)
    verify.command("netlists")(netlists)
    verify.command("gates")(gates)
    verify.command("protocol")(protocol)
    app.add_typer(verify, name="verify", rich_help_panel=RESULTS)


def schedules(
    processor: Annotated[
        list[str] | None, typer.Option("--processor", "-p", help="Only this one's; may be repeated.")
    ] = None,
    cipher: Annotated[list[str] | None, typer.Option(help="Only this one's; may be repeated.")] = None,
    prove: Annotated[
        float,
        typer.Option(
            "--prove",
            metavar="SECONDS",
            help="First remove what is stale and let the solver work so long on each kernel not proved.",
        ),
    ] = 0.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Make every kept kernel again and check it.

    Schedules are checked by the checker, texts by the simulator.
    """
    from cipherassay.processors import again

    every = again.kept()
    known = sorted({one.processor for one in every})
    for name in processor or ():
        if name not in known:
            raise UsageError("M716", f"no kernel is kept for `{name}`", help=nearest(name, known))
    chosen = [
        one
        for one in every
        if one.processor in (processor or known) and one.cipher in (cipher or [one.cipher])
    ]
    if not chosen:
        raise nothing_verified("kept kernels", "the options leave none")
    if prove > 0:
        with progress("solver", len(chosen), quiet=quiet) as bar:
            again.renew(chosen, prove, advance=bar.advance)
    with job_progress("kernels", quiet=quiet) as bar:
        found = again.verify(chosen, progress=bar)
    wrong = [one for one in found if one.error is not None]
    if json:
        write_json([_document(one) for one in found])
    else:
        _show(found, again.unused(every))
    if wrong:
        s = "" if len(wrong) == 1 else "s"
        raise VerificationError("M733", f"{len(wrong)} kept kernel{s} of {len(found)} did not pass")


def _document(one: KernelVerification) -> dict[str, Any]:
    return {
        "processor": one.kept.processor,
        "kernel": one.kept.name,
        "cycles": one.cycles,
        "bound": one.bound,
        "proved": one.proved,
        "schedules": one.schedules,
        "stale": [keeping.name_of(path) for path in one.stale],
        "error": None if one.error is None else f"{one.error.code}: {one.error.message}",
    }


def _show(found: list[KernelVerification], unused: list[Path]) -> None:
    show_table(
        ("processor", "kernel", "cycles", "bound", "stored schedules", "verdict"),
        [
            (one.kept.processor, one.kept.name, one.cycles, one.bound, one.schedules, _verdict(one.error))
            for one in found
        ],
    )
    good = sum(one.error is None for one in found)
    for path in (path for one in found for path in one.stale):
        output().print(f"stale, not used: {keeping.name_of(path)}", markup=False, soft_wrap=True)
    for path in unused:
        output().print(f"of no kept kernel: {keeping.name_of(path)}", markup=False, soft_wrap=True)
    output().print(f"{good} of {len(found)} kept kernels passed", markup=False)


def _verdict(error: AssayError | None) -> str:
    return "passed" if error is None else f"{error.code}: {error.message}"
