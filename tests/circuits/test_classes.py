"""Affine classes and constructions: maps hold on every input, circuits are there at once, lacks are explained."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.circuits import boxes, classes, constructing, engine, library, targets
from cipherassay.circuits.boxes import Box
from cipherassay.circuits.classes import Affine
from cipherassay.circuits.engine import Problem
from cipherassay.circuits.evaluate import values
from cipherassay.circuits.searching import search
from cipherassay.errors import AssayError, VerificationError
from support.command import assay

Capture = pytest.CaptureFixture[str]
INNER, OUTER = Affine((3, 6, 12, 11), 5), Affine((1, 3, 7, 15), 9)


def twisted(name: str) -> Box:
    known = boxes.find(name)
    return Box("twisted", 4, tuple(OUTER(known.data[INNER(x)]) for x in range(16)))


def test_a_box_of_four_bits_finds_its_class_and_the_librarys_circuit() -> None:
    box = twisted("present.S")
    found = {one.box.name: one for one in classes.equivalent(box)}
    assert "present.S" in found
    assert "prince.S" not in found
    target = targets.find("two-input")
    for one in found.values():
        assert tuple(one.outer(one.box.data[one.inner(x)]) for x in range(16)) == box.data
    assert "present.S between affine maps" in [effort for _, effort in constructing.of_class(box)]
    (step,) = constructing.steps(Problem(box, target, ("gates",)))
    assert step.effort.endswith(" between affine maps")
    engine.check(step.circuits[0], box, target)


@pytest.mark.parametrize("name", ["sm4.Sbox", "camellia.SBOX3", "aria.SB2", "seed.S0", "seed.S1", "clefia.S1"])
def test_boxes_that_are_inversion_between_affine_maps(name: str) -> None:
    box = boxes.find(name)
    maps = classes.of_inversion(box)
    assert maps is not None
    inner, outer = maps
    assert tuple(outer(classes.inverses()[inner(x)]) for x in range(256)) == box.data
    document = constructing.best(box, targets.find("two-input"))
    assert document.metrics["gates"] < 140
    assert values(engine.read(document.text())[0]["circuit"]) == box.data


@pytest.mark.parametrize("name", ["kuznyechik.Pi", "kalyna128.T", "clefia.S0", "misty1.S7", "des.S1", "keccak.CHI"])
@pytest.mark.parametrize("target", ["two-input", "x86-5"])
def test_other_boxes_are_taken_apart(name: str, target: str) -> None:
    box = boxes.find(name)
    assert classes.of_inversion(box) is None
    circuit = constructing.decomposed(box)
    assert values(circuit) == box.data
    (step,) = constructing.steps(Problem(box, targets.find(target), ("ops",)))
    engine.check(step.circuits[0], box, targets.find(target))


def test_a_random_box_has_a_circuit_at_once() -> None:
    data = list(range(256))
    random.Random(7).shuffle(data)
    box = Box("random", 8, tuple(data))
    assert values(constructing.decomposed(box)) == box.data
    assert list(classes.equivalent(box)) == []
    found = search(Problem(box, targets.find("two-input"), ("gates", "depth")), seconds=0.2, fresh=True)
    assert found.document is not None
    assert found.document.metrics["gates"] < 800


def test_wrong_maps_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        def circuit_equivalence(self, first: bytes, second: bytes) -> object:
            return [1, 2, 4, 8], 0, [1, 2, 4, 8], 1

    monkeypatch.setattr(classes, "_engine", Wrong())
    with pytest.raises(VerificationError, match=r"C135.*do not give its value at 0"):
        list(classes.equivalent(boxes.find("serpent.S2"), [boxes.find("serpent.S6")]))


def test_a_ciphers_name_stands_for_its_only_box() -> None:
    assert boxes.find("sm4") == boxes.find("sm4.Sbox")
    assert boxes.find("aes") == boxes.find("rijndael.S")
    with pytest.raises(AssayError) as caught:
        boxes.find("clefia")
    assert str(caught.value) == (
        "error[C131]: `clefia` has 2 S-boxes\n   = help: choose one: clefia.S0, clefia.S1"
    )
    with pytest.raises(AssayError) as caught:
        boxes.find("speck64")
    assert str(caught.value) == (
        "error[C140]: Speck64 has 0 tables from 3 to 8 bits to at most 8: no S-box\n"
        "   = not linear in its `encrypt`: 1 times addition of 32 bits\n"
        "   = help: circuits are of S-boxes; `assay study linear` finds what is linear between these operations"
    )


def test_constants_of_rounds_are_no_boxes() -> None:
    assert [box.name for box in boxes.of_cipher(load("craft"))] == ["midori.Sb0"]


def test_the_search_says_the_class(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "own.txt"
    file.write_text(" ".join(map(str, twisted("present.S").data)))
    document = assay(capsys, "circuit", "search", str(file), "--seconds", "0.5", "--json").json
    kept = library.find(boxes.find("present.S"), targets.find("two-input"), "gates")
    assert kept is not None
    (known,) = (one for one in document["affine_class"] if one["box"] == "present.S")
    assert known["library"] == kept.document.metrics["gates"]
    (known,) = (one for one in document["affine_class"] if one["box"] == "serpent.S6")
    assert (known["published"], known["metric"]) == (13, "gates")
    shown = assay(capsys, "circuit", "search", str(file), "--seconds", "0.5").err
    assert "of its affine class, so that it is one of them between exclusive ors: " in shown
