"""Pictures of circuits: signs of the gates, places of the nodes."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import cipherassay.circuits
from cipherassay.circuits import engine
from cipherassay.circuits.layout import lay_out
from cipherassay.circuits.picture import mark_of, picture

TEXT = (Path(cipherassay.circuits.__file__).parent / "serpent-and-complement.txt").read_text(encoding="utf-8")


def test_signs_of_all_functions_of_two_operands() -> None:
    for table in range(16):
        mark = mark_of(2, table)
        if mark.sign not in "∧∨⊕":
            assert table in (0, 3, 5, 10, 12, 15)
            continue
        for index in range(4):
            a, b = (bool(index >> n & 1) ^ mark.rings[n] for n in range(2))
            value = {"∧": a and b, "∨": a or b, "⊕": a != b}[mark.sign] ^ mark.inverted
            assert value == bool(table >> index & 1)


def test_signs_of_others() -> None:
    assert mark_of(1, 1).sign == "¬"
    assert (mark_of(3, 0x96).sign, mark_of(3, 0x69).inverted, mark_of(3, 0xE8).sign) == ("⊕", True, "e8")
    assert mark_of(3, 0x3C).kind == "x"
    assert mark_of(3, 0x15, "AOI21X1").sign == "AOI21X1"


def test_places_keep_their_distance_and_wires_run_from_level_to_level() -> None:
    levels = {"x0": 0, "x1": 0, "a": 1, "b": 1, "c": 2, "y": 4}
    reads = {"a": ["x0", "x1"], "b": ["x1"], "c": ["a", "b"], "y": ["x0"]}
    graph = lay_out(levels, reads, ["x0", "x1"])
    assert [place[0] for place in graph.levels[0]] == ["x0", "x1"]
    for level in graph.levels:
        at = [graph.x[place] for place in level]
        assert all(b - a >= 0.44 for a, b in zip(at, at[1:], strict=False))
    assert graph.path("x0", ("y", 4)) == [("x0", 0), ("x0", 1), ("x0", 2), ("x0", 3), ("y", 4)]


def test_a_picture_shows_every_gate_input_and_output_and_is_the_same_each_time() -> None:
    (document,) = [d for d in engine.read(TEXT) if d["name"] == "S3"]
    svg = picture(document["circuit"], title="S3")
    assert svg == picture(document["circuit"], title="S3")
    root = ElementTree.fromstring(svg)
    words = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert sum(word in ("∧", "∨", "⊕", "¬") for word in words) == len(document["circuit"]["gates"])
    assert {"x0", "x1", "x2", "x3", "y0", "y1", "y2", "y3"} <= set(words)
    assert len(svg) < 8000
    numbers = [float(n) for n in re.findall(r'cx="([-0-9.]+)"', svg)]
    width = float(root.attrib["viewBox"].split()[2])
    assert min(numbers) >= 0
    assert max(numbers) <= width
