"""Bounds by counting, against circuits that reach them."""

from __future__ import annotations

import re
from pathlib import Path

from cipherassay import keeping
from cipherassay.circuits import boxes, certificates, exhaustion, targets
from cipherassay.circuits.bounds import counted, known
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


def test_each_stored_circuit_states_what_is_known() -> None:
    for item in stored():
        box, target = boxes.find(item.box), targets.find(item.target)
        proof = item.document.proof
        for bound in known(Problem(box, target, item.document.objective)):
            stated = proof.bound(bound.metric)
            assert proof.proves(bound.metric) or (stated or 0) >= bound.value, item.path.name


def test_each_certificate_that_a_stored_circuit_names_is_there() -> None:
    named = 0
    for item in stored():
        for count, path in re.findall(
            r"unsatisfiable at (\d+), kept/proofs/([^)]*)", item.document.proof.text
        ):
            certificate = certificates.read(keeping.PACKAGE / "proofs" / path)
            assert certificate is not None
            assert (certificate.box, certificate.value) == (item.box, int(count))
            assert (certificate.target, certificate.metric) == (item.target, item.metric)
            assert item.value == certificate.value + 1
            named += 1
    assert named >= 32


def test_certificates_bound_the_box_whose_they_are() -> None:
    ternary = targets.find("ternary")
    (bound,) = certificates.bounds(Problem(boxes.find("gift.S"), ternary, ("gates", "depth")))
    assert (bound.metric, bound.value) == ("gates", 6)
    assert bound.kind == "unsatisfiable at 5, kept/proofs/gift/S.ternary.gates.5.json"
    other = Box("gift.S", 4, boxes.find("skinny.S4").data)
    assert certificates.bounds(Problem(other, ternary, ("gates",))) == []


def test_stored_exhaustions_are_read_once(own_kept: Path) -> None:
    work = exhaustion.exhaust([boxes.find("gift.S")], 8)
    work.save(own_kept / "exhaustion" / "eight.jsonl")
    (first,) = exhaustion.stored()
    assert first == work
    work.save(own_kept / "exhaustion" / "nine.jsonl")
    again, new = exhaustion.stored()
    assert again is first
    assert new == work
