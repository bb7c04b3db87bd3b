"""Failing devices: the first clock and register that differ are named, in emitted files and in designs."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.errors import AssayError
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import checking, own, simulators, waves
from cipherassay.hardware.simulation.following import first_wrong_register
from cipherassay.hardware.simulation.traces import Difference, first_difference
from cipherassay.hardware.simulation.vectors import vectors
from support.command import assay
from support.usual import usual

EVERY = 128
FOLLOWED = (
    ("rc6", "iterative", "rounds"), ("rc6", "pipelined", "rounds"), ("serpent", "iterative", "on-the-fly"),
    ("twofish", "pipelined", "on-the-fly"),
)  # fmt: skip
WAVES = """$timescale 1s $end
$scope module bench $end
$var reg 1 ! clock $end
$scope module device $end
$var wire 1 ! clock $end
$var wire 8 # data_out [7:0] $end
$scope module algorithm $end
$var reg 8 % A [7:0] $end
$scope module inner $end
$var wire 8 & A [7:0] $end
$upscope $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
0!
bx #
bx %
b1 &
#5
1!
#10
0!
#15
1!
#20
0!
#25
1!
b11 %
#30
0!
#35
1!
bx1 %
b101 #
#40
0!
"""


def device(name: str = "rc6", architecture: str = "iterative", **options: str) -> Device:
    return build.build(load(name), architecture, **options)


def test_waves_are_sampled_before_the_rising_edge() -> None:
    names = [("algorithm", "A"), ("", "data_out"), ("key_schedule", "S[3]")]
    assert list(waves.rows(WAVES.splitlines(), names)) == [[None, None, None], [3, None, None]]
    with pytest.raises(AssayError) as caught:
        list(waves.rows(["$enddefinitions $end"], names))
    assert (caught.value.code, caught.value.message) == (
        "H510",
        "the waves do not show the clock of the device",
    )


def test_what_is_not_known_counts_only_where_it_must_be() -> None:
    names = [(("algorithm", "A"), 8), (("", "valid"), 1)]
    expected = [[0, 0], [7, 0], [9, 1]]
    assert first_difference(names, [[None, 0], [7, 0], [9, 1]], expected) == ([], 3)
    unknown = [[None, 0], [None, 0], [9, 1]]
    assert first_difference(names, unknown, expected) == ([], 3)
    (found,), clocks = first_difference(names, unknown, expected, {"": 1})
    assert (str(found), clocks) == ("clock 1: algorithm.A is not known, expected 07", 2)
    (found,), clocks = first_difference(names, [[0, 0], [7, 0]], expected)
    assert found == Difference(2, "", "end of the traffic", 1, 1, 0)
    several, _ = first_difference(names, [[0, 1], [1, 1]], [[0, 1], [7, 0]])
    assert [d.name for d in several] == ["algorithm.A", "valid"]


@pytest.mark.parametrize(
    ("name", "architecture", "strategy"),
    usual(product(["rc6", "serpent", "twofish"], build.WITH_INTERFACE, ["rounds", "on-the-fly"]), FOLLOWED),
)
def test_every_step_of_a_right_device_is_found(name: str, architecture: str, strategy: str) -> None:
    made = device(name, architecture, strategy_name=strategy)
    tests = vectors(made, EVERY)
    trace, events = list(own.trace(made, tests)), own.simulate(made, tests)
    for number in (0, 1, len(tests) - 1):
        assert first_wrong_register(made, tests, number, events, own.columns(made), trace) is None


# RC6 with another constant: in its rounds, in its key schedule.
WRONG = {
    "round": (
        "rotl(B * (2 * B + 1), lg_w)",
        "rotl(B * (2 * B + 1), 6)",
        r"algorithm\.\w+ is 1c1795ac, expected 41aadc61: B after step 2 of encrypt \(i = 1\)",
    ),
    "key": (
        "rotl(L[s] + A + B, A + B)",
        "rotl(L[s] + A + B, A)",
        r"key_schedule\.B is 01a3b648, expected b2400d1d: B after step 47 of key_schedule \(s = 1\)",
    ),
}


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
@pytest.mark.parametrize("where", WRONG)
def test_a_wrong_design_names_the_round_register(where: str, architecture: str, tmp_path: Path) -> None:
    before, after, expected = WRONG[where]
    text = Path(load("rc6").file).read_text()
    assert before in text
    (tmp_path / "wrong.py").write_text(text.replace(before, after))
    wrong = build.build(load(str(tmp_path / "wrong.py")), architecture)
    made = replace(device("rc6", architecture), design=wrong.design)
    tests = vectors(made, EVERY)
    with pytest.raises(AssayError) as caught:
        checking.check(made, tests, simulators.simulator("own")).demand()
    assert caught.value.code == "H505"
    assert re.fullmatch(rf"first difference from the cipher, clock \d+: {expected}", caught.value.notes[-1])


BROKEN = [
    ("icarus", "*.v", " ^ ", " & "),
    pytest.param("verilator", "*.v", " ^ ", " & ", marks=pytest.mark.slow),
    ("ghdl", "*.vhd", " xor ", " and "),
]


@pytest.mark.parametrize(("simulator", "modules", "before", "after"), BROKEN, ids=lambda b: b.strip())
def test_a_broken_file_names_the_register(
    simulator: str, modules: str, before: str, after: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """RC6's exclusive ors all stand in its rounds: files emitted, one changed, simulated from the folder."""
    reference = simulators.simulator(simulator)
    if reason := reference.available():
        pytest.skip(reason)
    every = ("--every", str(EVERY))
    assert assay(capsys, "emit", "rtl", "rc6", *every, "-o", str(tmp_path)).code == 0
    for place in tmp_path.glob(modules):
        if not place.stem.endswith("_bench"):
            place.write_text(place.read_text().replace(before, after))
    run = ("simulate", "--rtl", "rc6", *every, "--simulator", simulator, "--files", str(tmp_path))
    done = assay(capsys, *run)
    assert done.code == 4
    assert re.match(rf"error\[H505\]: rc6_iterative_128 fails (\d+) of \1 vectors in {simulator}\n", done.err)
    named = (
        r"first difference from the own simulator, clock \d+: algorithm\.[ABCD] is \w{8}, expected \w{8}\n"
    )
    assert re.search(named, done.err)


@pytest.mark.parametrize(
    ("simulator", "other", "name", "architecture"),
    [
        ("icarus", "ghdl", "rc6", "iterative"),
        pytest.param("icarus", "ghdl", "twofish", "pipelined", marks=pytest.mark.slow),
    ],
)
def test_verilog_and_vhdl_agree_in_every_clock(
    simulator: str, other: str, name: str, architecture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for one in (simulator, other):
        if reason := simulators.simulator(one).available():
            pytest.skip(reason)
    options = ("--architecture", architecture, "--every", str(EVERY), "--simulator", simulator)
    done = assay(capsys, "simulate", "--rtl", name, *options, "--against", other, "--json")
    assert done.code == 0
    assert done.json["against"] == {"simulator": other, "clocks": done.json["clocks"]}


def test_a_folder_without_the_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ("simulate", "--rtl", "rc6", "--files", str(tmp_path), "--every", str(EVERY))
    done = assay(capsys, *run)
    assert (done.code, done.err) == (
        2,
        "error[H511]: the simulator `own` reads no files\n   = help: --simulator icarus, verilator or ghdl\n",
    )
    done = assay(capsys, *run, "--simulator", "icarus")
    first = device().design.files("verilog")[0][0]
    assert (done.code, done.err) == (
        2,
        f"error[H511]: {tmp_path} does not hold the device rc6_iterative_128\n"
        f"   = {first}: No such file or directory\n"
        "   = help: `assay emit rtl` with the same options writes it\n",
    )
