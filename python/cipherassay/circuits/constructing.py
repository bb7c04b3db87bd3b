"""Circuits that are there at once, whatever the box: what a search begins with, and an upper bound.

A box of the affine class of one that the library has a circuit of is that circuit between two layers of
exclusive ors. Any other box is taken apart by its inputs: with f0 the half of a function where an input x is
0 and f1 that where it is 1, f = f0 ^ x & (f0 ^ f1), and halves that are equal or complements are made once.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cipherassay.circuits import bounds, documents, engine, library, targets
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.classes import FIELD_BITS, Affine, Equivalence, equivalent
from cipherassay.circuits.documents import Document
from cipherassay.circuits.engine import Problem, Step
from cipherassay.circuits.record import Record
from cipherassay.circuits.targets import Target
from cipherassay.errors import AssayError

_engine: Any = importlib.import_module("cipherassay._engine")

LEAST_INPUTS = 5
"""Boxes of fewer inputs have circuits at once by search."""
KNOWN = "two-input"
"""The target of whose circuits in the library others are made."""
NAME = "construction"
"""What stands in records where engines have their names."""
_AND, _XOR, _NOT = 0b1000, 0b0110, 0b01


@dataclass
class Wires:
    """Gates so far; each is made once."""

    gates: list[dict[str, Any]] = field(default_factory=list)
    known: dict[tuple[int, tuple[str, ...]], str] = field(default_factory=dict)

    def add(self, table: int, *operands: str) -> str:
        """Return the wire of a gate of one operand or of two, whose order is of no account."""
        names = tuple(sorted(operands))
        if (table, names) not in self.known:
            self.gates.append({"arity": len(names), "table": table, "operands": list(names)})
            self.known[table, names] = f"g{len(self.gates) - 1}"
        return self.known[table, names]

    def negated(self, wire: str) -> str:
        """Return the complement of a wire."""
        return {"0": "1", "1": "0"}.get(wire) or self.add(_NOT, wire)

    def xor(self, a: str, b: str) -> str:
        """Return a sum."""
        for one, other in ((a, b), (b, a)):
            if one in "01":
                return other if one == "0" else self.negated(other)
        return "0" if a == b else self.add(_XOR, a, b)

    def both(self, a: str, b: str) -> str:
        """Return a conjunction."""
        for one, other in ((a, b), (b, a)):
            if one in "01":
                return "0" if one == "0" else other
        return a if a == b else self.add(_AND, a, b)

    def affine(self, map_: Affine, wires: list[str], bits: int) -> list[str]:
        """Return the bits of an affine map of wires, the fewest exclusive ors met."""
        rows = [sum((image >> bit & 1) << k for k, image in enumerate(map_.images)) for bit in range(bits)]
        # The engine's function itself: what is around it needs NumPy, and whole circuits are checked anyway.
        steps, outputs = _engine.linear_minimize(len(wires), rows, [], [], 4, 2000, 1, lambda _line: False)
        held = list(wires)
        for a, b in steps:
            held.append(self.xor(held[a], held[b]))
        sums = ["0" if wire is None else held[wire] for wire in outputs]
        return [self.negated(wire) if map_.constant >> k & 1 else wire for k, wire in enumerate(sums)]

    def placed(self, circuit: dict[str, Any], inputs: list[str]) -> list[str]:
        """Add a circuit's gates on these wires; return its outputs."""
        held = {f"x{k}": wire for k, wire in enumerate(inputs)} | {"0": "0", "1": "1"}
        for n, gate in enumerate(circuit["gates"]):
            operands = [held[name] for name in gate["operands"]]
            self.gates.append({"arity": gate["arity"], "table": gate["table"], "operands": operands})
            held[f"g{n}"] = f"g{len(self.gates) - 1}"
        return [held[name] for name in circuit["outputs"]]

    def circuit(self, inputs: int, outputs: list[str]) -> dict[str, Any]:
        """Return the circuit as the engine reads it, gates that no output needs left out."""
        needed, waiting = set[str](), list(outputs)
        while waiting:
            wire = waiting.pop()
            if wire.startswith("g") and wire not in needed:
                needed.add(wire)
                waiting += self.gates[int(wire[1:])]["operands"]
        names: dict[str, str] = {}
        gates: list[dict[str, Any]] = []
        for n, gate in enumerate(self.gates):
            if f"g{n}" in needed:
                names[f"g{n}"] = f"g{len(gates)}"
                gates.append({**gate, "operands": [names.get(name, name) for name in gate["operands"]]})
        return {"inputs": inputs, "gates": gates, "outputs": [names.get(wire, wire) for wire in outputs]}


def decomposed(box: Box) -> dict[str, Any]:
    """Return a circuit of any box by its inputs, the highest first; halves that agree are made once."""
    wires = Wires()
    made: dict[tuple[int, int], str] = {}

    def function(values: int, inputs: int) -> str:
        """Return the wire of a function of the lowest inputs; bit n is its value at n."""
        ones = (1 << (1 << inputs)) - 1
        if values in (0, ones):
            return "1" if values else "0"
        if values & 1:
            return wires.negated(function(values ^ ones, inputs))
        key = (inputs, values)
        if key not in made:
            half = 1 << (inputs - 1)
            low, high = values & ((1 << half) - 1), values >> half
            zero, change = function(low, inputs - 1), function(low ^ high, inputs - 1)
            made[key] = wires.xor(zero, wires.both(f"x{inputs - 1}", change))
        return made[key]

    tables = [sum((y >> bit & 1) << x for x, y in enumerate(box.data)) for bit in range(box.outputs)]
    outputs = [function(table, box.inputs) for table in tables]
    return wires.circuit(box.inputs, outputs)


def between(box: Box, found: Equivalence, circuit: dict[str, Any]) -> dict[str, Any]:
    """Return a circuit of a box from that of another one of its affine class."""
    wires = Wires()
    inputs = wires.affine(found.inner, [f"x{k}" for k in range(box.inputs)], box.inputs)
    outputs = wires.affine(found.outer, wires.placed(circuit, inputs), box.outputs)
    return wires.circuit(box.inputs, outputs)


def of_class(box: Box) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield circuits of a box from those that the library has of its affine class, with what they are."""
    if not box.is_permutation:
        return
    kept = {one.box: one for one in library.stored(target=KNOWN, metric="gates")}
    known = [
        Box(one.box, one.document.outputs, tuple(map(int, one.document.head["table"].split())))
        for one in kept.values()
        if one.document.inputs == box.inputs
    ]  # of the files: reading the ciphers takes longer
    for found in equivalent(box, known):
        circuit = engine.read(kept[found.box.name].text)[0]["circuit"]
        yield between(box, found, circuit), f"{found.box.name} between affine maps"


def best(box: Box, target: Target) -> Document:
    """Return the best circuit that is there at once, with its head.

    Raises
    ------
    VerificationError
        ``C320``: a construction is wrong.
    """
    problem = Problem(box, target, target.full_objective(()))
    record = Record(problem)
    record.know(bounds.known(problem))
    for step in steps(problem, even_small=True):
        record.add(NAME, 0, replace(step, finished=False), 0.0)
    document = documents.one(record.best)
    return library.compose(
        document, box, target, problem.objective,
        proof=record.proof(), effort=record.found_by, origin="constructed",
    )  # fmt: skip


def steps(problem: Problem, *, even_small: bool = False) -> Iterator[Step]:
    """Yield what is best of what is there at once: by the affine class, and by inputs from five inputs on.

    Nothing where the target cannot compute it; with `even_small` small boxes are taken apart, too. It is one
    circuit, as measuring takes longer than making.
    """
    box = problem.box
    made = []
    if box.inputs == FIELD_BITS or library.find(box, targets.find(KNOWN), "gates") is None:
        made += list(of_class(box))
    if box.inputs >= LEAST_INPUTS or even_small:
        made.append((decomposed(box), "taken apart by inputs"))
    found = []
    for circuit, effort in made:
        try:
            document = {"name": box.name, "fields": [], "circuit": circuit}
            text = engine.fit(engine.write(document), problem.target)
        except AssayError:
            continue
        found.append((_weight(circuit, problem.objective), text, effort))
    if found:
        _, text, effort = min(found)
        yield Step((text,), effort=effort)


def _weight(circuit: dict[str, Any], objective: Sequence[str]) -> tuple[int, int]:
    """Return gates and depth, the one first that is nearer to the objective."""
    levels: dict[str, int] = {}
    for n, gate in enumerate(circuit["gates"]):
        levels[f"g{n}"] = 1 + max((levels.get(wire, 0) for wire in gate["operands"]), default=0)
    counted = (len(levels), max(levels.values(), default=0))
    return counted[::-1] if objective[0] in ("depth", "cycles") else counted
