"""Pictures of structure: loops read from programs, graphs of operations, blocks of devices."""

from __future__ import annotations

import xml.etree.ElementTree as xml

import pytest

from cipherassay import ciphers
from cipherassay.hardware.emission import structures, top_level
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.bodies import Body, bodies, counted, label
from cipherassay.ir import Affine, Operation, Type, Value
from cipherassay.studies.weeks2000 import structures as galleries

KEY = "key_schedule"


def loops(cipher: str) -> list[Body]:
    return bodies(ciphers.load(cipher).compile(128).mirror())


def texts(picture: str) -> list[str]:
    return [one.text or "" for one in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def test_loops_of_every_cipher() -> None:
    found = {
        name: [
            (one.function, one.loop, one.iterations, one.forms)
            for one in loops(name)
            if one.function != "decrypt"
        ]
        for name in ("mars", "rc6", "serpent")
    }
    assert found == {
        "mars": [
            (KEY, "i", 15, 1), (KEY, "i", 15, 1), (KEY, "i", 10, 1), (KEY, "i", 16, 1), ("encrypt", "i", 8, 3),
            ("encrypt", "i", 16, 2), ("encrypt", "i", 8, 3),
        ],
        "rc6": [(KEY, "i", 43, 1), (KEY, "s", 132, 1), ("encrypt", "i", 20, 1)],
        "serpent": [(KEY, "i", 132, 1), (KEY, "i", 33, 8), ("encrypt", "i", 31, 8)],
    }  # fmt: skip


def test_places_as_the_author_writes_them() -> None:
    ring = Affine(((2, "i.1"),), 2, ring=True)
    assert label(Operation((Value("1", Type(8)),), "load", (), "S.5", (ring,))) == "S[2i+2]"
    stored = Operation((Value("W.1", Type(8, (40,))),), "store", ("1",), "W", (Affine(((-4, "r"),), 36),))
    assert label(stored) == "W[-4r+36] ←"
    assert counted(Affine(((4, "i"), (1, "j")), 0)) == "4i+j"


def test_round_of_rc6() -> None:
    body = loops("rc6")[2]
    assert [structures.base(name) for name in body.inputs] == ["A", "B", "C", "D"]
    drawn = texts(structures.data_flow(body))
    assert sorted(drawn) == sorted(
        [*"ABCD" * 2, *["× 2", "+ 1", "×", "⋘ 5", "⊕", "⋘", "+"] * 2, "S[2i+2]", "S[2i+3]"]
    )


@pytest.mark.parametrize("cipher", ciphers.of_papers())
def test_every_operation_on_words_is_drawn_once(cipher: str) -> None:
    for body in loops(cipher):
        picture = structures.data_flow(body, alone=False)
        shown = texts(picture)[len(body.inputs) :]
        wanted = [one for one in body.operations if one.bits or one.name == "store"]
        assert len(shown) - len(body.outputs) <= len(wanted)
        assert {one.label for one in wanted if one.name not in ("load", "word")} <= set(shown)
        assert picture == structures.data_flow(body, alone=False)


def test_what_runs_between_blocks() -> None:
    device = build.build(ciphers.load("rijndael"))
    found = {(one.source, one.target): one.bits for one in top_level.links(device.design.files("verilog"))}
    assert found["key_schedule", "algorithm"] == 128
    assert found["interface", "algorithm"] == 128
    assert found["algorithm", "pins"] == 128
    inputs = sum(found[key] for key in found if key[0] == "pins")
    assert inputs == sum(device.inputs.values())
    drawn = texts(top_level.top_level(device))
    assert {"Interface", "Controller", "Key Schedule", "Algorithm"} <= set(drawn)
    assert f"{device.registers['interface']} register bits" in drawn


def test_galleries_are_files_too() -> None:
    for gallery in (galleries.flow(), galleries.top_levels(), galleries.rounds("rc6")):
        files = gallery.files()
        assert len(files) == len(gallery.pictures)
        for content in files.values():
            assert xml.fromstring(content).tag.endswith("svg")
