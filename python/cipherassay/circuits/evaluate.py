"""The meaning of a circuit in plain Python: an evaluation that shares no code with the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def values(circuit: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the outputs at every input 0, 1, 2, … of a circuit as the engine's `circuit_read` gives it."""
    inputs = int(circuit["inputs"])
    return tuple(_value(circuit, inputs, value) for value in range(1 << inputs))


def _value(circuit: Mapping[str, Any], inputs: int, value: int) -> int:
    wires = {f"x{k}": value >> k & 1 for k in range(inputs)} | {"0": 0, "1": 1}
    for n, gate in enumerate(circuit["gates"]):
        index = sum(wires[wire] << place for place, wire in enumerate(gate["operands"]))
        wires[f"g{n}"] = gate["table"] >> index & 1
    return sum(wires[wire] << k for k, wire in enumerate(circuit["outputs"]))
