"""Small processors and folders of assembly for what has no key: code, rows, what is emitted, what does not fit."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.embedded import processors, target
from cipherassay.errors import ToolError, VerificationError
from cipherassay.tools import require
from support import emitted_folders
from support.command import assay

Capture = pytest.CaptureFixture[str]
SMALL = ("avr", "h8-300", "mcs51")
CASES = [("gimli", ""), ("ascon", "6-rounds"), ("xoodoo", "")]


def needs(processor: str) -> None:
    """Skip a test where a tool of a small processor is missing."""
    for tool in processors.load(processor).needs:
        try:
            require(tool)
        except ToolError as error:
            pytest.skip(error.message)


@pytest.mark.parametrize("processor", SMALL)
@pytest.mark.parametrize(("name", "variant"), CASES)
def test_known_answers_in_the_simulator(name: str, variant: str, processor: str) -> None:
    needs(processor)
    cipher = load(name)
    made = target.make(cipher, 0, variant, processor=processor)
    assert list(made.assembly.objects)[0] == f"{made.prefix}_block"
    assert not any("key" in one for one in made.assembly.objects)
    rows = target.measure(made)
    assert {row.operation for row in rows} == set(cipher.directions)
    assert {row.key_bits for row in rows} == {None}
    given = f" --variant {variant}" if variant else ""
    assert {row.command for row in rows} == {f"assay measure {name} --processor {processor}{given}"}
    assert {row.configuration for row in rows if row.metric == "ram_bytes"} == {
        "rounds in loops, with block and stack"
    }


def test_a_wrong_result_is_found() -> None:
    needs("avr")
    made = target.make(load("gimli"), 0)
    head, _, rest = made.assembly.text.partition("\teor ")
    wrong = replace(made, assembly=replace(made.assembly, text=f"{head}\tor {rest}"))
    with pytest.raises(VerificationError) as caught:
        target.measure(wrong)
    text = str(caught.value)
    assert text.startswith(
        "error[E130]: Gimli: `permute` for AVR gives a wrong result in simavr\n   = key none, "
    )


@pytest.mark.parametrize("processor", SMALL)
@pytest.mark.parametrize(("name", "variant"), CASES[:2])
def test_a_folder_runs_as_its_page_says(
    name: str, variant: str, processor: str, capsys: Capture, tmp_path: Path
) -> None:
    given = ("--variant", variant) if variant else ()
    assert assay(capsys, "emit", "asm", name, "-p", processor, *given, "-o", str(tmp_path)).code == 0
    if missing := emitted_folders.run(tmp_path):
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    page = (tmp_path / "README.md").read_text()
    assert "key" not in page
    assert f"`{name}_inverse`" not in page if name == "gimli" else f"`{name}_permute` or `{name}_inverse`" in page


@pytest.mark.parametrize("processor", ["pentium-ii", "cortex-a53", "sifive-e31"])
def test_a_folder_for_c_runs_as_its_page_says(processor: str, capsys: Capture, tmp_path: Path) -> None:
    ran = assay(
        capsys, "emit", "asm", "xoodoo", "-p", processor, "--variant", "6-rounds", "-o", str(tmp_path), "--json"
    )
    assert (ran.code, ran.json["key_bits"]) == (0, None)
    if missing := emitted_folders.run(tmp_path):
        pytest.skip(f"not on this machine: {', '.join(missing)}")


def test_a_wrong_folder_says_so(capsys: Capture, tmp_path: Path) -> None:
    assert assay(capsys, "emit", "asm", "gimli", "-p", "pentium-ii", "-o", str(tmp_path)).code == 0
    driver = tmp_path / "main.c"
    driver.write_text(driver.read_text().replace("    {0x", "    {0xff ^ 0x", 1))
    command = ["bash", "-c", "gcc -w -m32 -no-pie -o t main.c gimli.s && ./t"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "gimli" not in done.stdout:
        pytest.skip("no compiler for x86-32 (apt-get install gcc-multilib)")
    assert (done.returncode, done.stdout) == (1, "gimli: 7 of 8 known answers right\n")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("measure", "keccak", "-p", "mcs51"),
         "error[E118]: key and block take 200 bytes of internal RAM, and direct addresses reach 120\n"
         "   = behind register bank 0; what is added to them has to lie there as well\n"
         "   = help: another processor: AVR and H8/300 have kilobytes of RAM\n"),
        (("measure", "gimli", "-p", "avr", "--ram", "100"),
         "error[E155]: there are no budgets of RAM for Gimli: it has no round keys, which alone can be left out\n"
         "   = help: code without a budget takes no more: leave out `--ram` and `--ram-calls`\n"),
        (("measure", "gimli", "--operation", "encrypt", "-p", "avr"),
         "error[E143]: unknown operation `encrypt`\n   = help: known: permute\n"),
    ],
)  # fmt: skip
def test_what_does_not_fit_or_is_not_there(words: tuple[str, ...], text: str, capsys: Capture) -> None:
    needs("avr")
    needs("mcs51")
    ran = assay(capsys, *words)
    assert ran.code in (2, 3)
    assert ran.err == text


def test_a_long_state_lies_where_there_is_room() -> None:
    """Of an H8/300's RAM 128 bytes have short addresses: a state of 200 bytes lies with what else has none."""
    made = target.make(load("keccak"), 0, processor="h8-300")
    short, rest = made.assembly.text.partition("\t.section .short")[2].split("\t.section .bss")
    assert ("keccak_block:" in short, "keccak_block:" in rest) == (False, True)
    made = target.make(load("gimli"), 0, processor="h8-300")
    short, rest = made.assembly.text.partition("\t.section .short")[2].split("\t.section .bss")
    assert ("gimli_block:" in short, "gimli_block:" in rest) == (True, False)


@pytest.mark.slow
def test_the_longest_state_on_an_h8() -> None:
    needs("h8-300")
    rows = target.measure(target.make(load("keccak"), 0, processor="h8-300"))
    assert {row.operation for row in rows} == {"permute", "inverse"}
