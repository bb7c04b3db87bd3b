"""Table layouts as Java: S alone by the width of entries, classes equal to their layer, times, rows, refusals."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.layouts import Layer, Layout, find, kept
from cipherassay.layouts.checking import inputs
from cipherassay.layouts.java_classes import bytes_of, class_name, java_class, words_of
from cipherassay.layouts.java_timing import Runs, Time, build, is_time, time_rows
from cipherassay.layouts.searching import search
from cipherassay.layouts.widths import widths
from cipherassay.native.session import Session
from support.command import assay
from support.golden import golden
from support.usual import usual

Capture = pytest.CaptureFixture[str]
needs_jdk = pytest.mark.skipif(
    not shutil.which("javac"), reason="no JDK (apt-get install default-jdk-headless)"
)


def layer_of(name: str, word_bits: int) -> Layer:
    cipher = load(name)
    (layer,) = find(cipher.compile(cipher.key_bits[0]))
    return layer.joined(word_bits)


def families(word_bits: int) -> dict[str, Layout]:
    return {one.family.removeprefix("S alone, "): one for one in widths(layer_of("e2", word_bits), word_bits)}


def test_entries_have_the_widths_of_the_paper() -> None:
    found = families(32)
    assert {name: (one.cost.table_bytes, one.cost.references) for name, one in found.items()} == {
        "bytes": (256, 8), "words": (1024, 8), "placed words": (4096, 8),
        "pairs": (128 * 1024, 4), "pairs in words": (256 * 1024, 4), "placed pairs": (512 * 1024, 4),
    }  # fmt: skip
    assert found["placed words"].cost.shifts == found["placed pairs"].cost.shifts == 0
    assert (found["bytes"].cost.shifts, found["bytes"].cost.narrow_references) == (6, 8)
    assert found["pairs"].cost.xors == 2 + 4  # two words put together, the six operations of P
    assert list(families(8)) == ["bytes"]
    assert families(8)["bytes"].cost.xors == 16


def test_matrices_of_other_factors_have_none() -> None:
    assert widths(layer_of("rijndael", 32), 32) == []


def test_words_hold_the_bytes_of_an_index_side_by_side() -> None:
    layer = layer_of("e2", 32)
    (pairs,) = (one for one in widths(layer, 32) if one.family == "S alone, pairs")
    made = java_class(layer, pairs, "e2_p_01")
    assert (made.name, made.word) == ("E2PL01", "int")
    assert "private static final char[] T0 =" in made.text
    assert "= T0[x0 & 0xffff];" in made.text
    assert "= T0[x0 >>> 16];" in made.text
    x = inputs(layer)[-3:]
    assert [hex(int(word)) for word in words_of(made, pairs, x)[0]] == [
        "0x" + bytes(x[0, made.inputs[n : n + 4]])[::-1].hex().lstrip("0") for n in (0, 4)
    ]
    ordered = words_of(made, replace(pairs, order=made.inputs), x)
    assert np.array_equal(bytes_of(layer, replace(pairs, order=made.inputs), ordered), x)


@pytest.mark.golden
def test_emitted_class() -> None:
    layer = layer_of("e2", 32)
    (pairs,) = (one for one in widths(layer, 32) if one.family == "S alone, pairs")
    golden("code/layouts/E2PairsL01.java", java_class(layer, pairs, "e2_pairs_01").text)


def test_names_of_classes() -> None:
    assert class_name("e2_p_matrix_32_01") == "E2PMatrix32L01"
    assert class_name("3way_m_01") == "Layout3wayML01"


@needs_jdk
@pytest.mark.parametrize(
    ("name", "word_bits"),
    usual([("rijndael", 16), ("rijndael", 32), ("rijndael", 64), ("e2", 64)], [("rijndael", 32)]),
)
def test_classes_compute_their_layer_and_are_timed(name: str, word_bits: int, tmp_path: Path) -> None:
    layer = layer_of(name, word_bits)
    if name == "rijndael":
        layouts = list(search(layer, word_bits, families=["plain", "rotations", "shifts", "windows"]).layouts)
    else:
        front = kept.load(name, layer, word_bits)
        assert front is not None
        layouts = [one for one in front.layouts if one.family == "masks"][:2] + widths(layer, word_bits)
    names = [f"{name}_{n:02}" for n in range(len(layouts))]
    timer = build(layer, layouts, names, tmp_path)  # raises where a class differs
    (first, *_) = timer.measure(Runs(1, 20, 5))
    assert 0.3 < first.least < 1e5
    assert len(first.nanoseconds) == 1


@needs_jdk
def test_a_wrong_class_is_found(tmp_path: Path) -> None:
    layer = layer_of("rijndael", 32)
    (right,) = search(layer, 32, families=["plain"]).layouts
    wrong = replace(right, order=right.order[1:] + right.order[:1])
    with pytest.raises(VerificationError, match=r"L401.*, run as Java, differs from the layer in byte 0"):
        build(layer, [wrong], ["rijndael_01"], tmp_path)


def test_rows_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherassay.layouts import java_timing

    monkeypatch.setattr(java_timing, "virtual_machine", lambda: "a virtual machine")
    layer, pairs = layer_of("e2", 32), families(32)["pairs"]
    session = Session(type("Environment", (), {"stable": True})())
    times = [Time((5.0, 4.0), 2.5), Time((4.0, 4.1), 2.5)]
    made = time_rows(layer, [pairs, pairs], times, "E2", "assay study layout e2 --word-size 32 --java", session)
    assert [(row.metric, row.value, row.stable) for row in made] == [
        ("time_ns", 4.0, False), ("cycles", 10.0, False), ("time_ns", 4.0, True), ("cycles", 10.0, True),
    ]  # fmt: skip
    assert made[0].configuration == (
        "words of 32 bits, S alone, pairs: 131072 bytes, 4 references, 6 xors, 2 shifts, 2 rotations, "
        "4 narrow references, java-jit"
    )
    assert [is_time(row, 32) for row in made] == [True, False, True, False]
    assert not is_time(made[0], 64)


@needs_jdk
def test_the_command_writes_and_times(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STORE", str(tmp_path / "store"))
    monkeypatch.setattr("cipherassay.layouts.java_timing.Runs.forks", 1)
    folder = tmp_path / "out"
    done = assay(capsys, "study", "layout", "rijndael", "--family", "plain", "--java", "-o", str(folder), "--json")
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == [
        "RijndaelMixColumn32L01.java", "rijndael_mix_column_32_01.c",
    ]  # fmt: skip
    (row,) = (row for row in done.json["rows"] if row["metric"] == "time_ns")
    assert (row["level"], row["basis"], row["unit"]) == ("native", "measured", "ns")
    assert row["command"] == "assay study layout rijndael --word-size 32 --java"
    assert done.json["layers"][0]["entries"] == []


def test_without_a_jdk_it_is_refused_before_the_search(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "locate", lambda name: "")
    done = assay(capsys, "study", "layout", "e2", "--java")
    assert done.code == 5
    assert done.err.startswith("error[T002]: `javac` is not on this machine\n")
