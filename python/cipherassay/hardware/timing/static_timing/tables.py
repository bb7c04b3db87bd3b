"""Delay tables of a Liberty library in arrays, so that a whole level of a netlist is looked up at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cipherassay.hardware.libraries import liberty
from cipherassay.hardware.libraries.liberty import Group

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

LOADS = ("total_output_net_capacitance", "related_pin_transition")
"""What the first axis stands for: the load of a delay, the clock's slope of a constraint."""
SLOPES = ("input_net_transition", "input_transition_time", "constrained_pin_transition")


@dataclass(frozen=True)
class Table:
    """Values over two axes, each of at least two points; `values[i, j]` at `first[i]`, `second[j]`."""

    first: Numbers
    second: Numbers
    values: Numbers


def read(
    group: Group, templates: Mapping[str, Group], scale: tuple[float, float], value: float = 0.0
) -> Table:
    """Return a table of the library with its load axis first.

    Parameters
    ----------
    scale : pair of float
        What times and loads are multiplied by to be in ns and pF.
    value : float
        What values are multiplied by, where they are no times.
    """
    template = templates.get(group.name)
    names = [template.text(f"variable_{n}") if template else "" for n in (1, 2)]
    axes = [_axis(group, template, f"index_{n}") for n in (1, 2)]
    found = group.find("values")
    values = np.array(liberty.numbers(found) if found else [0.0]) * (value or scale[0])
    shape = [len(axis) for axis, name in zip(axes, names, strict=True) if name]
    table = values.reshape(shape or [1])
    first = next((n for n, name in enumerate(names) if name in LOADS), None)
    second = next((n for n, name in enumerate(names) if name in SLOPES), None)
    constraint = any("pin_transition" in name for name in names)
    if len(shape) == 2 and first == 1:
        table = table.T
    table = table.reshape(
        len(axes[first]) if first is not None else 1, len(axes[second]) if second is not None else 1
    )
    loads = axes[first] * scale[0 if constraint else 1] if first is not None else np.zeros(1)
    slopes = axes[second] * scale[0] if second is not None else np.zeros(1)
    return Table(*_at_least_two(loads, slopes, table))


def _axis(group: Group, template: Group | None, name: str) -> Numbers:
    found = group.find(name) or (template.find(name) if template else None)
    return np.array(liberty.numbers(found) if found else [0.0])


def _at_least_two(loads: Numbers, slopes: Numbers, values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return axes of two points where there is one: the value is then the same everywhere."""
    if len(loads) == 1:
        loads, values = np.array([0.0, 1.0]), np.repeat(values, 2, axis=0)
    if len(slopes) == 1:
        slopes, values = np.array([0.0, 1.0]), np.repeat(values, 2, axis=1)
    return loads, slopes, values


@dataclass
class Tables:
    """Tables by number; `packed` makes arrays of all of them."""

    known: list[Table] = field(default_factory=list)

    def add(self, table: Table) -> int:
        """Return the number of a table."""
        self.known.append(table)
        return len(self.known) - 1

    def packed(self) -> PackedTables:
        """Return all tables in arrays as wide as the largest."""
        wide = max((len(one.first) for one in self.known), default=2)
        deep = max((len(one.second) for one in self.known), default=2)
        first = np.full((len(self.known), wide), np.inf)
        second = np.full((len(self.known), deep), np.inf)
        values = np.zeros((len(self.known), wide, deep))
        ends = np.zeros((len(self.known), 2), dtype=np.int64)
        for n, one in enumerate(self.known):
            first[n, : len(one.first)] = one.first
            second[n, : len(one.second)] = one.second
            values[n, : len(one.first), : len(one.second)] = one.values
            ends[n] = len(one.first) - 2, len(one.second) - 2
        return PackedTables(first, second, values, ends)


@dataclass(frozen=True)
class PackedTables:
    """All tables of a library; axes end in infinity, `ends` holds the last interval of either axis."""

    first: Numbers
    second: Numbers
    values: Numbers
    ends: Places

    def at(self, tables: Places, loads: Numbers, slopes: Numbers) -> Numbers:
        """Return the value of each table at a load and a slope.

        Between points it is bilinear; beyond the ends the last interval goes on, as in other analysers.
        """
        i = np.minimum((loads[:, None] >= self.first[tables, 1:]).sum(axis=1), self.ends[tables, 0])
        j = np.minimum((slopes[:, None] >= self.second[tables, 1:]).sum(axis=1), self.ends[tables, 1])
        x = self.first[tables, i]
        x = (loads - x) / (self.first[tables, i + 1] - x)
        y = self.second[tables, j]
        y = (slopes - y) / (self.second[tables, j + 1] - y)
        low = self.values[tables, i, j] * (1 - y) + self.values[tables, i, j + 1] * y
        high = self.values[tables, i + 1, j] * (1 - y) + self.values[tables, i + 1, j + 1] * y
        return np.asarray(low * (1 - x) + high * x, dtype=np.float64)

    def one(self, table: int, load: float, slope: float) -> float:
        """Return the value of one table, bit for bit as `at`: for few values arrays take far longer."""
        loads, slopes, values, (last, final) = self._rows[table]
        i = min(bisect_right(loads, load, 1) - 1, last)
        j = min(bisect_right(slopes, slope, 1) - 1, final)
        x = (load - loads[i]) / (loads[i + 1] - loads[i])
        y = (slope - slopes[j]) / (slopes[j + 1] - slopes[j])
        low = values[i][j] * (1 - y) + values[i][j + 1] * y
        high = values[i + 1][j] * (1 - y) + values[i + 1][j + 1] * y
        return low * (1 - x) + high * x

    @cached_property
    def _rows(self) -> list[tuple[list[float], list[float], list[list[float]], list[int]]]:
        every = self.first.tolist(), self.second.tolist(), self.values.tolist(), self.ends.tolist()
        return list(zip(*every, strict=True))
