"""Sign-off: a right netlist passes, and each fault put into it fails the check that is there for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.libraries.fixing import fixed_file
from cipherassay.hardware.netlists.netlist import Netlist
from cipherassay.hardware.rtl import build
from cipherassay.hardware.simulation import simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from cipherassay.hardware.timing import constraints, hold, signoff
from cipherassay.hardware.timing.constraints import sdc
from support.latch_netlist import CELLS, through_a_latch

OSU018 = technology.load("osu018")
PERIOD_NS = 2.0
TIMES = ("setup", "setup of latches", "setup of clock gates", "hold", "hold of latches", "hold of clock gates")
LIMITS = ("pulse width", "load", "slope", "sinks", "clock gates that hold still")


@pytest.fixture(autouse=True)
def opensta() -> None:
    for name in ("opensta", "qflow-osu"):
        if not tools.find(name).place:
            pytest.skip(f"{name} is not here: {tools.tools()[name].how_to_get()}")


def failing(netlist: Netlist, period_ns: float = PERIOD_NS, rules: str | None = None) -> set[str]:
    checks = signoff.checked(netlist, "top", OSU018, period_ns, sdc=rules)
    assert tuple(one.name for one in checks) == TIMES + LIMITS
    return {one.name for one in checks if one.failing}


def test_a_word_behind_its_gate_passes() -> None:
    checks = signoff.checked(through_a_latch(), "top", OSU018, PERIOD_NS)
    signoff.demand(checks, "top")
    # Every check has something to look at: a check of nothing is no pass.
    assert all(one.places for one in checks)
    of = {one.name: one for one in checks}
    # Data keep for half a clock after the word has closed.
    assert 0.9 < of["hold of latches"].worst < 1.3
    assert of["hold of clock gates"].where == "gate/B"


def test_a_period_that_is_too_short_fails_setup_and_no_hold() -> None:
    assert failing(through_a_latch(), 0.3) == {"setup", "setup of latches", "setup of clock gates"}
    assert "pulse width" in failing(through_a_latch(), 0.2)


def test_a_word_that_closes_at_the_edge_at_which_its_data_change_fails_hold() -> None:
    """The former scheme: open while the clock is low, by registers of the rising edge."""
    former = through_a_latch(
        write=("DFFPOSX1", CELLS["write"][1]),
        low=("INVX1", {"A": 2, "Y": 30}),
        slow=("BUFX2", {"A": 23, "Y": 31}),
        gate=("AND2X2", {"A": 30, "B": 22, "Y": 23}),
        word=("LATCH", {"D": 20, "CLK": 31, "Q": 24}),
    )
    assert "hold of latches" in failing(former)


def test_a_write_enable_that_changes_while_the_gate_is_open_fails() -> None:
    assert failing(through_a_latch(write=("DFFPOSX1", CELLS["write"][1]))) == {"hold of clock gates"}


def test_a_cell_that_lets_changes_through_is_no_clock_gate() -> None:
    assert "clock gates that hold still" in failing(through_a_latch(gate=("XOR2X1", CELLS["gate"][1])))


def test_an_edge_that_comes_late_to_a_register_fails_hold() -> None:
    late = through_a_latch(
        slow=("BUFX2", {"A": 2, "Y": 30}), slower=("BUFX2", {"A": 30, "Y": 31}),
        after=("DFFPOSX1", {"D": 20, "CLK": 31, "Q": 32}),
    )  # fmt: skip
    assert failing(late) == {"hold"}


@pytest.mark.parametrize("count", [40, 150])
def test_a_net_with_too_many_sinks_fails(count: int) -> None:
    many = {f"more{n}": ("INVX8", {"A": 22, "Y": 100 + n}) for n in range(count)}
    found = failing(through_a_latch(**many), 40.0)
    assert {"sinks", "load", "slope"} <= found


def test_a_speed_grade_is_marked_only_if_hold_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = through_a_latch(), through_a_latch(write=("DFFPOSX1", CELLS["write"][1]))
    assert hold.unsafe(right, "top", OSU018, PERIOD_NS) == 0
    assert hold.unsafe(wrong, "top", OSU018, PERIOD_NS) == 1
    found = tools.locate
    monkeypatch.setattr(tools, "locate", lambda name: "" if name == "opensta" else found(name))
    assert hold.unsafe(right, "top", OSU018, PERIOD_NS) == 1


def test_without_the_rule_of_latches_setup_fails() -> None:
    """Between the clocks that a word has and the one that it would have: eighty inverters."""
    chain = {f"i{n}": ("INVX1", {"A": 24 if n == 0 else 200 + n, "Y": 201 + n}) for n in range(80)}
    slow = through_a_latch(**chain, read=("DFFPOSX1", {"D": 280, "CLK": 2, "Q": 12}))
    assert failing(slow) == set()
    plain = sdc("top", "clock", ["d", "w"], ["q"], period_ns=PERIOD_NS, latches=False)
    assert failing(slow, PERIOD_NS, plain) == {"setup"}


def test_the_error_names_every_check_that_fails() -> None:
    checks = signoff.checked(through_a_latch(write=("DFFPOSX1", CELLS["write"][1])), "top", OSU018, PERIOD_NS)
    with pytest.raises(VerificationError) as caught:
        signoff.demand(checks, "top")
    worst = next(one for one in checks if one.failing)
    assert str(caught.value) == (
        "error[H770]: `top` does not pass sign-off\n"
        f"   = hold of clock gates: 1 of 1 fail, worst {worst.worst:.3f} ns at gate/B\n"
        "   = help: the netlist may compute wrong in silicon: use another grade, or a longer period for setup"
    )


@pytest.mark.parametrize("strategy", ["latches", "rounds"])
def test_the_constraints_of_a_device_are_read(strategy: str, tmp_path: Path) -> None:
    """By OpenSTA, for a netlist with the device's ports, a latch in it where the device has some."""
    device = build.build(load("simon32"), strategy_name=strategy)
    ports = [("clock", "input", 1), ("reset", "input", 1)]
    ports += [(name, direction, sum(words)) for name, direction, words in device.design.ports()]
    heads = ",\n".join(f"{direction} {f'[{w - 1}:0] ' if w > 1 else ''}{name}" for name, direction, w in ports)
    cells = "LATCH l (.CLK(clock), .D(reset), .Q(n)); DFFPOSX1 r (.CLK(clock), .D(n), .Q(valid));"
    (tmp_path / "n.v").write_text(f"module {device.name} ({heads});\nwire n;\n{cells}\nendmodule\n")
    (tmp_path / "n.sdc").write_text(constraints.of_device(device))
    assert ("multicycle" in constraints.of_device(device)) == (strategy == "latches") == device.has_latches
    (tmp_path / "n.tcl").write_text(
        f"read_liberty {fixed_file(OSU018)}\nread_verilog n.v\nlink_design {device.name}\nread_sdc n.sdc\n"
        "check_setup -verbose\nputs [llength [find_timing_paths -to r/D]]\nputs ended\n"
    )
    done = subprocess.run(
        [tools.require("opensta"), "-no_splash", "-exit", "n.tcl"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.stdout + done.stderr).splitlines()[-2:] == ["1", "ended"]
    # Every port has its constraint.
    assert "no input delay" not in done.stdout
    assert "no output delay" not in done.stdout
    assert "Error" not in done.stdout + done.stderr


# What a word shows from the edge at which it opens to the next one: nothing may depend on it.
UNKNOWN = """    reg busy;
    reg [WIDTH - 1:0] held;
    wire gated = clock & open;
    always @* if (gated) held <= d;
    always @(posedge clock) busy <= open;
    always @* q = busy ? {WIDTH{1'bx}} : held;
"""


def with_unknown_words(device: build.Device) -> list[tuple[str, str]]:
    files = []
    for name, text in device.design.files("verilog"):
        if "_latch_" in name:
            width = name.removesuffix(".v").rpartition("_")[2]
            head = text[: text.index("`ifdef")]
            text = head + UNKNOWN.replace("WIDTH", width) + "endmodule\n"
        files.append((name, text))
    return files


@pytest.mark.parametrize(("name", "strategy"), [("rc6", "latches"), ("rijndael", "word-serial")])
def test_nothing_reads_a_word_in_the_clock_in_which_it_is_open(name: str, strategy: str) -> None:
    """The rule in the constraints, against the RTL."""
    if not tools.find("iverilog").place:
        pytest.skip("iverilog is not here")
    device = build.build(load(name), strategy_name=strategy)
    tests = vectors(device, 128)
    icarus = simulators.simulator("icarus")
    verdict_of(device, tests, icarus.simulate(device, tests, with_unknown_words(device)), "icarus").demand()


def test_a_word_that_is_read_too_early_shows() -> None:
    """The control of the test above: with words unknown for a clock longer, some device reads one."""
    if not tools.find("iverilog").place:
        pytest.skip("iverilog is not here")
    device = build.build(load("rc6"), strategy_name="latches")
    tests = vectors(device, 128)
    longer = [
        (name, text.replace("reg busy;", "reg busy, more;").replace("busy <= open;", "begin more <= open; busy <= open | more; end"))
        for name, text in with_unknown_words(device)
    ]
    icarus = simulators.simulator("icarus")
    with pytest.raises(VerificationError):
        verdict_of(device, tests, icarus.simulate(device, tests, longer), "icarus").demand()
