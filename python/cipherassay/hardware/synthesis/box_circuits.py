"""S-boxes on bit-sliced words by the circuits of the library, where a unit of a design is one.

What synthesis makes of a truth table is larger than what the search for circuits found. A unit whose every
bit position is the same box of few bits is recognized by its function, and gets the library's circuit for the
technology's cells.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache

from cipherassay.circuits import engine, evaluate, library, targets
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Port

_INPUT = re.compile(r"^  wire (?:width \d+ )?input \d+ \\x0$", re.MULTILINE)
_OUTPUT = re.compile(r"^  wire (?:width \d+ )?output \d+ \\y0$", re.MULTILINE)
_EQUATION = re.compile(r"(\w+) = (\w+)(?:\((.*)\))?$")
_MOST_INPUTS = 6


def mark(gates: str, technology: str) -> str:
    """Return what a unit's netlist depends on beside its gates: the library's circuits; empty for no box.

    Parameters
    ----------
    gates : str
        What `frontend.gates` gave.
    """
    if not (_INPUT.search(gates) and _OUTPUT.search(gates)) or "$_D" in gates:
        return ""
    texts = "".join(one.text for ones in _circuits(technology).values() for one in ones)
    return hashlib.sha256(texts.encode()).hexdigest()


@cache
def _circuits(technology: str) -> Mapping[tuple[int, ...], list[library.StoredCircuit]]:
    """Return the circuits of a technology by what they compute: the output for every input."""
    name = f"cells:{technology}"
    found: dict[tuple[int, ...], list[library.StoredCircuit]] = {}
    if name in targets.names():
        for one in library.stored(target=name):
            (document,) = engine.read(one.text, targets.find(name))
            found.setdefault(evaluate.values(document["circuit"]), []).append(one)
    return found


def alternatives(module: Module, technology: Technology) -> list[Module]:
    """Return modules of the library's circuits that compute what a mapped unit does.

    Each is evaluated on every input before it is given; without a known box there are none.
    """
    box = box_of(module, technology)
    if box is None:
        return []
    made = [_written(module, one, technology) for one in _circuits(technology.name).get(box, [])]
    return [one for one in made if box_of(one, technology) == box]


def box_of(module: Module, technology: Technology) -> tuple[int, ...] | None:
    """Return the box that every bit position of a module is: its output for every input, or None."""
    inputs, outputs = _words(module, "input", "x"), _words(module, "output", "y")
    if not inputs or not outputs or len(inputs) > _MOST_INPUTS:
        return None
    drivers = _drivers(module, technology)
    if drivers is None or len({len(port.bits) for port in (*inputs, *outputs)}) > 1:
        return None
    width = len(inputs[0].bits)
    full = 1 << (1 << len(inputs))
    columns = [
        sum(1 << value for value in range(1 << len(inputs)) if value >> n & 1) for n in range(len(inputs))
    ]
    boxes = set()
    for position in range(width):
        known: dict[Bit, int] = {"0": 0, "1": full - 1}
        known |= {port.bits[position]: column for port, column in zip(inputs, columns, strict=True)}
        found = [_value(port.bits[position], drivers, known, full - 1) for port in outputs]
        if any(one is None for one in found):
            return None
        boxes.add(tuple(one for one in found if one is not None))
    (tables,) = boxes if len(boxes) == 1 else [()]
    if not tables:
        return None
    values = range(1 << len(inputs))
    return tuple(sum((table >> value & 1) << n for n, table in enumerate(tables)) for value in values)


def _words(module: Module, direction: str, letter: str) -> list[Port]:
    """Return the ports of a direction, if they are called by the letter and count from 0."""
    ports = {port.name: port for port in module.ports if port.direction == direction}
    names = [f"{letter}{n}" for n in range(len(ports))]
    return [ports[name] for name in names] if set(names) == set(ports) else []


_Gate = tuple[int, tuple[Bit, ...]]


def _drivers(module: Module, technology: Technology) -> dict[Bit, _Gate] | None:
    """Return the truth table and the inputs behind every net; None where the module holds more than gates."""
    cells = {one.name: one for one in technology.cell}
    found: dict[Bit, _Gate] = {}
    for one in module.instances:
        if one.type not in cells:
            return None
        cell = cells[one.type]
        for output in cell.outputs():
            if output in one.pins:
                found[one.pins[output][0]] = (cell.table(output), tuple(one.pins[p][0] for p in cell.pins))
    return found


def _value(net: Bit, drivers: Mapping[Bit, _Gate], known: dict[Bit, int], full: int) -> int | None:
    """Return a net's truth table over the inputs of one position; None where it depends on others."""
    if net in known:
        return known[net]
    if net not in drivers:
        return None
    table, nets = drivers[net]
    words = [_value(one, drivers, known, full) for one in nets]
    result = 0
    for value in range(1 << len(nets)):
        if table >> value & 1:
            term = full
            for n, word in enumerate(words):
                if word is None:
                    return None
                term &= word if value >> n & 1 else full ^ word
            result |= term
    known[net] = result
    return result


def _written(module: Module, circuit: library.StoredCircuit, technology: Technology) -> Module:
    """Return a module with the ports of another and a circuit at every position."""
    cells = {one.name: one for one in technology.cell}
    ports = {port.name: port for port in module.ports}
    net = 1 + max(bit for port in module.ports for bit in port.bits if isinstance(bit, int))
    instances: list[Instance] = []
    outputs: dict[str, list[Bit]] = {name: [] for name in ports if name.startswith("y")}
    for position in range(len(ports["x0"].bits)):
        wires: dict[str, Bit] = {name: port.bits[position] for name, port in ports.items() if name[0] == "x"}
        for equation in circuit.document.equations:
            if (found := _EQUATION.match(equation.strip())) is None:
                continue
            name, kind, arguments = found.groups()
            if arguments is None:
                wires[name] = wires[kind]
                continue
            cell = cells[kind]
            pins = dict(zip(cell.pins, ([wires[a.strip()]] for a in arguments.split(",")), strict=True))
            (output,) = cell.outputs()
            wires[name], net = net, net + 1
            given = {pin: tuple(bits) for pin, bits in {**pins, output: [wires[name]]}.items()}
            instances.append(Instance(f"g{len(instances)}", kind, given))
        for name, bits in outputs.items():
            bits.append(wires[name])
    named = tuple(
        Port(port.name, port.direction, tuple(outputs.get(port.name, port.bits))) for port in module.ports
    )
    return Module(module.name, named, tuple(instances))
