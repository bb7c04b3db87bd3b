"""The pieces of work of synthesis: texts in, a text out, the same on every machine with the same tools."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from cipherassay.errors import ToolError
from cipherassay.hardware.libraries import fixing
from cipherassay.hardware.libraries import technology as technologies
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists import fanout, netlist
from cipherassay.hardware.synthesis import box_circuits, frontend, mapping, recipes
from cipherassay.hardware.timing import analysis, repair, static_timing
from cipherassay.hardware.timing.repair import limits
from cipherassay.hardware.tools import cached, process, yosys

_BASE_MB = 80.0
_FORM = 3
"""The form of mapped units: another number maps them anew."""


class Job(Protocol):
    """A piece of work: what its result depends on, its memory, and how to do it."""

    @property
    def key(self) -> str:
        """The name under which its result is kept."""

    @property
    def title(self) -> str:
        """What it does, in a few words."""

    @property
    def memory_mb(self) -> float:
        """An upper estimate of the memory that it takes."""

    def run(self) -> str:
        """Do it."""


@dataclass(frozen=True)
class Library:
    """A technology as seen from where a job was made; elsewhere it must be the same."""

    name: str
    digest: str
    yosys: str
    timer: str

    @staticmethod
    def of(technology: Technology) -> Library:
        """Return the library of a technology on this machine."""
        known = technologies.names()
        name = technology.name if technology.name in known else str(technology.file)
        _, synthesis = technology.timed()
        whole = cached.digest(f"{fixing.digest(technology)} {synthesis}")
        return Library(name, whole, yosys.version(), analysis.version(technology))

    def load(self) -> Technology:
        """Return the technology.

        Raises
        ------
        ToolError
            ``H708``: on this machine, the library or a tool is another than where the job was made.
        """
        technology = technologies.load(self.name)
        here = Library.of(technology)
        if (here.digest, here.yosys, here.timer) != (self.digest, self.yosys, self.timer):
            raise ToolError(
                "H708",
                f"a worker has other tools or another `{technology.name}` than the sweep",
                notes=[
                    f"asked for: {self.yosys}, {self.timer}, library {self.digest[:12]}",
                    f"there: {here.yosys}, {here.timer}, library {here.digest[:12]}",
                ],
                help="install the same packages on every machine",
            )
        return technology


@dataclass(frozen=True)
class Gates:
    """Make gates of a function's RTLIL (`rtlil.cut`)."""

    text: str
    top: str
    library: Library

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        one = self.library
        return cached.key(
            kind="gates", form=frontend.FORM, text=cached.digest(self.text), top=self.top,
            library=one.digest, tool=one.yosys,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"gates of {self.top}"

    @property
    def memory_mb(self) -> float:
        """An estimate: RTLIL of tables is long."""
        return _BASE_MB + len(self.text) / 1e4

    def run(self) -> str:
        """Return RTLIL of gates."""
        return frontend.gates(self.text, self.top, self.library.load())


@dataclass(frozen=True)
class Map:
    """Map a function's gates by a recipe, and time it by itself, with buffer trees."""

    gates: str
    top: str
    recipe: str
    library: Library

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        one, recipe = self.library, recipes.find(self.recipe)
        mark = box_circuits.mark(self.gates, one.name)
        return cached.key(
            kind="map", form=_FORM, text=cached.digest(self.gates), top=self.top, script=recipe.script,
            sinks=recipe.sinks, library=one.digest, tools=[one.yosys, one.timer],
            **({"circuits": mark} if mark else {}),
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.top} by {self.recipe}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the number of gates."""
        cells = self.gates.count("\n  cell ")
        return _BASE_MB + recipes.find(self.recipe).memory_mb * cells / 1000

    def run(self) -> str:
        """Return the netlist, without buffer trees, and delay, area and transistors with them, as JSON."""
        technology = self.library.load()
        recipe = recipes.find(self.recipe)
        made = mapping.mapped(self.gates, self.top, recipe, technology)
        boxes = box_circuits.alternatives(made[self.top], technology) if len(made) == 1 else []
        alone = [self._alone(one, technology) for one in (made, *({self.top: box} for box in boxes))]
        # The recipes at the end of small areas take the smallest, the others the fastest.
        small = recipe.name.startswith(("A", "B"))
        best = min(alone, key=lambda one: (one["area_um2"], one["delay_ns"])[:: 1 if small else -1])
        return json.dumps(best)

    def _alone(self, made: netlist.Netlist, technology: Technology) -> dict[str, Any]:
        buffered = fanout.buffered(made, technology, recipes.find(self.recipe).sinks)
        size = netlist.size(netlist.without_children(buffered, technology), self.top, technology)
        return {
            "delay_ns": analysis.delay_alone(buffered, self.top, technology),
            "area_um2": size.area_um2,
            "transistors": size.transistors,
            "netlist": netlist.to_json(made),
        }


@dataclass(frozen=True)
class Time:
    """Time a whole netlist by the texts of `analysis.asked`."""

    text: str
    question: str
    top: str
    library: Library
    case: tuple[tuple[str, int], ...] = ()

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        one = self.library
        texts = [cached.digest(self.text), cached.digest(self.question)]
        return cached.key(kind="time", texts=texts, library=one.digest, tool=one.timer)

    @property
    def title(self) -> str:
        """What it does."""
        return f"timing {self.top}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the netlist's length."""
        return _BASE_MB + len(self.text) / 2e4

    def run(self) -> str:
        """Return the timing as JSON."""
        technology = self.library.load()
        found = analysis.answered(self.text, self.question, self.top, technology, dict(self.case))
        return json.dumps(found.as_dict())


@dataclass(frozen=True)
class Repair:
    """Repair the timing of a whole netlist (`repair.repaired`), or bring it within the library's limits."""

    text: str
    top: str
    clock: str
    library: Library
    case: tuple[tuple[str, int], ...] = ()
    what: str = "timing"
    """``timing`` or ``limits`` (`repair.limits`)."""

    @cached_property
    def key(self) -> str:
        """The name under which its result is kept."""
        return cached.key(
            **({"kind": "repair", "form": repair.FORM} if self.what == "timing" else
               {"kind": self.what, "form": limits.FORM}),
            text=cached.digest(self.text), top=self.top, case=self.case,
            library=self.library.digest, tool=static_timing.VERSION,
        )  # fmt: skip

    @property
    def title(self) -> str:
        """What it does."""
        return f"repairing {self.what} of {self.top}"

    @property
    def memory_mb(self) -> float:
        """An estimate by the netlist's length."""
        return _BASE_MB + len(self.text) / 2e4

    def run(self) -> str:
        """Return the netlist, `netlist.to_json`."""
        self.library.load()
        fields = {"netlist": self.text, "top": self.top, "clock": self.clock, "case": dict(self.case),
                  "what": self.what}  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="assay-repair-") as name:
            job, result = Path(name, "job.json"), Path(name, "repaired.json")
            job.write_text(json.dumps({**fields, "technology": self.library.name}))
            command = [sys.executable, "-m", repair.__name__, str(job), str(result)]
            process.run(command, Path(name), doing=f"repairing the {self.what} of {self.top}")
            return result.read_text()
