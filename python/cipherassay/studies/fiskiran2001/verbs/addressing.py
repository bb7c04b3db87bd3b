"""`assay study addressing`: what addressing modes for table look-ups are worth, for any cipher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.console.output import Json, output, show_table, write_json
from cipherassay.console.processor import MemoryPorts, Width
from cipherassay.console.progress import progress
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.studies.fiskiran2001.addressing import Assumptions, Study


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("addressing")(addressing)


def addressing(
    ciphers: Annotated[list[str] | None, typer.Argument(help="Ciphers, or their files; all without.")] = None,
    width: Width = None,
    memory_ports: MemoryPorts = None,
    assume: Annotated[
        list[str] | None, typer.Option("--assume", metavar="NAME=VALUE", help="Change one assumption.")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Also change each assumption alone (the paper's ciphers).")
    ] = False,
    search: Annotated[
        bool, typer.Option("--search", help="Only try all sets of assumptions against the paper's tables.")
    ] = False,
    json: Json = False,
) -> None:
    """Print what addressing modes for table lookups save.

    Cycles and speedups of encryption on generic EPIC processors: the study of Fiskiran and Lee (2001), with
    its assumptions.
    """
    from cipherassay.studies.fiskiran2001 import fit as addressing_fit

    assumptions = assumed(assume or [])
    if search:
        from cipherassay.results import Store
        from cipherassay.studies.fiskiran2001.kept import search as searched

        _print_sets(searched(Store(), _quiet(json)), json)
        return
    studies = _studies(ciphers or [], assumptions, _machines(width, memory_ports), json)
    changes = addressing_fit.sensitivity(assumptions, _quiet(json)) if sensitivity else []
    if json:
        write_json(_document(studies, assumptions, changes))
        return
    for study in studies:
        _print_study(study)
    _print_fit(studies)
    show_table(("assumption", "value", "meaning"), assumptions.lines(), title="Assumptions")
    if changes:
        _print_changes(changes)


def assumed(settings: Sequence[str]) -> Assumptions:
    """Return the assumptions with those that the options change.

    Raises
    ------
    UsageError
        M701: a setting that is not ``NAME=VALUE``; M720, M721: no such assumption or value.
    """
    from cipherassay.studies.fiskiran2001.addressing import Assumptions

    found = Assumptions()
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise UsageError("M701", f"`{setting}` is not a setting", help="write --assume NAME=VALUE")
        found = found.changed(name.strip(), value.strip())
    return found


def _quiet(json: bool) -> bool:
    return json


def _machines(width: int | None, ports: int | None) -> list[tuple[int, int]]:
    from cipherassay.studies.fiskiran2001.addressing import MACHINES

    if width is not None and ports is not None:
        return [(width, ports)]
    found = [(w, p) for w, p in MACHINES if width in (None, w) and ports in (None, p)]
    return found or [(width or ports or 1, ports or 1)]  # the model says what is wrong with it


def _studies(
    names: Sequence[str], assumptions: Assumptions, machines: list[tuple[int, int]], quiet: bool
) -> list[Study]:
    from cipherassay.report.making import chosen_ciphers
    from cipherassay.studies.fiskiran2001.addressing import study

    ciphers = chosen_ciphers(names)
    found = []
    with progress("addressing", len(ciphers), quiet=quiet) as bar:
        for cipher in ciphers:
            found.append(study(cipher, assumptions, machines))
            bar.advance(1, cipher.name)
    return found


def _print_study(study: Study) -> None:
    from cipherassay.studies.fiskiran2001.addressing import BLOCKS, MODES
    from cipherassay.studies.fiskiran2001.fit import printed

    if not study.look_ups:
        cycles = sorted({cell.cycles for cell in study.cells.values()})
        output().print(
            f"{study.cipher}: no look-ups of tables, so that the addressing mode makes no difference; "
            f"{cycles[0]} to {cycles[-1]} cycles a block.\n",
            markup=False,
        )
        return
    rows: list[list[Any]] = []
    for width, ports in study.machines:
        row: list[Any] = [f"{width}G_{ports}M"]
        row += [BLOCKS * study.cells[width, ports, mode].cycles for mode in MODES]
        for mode in list(MODES)[1:]:
            theirs = printed(study.cipher, width, ports, mode)
            ours = f"{study.speedup(width, ports, mode):.2f}"
            row.append(ours if theirs is None else f"{ours} ({theirs:.2f})")
        rows.append(row)
    columns = ["processor", *MODES.values(), *(f"speedup: {name}" for name in list(MODES.values())[1:])]
    shown = f"{study.cipher}: cycles for {BLOCKS} blocks; speedups (the paper's)"
    show_table(columns, rows, title=shown)


def _print_fit(studies: Sequence[Study]) -> None:
    from cipherassay.studies.fiskiran2001.fit import differences, root_mean_square

    rows, every = [], []
    for study in studies:
        found = differences(study)
        every += found
        if found:
            rows.append((study.cipher, len(found), f"{root_mean_square(found):.3f}"))
    if len(rows) > 1:
        rows.append(("together", len(every), f"{root_mean_square(every):.3f}"))
    if rows:
        show_table(("cipher", "ratios", "RMS"), rows, title="Difference from the printed speedups")


def _print_changes(changes: Sequence[Any]) -> None:
    names = list(changes[0].fit.by_cipher)
    rows = [
        (c.name, c.value, *(f"{c.fit.by_cipher[n]:.3f}" for n in names), f"{c.fit.together:.3f}")
        for c in changes
    ]
    columns = ("assumption", "changed to", *(f"RMS {n}" for n in names), "together")
    show_table(columns, rows, title="Each changed alone")


def _print_sets(found: Sequence[Any], json: bool) -> None:
    if json:
        write_json([one.document() for one in found])
        return
    names = list(found[0].by_cipher)
    rows = [
        (*(value for _, value, _ in fit.assumptions.lines()),
         *(f"{fit.by_cipher[n]:.3f}" for n in names), f"{fit.together:.3f}")
        for fit in found[:20]
    ]  # fmt: skip
    columns = [name.replace("_", " ") for name, _, _ in found[0].assumptions.lines()]
    show_table((*columns, *names, "together"), rows, title=f"The best 20 of {len(found)} sets, by RMS")


def _document(studies: Sequence[Study], assumptions: Assumptions, changes: Sequence[Any]) -> dict[str, Any]:
    from cipherassay.studies.fiskiran2001.fit import differences, rows_of

    every = [d for study in studies for d in differences(study)]
    return {
        "assumptions": {name: value for name, value, _ in assumptions.lines()},
        "ratios": len(every),
        "rows": [row.as_dict() for study in studies for row in rows_of(study)],
        "sensitivity": [change.document() for change in changes],
    }
