"""Designs synthesized from their functions: curves, grades, mixed recipes, blocks, the verb."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cipherassay import jobs, tools
from cipherassay.ciphers import load
from cipherassay.errors import ToolError, UsageError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import netlist
from cipherassay.hardware.results import documents, rows, stored
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.hashes import verilog_hash
from cipherassay.hardware.synthesis import exploring, front, frontend, units
from cipherassay.hardware.synthesis import flow as synthesis
from cipherassay.hardware.timing import analysis, static_timing
from support.command import assay
from support.small_cipher import TEXT
from support.verilog_samples import ADDER, CORE, LAYER, SBOX

OSU050 = technology.load("osu050")
SUMS = """module sums(input clock, input [31:0] a, input [31:0] b, output reg [31:0] y);
  reg [31:0] p, q;
  wire [31:0] s, t;
  adder first(.a(p), .b(q), .y(s));
  adder second(.a(s), .b(q), .y(t));
  always @(posedge clock) begin p <= a; q <= b; y <= t; end
endmodule
"""

BARE = """title = "t"
process = "p"
library = "l"
source = "s"
confidence = "guessed"
gate_equivalent = "N"

[[cell]]
name = "N"
function = "~(A & B)"
output = "Y"
pins = ["A", "B"]
area_um2 = 1
transistors = 4
"""


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("yosys", "opensta", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@dataclass(frozen=True)
class Point:
    delay_ns: float
    area_um2: float


def test_the_front_and_its_grades() -> None:
    beaten = [Point(3, 9), Point(4, 8.5), Point(2, 12)]
    best = [
        Point(1, 16),
        Point(1.5, 10),
        Point(2, 8),
        Point(3, 6),
        Point(4, 5.5),
        Point(8, 5.2),
        Point(16, 4),
    ]
    assert front.front([*beaten, *best]) == best
    picked = front.grades([*beaten, *best])
    assert len(picked) == 5
    assert picked[0] == best[0]
    assert picked[-1] == best[-1]
    assert Point(3, 6) in picked  # the furthest below the line between the ends
    assert front.grades(best[:3]) == best[:3]
    assert front.grades([Point(1, 1), Point(1, 1)]) == [Point(1, 1)]


def test_units() -> None:
    _, modules = _elaborated(CORE + LAYER + SBOX)
    assert units.units(modules, "core", "flat") == {"core"}
    blocks = {"core", "interface_block", "controller", "algorithm"}
    assert units.units(modules, "core", "blocks") == blocks
    assert units.units(modules, "core", "functions") == blocks | {"layer"}
    assert units.units(modules, "core", "all") == blocks | {"layer", "sbox"}
    gates = dict.fromkeys(modules, 300) | {"sbox": 20}
    assert units.merged_small(modules, "core", frozenset(modules), gates, 200) == blocks | {"layer"}
    with pytest.raises(UsageError, match=r"error\[H710\]: unknown split `block`\n.*did you mean `blocks`"):
        units.units(modules, "core", "block")
    assert [units.block_of(name) for name in ("key_schedule", "Algorithm_i", "other")] == [
        "Key Schedule", "Algorithm", "",
    ]  # fmt: skip


def _elaborated(text: str):  # type: ignore[no-untyped-def]
    if not tools.find("yosys").place:
        pytest.skip("yosys is not here")
    return frontend.elaborate({"design.v": text}, "core")


@pytest.mark.usefixtures("flow")
def test_adders_take_the_grade_that_their_path_asks_for() -> None:
    made = synthesis.synthesize(
        {"sums.v": SUMS + ADDER}, OSU050, jobs.Local(2), splits=["all"], repair=False
    )
    points = front.front(made.points)
    smallest, fastest = points[-1], points[0]
    assert smallest.choice["adder"] == "A"
    assert fastest.choice["adder"] in ("N", "D")
    assert fastest.delay_ns < smallest.delay_ns / 2
    assert len(points) >= 3
    # what a choice is made of is the sum of its units
    parts = [made.curves["all"][unit].point(recipe) for unit, recipe in fastest.choice.items()]
    own = {part.unit: part.area_um2 for part in parts}
    assert fastest.area_um2 == pytest.approx(own["sums"] + 2 * own["adder"], rel=0.05)
    shares = made.designs["all"].shares(fastest)
    assert sum(shares.values()) == pytest.approx(fastest.timing.paths[0].points[-1].arrival_ns, abs=1e-3)
    assert shares["adder"] > shares["sums"]


@pytest.mark.usefixtures("flow")
def test_repaired_grades_join_the_points() -> None:
    ways = {
        repair: synthesis.synthesize(
            {"sums.v": SUMS + ADDER}, OSU050, jobs.Local(2), splits=["all"], repair=repair
        )
        for repair in (False, True)
    }
    fastest = {repair: made.grades[0] for repair, made in ways.items()}
    assert not any(point.repaired for point in ways[False].points)
    assert fastest[True].repaired
    assert fastest[True].delay_ns < fastest[False].delay_ns
    assert len(ways[True].points) > len(ways[False].points)


@pytest.mark.usefixtures("flow")
def test_blocks_add_up_and_flat_synthesis_agrees() -> None:
    text = CORE + LAYER + SBOX
    made = synthesis.synthesize(
        {"core.v": text}, OSU050, jobs.Local(2), splits=["functions", "flat"], most=12, repair=False
    )
    by_split = {split: [p for p in made.points if made.split(p) == split] for split in ("functions", "flat")}
    for point in by_split["functions"]:
        assert set(point.blocks) == {"Algorithm", "Controller", "Interface"}
        assert sum(size.area_um2 for size in point.blocks.values()) == point.area_um2
        assert sum(size.transistors for size in point.blocks.values()) == point.size.transistors
        held = netlist.registers(point.blocks["Interface"], OSU050)
        assert set(held.cells) == {"DFFPOSX1"}
        assert 0 < held.area_um2 < point.blocks["Interface"].area_um2 or held == point.blocks["Interface"]
    smallest = {split: min(p.area_um2 for p in points) for split, points in by_split.items()}
    fastest = {split: min(p.delay_ns for p in points) for split, points in by_split.items()}
    assert smallest["functions"] == pytest.approx(smallest["flat"], rel=0.15)
    assert fastest["functions"] == pytest.approx(fastest["flat"], rel=0.3)


@pytest.mark.usefixtures("flow")
def test_the_verb_writes_what_it_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, text in (("core.v", CORE), ("layer.v", LAYER), ("sbox.v", SBOX)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("core.v", "layer.v", "sbox.v")]
    ran = assay(
        capsys, "synthesize", *files, "--points", "2", "-o", str(tmp_path / "out"), "--json", "--quiet"
    )
    rows = ran.json["rows"]
    metrics = {"period_ns", "area_um2", "area_ge", "area_ge_without_interface", "transistors"}
    assert {row["metric"] for row in rows} == metrics
    assert {row["part"] for row in rows} == {None, "Algorithm", "Controller", "Interface"}
    assert rows[0]["configuration"] == "core, speed 1"
    assert rows[0]["basis"] == "synthesized"
    found = json.loads((tmp_path / "out" / "core.json").read_text())
    one = found["grades"][0]
    assert one["delay_ns"] == rows[0]["value"]
    assert (tmp_path / "out" / one["netlist"]).read_text().count("DFFPOSX1") == one["cells"]["DFFPOSX1"]
    assert assay(capsys, "synthesize", *files, "--points", "2", "--quiet").out.startswith("core in OSU")


@pytest.mark.slow
@pytest.mark.usefixtures("flow")
def test_a_dask_cluster_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="pip install 'cipherassay[dask]'")
    here = synthesis.synthesize({"a.v": ADDER}, OSU050, jobs.Local(1), names=["A", "N"])
    kept_folder = Path(__import__("os").environ["CIPHERASSAY_CACHE"]) / "synthesis"
    kept_folder.rename(tmp_path / "elsewhere")
    with jobs.executor("dask://local", workers=2) as place:
        there = synthesis.synthesize({"a.v": ADDER}, OSU050, place, names=["A", "N"])
    assert [p.netlist for p in there.points] == [p.netlist for p in here.points]
    assert [p.delay_ns for p in there.points] == [p.delay_ns for p in here.points]


def test_wrong_uses_of_the_verb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = assay(capsys, "synthesize", "absent.v")
    assert ran.code == 2
    assert "error[H801]: there is no file `absent.v`" in ran.err
    ran = assay(capsys, "synthesize")
    assert "error[H803]: nothing to synthesize" in ran.err
    ran = assay(capsys, "synthesize", "absent.v", "rc6")
    assert "error[H809]: `absent.v` is a file and `rc6` is none" in ran.err
    (tmp_path / "a.v").write_text(ADDER)
    ran = assay(capsys, "synthesize", str(tmp_path / "a.v"), "--fix", "b")
    assert "error[H802]: `--fix b` is not PORT=VALUE" in ran.err
    (tmp_path / "bare.toml").write_text(BARE)
    ran = assay(capsys, "synthesize", str(tmp_path / "a.v"), "--technology", str(tmp_path / "bare.toml"))
    assert "error[H603]: the technology `bare` has no timing library" in ran.err


def test_timings_and_netlists_as_texts() -> None:
    one = analysis.Timing(1.5, (analysis.Path_("a", "y", 1.5, (analysis.Point("a", 0.0),)),), "opensta", {"k": 1})
    assert analysis.from_dict(json.loads(json.dumps(one.as_dict()))) == one
    module = netlist.Module(
        "m", (netlist.Port("a", "input", (2,)),), (netlist.Instance("g", "INVX1", {"A": (2,), "Y": (3,)}),)
    )
    assert netlist.from_json(netlist.to_json({"m": module})) == {"m": module}


@pytest.mark.slow
@pytest.mark.usefixtures("flow")
def test_strategies_together_give_the_grades(tmp_path: Path) -> None:
    path = tmp_path / "small.py"
    path.write_text(TEXT)
    settings = exploring.Settings(names=("A", "D"), most=3)
    found = exploring.explore(
        load(str(path)), OSU050, jobs.Local(2), key="3in1", strategies=["rounds", "on-the-fly"],
        settings=settings,
    )  # fmt: skip
    assert set(found.every) == {"rounds", "on-the-fly"}
    speeds = [one.delay_ns for one in found.grades]
    assert speeds == sorted(speeds)
    assert [one.strategy for one in found.literal] == ["on-the-fly"] * len(found.literal)
    document = documents.of(found)
    for grade in document["grades"]:
        device = build.build(load(str(path)), key="3in1", strategy_name=grade["strategy"])
        assert document["strategies"][grade["strategy"]]["verilog"] == verilog_hash(device)
        # a held key size can only take paths away
        assert set(grade["period_ns"]) == {"128", "192", "256"}
        worst = next(one.point.delay_ns for one in found.candidates if one.area_um2 == grade["area_um2"])
        assert max(grade["period_ns"].values()) <= worst + 1e-3
    made = list(rows.device_rows(document))
    periods = {r.key_bits for r in made if r.metric == "period_ns"}
    assert periods == {128, 192, 256}
    kept = tmp_path / "kept" / "osu050" / "small-iterative-3in1.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(stored.text_of(document))
    stored.verify({**stored.load(kept), "cipher": str(path)})


@pytest.mark.usefixtures("flow")
def test_grades_are_timed_by_the_technology_s_sign_off_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(sign_off: bool) -> synthesis.Synthesis:
        return synthesis.synthesize({"a.v": ADDER}, OSU050, jobs.Local(1), names=["A", "N"], sign_off=sign_off)

    swept = made(False)
    assert {one.timing.tool for one in swept.points} == {static_timing.VERSION}
    signed_off = made(True).grades
    assert {one.timing.tool for one in signed_off} == {analysis.version(OSU050)}
    real = analysis.by_own

    def too_fast(*given: Any) -> analysis.Timing:
        found = real(*given)
        return replace(found, delay_ns=found.delay_ns / 2)

    fast = too_fast(swept.grades[0].netlist, swept.top, OSU050, "", {}, 1)
    monkeypatch.setattr(analysis, "by_own", too_fast)
    with pytest.raises(ToolError) as caught:
        made(True)
    error = caught.value
    assert error.code == "H734"
    assert error.message == f"two timing tools do not agree on the timing of `{swept.top}`"
    assert error.notes == (
        f"{analysis.version(OSU050)}: {signed_off[0].delay_ns:.4f} ns",
        f"{fast.tool}: {fast.delay_ns:.4f} ns",
    )
    assert error.help == "one of them has a fault: please report it with the design"
