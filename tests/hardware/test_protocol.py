"""Protocols proved for all clocks by Yosys and ABC; devices with a fault in them are found out."""

import subprocess
from pathlib import Path

import pytest

from cipherassay import jobs, tools
from cipherassay.ciphers import load
from cipherassay.errors import VerificationError
from cipherassay.hardware.protocol import proof
from cipherassay.hardware.protocol.assertions import assertions, checker
from cipherassay.hardware.rtl.build import Device, build
from cipherassay.hardware.simulation import benches
from cipherassay.hardware.simulation.vectors import few
from support.command import assay
from support.usual import usual

for one in ("yosys", "abc"):
    if not tools.find(one).place:
        pytest.skip(tools.tools()[one].how_to_get(), allow_module_level=True)

PRESENT = ("present", "core", "", "encrypt", "rounds")
RIJNDAEL = ("rijndael", "iterative", "", "both", "rounds")
PIPELINED = ("rijndael", "pipelined", "", "encrypt", "on-the-fly")
DEVICES = {
    PRESENT: {"idle", "room", "no_block", "latency"},
    ("rijndael", "core", "", "encrypt", "on-the-fly"): {"idle", "room", "no_block", "latency"},
    ("ascon-p", "iterative", "", "both", "rounds"): {"idle", "room", "no_block", "latency", "stays", "stable"},
    ("ascon-p", "pipelined", "", "both", "rounds"): {"idle", "latency"},
    PIPELINED: {"no_key", "idle", "latency"},
    RIJNDAEL: {"no_key", "key_setup", "idle", "room", "no_block", "latency", "stays", "stable"},
    ("rijndael", "iterative", "", "both", "on-the-fly"): {"no_key", "idle", "room", "no_block", "latency", "stays", "stable"},
    ("rijndael", "iterative", "", "encrypt", "on-the-fly:copies=2"): {"no_key", "idle", "room", "no_block", "latency", "stays", "stable"},
    ("rijndael", "pipelined", "", "both", "rounds"): {"no_key", "key_setup", "idle", "latency"},
    ("rijndael", "iterative", "3in1", "both", "rounds"): {"no_key", "key_setup", "idle", "room", "no_block", "latency", "stays", "stable"},
    ("rijndael", "iterative", "", "both", "latches"): {"no_key", "idle", "room", "no_block", "latency", "stays", "stable"},
}
"""The assertions of each."""
LONG = ("idle", "latency")
"""What counts clocks: it is not always decided within a minute."""
USUAL = [PRESENT, ("ascon-p", "iterative", "", "both", "rounds"), PIPELINED]


def made(which: tuple[str, str, str, str, str]) -> Device:
    cipher, architecture, key, direction, strategy = which
    return build(load(cipher), architecture, key, direction, strategy)


def proved(device: Device, files: dict[str, str] | None = None) -> list[proof.ProtocolProof]:
    with jobs.executor() as place:
        return proof.prove(device, files or device.verilog, place)


@pytest.mark.parametrize(("cipher", "architecture", "key", "direction", "strategy"), usual(DEVICES, USUAL))
def test_the_protocol_is_proved(cipher: str, architecture: str, key: str, direction: str, strategy: str) -> None:
    which = cipher, architecture, key, direction, strategy
    device = made(which)
    found = proved(device)
    assert {one.label for one in found} == DEVICES[which]
    left = {one.label: one.verdict for one in found if not one.proved}
    assert not left or which not in USUAL
    # Key setup and latency are behind the first reset by then.
    setup = max(clocks.key_setup + clocks.latency for clocks in device.clocks.values())
    assert all(one.label in LONG and not one.trace and one.clocks > setup for one in found if not one.proved), left


FAULTS = [
    (PRESENT, "controller", "assign valid = ", "assign valid = load_data & ", {"latency"}),
    (PRESENT, "controller", "assign ready = ", "assign ready = ~reset | ", {"room", "latency"}),
    (PIPELINED, "controller", "assign ready = has_key", "assign ready = 1'b1", {"no_key"}),
    (PIPELINED, "interface", "data_loaded_1 <= take_data;", "data_loaded_1 <= take_data & load_key;", {"latency"}),
]  # fmt: skip


@pytest.mark.parametrize(("which", "block", "right", "wrong", "labels"), FAULTS)
def test_a_fault_is_found(
    which: tuple[str, str, str, str, str], block: str, right: str, wrong: str, labels: set[str]
) -> None:
    device = made(which)
    files = dict(device.verilog)
    name = f"{device.name}_{block}.v"
    assert right in files[name], files[name]
    files[name] = files[name].replace(right, wrong)
    found = proved(device, files)
    assert labels <= {one.label for one in found if one.trace}
    for one in found:
        assert len(one.trace) == (one.clocks + 1 if one.trace else 0)


def test_the_clocks_that_contradict_an_assertion_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--architecture", "pipelined", "--direction", "encrypt", "--strategy", "on-the-fly"]
    assert assay(capsys, "emit", "rtl", "rijndael", *options, "--language", "verilog", "--every", "64", "-o", str(tmp_path)).code == 0
    controller = tmp_path / "rijndael_pipelined_128_encrypt_controller.v"
    controller.write_text(controller.read_text().replace("ready = has_key", "ready = 1'b1"))
    ran = assay(capsys, "verify", "protocol", "rijndael", *options, "--files", str(tmp_path), "--quiet")
    assert ran.code == 4
    assert "no_key" in ran.out
    lines = ran.err.splitlines()
    assert lines[0] == "error[H761]: `rijndael_pipelined_128_encrypt` breaks its protocol: `no_key`"
    assert lines[1] == "   = no_key: `ready` is 0 until a key was taken."
    assert lines[-1] == "   = help: the last of these clocks contradicts it"
    assert lines[-2].startswith("   = clock 1:")
    assert "ready" in lines[-2]


def test_what_is_emitted_names_every_assertion() -> None:
    device = made(RIJNDAEL)
    (_, text), (_, reads), (_, proofs) = proof.emitted(device)
    for one in assertions(device):
        assert f"    `LABEL({one.label}) assert (" in text
        assert f"write_aiger -I -B -zinit -map {device.name}_{one.label}.map {device.name}_{one.label}.aig\n" in reads
        assert f"read_aiger {device.name}_{one.label}.aig; strash; scorr; pdr -y -T 60\n" in proofs


@pytest.mark.parametrize(("right", "wrong", "fails"), [("", "", False), ("assign ready = ", "assign ready = ~reset | ", True)])
def test_assertions_are_checked_in_simulation(tmp_path: Path, right: str, wrong: str, fails: bool) -> None:
    if not tools.find("iverilog").place:
        pytest.skip(tools.tools()["iverilog"].how_to_get())
    device = made(PRESENT)
    files = dict(device.verilog)
    controller = f"{device.name}_controller.v"
    files[controller] = files[controller].replace(right, wrong) if right else files[controller]
    bench, text = benches.bench(device, few(device), "verilog")
    files |= {bench: text.replace(f"  {device.name} device (", f"  {device.name}_checked device (")}
    files |= dict([checker(device), benches.vector_file(device, few(device))])
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    sources = [name for name in files if name.endswith((".v", ".sv"))]
    build_it = ["iverilog", "-g2012", "-o", "simulation", "-s", f"{device.name}_bench", *sources]
    subprocess.run(build_it, cwd=tmp_path, check=True)
    said = subprocess.run(["vvp", "-n", "simulation"], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert ("ERROR" in said) == fails, said
    assert ("PASS" in said) != fails, said


def test_what_is_not_decided_says_for_how_many_clocks() -> None:
    one = proof.ProtocolProof("idle", "", False, 94)
    assert one.verdict == "no fault within 94 clocks"
    proof.demand(made(PRESENT), {}, [one])
    with pytest.raises(VerificationError, match="H761"):
        proof.demand(made(PRESENT), made(PRESENT).verilog, [proof.ProtocolProof("idle", "", False, 0, ({"reset": 1},))])
