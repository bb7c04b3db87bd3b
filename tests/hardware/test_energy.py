"""Energy: changes counted in small netlists, added up by hand, and of a device whose results are checked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cipherassay import tools
from cipherassay.errors import ToolError, UsageError, VerificationError
from cipherassay.hardware.energy import estimation
from cipherassay.hardware.energy.activity import LANES, Activity
from cipherassay.hardware.libraries import technology
from cipherassay.hardware.netlists import fanout, netlist, rtlil
from cipherassay.hardware.netlists.netlist import Instance, Module, Port
from cipherassay.hardware.rtl.build import Clocks
from cipherassay.hardware.synthesis import frontend, mapping, recipes
from cipherassay.hardware.timing import static_timing
from support.command import assay

GENERIC = technology.load("generic")
ONES = np.uint64(2**64 - 1)
CLOCK = Port("clock", "input", (2,))
# An exclusive or with the key, registered: the pins and the protocol of an iterative device.
ADDS_KEY = """module adds_key(input clock, input reset, input load_key, input load_data, input decrypt,
    input [127:0] key, input [127:0] data_in, input take, output reg [127:0] data_out, output reg valid,
    output ready);
  reg [127:0] k;
  assign ready = !valid | take;
  always @(posedge clock) begin
    if (load_key) k <= key;
    if (load_data) data_out <= data_in ^ k;
    valid <= !reset & (load_data | valid & !take);
  end
endmodule
"""


def counter() -> netlist.Netlist:
    """Return a counter of two bits, its outputs nets 3 and 4."""
    ones = (
        Instance("low", "DFFX1", {"CLK": (2,), "D": (5,), "Q": (3,)}),
        Instance("high", "DFFX1", {"CLK": (2,), "D": (6,), "Q": (4,)}),
        Instance("not", "INVX1", {"A": (3,), "Y": (5,)}),
        Instance("add", "XOR2X1", {"A": (3,), "B": (4,), "Y": (6,)}),
    )
    return {"two": Module("two", (CLOCK, Port("q", "output", (3, 4))), ones)}


def test_a_counter() -> None:
    run = Activity(counter(), "two", GENERIC, "clock")
    seen = []
    run.step({})
    run.forget()
    for _ in range(8):
        seen.append(int(sum(int(word & np.uint64(1)) << n for n, word in enumerate(run.output("q")))))
        run.edge()
        run.step({})
    run.clocked()
    assert seen == [0, 1, 2, 3, 0, 1, 2, 3]
    low, high = run.flat.ports["q"][1].tolist()
    assert (run.rises[low], run.falls[low]) == (4 * LANES, 4 * LANES)
    assert (run.rises[high], run.falls[high]) == (2 * LANES, 2 * LANES)
    clock = int(run.flat.ports["clock"][1][0])
    assert (run.rises[clock], run.falls[clock]) == (8 * LANES, 8 * LANES)


def test_energy_by_hand() -> None:
    """Half of C V² for each change, of pins and outputs by logical effort and of diffusion inside."""
    run = Activity(counter(), "two", GENERIC, "clock")
    run.step({})
    run.forget()
    for _ in range(8):
        run.edge()
        run.step({})
    run.clocked()
    loads, slopes = static_timing.electrical(counter(), "two", GENERIC, "clock")
    found = estimation._summed(run, loads, slopes, GENERIC, (128, False, LANES), 128)
    inverter, exclusive, clock, data, port = 2.0, 2.0 * 11 / 3, 2.0, 4.0, 8.0  # fF
    nets = {
        "clock": (16, 2 * clock), "low": (8, inverter + exclusive + port), "high": (4, exclusive + port),
        "not": (8, data), "add": (4, data),
    }  # fmt: skip
    half = 1.8**2 / 2 / 1000
    switching = sum(changes * load for changes, load in nets.values()) * half
    # at the output: a flip-flop's and an inverter's like an inverter; the exclusive or's 2 + 1 of 3, 4 of 6 up
    inside = (8 * 2.0 + 4 * 2.0 + 8 * 2.0 + 4 * 2.0 * 7 / 3) * half
    assert found.switching * 128 == pytest.approx(switching, rel=1e-3)
    assert found.internal * 128 == pytest.approx(inside, rel=1e-3)
    assert found.clock * 128 == pytest.approx(16 * 2 * clock * half, rel=1e-3)
    assert found.total == found.switching + found.internal


def test_a_latch_is_open_while_its_enable_is_high() -> None:
    ones = (
        Instance("no", "INVX1", {"A": (2,), "Y": (5,)}),
        Instance("open", "AND2X1", {"A": (5,), "B": (4,), "Y": (6,)}),
        Instance("l", "LATCHX1", {"E": (6,), "D": (3,), "Q": (7,)}),
    )
    ports = (CLOCK, Port("d", "input", (3,)), Port("e", "input", (4,)), Port("q", "output", (7,)))
    run = Activity({"held": Module("held", ports, ones)}, "held", GENERIC, "clock")
    seen = []
    for d, e in ((1, 0), (1, 1), (0, 0), (0, 1)):
        run.step({"d": estimation._same(d, 1), "e": estimation._same(e, 1)})
        seen.append(int(run.output("q")[0] & np.uint64(1)))
        run.edge()
    assert seen == [0, 1, 1, 0]


@pytest.mark.parametrize(
    "ones",
    [
        (Instance("r", "DFFNX1", {"CLK": (2,), "D": (4,), "Q": (5,)}),),
        (
            Instance("no", "INVX1", {"A": (2,), "Y": (9,)}),
            Instance("r", "DFFX1", {"CLK": (9,), "D": (4,), "Q": (5,)}),
        ),
    ],
    ids=["of the library", "behind an inverter"],
)
def test_a_register_of_the_falling_edge_takes_what_came_in_the_same_clock(ones: tuple[Instance, ...]) -> None:
    both = (Instance("first", "DFFX1", {"CLK": (2,), "D": (3,), "Q": (4,)}), *ones)
    ports = (CLOCK, Port("d", "input", (3,)), Port("p", "output", (4,)), Port("q", "output", (5,)))
    run = Activity({"two": Module("two", ports, both)}, "two", GENERIC, "clock")
    seen = []
    for d in (1, 0, 0, 1):
        run.step({"d": estimation._same(d, 1)})
        run.edge()
        seen.append(tuple(int(run.output(port)[0] & np.uint64(1)) for port in ("p", "q")))
    assert seen == [(1, 1), (0, 0), (0, 0), (1, 1)]


def test_words_of_lanes() -> None:
    texts = [bytes([n, 255 - n, 7]) for n in range(LANES)]
    words = estimation._words(texts)
    assert len(words) == 24
    assert words[0] == words[1] == words[2] == ONES  # the lowest bits of 7
    assert estimation._bytes(words) == texts


def device(monkeypatch: pytest.MonkeyPatch, wrong: int = 0) -> Any:
    class Adds:
        def __init__(self, program: object, block_bytes: int) -> None:
            pass

        def run(self, key: bytes, block: bytes, decrypt: bool) -> bytes:
            return bytes((a ^ b) | wrong for a, b in zip(key, block, strict=True))

    monkeypatch.setattr(estimation, "Answers", Adds)
    inputs = {"load_key": 1, "load_data": 1, "decrypt": 1, "key": 128, "data_in": 128, "take": 1}
    clocks = {(128, False): Clocks(1, 1, 1)}
    known: dict[str, Any] = {"loads_key": True, "key_width": 128, "roles": ("encrypt", "decrypt"), "input_bytes": 16}
    known |= {"result_bytes": 16, "size_width": 0, "size_code": lambda bits: 0}
    known["data_pins"] = lambda block: {"data_in": block, "tweak": b""}
    known["noun"] = lambda decrypt: "decryption" if decrypt else "encryption"
    return SimpleNamespace(name="adds_key", inputs=inputs, clocks=clocks, programs={128: None}, **known)


def mapped() -> netlist.Netlist:
    if not tools.find("yosys").place and not tools.find("pyosys").place:
        pytest.skip("yosys is not here")
    top, modules = frontend.elaborate({"a.v": ADDS_KEY})
    gates = frontend.gates(rtlil.cut(modules, top, frozenset()), top, GENERIC)
    return fanout.buffered(mapping.mapped(gates, top, recipes.find("A"), GENERIC), GENERIC, 16)


def test_a_device_with_its_results_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mapped()
    (found,) = estimation.energies(device(monkeypatch), made, GENERIC)
    assert found.blocks == estimation.BLOCKS * LANES
    assert found.clocks == estimation.BLOCKS
    # every output changes half of the time: 8 fF and at least its flip-flop, a bit
    assert found.switching > 0.25 * 8 * 1.8**2 / 1000
    assert 0 < found.clock < found.total < 1
    with pytest.raises(VerificationError) as caught:
        list(estimation.energies(device(monkeypatch, wrong=255), made, GENERIC))
    assert str(caught.value).startswith(
        "error[H742]: the netlist of `adds_key` gives another result than the cipher\n   = key "
    )


def test_registers_and_voltages_that_are_not_known() -> None:
    osu050 = technology.load("osu050")
    if not osu050.here():
        pytest.skip("qflow-tech-osu050 is not here")
    ones = (Instance("r", "DFFSR", {"CLK": (2,), "D": (3,), "Q": (4,), "R": ("1",), "S": ("1",)}),)
    cleared = {"f": Module("f", (CLOCK, Port("d", "input", (3,)), Port("q", "output", (4,))), ones)}
    with pytest.raises(UsageError) as caught:
        Activity(cleared, "f", osu050, "clock").edge()
    assert caught.value.code == "H740"
    pair = (
        Instance("q", "INVX1", {"A": (4,), "Y": (3,)}),
        Instance("p", "INVX1", {"A": (3,), "Y": (4,)}),
    )
    ring = {"r": Module("r", (CLOCK, Port("q", "output", (4,))), pair)}
    with pytest.raises(ToolError) as loop:
        Activity(ring, "r", GENERIC, "clock")
    assert str(loop.value) == (
        "error[H731]: the netlist cannot be simulated: it has a combinational loop\n"
        "   = help: a loop needs a register in it"
    )


def test_files_and_gate_arrays_have_no_energy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text(ADDS_KEY)
    ran = assay(capsys, "synthesize", str(tmp_path / "a.v"), "--technology", "generic", "--energy", "--quiet")
    assert ran.code == 2
    assert "error[H805]: `files` has no energy" in ran.err
    ran = assay(capsys, "synthesize", "rc6", "--technology", "ice40", "--energy", "--quiet")
    assert ran.err == (
        "error[H805]: `ice40` has no energy\n"
        "   = help: that is for a cipher's device in a technology with a Liberty file\n"
    )


def test_a_technology_without_a_voltage() -> None:
    bare: Any = SimpleNamespace(name="bare", corner=None)
    with pytest.raises(UsageError) as caught:
        list(estimation.energies(device=None, netlist=None, technology=bare))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "error[H741]: the technology `bare` states no voltage\n   = help: add [corner]"
    )


def test_a_netlist_without_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimation, "PATIENCE", 0)
    run: Any = None
    with pytest.raises(VerificationError) as caught:
        estimation._Traffic(device(monkeypatch), run, 128, False).run()
    assert str(caught.value) == "error[H747]: the netlist of `adds_key` gives no result in 0 clocks"
