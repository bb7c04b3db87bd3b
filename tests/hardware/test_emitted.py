"""What stands beside the modules of an emitted device: structure pictures, the notebook, its tree of modules."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cipherassay import keeping
from cipherassay.ciphers import load
from cipherassay.hardware.emission import emitting, notebook
from cipherassay.hardware.emission.hierarchy import Module, hierarchy
from cipherassay.hardware.results import stored
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.timing import hold

FILES = [
    ("leaf.v", "// leaf: the box S0\nmodule leaf (\n);\nendmodule\n"),
    (
        "part.v",
        "// part: algorithm\nmodule part (\n    leaf one (\n    );\n    leaf two (\n    );\nendmodule\n",
    ),
    ("top.v", "// top: the device\nmodule top (\n    part algorithm (\n    );\nendmodule\n"),
]


@pytest.fixture(scope="module")
def device() -> Device:
    return build.build(load("rc6"), "iterative")


def test_the_tree_of_modules() -> None:
    assert hierarchy(FILES, "top") == [
        Module(0, "top", 1, "the device"),
        Module(1, "part", 1, "algorithm"),
        Module(2, "leaf", 2, "the box S0"),
    ]


def test_pictures_of_the_structure(device: Device) -> None:
    drawn = emitting.pictures(device)
    assert [title for title, _, _ in drawn] == [
        "Blocks, with the bits that run between them",
        "key schedule, 128 bits, loop s: one of 132 iterations",
        "encrypt, 128 bits, loop i: one of 20 iterations",
        "decrypt, 128 bits, loop i: one of 20 iterations",
    ]
    for _, _, text in drawn:
        ElementTree.fromstring(text)
        assert "var(" not in text
    assert drawn == emitting.pictures(device)


def test_a_notebook_without_kept_results(device: Device, own_kept: Path) -> None:
    text = notebook.notebook(device, [("Blocks", "blocks.svg")], "assay emit rtl rc6")
    cells = json.loads(text)["cells"]
    assert [cell["source"].partition("\n")[0] for cell in cells] == [
        "# rc6_iterative_128", "## Modules", "## Pictures", "## Clocks", "## Synthesis",
    ]  # fmt: skip
    assert "assay synthesize rc6 --architecture iterative --key-bits 128 --direction both" in cells[-1]["source"]
    assert "![Blocks](blocks.svg)" in cells[2]["source"]


def kept(device: Device) -> dict[str, Any]:
    """A document of two grades in the form of kept ones."""
    blocks = {"Algorithm": [6000.0, 120], "Top": [400.0, 8]}
    grade = {
        "strategy": "rounds", "period_ns": {"128": 30.5}, "area_um2": 6400.0, "transistors": 128, "blocks": blocks,
        "cells": {}, "latches": 0, "split": "blocks", "recipes": {"shared": "A"}, "repaired": False,
        "path": ["algorithm.A", "algorithm.B"], "shares": {},
    }  # fmt: skip
    return {
        "schema": keeping.SCHEMAS["grades"], "design": device.name, "cipher": "rc6", "title": "RC6", "architecture": "iterative",
        "key": "128", "direction": "both", "technology": "osu050", "library": "x", "tools": "yosys 1; sta 2",
        "recipes": ["A", "D"], "splits": [], "designs": 2, "area_unit": "µm²", "gate_equivalent_um2": 216.0,
        "strategies": {"rounds": {"verilog": verilog_hash(device)}},
        "grades": [grade, {**grade, "period_ns": {"128": 40.0}, "recipes": {"shared": "D"}, "latches": 96}],
        "literal": [], "points": [["rounds", 30.5, 6400.0, 128], ["rounds", 40.0, 6400.0, 128]], "functions": {},
    }  # fmt: skip


def test_a_notebook_of_kept_results(device: Device, own_kept: Path) -> None:
    document = kept(device)
    place = stored.keep(document)
    text = notebook.notebook(device, [], "assay emit rtl rc6")
    assert text == notebook.notebook(device, [], "assay emit rtl rc6")
    *_, found, _, plot = json.loads(text)["cells"]
    assert "| 1 | `rounds` | 30.50 | 6,400 | 30 | 128 |  |" in found["source"]
    assert "| 2 | `rounds` | 40.00 | 6,400 | 30 | 128 | fails hold: 96 latches |" in found["source"]
    assert hold.WHY in found["source"]
    assert "| Algorithm | 6,000 / 120 | 6,000 / 120 |" in found["source"]
    assert "| 2 | `algorithm.A` | `algorithm.B` |" in found["source"]
    assert "| `shared` | A | D |" in found["source"]
    assert plot["cell_type"] == "code"
    assert notebook.draw(plot["source"]).startswith(b"\x89PNG")
    # Of another design by now: not shown.
    document["strategies"]["rounds"]["verilog"] = "0" * 64
    place.write_text(stored.text_of(document))
    assert stored.of_device(device) is None


def test_the_data_sheet_lists_grades_and_says_which_are_withdrawn(device: Device, own_kept: Path) -> None:
    def page() -> str:
        return emitting.readme(device, [("verilog", "files.f")], 1, "assay emit rtl rc6")

    assert "No results of synthesis are kept of this design." in page()
    document = kept(device)
    clocks = {"key_bits": 128, "key_setup": 1, "latency": 10, "per_block": 10, "key_switch": 1, "block_bits": 128}
    document["strategies"]["rounds"]["clocks"] = [clocks]
    stored.keep(document)
    assert "| 1 | `rounds` | 30.50 | 6,400 | 30 | 128 |  | 420 |" in page()
    assert "| 2 | `rounds` | 40.00 | 6,400 | 30 | 128 | fails hold: 96 latches | 320 |" in page()
