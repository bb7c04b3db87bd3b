"""Small processors: words split into bytes, AVR code, and simavr as its reference simulator."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cipherassay import tools
from cipherassay.ciphers import load
from cipherassay.embedded import measuring, processors, target
from cipherassay.embedded.processors.avr.machine import Machine
from cipherassay.embedded.processors.avr.simulate import Simulator
from cipherassay.embedded.processors.avr.text import AVR
from cipherassay.errors import ToolError, VerificationError
from cipherassay.ir import Type
from support import byte_programs
from support.command import assay

CIPHERS = ("e2", "mars", "rc6", "rijndael", "serpent", "twofish")
SIMULATED = ("e2", "mars", "rc6", "rijndael", pytest.param("serpent", marks=pytest.mark.slow), "twofish")
TOOLS = ("avr-gcc", "libsimavr", "cc")
needs_simulator = pytest.mark.skipif(
    any(not tools.find(name).place for name in TOOLS),
    reason="simavr runs this: apt-get install gcc-avr binutils-avr avr-libc libsimavr-dev",
)


def _bytes(values: list[int | list[int]], width: int) -> list[int]:
    """Return words as their bytes, the least significant first."""
    words = [w for v in values for w in (v if isinstance(v, list) else [v])]
    return [w >> 8 * k & 255 for w in words for k in range(width)]


@pytest.mark.parametrize("name", CIPHERS)
def test_split_program_computes_the_same(name: str) -> None:
    program = load(name).compile(128)
    split = program.passes(["inline-calls", "circuits:target=infinite", "split-words:width=8"], _circuits())
    width = program.mirror().functions["key_schedule"].results[0].bits // 8
    numbers = random.Random(name)
    for _ in range(2):
        key, block = numbers.randbytes(16), numbers.randbytes(16)
        keys, split_keys = program.evaluate("key_schedule", [key]), split.evaluate("key_schedule", [key])
        assert _bytes(split_keys, 1) == _bytes(keys, width)
        results = split.mirror().functions["key_schedule"].results
        shaped: list[Any] = [_shaped(k, ty) for k, ty in zip(split_keys, results, strict=True)]
        for function in ("encrypt", "decrypt"):
            assert split.evaluate(function, [*shaped, block]) == program.evaluate(function, [*keys, block])


def _circuits() -> tuple[tuple[str, str], ...]:
    from cipherassay import strategies

    return strategies.circuits()


def _shaped(flat: int | list[int], ty: Type) -> object:
    extents = ty.extents
    assert isinstance(flat, list)
    if len(extents) == 1:
        return flat
    return [flat[n : n + extents[1]] for n in range(0, len(flat), extents[1])]


def test_values_leave_to_memory_and_come_back() -> None:
    lines = [f"%{n}: u8 = load %x[{n}]" for n in range(40)]
    lines.append(f"%y: u8[40] = array {byte_programs.listed(f'%{n}' for n in range(40))}")
    program = byte_programs.parsed(byte_programs.function("f", "%x: u8[40]", "u8[40]", lines, "%y"))
    done = AVR.allocate(AVR.lower(program, "f", {"%x": "x", "#0": "y"}, name="f"), search=False)
    held: dict[str, str] = {}
    for line in done.lines():
        if match := re.fullmatch(r"lds (r\d+), (.*)", line):
            held[match[1]] = held.get(match[2], match[2])
        elif match := re.fullmatch(r"sts (.*), (r\d+)", line):
            held[match[1]] = held[match[2]]
    assert done.slots
    assert [held[f"y + {n}"] for n in range(40)] == [f"x + {n}" for n in range(40)]


@needs_simulator
@pytest.mark.parametrize("name", SIMULATED)
def test_known_answers_pass_in_simavr(name: str) -> None:
    rows = target.measure(target.make(load(name), 128))
    assert {row.operation for row in rows} == {"key_setup_both", "encrypt", "decrypt"}
    assert all(row.value > 0 and row.level == "embedded" for row in rows)


@needs_simulator
def test_wrong_code_is_refused() -> None:
    made = target.make(load("rijndael"), 128)
    text = made.assembly.text.replace("\t.byte 0x63,", "\t.byte 0x62,", 1)
    wrong = target.AssembledCipher(
        **{**vars(made), "assembly": type(made.assembly)(**{**vars(made.assembly), "text": text})}
    )
    with pytest.raises(VerificationError) as refused:
        target.measure(wrong)
    assert str(refused.value).startswith(
        "error[E130]: Rijndael: `key_schedule` for AVR gives a wrong result in simavr"
    )


@needs_simulator
def test_tables_in_ram(tmp_path: Path) -> None:
    made = target.make(load("rijndael"), 128, tables="ram")
    assert "lpm" not in made.assembly.text
    rows = target.measure(made)
    assert all("tables in RAM" in row.configuration and "--tables ram" in row.command for row in rows)
    ram = {row.operation: row.value for row in rows if row.metric == "ram_bytes"}
    own = sum(made.assembly.objects[f"rijndael_{name}"] for name in ("keys", "block"))
    assert 3 * 256 + own < ram["encrypt"] < 3 * 256 + own + 40  # two S-boxes and Rcon, whole pages
    for name, text in processors.firmware(made, "assay …"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    build = "avr-gcc -mmcu=atmega328p -Os -o x.elf main.c rijndael.S"
    subprocess.run(build.split(), cwd=tmp_path, check=True)
    symbols = subprocess.run(["avr-nm", "x.elf"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert all(
        int(line.split()[0], 16) % 256 == 0 for line in symbols.stdout.splitlines() if " table_" in line
    )
    assert "__do_copy_data" in symbols.stdout


@needs_simulator
@pytest.mark.parametrize("words", [17000, 70000])
def test_code_larger_than_the_flash_is_refused(tmp_path: Path, words: int) -> None:
    text = "\n".join(["\t.section .text", "f:", f"\t.rept {words}", "nop", "\t.endr", "ret"]) + "\n"
    with pytest.raises(VerificationError) as refused:
        Machine(text, tmp_path)
    assert str(refused.value).startswith("error[E124]: the code does not fit an atmega328p")
    assert f"flash: {2 * words + 2} of 32768 bytes" in str(refused.value)


def test_missing_tool_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    made = target.make(load("rijndael"), 128)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as refused:
        target.measure(made)
    assert "error[T002]: `avr-gcc` is not on this machine" in str(refused.value)
    assert "apt-get install gcc-avr binutils-avr avr-libc" in str(refused.value)


def test_files_are_written_and_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for folder in ("a", "b"):
        done = assay(
            capsys, "emit", "asm", "rijndael", "--processor", "avr", "-o", str(tmp_path / folder), "--json"
        )
        assert done.code == 0
        assert [Path(f).name for f in done.json["files"]] == ["rijndael.S", "main.c", "README.md"]
        texts.append([Path(f).read_bytes() for f in done.json["files"]])
    assert texts[0] == texts[1]


def test_wrong_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    done = assay(capsys, "emit", "asm", "rijndael", "encrypt", "--processor", "avr")
    assert done.code == 2
    assert done.err.startswith("error[E142]: `avr` takes no operation, not `encrypt`")
    done = assay(capsys, "emit", "asm", "rijndael", "--processor", "merced")
    assert done.err.startswith("error[E141]: no operation is named for `merced`")
    done = assay(capsys, "measure", "rijndael", "-p", "z80")
    assert done.err.startswith("error[M002]: there is no processor `z80`\n   = help: known: alpha-21164a, avr, ")
    done = assay(capsys, "measure", "rijndael", "-p", "h8-300", "--tables", "ram")
    assert done.err == (
        "error[E153]: tables of code for H8/300 do not lie in `ram`\n   = help: --tables rom\n"
    )
    done = assay(capsys, "emit", "asm", "rijndael", "--processor", "avr", "--tables", "rom")
    assert done.err == (
        "error[E153]: tables of code for AVR do not lie in `rom`\n   = help: --tables flash or ram\n"
    )
    done = assay(capsys, "measure", "rijndael", "-p", "avr", "--ram", "60", "--tables", "ram")
    assert done.err == "error[E154]: `--tables ram` is not for code within a budget of RAM\n"
    done = assay(capsys, "emit", "asm", "rijndael", "encrypt", "--processor", "merced", "--tables", "ram")
    assert done.err == "error[E154]: `--tables ram` is not for `merced`\n"


@pytest.mark.parametrize("name", SIMULATED)
def test_own_simulator_gives_what_the_program_means(name: str) -> None:
    made = target.make(load(name), 128)
    simulator = Simulator(made.assembly.text)
    key, plaintext, ciphertext, _ = measuring.known_answers(made)[0]
    simulator.write(f"{made.prefix}_key", key)
    simulator.write(f"{made.prefix}_block", plaintext)
    assert simulator.call(f"{made.prefix}_key_schedule") > 0
    assert simulator.call(f"{made.prefix}_encrypt") > 0
    assert simulator.read(f"{made.prefix}_block", 16) == ciphertext
    simulator.call(f"{made.prefix}_decrypt")
    assert simulator.read(f"{made.prefix}_block", 16) == plaintext


@needs_simulator
@pytest.mark.parametrize("name", ["rijndael", "rc6"])
def test_own_simulator_counts_as_simavr(name: str, tmp_path: Path) -> None:
    made = target.make(load(name), 128)
    key, block = bytes(range(16)), bytes(range(100, 116))
    own = Simulator(made.assembly.text)
    with Machine(made.assembly.text, tmp_path) as machine:
        for one in (own, machine):
            one.write(f"{made.prefix}_key", key)
            one.write(f"{made.prefix}_block", block)
        for function in ("key_schedule", "encrypt", "decrypt"):
            assert own.call(f"{made.prefix}_{function}") == machine.call(f"{made.prefix}_{function}").cycles


@needs_simulator
def test_instructions_agree_with_simavr(tmp_path: Path) -> None:
    text = _random_program(random.Random(1), 2000)
    own = Simulator(text)
    with Machine(text, tmp_path) as machine:
        for one in (own, machine):
            one.write("given", bytes(range(7, 247, 24)))
        assert own.call("f") == machine.call("f").cycles
        assert own.read("given", 10) == machine.read("given", 10)


def _random_program(numbers: random.Random, length: int) -> str:
    """Return a function that does random arithmetic on registers 16 to 25 and keeps them in memory."""
    one = ["com", "neg", "inc", "dec", "lsl", "lsr", "rol", "ror", "swap", "clr"]
    two = ["add", "adc", "sub", "sbc", "and", "or", "eor", "mov", "cp", "cpc", "mul"]
    with_number = ["subi", "sbci", "andi", "ori", "ldi"]
    lines = ["f:", *(f"lds r{16 + n}, given + {n}" for n in range(10))]
    for _ in range(length):
        d, r = (f"r{numbers.randrange(16, 26)}" for _ in range(2))
        bit = numbers.randrange(8)
        kind = numbers.randrange(8)
        if kind == 0:
            lines.append(f"{numbers.choice(one[:-1] if numbers.random() < 0.9 else one)} {d}")
        elif kind == 1:
            lines.append(f"{numbers.choice(with_number)} {d}, {numbers.randrange(256)}")
        elif kind == 2:
            lines.append(f"{numbers.choice(('bst', 'bld'))} {d}, {bit}")
        elif kind == 3:
            lines += [f"{numbers.choice(('sbrc', 'sbrs'))} {d}, {bit}", f"lds {r}, given"]
        elif kind == 4:
            lines += [f"{numbers.choice(('breq', 'brne', 'brcc', 'brlo'))} .+2", f"inc {d}"]
        elif kind == 5:
            lines.append(f"{numbers.choice(('adiw', 'sbiw'))} r24, {numbers.randrange(64)}")
        else:
            lines.append(f"{numbers.choice(two)} {d}, {r}")
    lines += [*(f"sts given + {n}, r{16 + n}" for n in range(10)), "clr r1", "ret"]
    return (
        "\n".join(["\t.section .text", *lines, '\t.section .bss,"aw",@nobits', "given:", "\t.space 10"])
        + "\n"
    )
