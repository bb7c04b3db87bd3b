"""Tables 1 and 2 of the paper, computed anew: published equation sets for Serpent's boxes on two machines.

The sets are those of `circuits.equation_sets`. A column of the paper that says "best" takes, for each box
and machine, the set with fewest cycles and then fewest operations. Operations, cycles and width follow the
paper's rule (`cycles_paper` and `width_paper` of the engine); temporaries follow ours, the paper's rule being
unknown: the most results alive at once in the order written, outputs until the end.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from cipherassay import published
from cipherassay.circuits import engine, targets
from cipherassay.circuits.equation_sets import equations

PAPER = "worley2000"
SETS: dict[str, tuple[str, ...]] = {
    "AES submission": ("aes-submission",),
    "Gladman": ("gladman-simpson", "gladman-simpson-older"),
    "Osvik": ("osvik",),
}
"""The paper's columns, and the files of equations that each is taken from."""


@dataclass(frozen=True)
class Machine:
    """A table of the paper: the target that stands for its machine, and our figure for each metric."""

    table: str
    target: str
    metrics: dict[str, str]


MACHINES = (
    Machine(
        "table-1",
        "infinite",
        {"ops": "ops", "cycles": "cycles_paper", "width": "width_paper", "temporaries": "temps"},
    ),
    Machine("table-2", "two-alu", {"ops": "ops", "cycles": "cycles_paper", "temporaries": "temps"}),
)


@dataclass(frozen=True)
class Row:
    """One box of one set on one machine: our figures beside those that the paper prints.

    ``equations`` is the file of the set that was taken; ``exact_cycles`` the fewest cycles of any schedule,
    chains of one operator rebuilt or not.
    """

    table: str
    part: str
    variant: str
    configuration: str
    equations: str
    ours: dict[str, int]
    printed: dict[str, int]
    exact_cycles: int

    def agrees(self, metric: str) -> bool:
        """Whether our figure is the printed one."""
        return self.ours[metric] == self.printed[metric]

    def as_dict(self) -> dict[str, object]:
        """Return the row flat: ``ops``, ``printed_ops``, ``cycles``, ``printed_cycles`` and so on."""
        flat: dict[str, object] = {
            "table": self.table,
            "part": self.part,
            "variant": self.variant,
            "configuration": self.configuration,
            "equations": self.equations,
        }
        for metric, value in self.ours.items():
            flat |= {metric: value, f"printed_{metric}": self.printed[metric]}
        return {**flat, "exact_cycles": self.exact_cycles}


@cache
def rows() -> tuple[Row, ...]:
    """Compute every row of both tables, in the order of the paper: by table, set and box."""
    return tuple(
        _row(machine, configuration, variant)
        for machine in MACHINES
        for configuration in SETS
        for variant in equations("aes-submission")
    )


def tables() -> list[dict[str, object]]:
    """Return the rows of both tables flat, as `Row.as_dict` gives them."""
    return [row.as_dict() for row in rows()]


def agreement() -> dict[tuple[str, str, str], int]:
    """Count the boxes of 16 whose figure is the printed one, by table, set and metric."""
    agreeing = Counter(
        (row.table, row.configuration, metric) for row in rows() for metric in row.ours if row.agrees(metric)
    )
    return {
        (machine.table, configuration, metric): agreeing[machine.table, configuration, metric]
        for machine in MACHINES
        for configuration in SETS
        for metric in machine.metrics
    }


def _row(machine: Machine, configuration: str, variant: str) -> Row:
    measured = {name: _measured(name, variant, machine.target) for name in SETS[configuration]}
    chosen = min(measured, key=lambda name: (measured[name]["cycles_paper"], measured[name]["ops"]))
    figures = measured[chosen]
    part = f"S{variant[1:]} inverse" if variant.startswith("I") else variant
    return Row(
        machine.table,
        part,
        variant,
        configuration,
        chosen,
        {metric: int(figures[name]) for metric, name in machine.metrics.items()},
        _printed(machine, configuration, part),
        int(min(figures["cycles"], figures["cycles_rebuilt"])),
    )


def _measured(name: str, variant: str, target: str) -> dict[str, float]:
    return engine.measure(equations(name)[variant].text(), targets.find(target))


def _printed(machine: Machine, configuration: str, part: str) -> dict[str, int]:
    found = published.lookup(paper=PAPER, table=machine.table, configuration=configuration, part=part)
    return {row.metric: int(row.value) for row in found}
