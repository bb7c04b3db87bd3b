"""The NTT paper in the report: layouts, calls of the key schedule, platforms, figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.layouts import Cost, Layout
from cipherassay.processors import library, report_list
from cipherassay.processors.requests import RECIPE
from cipherassay.report.data import ReportData
from cipherassay.report.drawings import outlines
from cipherassay.report.elements.section import Fold
from cipherassay.report.elements.tables import Table
from cipherassay.report.platforms import platform_jobs
from cipherassay.results import Row, Store
from cipherassay.studies.aoki1999 import figures, report_jobs, tables
from cipherassay.studies.aoki1999.sections import ntt
from support.done import done
from support.report_sample import sample_data

METRICS = ("table_bytes", "references", "xors", "masks", "shifts", "rotations")


def _layout(bits: int, family: str, *counts: int) -> list[Row]:
    costs = dict(zip(METRICS, counts, strict=True)) | {"narrow_references": 0, "misaligned_references": 0}
    cost = Cost(**costs)
    name = Layout(family, cost, True, bits, (), (), (), (), ()).name
    return [
        Row(
            cipher="E2", part="P", target=f"words of {bits} bits", configuration=name, metric=metric,
            value=value, unit="operations" if metric == "xors" else None, basis="synthesized",
            certificate="front of the whole space",
        )
        for metric, value in costs.items()
    ]  # fmt: skip


def _data() -> ReportData:
    layouts = _layout(64, "masks", 2048, 8, 7, 8, 0, 0) + _layout(32, "shifts", 7168, 8, 10, 0, 2, 0)
    layouts += _layout(32, "rotations", 6144, 8, 9, 0, 0, 2)
    return replace(sample_data(), studies={"layouts": layouts})


def _cycles(target: str, operation: str, value: float, configuration: str, cipher: str = "E2") -> Row:
    level = "native" if configuration.startswith("java") else "processor"
    return Row(
        cipher=cipher, operation=operation, key_bits=128, level=level, target=target, metric="cycles",
        value=value, basis="simulated", configuration=configuration, strategy="straight",
    )  # fmt: skip


def test_the_papers_layouts_stand_beside_ours() -> None:
    table, fold = tables.layouts(_data())
    assert isinstance(table, Table)
    assert isinstance(fold, Fold)
    (front,) = fold.blocks
    assert isinstance(front, Table)
    lines = {(line[0].text, line[1].text): [cell.text for cell in line[2:]] for line in table.lines}
    assert len(lines) == 7
    assert lines["64", "one table with masks"] == [
        "2,048", "8", "7", "8", "–", "–", "on our front", "2,048", "8", "7", "8", "–", "–", "1.00", "1.00",
    ]  # fmt: skip
    assert lines["64", "eight tables as in SHARK"][6] == "not reached"
    # Of what costs no more in anything: 7168 bytes, 20 operations for 8192 bytes, 23 operations.
    beaten = lines["32", "second order with shifts"]
    assert beaten[6:] == ["beaten", "7,168", "8", "10", "–", "2", "–", "0.88", "0.87"]
    assert lines["32", "third order with a rotation"][6:] == ["not reached", *["–"] * 8]
    assert [line[1].text for line in front.lines] == ["masks", "shifts", "rotations"]
    assert front.notes[2:] == [
        "64-bit words: the front of the whole space.",
        "32-bit words: the front of the whole space.",
    ]
    assert tables.layouts(sample_data()) == []


def test_layouts_of_s_alone_stand_apart_with_their_times_in_java() -> None:
    alone = _layout(32, "S alone, pairs", 131072, 4, 6, 0, 2, 2)
    time = Row(
        cipher="E2", part="P", level="native", target="a machine", metric="time_ns", value=4.5,
        basis="measured", configuration=f"words of 32 bits, {alone[0].configuration}, java-jit",
    )  # fmt: skip
    data = _data()
    _, entries, fold = tables.layouts(
        replace(data, studies={"layouts": [*data.of_study("layouts"), *alone, time]})
    )
    assert isinstance(entries, Table)
    assert [[cell.text for cell in line] for line in entries.lines] == [
        ["32", "S alone, pairs", "131,072", "4", "6", "–", "2", "2", "–", "–", "4.50"]
    ]
    assert isinstance(fold, Fold)
    (front,) = fold.blocks
    assert isinstance(front, Table)
    assert {line[-1].text for line in front.lines} == {"–"}


def test_runs_of_the_key_schedule_are_those_of_the_paper() -> None:
    jobs = report_jobs.call_jobs([load("e2"), load("rc6")])
    rows = [row for job in jobs for row in job.work().rows]
    (table,) = tables.calls(replace(_data(), studies={"calls": rows}))
    lines = [[cell.text for cell in line] for line in table.lines]
    assert [line[0] for line in lines] == ["16", "8", "6", "4", "3", "2", "1"]
    assert all(line[1] == line[2] and line[-1] == "1.00" for line in lines)
    assert [line[3] for line in lines] == ["88", "104", "120", "136", "168", "200", "328"]


def test_platforms_are_found_from_rows() -> None:
    rows = [
        _cycles("alpha-21164a", "encrypt", 581, "unrolled"),
        _cycles("alpha-21164a", "encrypt", 500, RECIPE),
        _cycles("alpha-21164a", "key_setup_encrypt", 90, "unrolled"),
        _cycles("mckinley", "encrypt", 372, "unrolled"),
        _cycles("a new one (a chip)", "decrypt", 7, "rounds in loops", "RC6"),
    ]
    java = [_cycles("this machine", "encrypt", 900, "java-jit, compiled")]
    java.append(replace(java[0], strategy=None, configuration="java-jit, Bouncy Castle", value=1.0))
    (table,) = tables.platforms(replace(_data(), kernels=rows, elsewhere=java))
    lines = [[cell.text for cell in line] for line in table.lines]
    names = [line[0] for line in lines if line[0]]
    assert names == ["H8/300", "AVR", "Alpha 21164A", "a new one", "Java, compiled (this machine)"]
    columns = [column.title for column in table.columns]
    alpha = lines[3 * names.index("Alpha 21164A") :][:3]
    assert [line[columns.index("E2")] for line in alpha] == ["90", "581", "–"]
    new = lines[3 * names.index("a new one") :][:3]
    assert [line[columns.index("RC6")] for line in new] == ["–", "–", "7"]
    assert lines[-2][columns.index("E2")] == "900"


def test_the_recipe_stands_apart_from_the_best() -> None:
    rows = [
        _cycles("alpha-21164a", "encrypt", 581, "unrolled"),
        _cycles("alpha-21164a", "encrypt", 620, RECIPE),
    ]
    section = ntt.section(replace(_data(), kernels=rows))
    assert section is not None
    table = next(one for one in section.tables if one.name == "ntt-table-2")
    (line,) = [line for line in table.lines if line[0].text.startswith("Alpha")]
    assert [cell.text for cell in line[2:9]] == ["587", "130.8", "581", "132.2", "0.99", "620", "1.06"]


def test_kept_kernels_of_other_processors_are_shown() -> None:
    asked = [one for one in report_list.kernels([load("e2")]) if one.target == "alpha-21164a"]
    known = {(one.operation, one.configuration) for one in asked}
    assert {("encrypt", "unrolled"), ("decrypt", "unrolled"), ("encrypt", RECIPE)} <= known
    setups = {one.key_bits for one in asked if one.operation == "key_setup_both"}
    assert setups == {128, 192, 256}
    named = set(library.processors())
    every = report_list.kernels([load("e2"), load("rc6")])
    assert named <= {one.target for one in every}


def test_rows_of_platforms_come_from_their_modules(tmp_path: Path) -> None:
    assert done(platform_jobs([load("e2")]), Store(tmp_path), seconds=0) == ([], 15)


def test_figures_are_drawn_from_the_program() -> None:
    e2 = load("e2")
    galleries = figures.figures(e2)
    assert [gallery.name for gallery in galleries] == [f"ntt-figure-{n}" for n in range(1, 5)]
    f = galleries[1].pictures[0].file_svg
    assert f.count(">s[ ]<") == 16
    assert f.count(">⊕<") == 16
    assert sum(f.count(f">⊕ k{n}<") for n in range(1, 17)) == 16
    assert figures.permutation(e2, "BP") == [5 * n % 16 for n in range(16)]
    assert figures.permutation(e2, "BP_inv") == [13 * n % 16 for n in range(16)]


def test_outlines_have_a_node_for_each_call() -> None:
    e2 = load("e2")
    program = e2.compile(128).mirror()
    source = outlines.expressions(program, Path(e2.file))
    whole = outlines.outline(outlines.function(program, "encrypt"), source, title="whole", results=("c",))
    names = [one.label for one in whole.operations]
    assert names == [
        "plaintext", "k[13]", "k[14]", "IT", "12 rounds", "k[16]", "k[15]", "inverses", "FT",
    ]  # fmt: skip
    turn = outlines.outline(outlines.loop(program, "encrypt", "r"), source, title="round")
    assert (turn.inputs, [one.name for one in turn.operations]) == (("L", "R"), ["load", "call", "xor"])
    assert turn.outputs == ("R", turn.operations[-1].results[0])
    keys = outlines.outline(outlines.loop(program, "key_schedule", "i"), source, title="G")
    assert [one.name for one in keys.operations].count("call") == 8
    with pytest.raises(KeyError, match="no function nothing"):
        outlines.function(program, "nothing")
    with pytest.raises(KeyError, match="encrypt has no loop z"):
        outlines.loop(program, "encrypt", "z")
