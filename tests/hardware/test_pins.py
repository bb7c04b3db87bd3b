"""The protocol of the pins by a bench that shares nothing with the generated ones; each rule has its own way of being broken."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from cipherassay.ciphers import load
from cipherassay.hardware.rtl import build
from cipherassay.hardware.rtl.build import Device
from cipherassay.hardware.simulation import simulators
from cipherassay.hardware.simulation.events import verdict_of
from cipherassay.hardware.simulation.vectors import vectors
from support.places import DATA

KEYS, BLOCKS = 9, 4
CODES = {128: 0, 192: 1, 256: 2}
RULES = {
    "first_with_block", "pair_encrypt", "pair_decrypt", "refused_key", "reset_key", "size_two", "size_three", "lost",
}  # fmt: skip
"""What the bench counts."""
DEVICES = [
    ("rijndael", "pipelined", "128", "on-the-fly", 2000),
    ("rijndael", "iterative", "3in1", "on-the-fly", 6000),
    ("rc6", "iterative", "128", "rounds", 16000),
    ("serpent", "pipelined", "128", "rounds", 1500),
]


def tables(made: Device, folder: Path) -> None:
    """Write keys, blocks and results by the programs that the device was made from."""
    random = Random(7)
    sizes = [list(made.programs)[n % len(made.programs)] for n in range(KEYS)]
    keys = [random.randbytes(bits // 8) for bits in sizes]
    blocks = [random.randbytes(16) for _ in range(BLOCKS)]
    wanted = []
    for bits, key in zip(sizes, keys, strict=True):
        program = made.programs[bits]
        words = list(program.evaluate("key_schedule", [list(key)]))
        for block in blocks:
            for function in ("encrypt", "decrypt"):
                (result,) = program.evaluate(function, [*words, list(block)])
                wanted.append(bytes(result))
    width = max(made.programs) // 8
    # What stands below a short key does not matter.
    pins = [key + random.randbytes(width - len(key)) for key in keys]
    for name, words in (("keys", pins), ("given", blocks), ("wanted", wanted)):
        (folder / f"{name}.hex").write_text("".join(f"{word.hex()}\n" for word in words))
    (folder / "sizes.hex").write_text("".join(f"{CODES[bits]}\n" for bits in sizes))


def run(made: Device, files: dict[str, str], folder: Path, clocks: int) -> tuple[str, dict[str, int]]:
    """Return what the bench prints, and how often it put each rule to the test."""
    tables(made, folder)
    for name, text in files.items():
        (folder / name).write_text(text)
    shutil.copy(DATA / "pins_bench.v", folder / "pins_bench.v")
    defines = [f"-DDEVICE={made.name}"]
    defines += ["-DTAKE"] if "take" in made.words else []
    defines += ["-DSIZES"] if "key_size" in made.words else []
    parameters = {"KEY": made.inputs["key"], "KEYS": KEYS, "BLOCKS": BLOCKS, "CLOCKS": clocks}
    settings = [f"-Ppins_bench.{name}={value}" for name, value in parameters.items()]
    compiler = ["iverilog", "-g2005", *defines, *settings, "-s", "pins_bench", "-o", "pins"]
    subprocess.run([*compiler, "pins_bench.v", *files], cwd=folder, check=True, capture_output=True)
    done = subprocess.run(["vvp", "-n", "pins"], cwd=folder, check=True, capture_output=True, text=True)
    line = done.stdout.partition("blocks")[2]
    return done.stdout, {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", line)}


@pytest.fixture(autouse=True)
def icarus() -> None:
    if reason := simulators.simulator("icarus").available():
        pytest.skip(reason)


@pytest.mark.parametrize(("cipher", "architecture", "key", "strategy", "clocks"), DEVICES)
def test_the_described_protocol(
    cipher: str, architecture: str, key: str, strategy: str, clocks: int, tmp_path: Path
) -> None:
    made = build.build(load(cipher), architecture, key, strategy_name=strategy)
    output, counts = run(made, made.verilog, tmp_path, clocks)
    assert output.endswith("PASS\n"), output
    several = {"size_two", "size_three"}
    tested = {name for name, number in counts.items() if number}
    assert tested == (RULES if key == "3in1" else RULES - several)


BREAKS = {
    "ready without a key": ("pipelined", "controller", re.escape(" & has_key;"), ";"),
    "3 is no size": (
        "iterative", "interface", re.escape("{key_size[1], key_size[0] & ~key_size[1]}"), "key_size",
    ),
    "a block does not wait for its key": (
        "pipelined", "controller", r"block_enters = \w+ & \w+", "block_enters = data_loaded",
    ),
    "a key is taken at any time": (
        "pipelined", "interface", re.escape("(ready | ~has_key_1) & load_key"), "load_key",
    ),
    "the first key is not taken": (
        "pipelined", "interface", re.escape("(ready | ~has_key_1) & load_key"), "ready & load_key",
    ),
    "a key is taken in reset": (
        "pipelined", "interface", re.escape("has_key_1 <= 1'b0"), "has_key_1 <= load_key",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", BREAKS)
def test_a_broken_rule_is_found_by_both_benches(rule: str, tmp_path: Path) -> None:
    architecture, block, before, after = BREAKS[rule]
    key = "3in1" if rule == "3 is no size" else "128"  # a device for one size is simulated in half the time
    made = build.build(load("rijndael"), architecture, key, strategy_name="on-the-fly")
    name = f"{made.name}_{block}.v"
    broken, changes = re.subn(before, after, made.verilog[name])
    assert changes == 1
    files = made.verilog | {name: broken}
    output, _ = run(made, files, tmp_path, 800)
    assert "FAIL" in output
    tests = vectors(made, 128)
    events = simulators.simulator("icarus").simulate(made, tests, list(files.items()))
    assert not verdict_of(made, tests, events, "icarus").right
