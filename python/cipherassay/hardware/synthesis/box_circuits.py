"""S-boxes by the circuits of the library, where a unit of a design is one: a table, or a box on words.

What synthesis makes of a truth table is larger than what the search for circuits found. A unit of one word in
and one out, or whose every bit position is the same box of few bits, is recognized by its function, and gets
the library's circuit for the technology's cells, or for those of a library with cells of the same names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from cipherassay.circuits import engine, evaluate, library, targets
from cipherassay.hardware.libraries import technology as technologies
from cipherassay.hardware.libraries.technology import Technology
from cipherassay.hardware.netlists.netlist import Bit, Instance, Module, Port

_PORT = re.compile(r"^  wire (?:width (\d+) )?(input|output) \d+ \\(\w+)$", re.MULTILINE)
_EQUATION = re.compile(r"(\w+) = (\w+)(?:\((.*)\))?$")
_MOST_INPUTS = 6


def mark(gates: str, technology: str) -> str:
    """Return what a unit's netlist depends on beside its gates: the library's circuits; empty for no box.

    Parameters
    ----------
    gates : str
        What `frontend.gates` gave.
    """
    if "$_D" in gates or not _like_a_box(gates):
        return ""
    texts = "".join(one.text for ones in _circuits(technology).values() for one in ones)
    return hashlib.sha256(texts.encode()).hexdigest()


def _like_a_box(gates: str) -> bool:
    ports = [(direction, name, int(width or 1)) for width, direction, name in _PORT.findall(gates)]
    if {"x0", "y0"} <= {name for _, name, _ in ports}:
        return True
    return [direction for direction, _, _ in sorted(ports)] == ["input", "output"] and all(
        width <= _MOST_INPUTS for direction, _, width in ports if direction == "input"
    )


@cache
def _circuits(technology: str) -> Mapping[tuple[int, ...], list[library.StoredCircuit]]:
    """Return the circuits of a technology's cells by what they compute: the output for every input."""
    found: dict[tuple[int, ...], list[library.StoredCircuit]] = {}
    cells = {one.name for one in technologies.load(technology).cell}
    for name in targets.names():
        if not name.startswith("cells:"):
            continue
        for one in library.stored(target=name):
            if {cell for _, cell, _ in _gates(one) if cell} <= cells:
                (document,) = engine.read(one.text, targets.find(name))
                found.setdefault(evaluate.values(document["circuit"]), []).append(one)
    return found


def is_known(module: Module, technology: Technology) -> bool:
    """Return whether the library has a circuit for what a mapped unit computes."""
    box = box_of(module, technology)
    return box is not None and box in _circuits(technology.name)


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
    lanes = _lanes(module)
    if not lanes or len(lanes[0][0]) > _MOST_INPUTS or (drivers := _drivers(module, technology)) is None:
        return None
    size = len(lanes[0][0])
    full = 1 << (1 << size)
    columns = [sum(1 << value for value in range(1 << size) if value >> n & 1) for n in range(size)]
    boxes = set()
    for inputs, outputs in lanes:
        known: dict[Bit, int] = {"0": 0, "1": full - 1}
        known |= dict(zip(inputs, columns, strict=True))
        found = [_value(bit, drivers, known, full - 1) for bit in outputs]
        if any(one is None for one in found):
            return None
        boxes.add(tuple(one for one in found if one is not None))
    (tables,) = boxes if len(boxes) == 1 else [()]
    if not tables:
        return None
    values = range(1 << size)
    return tuple(sum((table >> value & 1) << n for n, table in enumerate(tables)) for value in values)


_Lane = tuple[tuple[Bit, ...], tuple[Bit, ...]]


def _lanes(module: Module) -> list[_Lane]:
    """Return the inputs and outputs of every box that a module is, from the lowest bit; none for others."""
    inputs = [port for port in module.ports if port.direction == "input"]
    outputs = [port for port in module.ports if port.direction == "output"]
    if len(inputs) == len(outputs) == 1 and len(inputs[0].bits) > 1:
        return [(inputs[0].bits, outputs[0].bits)]
    inputs, outputs = _words(module, "input", "x"), _words(module, "output", "y")
    if not inputs or not outputs or len({len(port.bits) for port in (*inputs, *outputs)}) > 1:
        return []
    return [
        (tuple(port.bits[n] for port in inputs), tuple(port.bits[n] for port in outputs))
        for n in range(len(inputs[0].bits))
    ]


def _gates(circuit: library.StoredCircuit) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the name of each value of a circuit with its cell and what it reads; another name has no cell."""
    for equation in circuit.document.equations:
        if found := _EQUATION.match(equation.strip()):
            name, kind, arguments = found.groups()
            if arguments is None:
                yield name, "", (kind,)
            else:
                yield name, kind, tuple(one.strip() for one in arguments.split(","))


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
    net = 1 + max(bit for port in module.ports for bit in port.bits if isinstance(bit, int))
    instances: list[Instance] = []
    driven: dict[Bit, Bit] = {}
    for inputs, outputs in _lanes(module):
        wires: dict[str, Bit] = {f"x{n}": bit for n, bit in enumerate(inputs)}
        for name, kind, read in _gates(circuit):
            if not kind:
                wires[name] = wires[read[0]]
                continue
            cell = cells[kind]
            (output,) = cell.outputs()
            pins = dict(zip((*cell.pins, output), (*(wires[one] for one in read), net), strict=True))
            wires[name], net = net, net + 1
            instances.append(Instance(f"g{len(instances)}", kind, {pin: (bit,) for pin, bit in pins.items()}))
        driven |= {bit: wires[f"y{n}"] for n, bit in enumerate(outputs)}
    ports = [
        replace(port, bits=tuple(driven[bit] for bit in port.bits)) if port.direction == "output" else port
        for port in module.ports
    ]
    return Module(module.name, tuple(ports), tuple(instances))
