"""Bounds by counting, against circuits that reach them."""

from __future__ import annotations

from cipherassay.circuits import boxes, targets
from cipherassay.circuits.bounds import counted
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.engine import Problem
from cipherassay.circuits.library import stored


def bounds(box: Box, target: str, objective: tuple[str, ...] = ("gates",)) -> list[float]:
    return [b.value for b in counted(Problem(box, targets.find(target), objective))]


def test_counting() -> None:
    copy = Box("copy", 3, tuple(range(8)))
    assert bounds(copy, "two-input") == []
    parity = Box("parity", 1, tuple(bin(v).count("1") & 1 for v in range(8)))
    assert bounds(parity, "two-input") == [2]
    assert bounds(parity, "ternary") == [1]
    complement = Box("complement", 3, tuple(v ^ 1 for v in range(8)))
    assert bounds(complement, "and-complement") == [1]
    both = Box("both", 2, tuple((bin(v).count("1") & 1) * 3 for v in range(8)))
    assert bounds(both, "two-input") == [2]
    assert bounds(boxes.find("serpent.S3"), "two-input", ("gates", "depth", "ops")) == [6, 6]


def test_no_stored_circuit_beats_them() -> None:
    for item in stored():
        box, target = boxes.find(item.box), targets.find(item.target)
        for bound in counted(Problem(box, target, item.document.objective)):
            assert item.document.metrics[bound.metric] >= bound.value
