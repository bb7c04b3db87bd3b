"""Liberty files written: cells with pins, arcs and tables, in ns, pF and pJ; the reader is `liberty`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_UNITS = (
    "delay_model : table_lookup;",
    'time_unit : "1ns";',
    'voltage_unit : "1V";',
    'current_unit : "1mA";',
    'pulling_resistance_unit : "1kohm";',
    'leakage_power_unit : "1nW";',
    "capacitive_load_unit (1,pf);",
    "slew_upper_threshold_pct_rise : 80;",
    "slew_lower_threshold_pct_rise : 20;",
    "slew_upper_threshold_pct_fall : 80;",
    "slew_lower_threshold_pct_fall : 20;",
    "input_threshold_pct_rise : 50;",
    "input_threshold_pct_fall : 50;",
    "output_threshold_pct_rise : 50;",
    "output_threshold_pct_fall : 50;",
)
_VARIABLES = {
    "delay": ("total_output_net_capacitance", "input_net_transition"),
    "constraint": ("related_pin_transition", "constrained_pin_transition"),
    "energy": ("total_output_net_capacitance", "input_transition_time"),
}


@dataclass(frozen=True)
class Grid:
    """A table's axes and values: a row for each point of the first axis."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Arc:
    """A `timing` or `internal_power` group: its attributes in order, its tables by their kind."""

    related: str
    attributes: tuple[tuple[str, str], ...]
    tables: dict[str, Grid]
    power: bool = False


@dataclass(frozen=True)
class Pin:
    """A pin: an input with its capacitance in pF, or an output with its function."""

    name: str
    capacitance_pf: tuple[float, float] | None = None
    function: str = ""
    clock: bool = False
    most_pf: float | None = None
    arcs: tuple[Arc, ...] = ()


@dataclass(frozen=True)
class WrittenCell:
    """A cell; `state` is the line that begins its `ff` or `latch` group with that group's attributes."""

    name: str
    area: float
    pins: tuple[Pin, ...]
    state: tuple[str, tuple[tuple[str, str], ...]] | None = None
    attributes: tuple[tuple[str, str], ...] = field(default=())


def library(
    name: str, comment: Sequence[str], voltage_v: float, temperature_c: float, cells: Sequence[WrittenCell]
) -> str:
    """Return the text of a Liberty file; the comment's lines stand in its head."""
    lines = ["/*", *(f" {line}".rstrip() for line in comment), "*/", f"library({name}) {{"]
    lines += [f"  {line}" for line in _UNITS]
    lines += [
        f"  nom_process : 1;\n  nom_voltage : {voltage_v:g};\n  nom_temperature : {temperature_c:g};",
        "  operating_conditions (typical) {",
        f"    process : 1; voltage : {voltage_v:g}; temperature : {temperature_c:g};",
        "  }\n  default_operating_conditions : typical;",
    ]
    lines += _templates(cells)
    for cell in cells:
        lines += _cell(cell)
    return "\n".join([*lines, "}", ""])


def _shape(kind: str, grid: Grid) -> tuple[str, int, int]:
    family = "constraint" if kind.endswith("constraint") else "energy" if kind.endswith("power") else "delay"
    return family, len(grid.first), len(grid.second)


def _templates(cells: Sequence[WrittenCell]) -> Iterator[str]:
    shapes = {
        _shape(kind, grid)
        for cell in cells
        for pin in cell.pins
        for arc in pin.arcs
        for kind, grid in arc.tables.items()
    }
    for family, rows, columns in sorted(shapes):
        group = "power_lut_template" if family == "energy" else "lu_table_template"
        first, second = _VARIABLES[family]
        yield f"  {group}({family}_{rows}x{columns}) {{"
        yield f"    variable_1 : {first};\n    variable_2 : {second};"
        yield f'    index_1 ("{_numbers(range(1000, 1000 + rows))}");'
        yield f'    index_2 ("{_numbers(range(1000, 1000 + columns))}");\n  }}'


def _cell(cell: WrittenCell) -> Iterator[str]:
    yield f"  cell({cell.name}) {{\n    area : {cell.area:.9g};"
    for name, value in cell.attributes:
        yield f"    {name} : {value};"
    if cell.state is not None:
        head, attributes = cell.state
        yield f"    {head} {{"
        for name, value in attributes:
            yield f'      {name} : "{value}";'
        yield "    }"
    for pin in cell.pins:
        yield from _pin(pin)
    yield "  }"


def _pin(pin: Pin) -> Iterator[str]:
    yield f"    pin({pin.name}) {{"
    yield f"      direction : {'output' if pin.capacitance_pf is None else 'input'};"
    if pin.capacitance_pf is not None:
        rise, fall = pin.capacitance_pf
        yield f"      capacitance : {max(rise, fall):.6g};"
        if rise != fall:
            yield f"      rise_capacitance : {rise:.6g};\n      fall_capacitance : {fall:.6g};"
    if pin.clock:
        yield "      clock : true;"
    if pin.most_pf is not None:
        yield f"      max_capacitance : {pin.most_pf:.6g};"
    if pin.function:
        yield f'      function : "{pin.function}";'
    for arc in pin.arcs:
        yield from _arc(arc)
    yield "    }"


def _arc(arc: Arc) -> Iterator[str]:
    yield f"      {'internal_power' if arc.power else 'timing'}() {{"
    yield f'        related_pin : "{arc.related}";'
    for name, value in arc.attributes:
        yield f"        {name} : {value};"
    for kind, grid in arc.tables.items():
        family, rows, columns = _shape(kind, grid)
        yield f"        {kind}({family}_{rows}x{columns}) {{"
        yield f'          index_1 ("{_numbers(grid.first)}");'
        yield f'          index_2 ("{_numbers(grid.second)}");'
        rows_text = ", \\\n            ".join(f'"{_numbers(row)}"' for row in grid.values)
        yield f"          values ( \\\n            {rows_text});\n        }}"
    yield "      }"


def _numbers(values: Sequence[float] | range) -> str:
    return ", ".join(f"{value:.6g}" for value in values)
