"""Devices with their traffic: simulated here and by others with the emitted test benches, refused where they are wrong."""

import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from cipherassay.ciphers import load, of_papers
from cipherassay.errors import AssayError, ToolError
from cipherassay.hardware.emission import emitting, waveform
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import benches, own, simulators
from cipherassay.hardware.simulation.events import Events, verdict_of
from cipherassay.hardware.simulation.simulation_rows import rows
from cipherassay.hardware.simulation.vectors import vectors, within
from support.command import assay
from support.usual import usual

EVERY = 32
DIRECTIONS = ("encrypt", "decrypt")
BY_TURNS = [(name, DIRECTIONS[n % 2]) for n, name in enumerate(build.strategies())]
"""Each strategy with one of the directions."""
OTHERS = [
    ("icarus", "rc6", "iterative"),
    ("icarus", "twofish", "pipelined"),
    pytest.param("verilator", "rc6", "iterative", marks=pytest.mark.slow),
    ("ghdl", "rc6", "iterative"),
    pytest.param("ghdl", "serpent", "pipelined", marks=pytest.mark.slow),
]


def device(name: str = "rc6", architecture: str = "iterative", **options: str) -> Device:
    return build.build(load(name), architecture, **options)


@pytest.mark.parametrize("architecture", build.WITH_INTERFACE)
@pytest.mark.parametrize("name", of_papers())
def test_every_cipher_passes_and_its_clocks_are_confirmed(name: str, architecture: str) -> None:
    made = device(name, architecture)
    tests = vectors(made, EVERY)
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    verdict.demand()
    assert verdict.right
    assert set(verdict.passed) == {"variable key", "variable text", "key changes", "key with block", "mixed"}
    assert len(verdict.confirmed) == 6


@pytest.mark.parametrize("name", ["rijndael", "serpent"])
def test_a_key_that_only_decryption_must_wait_for(name: str) -> None:
    made = device(name, strategy_name="on-the-fly")
    tests = vectors(made, EVERY)
    assert {v.decrypt: v.together for v in tests} == {False: True, True: False}
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    verdict.demand()
    seen = {(c.metric, c.decrypt): c.seen for c in verdict.confirmed}
    assert seen["key_setup", False] == (0,)
    assert seen["key_setup", True] == (made.clocks[128, True].key_setup,) > (1,)
    assert "no setup for encryption" in emitting.readme(made, [], len(tests), "assay")


@pytest.mark.parametrize(("strategy", "direction"), usual(product(build.strategies(), DIRECTIONS), BY_TURNS))
def test_strategies_and_single_directions(strategy: str, direction: str) -> None:
    made = device("rc6", "iterative", direction=direction, strategy_name=strategy)
    assert made.name == f"rc6_iterative_128_{direction}"
    assert "decrypt" not in made.inputs
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()


@pytest.mark.parametrize("name", of_papers())
def test_every_cipher_passes_with_its_inner_structure(name: str) -> None:
    made = device(name, "iterative", strategy_name="small")
    tests = vectors(made, EVERY)
    verdict_of(made, tests, own.simulate(made, tests), "own").demand()


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("twofish", {"q0_structure", "q1_structure", "MDS_8", "RS_8"}),
        ("rijndael", {"inverse_in_256"}),
        ("e2", {"inverse_in_256", "product_32"}),
        ("rc6", {"square_32_2_1"}),
        ("mars", {"product_32"}),
        ("serpent", set()),
    ],
)
def test_what_structure_leaves_as_functions(name: str, left: set[str]) -> None:
    program = device(name, "iterative", strategy_name="small").programs[128]
    roles = {"key_schedule", "key_schedule_decrypt", "encrypt", "decrypt"}
    assert left <= {f["name"] for f in program.functions()} - roles


def test_the_whole_variable_key_and_text_tests() -> None:
    tests = vectors(device(), 1)
    assert sum(v.test == "variable key" for v in tests) == 2 * 128
    assert sum(v.test == "variable text" for v in tests) == 2 * 128
    assert {v.key for v in tests if v.test == "variable text"} == {bytes(16)}


@pytest.mark.parametrize(("simulator", "name", "architecture"), OTHERS, ids="-".join)
def test_others_see_the_same_clock_by_clock(simulator: str, name: str, architecture: str) -> None:
    reference = simulators.simulator(simulator)
    if reason := reference.available():
        pytest.skip(reason)
    made = device(name, architecture)
    tests = vectors(made, EVERY)
    events = reference.simulate(made, tests)
    assert events == own.simulate(made, tests)
    verdict_of(made, tests, events, simulator).demand()


def test_a_wrong_vector_is_named() -> None:
    reference = simulators.simulator("icarus")
    if reason := reference.available():
        pytest.skip(reason)
    made = device()
    tests = vectors(made, 128)
    wrong = bytearray(tests[5].expected)
    wrong[9] ^= 1
    tests[5] = replace(tests[5], expected=bytes(wrong))
    right = tests[5].expected[8:12].hex()
    with pytest.raises(AssayError) as caught:
        verdict_of(made, tests, reference.simulate(made, tests), "icarus").demand()
    error = caught.value
    total = len(tests)
    assert (error.code, error.message) == ("H505", f"rc6_iterative_128 fails 1 of {total} vectors in icarus")
    found = vectors(made, 128)[5].expected[8:12].hex()
    assert error.notes == (
        f"vector 5 (variable text, 128 bits, number 65, encryption): word 2 is {found}, expected {right}",
    )


def test_missing_results_and_clocks_that_differ() -> None:
    made = device()
    tests = vectors(made, 64)
    events = own.simulate(made, tests)
    lost = dict(events.results)
    del lost[3]
    with pytest.raises(AssayError) as caught:
        verdict_of(made, tests, replace(events, results=lost), "own").demand()
    assert caught.value.notes == (f"vector 3 ({tests[3].title}): no result",)
    late = {n: (clock + (n == 0), data) for n, (clock, data) in events.results.items()}
    with pytest.raises(AssayError) as caught:
        verdict_of(made, tests, replace(events, results=late), "own").demand()
    assert (caught.value.code, caught.value.message) == (
        "H506",
        "clock counts of rc6_iterative_128 in own are not those planned",
    )
    assert caught.value.notes == ("latency, 128 bits, encryption: planned 24, seen 24, 25",)


@pytest.mark.parametrize("strategy", ["rounds", "on-the-fly"])
def test_the_fewest_vectors_show_all_clocks(strategy: str) -> None:
    made = device("gift64", strategy_name=strategy)
    assert (made.clocks[128, False].key_setup == 0) == (strategy == "on-the-fly")
    tests = within(made, vectors(made, 64), 0)
    verdict = verdict_of(made, tests, own.simulate(made, tests), "own")
    verdict.demand()
    assert all(one.seen for one in verdict.confirmed)


def test_refused_words() -> None:
    cases = [
        ({"architecture": "systolic"}, "H306", "there is no architecture `systolic`"),
        ({"key": "512"}, "H306", "there is no key version `512`"),
        ({"direction": "back"}, "H306", "there is no direction `back`"),
        ({"strategy_name": "round"}, "H304", "there is no hardware strategy `round`"),
    ]
    for options, code, message in cases:
        with pytest.raises(AssayError) as caught:
            build.build(load("rc6"), **options)
        assert (caught.value.code, caught.value.message) == (code, message)
    with pytest.raises(AssayError) as caught:
        simulators.simulator("modelsim")
    assert (caught.value.code, caught.value.message) == ("H507", "there is no simulator `modelsim`")


def test_a_strategy_file_that_is_none(tmp_path: Path) -> None:
    place = tmp_path / "odd.toml"
    place.write_text('title = "t"\ndescription = "d"\npasses = []\nround = 2\n')
    with pytest.raises(AssayError) as caught:
        build.read_strategy(place)
    assert (caught.value.code, caught.value.message) == ("H305", "odd.toml is not a hardware strategy")
    assert caught.value.help == (
        "known fields: title, description, passes, form, iterations, key_iterations, merge_before, merge_after, keys, "
        "parts, ahead, storage, share, copies, sweep, needs_form, architectures"
    )


def test_a_missing_simulator_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    made = device()
    with pytest.raises(ToolError) as caught:
        simulators.simulator("verilator").simulate(made, vectors(made, 128))
    assert (caught.value.code, caught.value.message) == (
        "H501",
        "the simulator `verilator` is not on this machine",
    )
    assert caught.value.help == "apt-get install verilator g++"


def test_a_test_bench_that_breaks_off() -> None:
    with pytest.raises(AssayError) as caught:
        simulators.read_events("key 1 0\nblock 2 0\n", "d", "icarus")
    assert (caught.value.code, caught.value.message) == (
        "H504",
        "the test bench of d does not come to its end in icarus",
    )
    read = simulators.read_events(
        "result 3 0 XX\nFAIL d: clock 4: a result without a block\nend 9\n", "d", "ghdl"
    )
    assert read == Events({}, {}, {0: (3, b"")}, 9, ("clock 4: a result without a block",))


def test_the_same_files_twice() -> None:
    first, second = (emitting.files(device(), ["verilog"], "command", EVERY) for _ in range(2))
    assert first == second
    listed = [name for name, _ in first]
    written = [name.removeprefix("rc6_iterative_128_") for name in listed[-19:]]
    assert written == [
        "bench.v", "verilog.f", "vectors.hex", "vectors.txt", "rc6_iterative_128.sdc", "axis.v", "apb.v", "test_rc6_iterative_128.py",
        "protocol.sv", "protocol.ys", "protocol.abc", "rc6_iterative_128.core", "timing.svg", "blocks.svg", "key_schedule_1.svg",
        "encrypt_1.svg", "decrypt_1.svg", "rc6_iterative_128.ipynb", "README.md",
    ]  # fmt: skip


@pytest.mark.parametrize(("simulator", "language"), [("icarus", "verilog"), ("ghdl", "vhdl")])
def test_the_readme_says_how_to_run_it(tmp_path: Path, simulator: str, language: str) -> None:
    """The line of the README passes; with a wrong vector the test bench names it and the word."""
    if reason := simulators.simulator(simulator).available():
        pytest.skip(reason)
    made = device()
    for name, content in emitting.files(made, [language], "command", 128):
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    line = emitting.simulation_lines(made.name, language)[0][1]
    assert line in (tmp_path / "README.md").read_text()

    def run() -> str:
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    count = len(vectors(made, 128))
    assert f"PASS {made.name}: {count} vectors, " in run()
    place = tmp_path / f"{made.name}_vectors.hex"
    lines = place.read_text().splitlines()
    lines[6] = lines[6][:-9] + ("0" if lines[6][-9] != "0" else "1") + lines[6][-8:]
    place.write_text("\n".join(lines) + "\n")
    output = run()
    expected = lines[6][-16:-8]
    failing = next(text for text in output.splitlines() if text.startswith("FAIL"))
    assert failing.startswith(f"FAIL {made.name}: vector 6: word 2 is ")
    assert failing.lower().endswith(f", expected {expected}")
    assert f"FAIL {made.name}: 1 errors" in output


def test_vectors_as_a_file() -> None:
    made = device()
    tests = vectors(made, 128)
    _, text = benches.vector_file(made, tests)
    lines = text.splitlines()
    assert len(lines) == len(tests)
    first = tests[0]
    assert lines[0] == "53" + first.key.hex() + first.block.hex() + first.expected.hex()


@pytest.mark.usefixtures("every_vector")
def test_the_picture_shows_what_changes() -> None:
    pins = waveform.record(device())
    cells = waveform.columns(pins)
    assert sum(c.omitted or 1 for c in cells) == len(pins)
    assert sum(c.omitted > 0 for c in cells) == 4
    assert b"load_key" in waveform.draw(device())


def test_rows_of_confirmed_counts() -> None:
    made = device()
    tests = vectors(made, EVERY)
    found = list(rows(made, verdict_of(made, tests, own.simulate(made, tests), "own"), "assay …"))
    counts = [(r.operation, r.metric, r.value) for r in found]
    assert ("key_setup_decrypt", "cycles", 179.0) in counts
    assert ("encrypt", "latency_cycles", 24.0) in counts
    assert ("encrypt", "cycles", 22.0) in counts
    assert counts[-1] == (None, "known_answers_failed", 0.0)


def test_the_verbs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("emit", "rtl", "rc6", "--architecture", "pipelined", "--every", "64", "--json")
    done = assay(capsys, *words, "-o", str(tmp_path / "d"))
    assert done.code == 0
    assert done.json["design"] == "rc6_pipelined_128"
    text = (tmp_path / "d" / "README.md").read_text()
    assert "| 128 | encryption | 179 | 23 | 1 |" in text
    assert "`take`" not in text
    done = assay(capsys, "simulate", "--rtl", "rc6", "--every", "64", "--json")
    assert done.code == 0
    assert done.json["tests"]["variable text"] == {"passed": 6, "vectors": 6}
    done = assay(capsys, "simulate", "--rtl", "rc6", "--every", "64")
    assert "rc6_iterative_128 in own:" in done.out
    done = assay(capsys, "emit", "rtl", "rc6", "--language", "systemc", "-o", str(tmp_path / "no"))
    assert done.code == 2
    assert done.err == "error[H306]: there is no language `systemc`\n   = help: known: verilog, vhdl, both\n"
    assert not (tmp_path / "no").exists()
