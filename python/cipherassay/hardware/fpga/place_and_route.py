"""Field-programmable gate arrays: Yosys makes look-up tables of a design, nextpnr places and routes them.

A device here has more pins than a chip, so its core stands between shift registers: one pin brings all inputs
in, one takes all outputs out. They are counted apart. A place and route is a sample of what chance gives: the
clock is the median over several seeds.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from cipherassay.errors import ToolError
from cipherassay.hardware.fpga import jobs
from cipherassay.hardware.fpga.jobs import Count, Place, Tables
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.synthesis.job_results import results
from cipherassay.jobs import SILENT, Executor, Progress


@dataclass(frozen=True)
class PlacedDesign:
    """A design on a chip: its core and the shift registers around it, counted; its clock for each seed."""

    top: str
    technology: Technology
    core: Count
    around: Count
    mhz: dict[int, float]
    """By seed; empty if the design does not fit."""
    cells_used: int
    """Logic cells of core and shift registers after packing; 0 if the design does not fit."""
    reason: str
    """Why it does not fit; empty if it does."""
    tools: str

    @property
    def fits(self) -> bool:
        """Whether it fits on the chip."""
        return bool(self.mhz)

    @property
    def median_mhz(self) -> float:
        """The median of its clocks."""
        return statistics.median(self.mhz.values())

    @property
    def period_ns(self) -> float:
        """The period of the median clock."""
        return 1000 / self.median_mhz

    def as_dict(self) -> dict[str, object]:
        """Return its figures."""
        return {
            "top": self.top,
            "core": asdict(self.core),
            "shift_registers": asdict(self.around),
            "mhz": {str(seed): value for seed, value in self.mhz.items()},
            "logic_cells": self.cells_used,
            "reason": self.reason,
            "tools": self.tools,
        }


def placed(
    files: Mapping[str, str], technology: Technology, executor: Executor, *, top: str = "",
    watch: Progress = SILENT,
) -> PlacedDesign:  # fmt: skip
    """Synthesize a design, and place and route it with every seed of the technology.

    Parameters
    ----------
    files : mapping
        The text of each Verilog file by its name.

    Raises
    ------
    ToolError
        ``T002``: a tool is missing; ``H701``, ``T004``: one failed.
    UsageError
        ``H705``: the top is not clear; ``H712``: there are several clocks.
    """
    known = technology.field_programmable()
    versions = jobs.versions(technology)
    (text,) = results([Tables(tuple(sorted(files.items())), top, technology.name, versions)], executor, watch)
    made = json.loads(text)
    core, around = Count(**made["core"]), Count(**made["around"])
    reason = ""
    clocks: dict[int, float] = {}
    used = 0
    if core.logic_cells + around.logic_cells > known.logic_cells:
        reason = (
            f"{core.luts} look-up tables and {core.flip_flops} flip-flops need {core.logic_cells} logic "
            f"cells, the shift registers around them {around.logic_cells}: there are {known.logic_cells}"
        )
    else:
        places = [
            Place(made["netlist"], made["top"], seed, technology.name, versions) for seed in known.seeds
        ]
        try:
            found = [json.loads(one) for one in results(places, executor, watch)]
        except ToolError as error:
            # Nearly full chips: packing needs more cells than our count says, or no place is found.
            if error.code != "H701" or core.logic_cells + around.logic_cells < 0.9 * known.logic_cells:
                raise
            found, reason = [], f"{core.luts} look-up tables: {error.notes[-1] if error.notes else error}"
        clocks = {seed: one["mhz"] for seed, one in zip(known.seeds, found, strict=False)}
        used = found[0]["logic_cells"] if found else 0
    return PlacedDesign(made["top"], technology, core, around, clocks, used, reason, versions)
