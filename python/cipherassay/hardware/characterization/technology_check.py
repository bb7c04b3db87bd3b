"""Whether a technology's Liberty file is what its own file says, and fit for mapping and timing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cipherassay.circuits.functions import truth_table
from cipherassay.errors import AssayError, Place
from cipherassay.hardware.characterization import effort
from cipherassay.hardware.libraries import fixing, liberty, physical
from cipherassay.hardware.libraries.liberty import Attribute, Group
from cipherassay.hardware.libraries.technology import Cell, Register, Technology

DELAYS = ("cell_rise", "cell_fall")
SLOPES = ("rise_transition", "fall_transition")
CONSTRAINTS = ("rise_constraint", "fall_constraint")


@dataclass(frozen=True)
class Defect:
    """What is wrong with a library, in which cell (empty: the library itself), and where."""

    cell: str
    message: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place}: {self.cell + ': ' if self.cell else ''}{self.message}"


def check(technology: Technology, source: str | None = None) -> list[Defect]:
    """Return the defects of a technology's library after its fixes.

    Looked at are the units, that the cells are those of the technology's file, and of each cell: its area
    against the LEF outline, its transistors against the SPICE netlist (where there are such files), its
    function, an arc from every input, and tables that do not fall as the load rises; of a library that was
    characterized here, whether it agrees with logical effort.

    Parameters
    ----------
    source : str, optional
        A Liberty text instead of the technology's own file.

    Raises
    ------
    DescriptionError
        ``H604``: no Liberty text; ``H606``: a fix does not fit it.
    ToolError
        ``H605``: a file is not there.
    """
    known, _ = technology.timed()
    library = liberty.read(fixing.fixed(technology, source), known.file)
    found = list(_Check(technology, library, known.file).run())
    if technology.characterization is None or found:
        return found
    faults = effort.faults(technology, library)
    return [Defect(cell, message, Place(known.file, line)) for cell, message, line in faults]


class _Check:
    def __init__(self, technology: Technology, library: Group, file: str) -> None:
        known, _ = technology.timed()
        self.technology, self.library, self.file, self.known = technology, library, file, known
        self.areas = physical.lef_areas(technology.read(known.lef)) if known.lef else None
        self.transistors = physical.transistor_counts(technology.read(known.spice)) if known.spice else None

    def defect(self, cell: str, message: str, line: int) -> Defect:
        return Defect(cell, message, Place(self.file, line))

    def run(self) -> Iterator[Defect]:
        yield from self.units()
        costs = self.technology.costs()
        found = {cell.name: cell for cell in self.library.of_kind("cell")}
        for name in costs:
            if name not in found:
                yield self.defect(name, "the library lacks this cell", self.library.line)
        for name, group in found.items():
            if name not in costs:
                yield self.defect(name, "no cell of the technology's file", group.line)
                continue
            cost = costs[name]
            yield from self.cost(cost, group)
            yield from self.function(cost, group) if isinstance(cost, Cell) else self.state(cost, group)
            yield from self.tables(group)

    def units(self) -> Iterator[Defect]:
        time = self.library.find("time_unit")
        if time is None or time.value != self.known.time_unit:
            seen = time.value if time else "not stated"
            line = time.line if time else self.library.line
            yield self.defect("", f"time_unit is {seen}, expected {self.known.time_unit}", line)
        load = self.library.find("capacitive_load_unit")
        seen = "".join(load.values).lower() if load else "not stated"
        if seen != self.known.capacitance_unit:
            line = load.line if load else self.library.line
            message = f"capacitive_load_unit is {seen}, expected {self.known.capacitance_unit}"
            yield self.defect("", message, line)

    def cost(self, cost: Cell | Register, group: Group) -> Iterator[Defect]:
        area = group.find("area")
        line = area.line if area else group.line
        stated = float(area.value) if area else 0.0
        known: list[tuple[float | None, str]] = [(cost.area_um2, "the technology's file")]
        if self.areas is not None:
            known.insert(0, (self.areas.get(cost.name), "the LEF outline"))
        for value, what in known:
            if value is None or abs(value - stated) > 1e-6 * max(stated, 1):
                unit = self.technology.area_unit
                yield self.defect(cost.name, f"area {stated:g} {unit}, by {what} {value}", line)
        drawn = cost.transistors if self.transistors is None else self.transistors.get(cost.name)
        if drawn != cost.transistors:
            message = f"{cost.transistors} transistors, by the SPICE netlist {drawn}"
            yield self.defect(cost.name, message, group.line)

    def function(self, cell: Cell, group: Group) -> Iterator[Defect]:
        pins = {pin.name: pin for pin in group.of_kind("pin")}
        expected = cell.outputs()
        outputs = {name for name, pin in pins.items() if pin.text("direction") == "output"}
        if outputs != set(expected) or set(pins) - outputs != set(cell.pins):
            yield self.defect(cell.name, f"its pins are {', '.join(pins)}", group.line)
            return
        for name, function in expected.items():
            attribute = pins[name].find("function")
            if attribute is None:
                yield self.defect(cell.name, f"output {name} has no function", pins[name].line)
                continue
            if not self.same(attribute, function, cell):
                message = f"function of {name} is {attribute.value}, expected {function}"
                yield self.defect(cell.name, message, attribute.line)
            yield from self.arcs(cell.name, pins[name], cell.pins, (*DELAYS, *SLOPES))

    def same(self, attribute: Attribute, function: str, cell: Cell) -> bool:
        place = Place(self.file, attribute.line)
        pins = list(cell.pins)
        try:
            stated = truth_table(_conjunctions_written(attribute.value), pins, place)
        except AssayError:
            return False
        return stated == truth_table(function, pins, place)

    def state(self, register: Register, group: Group) -> Iterator[Defect]:
        kind = "latch" if register.kind == "latch" else "ff"
        states = list(group.of_kind(kind))
        if not states:
            yield self.defect(register.name, f"it is no {register.kind}", group.line)
            return
        clock, data = ("enable", "data_in") if kind == "latch" else ("clocked_on", "next_state")
        inverted = register.active in ("falling", "low")
        seen = (states[0].text(clock).strip("()").replace(" ", ""), states[0].text(data))
        if seen != (("!" if inverted else "") + register.clock, register.data):
            message = f"it takes {seen[1] or 'nothing'} on {seen[0] or 'nothing'}"
            yield self.defect(register.name, message, states[0].line)
        pins = {pin.name: pin for pin in group.of_kind("pin")}
        for name in (register.data, register.output):
            if name not in pins:
                yield self.defect(register.name, f"it has no pin {name}", group.line)
                return
        yield from self.arcs(register.name, pins[register.output], (register.clock,), (*DELAYS, *SLOPES))
        yield from self.arcs(register.name, pins[register.data], (register.clock,), CONSTRAINTS)

    def arcs(
        self, cell: str, pin: Group, inputs: tuple[str, ...], needed: tuple[str, ...]
    ) -> Iterator[Defect]:
        """Yield the inputs without an arc, and the arcs that lack a table."""
        for name in inputs:
            tables = {
                table.kind
                for timing in pin.of_kind("timing")
                if name in timing.text("related_pin").split()
                for table in timing.groups
            }
            lacking = [kind for kind in needed if kind not in tables]
            if lacking:
                message = f"the arc from {name} to {pin.name} lacks {', '.join(lacking)}"
                yield self.defect(cell, message, pin.line)

    def tables(self, group: Group) -> Iterator[Defect]:
        for table in group.walk():
            if table.kind not in (*DELAYS, *SLOPES):
                continue
            message = _fault(table)
            if message:
                yield self.defect(group.name, f"{table.kind}: {message}", table.line)


def _fault(table: Group) -> str:
    """Return what is wrong with a table of loads (rows) and slopes (columns), empty if nothing is."""
    values, loads, slopes = (table.find(name) for name in ("values", "index_1", "index_2"))
    if values is None or loads is None:
        return "it has no values or no index"
    rows = len(liberty.numbers(loads))
    entries = liberty.numbers(values)
    columns = len(liberty.numbers(slopes)) if slopes else 1
    for index in (loads, slopes):
        axis = liberty.numbers(index) if index else []
        if any(b <= a for a, b in zip(axis, axis[1:], strict=False)):
            return f"{index.name if index else ''} does not rise"
    if len(entries) != rows * columns:
        return f"{len(entries)} values for {rows} x {columns} places"
    if min(entries) < 0:
        return f"the value {min(entries):g} is below zero"
    falls = sum(entries[n + columns] < entries[n] - 1e-9 for n in range(len(entries) - columns))
    return f"it falls in {falls} places as the load rises" if falls else ""


def _conjunctions_written(function: str) -> str:
    """Return a Liberty function with its operators as this project writes them: ``~ & | ^``."""
    spaced = function.replace("!", " ! ").replace("+", " + ").replace("*", " * ").replace("^", " ^ ")
    tokens = spaced.replace("(", " ( ").replace(")", " ) ").replace("&", " * ").replace("|", " + ").split()
    words: list[str] = []
    for token in tokens:
        ends = bool(words) and (words[-1] == ")" or words[-1].isalnum())
        if ends and (token in ("!", "(") or token.isalnum()):
            words.append("&")
        words.append({"!": "~", "+": "|", "*": "&"}.get(token, token))
    return " ".join(words)
