"""`assay synthesize`: area, transistors, clock and the figures of devices in a technology."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cipherassay.cli.synthesize import fpga as gate_arrays
from cipherassay.cli.synthesize import shown
from cipherassay.cli.synthesize.devices import Options, VerilogDesign, Work, works
from cipherassay.cli.synthesize.energy import energy_rows
from cipherassay.console.device import Direction, Glitches, Storage, Variant
from cipherassay.console.help import HARDWARE
from cipherassay.console.options import writable_folder
from cipherassay.console.output import Json, output_folder, write_json
from cipherassay.console.progress import Bar, progress, say
from cipherassay.errors import UsageError

if TYPE_CHECKING:
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.hardware.synthesis.exploring import Settings
    from cipherassay.jobs import Executor
    from cipherassay.results import Row

Designs = Annotated[
    list[str] | None,
    typer.Argument(help="Files of one design, or ciphers.", metavar="FILES…|CIPHER…"),
]
Architectures = Annotated[
    list[str] | None, typer.Option("--architecture", help="iterative, pipelined, core; all: the first two.")
]
Keys = Annotated[
    list[str] | None,
    typer.Option(
        "--key-bits", help="A size, several (128+256, 3in1: all 3), all (one, together); else the first."
    ),
]
Strategies = Annotated[
    list[str] | None,
    typer.Option("--strategy", help="How the program becomes clocks; may be repeated; best: all of sweeps."),
]
Name = Annotated[str, typer.Option("--technology", "-t", help="The technology, or its .toml file.")]
Splits = Annotated[
    list[str] | None,
    typer.Option(
        help="How to cut it: operators, boxes, auto, flat, blocks, functions, all; may be repeated."
    ),
]
Held = Annotated[
    list[str] | None,
    typer.Option("--fix", help="A port's value during timing, PORT=VALUE; may be repeated; of files."),
]
Where = Annotated[str, typer.Option(help="Where work runs: local, dask://HOST:PORT, dask://local.")]
Repair = Annotated[
    bool, typer.Option(help="Size, buffer and copy cells along the grades' critical paths afterwards.")
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", callback=writable_folder, help="Write netlists, curves and critical paths there."
    ),
]
Gates = Annotated[
    bool,
    typer.Option("--gates", help="Check all grades' gates: sign-off, known answers with delays; of ciphers."),
]
Store = Annotated[bool, typer.Option("--keep", help="Keep the results for the report.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("synthesize", rich_help_panel=HARDWARE)(synthesize)


def synthesize(
    designs: Designs = None,
    every: Annotated[bool, typer.Option("--all", help="Every cipher.")] = False,
    architecture: Architectures = None,
    key: Keys = None,
    direction: Direction = "both",
    strategy: Strategies = None,
    storage: Storage = "",
    variant: Variant = "",
    technology: Name = "osu050",
    top: Annotated[str, typer.Option(help="The files' top module, if it is not clear.")] = "",
    points: Annotated[int, typer.Option(min=1, max=10, help="Recipes tried for each function.")] = 5,
    split: Splits = None,
    most: Annotated[int, typer.Option("--designs", min=1, help="Whole designs timed at most.")] = 24,
    repair: Repair = True,
    fix: Held = None,
    energy: Annotated[bool, typer.Option("--energy", help="Energy per bit by simulating netlists.")] = False,
    glitches: Glitches = False,
    executor: Where = "local",
    workers: Annotated[int, typer.Option(min=0, help="Jobs side by side; by default one a core.")] = 0,
    memory: Annotated[float, typer.Option(min=1, help="Megabytes that all jobs may take together.")] = 7000.0,
    gates: Gates = False,
    to: Folder = None,
    store: Store = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    json: Json = False,
) -> None:
    """Synthesize devices and show area, clock and speed grades.

    Each function of a design is mapped by several recipes, they are mixed, the whole is timed. With several
    strategies, the points of all together give the grades. What was done is kept: the same
    command goes on where it stopped.
    """
    from cipherassay import jobs
    from cipherassay.hardware.libraries import technology as technologies
    from cipherassay.hardware.rtl.build import stored_in
    from cipherassay.hardware.synthesis import exploring, recipes

    chosen = [stored_in(name, storage) for name in strategy or ["rounds"]]
    options = Options(architecture or ["iterative"], key or [""], direction, chosen, variant)
    wanted = works(designs or [], every, top, options)
    if store:
        _storable(wanted, direction, variant)
    library = technologies.load(technology)
    for asked, what in ((energy or glitches, "energy"), (gates, "gates with delays")):
        if asked:
            _with_traffic(wanted, library, what)
    names = tuple(one.name for one in recipes.of_points(points))
    settings = exploring.Settings(names, tuple(split or exploring.SPLITS), most, repair)
    words = ["--technology", technology, "--points", str(points), "--designs", str(most)]
    words += [] if repair else ["--no-repair"]
    words += [word for one in split or () for word in ("--split", one)]
    held = _held(fix or [])
    if to is not None:
        output_folder(to)
    rows: list[Row] = []
    with jobs.executor(executor, workers=workers, memory_mb=memory) as place:
        if library.fpga is not None:
            built = (one for work in wanted for one in work.built())
            rows, wanted = gate_arrays.place(built, library, place, to, quiet, json), []
        for number, work in enumerate(wanted, 1):
            title = f"synthesis {number} of {len(wanted)}, {work.title}"
            with _watched(title, quiet) as bar:
                if isinstance(work, VerilogDesign):
                    more = [word for one in fix or () for word in ("--fix", one)]
                    rows += _files(work, library, place, settings, held, bar, to, [*words, *more], json)
                else:
                    rows += _cipher(
                        work, library, place, settings, bar, to, words, store, energy, glitches, gates, json
                    )
    if json:
        write_json({"rows": [row.as_dict() for row in rows]})


@contextmanager
def _watched(title: str, quiet: bool) -> Iterator[Bar]:
    with progress(title, 0, quiet=quiet) as bar:
        yield Bar(bar)


def _files(
    work: VerilogDesign, library: Technology, place: Executor, settings: Settings, held: dict[str, int],
    bar: Bar, to: Path | None, words: Sequence[str], json: bool,
) -> list[Row]:  # fmt: skip
    from cipherassay.hardware.results import rows
    from cipherassay.hardware.synthesis import flow

    made = flow.synthesize(
        work.files, library, place, top=work.top, names=settings.names, splits=settings.splits,
        most=settings.most, repair=settings.repair, case=held, watch=bar,
    )  # fmt: skip
    if to is not None:
        shown.write(made, to)
    if not json:
        shown.show(made)
    return list(rows.rows(made, command=shlex.join(["assay", "synthesize", *work.words, *words])))


def _cipher(
    work: Work, library: Technology, place: Executor, settings: Settings,
    bar: Bar, to: Path | None, words: Sequence[str], store: bool, energy: bool, glitches: bool,
    gates: bool, json: bool,
) -> list[Row]:  # fmt: skip
    from cipherassay.ciphers import load
    from cipherassay.hardware.results import documents, remembered, rows, stored
    from cipherassay.hardware.synthesis import exploring, gate_checks

    given = load(work.cipher), library, place
    how: dict[str, Any] = {
        "architecture": work.architecture, "key": work.key, "direction": work.direction,
        "strategies": work.strategies, "variant": work.variant, "settings": settings, "watch": bar,
    }  # fmt: skip
    # A document does not hold netlists.
    found = exploring.explore(*given, **how) if to is not None or energy or glitches or gates else None
    document = documents.of(found) if found is not None else remembered.document(*given, **how)
    if gates and found is not None:
        every = [*document["grades"], *document["literal"]]
        for grade, checked in zip(every, gate_checks.checked(found, place, bar), strict=True):
            grade["gates"] = checked
    if to is not None and found is not None:
        shown.write_grades(found, document, to)
    if store:
        say(f"kept: {stored.keep(document)}")
    if not json:
        shown.show_device(document)
    command = shlex.join(["assay", "synthesize", *work.words, *words, *["--gates"] * gates])
    made = list(rows.device_rows(document, command=command))
    for with_glitches, asked in ((False, energy), (True, glitches)):
        if asked and found is not None:
            option = "--glitches" if with_glitches else "--energy"
            made += energy_rows(found, f"{command} {option}", bar, glitches=with_glitches, json=json)
    return made


def _with_traffic(wanted: Sequence[VerilogDesign | Work], library: Technology, asked: str) -> None:
    """Refuse energy and delays where there is no traffic, or no netlist of cells."""
    files = [one.title for one in wanted if isinstance(one, VerilogDesign)]
    if files or library.fpga is not None:
        what = files[0] if files else library.name
        raise UsageError(
            "H805", f"`{what}` has no {asked}",
            help="that is for a cipher's device in a technology with a Liberty file",
        )  # fmt: skip


def _storable(wanted: Sequence[VerilogDesign | Work], direction: str, variant: str) -> None:
    """Refuse to keep what the report does not show: files, ciphers of the user, one direction, variants."""
    from cipherassay.ciphers import find, of_papers

    others = [
        one.title for one in wanted if isinstance(one, VerilogDesign) or find(one.cipher) not in of_papers()
    ]
    if others or direction != "both" or variant:
        what = others[0] if others else f"--direction {direction}" if direction != "both" else variant
        raise UsageError(
            "H804", f"`{what}` is not kept in the package",
            help="--keep is for the package's ciphers in both directions; write others with -o DIR",
        )  # fmt: skip


def _held(words: list[str]) -> dict[str, int]:
    held = {}
    for word in words:
        port, _, value = word.partition("=")
        if not port or not value.isdecimal():
            raise UsageError(
                "H802", f"`--fix {word}` is not PORT=VALUE", help="for instance --fix key_size=2"
            )
        held[port] = int(value)
    return held
