"""`assay synthesize` for field-programmable gate arrays: designs placed and routed, shown, as rows."""

from __future__ import annotations

import json as text_form
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cipherassay.cli.synthesize.devices import VerilogDesign
from cipherassay.console.output import output, show_table, write_file
from cipherassay.console.progress import Bar, progress

if TYPE_CHECKING:
    from cipherassay.hardware.fpga.place_and_route import PlacedDesign
    from cipherassay.hardware.libraries.technology import Technology
    from cipherassay.jobs import Executor
    from cipherassay.results import Row


def place(
    works: Iterable[VerilogDesign],
    technology: Technology,
    executor: Executor,
    to: Path | None,
    quiet: bool,
    json: bool,
) -> list[Row]:
    """Place and route designs; show each unless JSON is wanted; return the rows of all."""
    from cipherassay.hardware.fpga import place_and_route
    from cipherassay.hardware.fpga import rows as fpga_rows

    rows: list[Row] = []
    for work in works:
        with progress(f"{technology.name} {work.top}".strip(), 0, quiet=quiet) as bar:
            made = place_and_route.placed(work.files, technology, executor, top=work.top, watch=Bar(bar))
        if to is not None:
            write_file(
                to / f"{made.top}-{technology.name}.json", text_form.dumps(made.as_dict(), indent=1) + "\n"
            )
        command = shlex.join(["assay", "synthesize", *work.words, "--technology", technology.name])
        found = list(fpga_rows.rows(made, work.device, command=command))
        if not json:
            _show(made, found)
        rows += found
    return rows


def _show(made: PlacedDesign, rows: list[Row]) -> None:
    output().print(f"{made.top} in {made.technology.title}; {made.tools}", markup=False)
    core, around = made.core, made.around
    counts = [
        (name, one.luts, one.flip_flops, one.carries, one.logic_cells)
        for name, one in (("core", core), ("shift registers", around))
    ]
    show_table(("part", "look-up tables", "flip-flops", "carries", "logic cells"), counts)
    if core.others:
        others = ", ".join(f"{kind} {number}" for kind, number in core.others.items())
        output().print(f"further in the core: {others}", markup=False)
    if not made.fits:
        output().print(f"does not fit: {made.reason}", markup=False)
        return
    clocks = [*made.mhz.values(), made.median_mhz]
    show_table((*(f"seed {seed}" for seed in made.mhz), "median MHz"), [clocks])
    if any(row.operation for row in rows):
        show_table(
            ("key", "operation", "metric", "value", "unit"),
            [(row.key_bits, row.operation, row.metric, row.value, row.unit) for row in rows if row.operation],
        )
