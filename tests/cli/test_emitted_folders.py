"""Everything that is emitted is built and run as its README, or the head of its text, says.

The usual run takes each target with one cipher and each cipher with one target; `make test-all` takes all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.ciphers import load, of_papers
from cipherassay.cli.emit.asm import memory_of
from cipherassay.processors.requests import Request
from support import emitted_folders
from support.command import assay
from support.places import EXAMPLES

SMALL = ("avr", "h8-300", "mcs51")
FUNCTIONS = ("cortex-a53", "cortex-m3", "sifive-e31")
OTHER_SHAPES = ("present", "speck")
WITHOUT_KEY = ("ascon", "gimli")
BOXES = {
    "e2": "e2.s",
    "present": "present.S",
    "rijndael": "rijndael.S",
    "serpent": "serpent.S3",
    "twofish": "twofish.q0",
}
"""Of ciphers with S-boxes one whose circuits the library has."""
TARGETS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "c": (("emit", "c", "CIPHER"), (*of_papers(), *OTHER_SHAPES, *WITHOUT_KEY)),
    "java": (("emit", "java", "CIPHER"), (*of_papers(), *OTHER_SHAPES)),
    **{name: (("emit", "asm", "CIPHER", "--processor", name), of_papers()) for name in (*SMALL, "pentium-pro", "pentium-ii")},
    **{name: (("emit", "asm", "CIPHER", "--processor", name, "--loop"), of_papers()) for name in FUNCTIONS},
    **{f"{name}-ram": (("emit", "asm", "CIPHER", "--processor", name, "--ram", "200"), ("rijndael",)) for name in SMALL},
    "avr-tables": (("emit", "asm", "CIPHER", "--processor", "avr", "--tables", "ram"), ("rijndael",)),
    **{
        f"rtl-{name}": (("emit", "rtl", "CIPHER", "--architecture", name, "--every", "128"), of_papers())
        for name in ("iterative", "pipelined")
    },
    "rtl-pipelined-vhdl": (
        ("emit", "rtl", "CIPHER", "--architecture", "pipelined", "--every", "128", "--language", "vhdl"), ("rijndael",)
    ),
    "circuit": (("circuit", "emit", "BOX", "--language", "c,c-avx2,verilog,vhdl,x86,equations,program"), tuple(BOXES)),
    "circuit-pa-risc": (("circuit", "emit", "BOX", "--language", "pa-risc"), ("serpent",)),
}  # fmt: skip
"""Of each target the command, and the ciphers that it takes."""
USUAL = {
    "c": ("serpent", "speck", "ascon", "gimli"), "java": ("twofish",), "avr": ("mars",), "h8-300": ("e2",), "mcs51": ("rijndael",),
    "cortex-a53": ("rc6",), "cortex-m3": ("twofish",), "sifive-e31": ("rc6",),
    "pentium-pro": ("rc6",), "pentium-ii": ("rijndael",), "avr-ram": ("rijndael",), "h8-300-ram": (),
    "mcs51-ram": (), "avr-tables": ("rijndael",), "rtl-iterative": ("rc6",), "rtl-pipelined": (), "rtl-pipelined-vhdl": ("rijndael",),
    "circuit": ("twofish",), "circuit-pa-risc": ("serpent",),
}  # fmt: skip
"""Run every time; budgets of RAM take long to meet, so one processor stands for all;
Verilator compiles pipelines for as long."""
MODELS = ("alpha-21164a", "ia64pp", "mckinley-paper", "pa8500", "epic")
USUAL_KERNELS = {
    "alpha-21164a": ("serpent",), "ia64pp": ("rc6",), "mckinley-paper": ("rijndael",), "pa8500": ("mars",), "epic": ("twofish",),
}  # fmt: skip


def cases(every: dict[str, Sequence[str]], usual: dict[str, Sequence[str]]) -> list[object]:
    """Return pairs of target and cipher; all but the usual ones are slow."""
    return [
        pytest.param(
            target,
            cipher,
            id=f"{target}-{cipher}",
            marks=() if cipher in usual[target] else (pytest.mark.slow,),
        )
        for target, ciphers in every.items()
        for cipher in ciphers
    ]


def file_of(cipher: str) -> str:
    """Return what names a cipher on the command line."""
    return cipher if cipher in of_papers() else str(EXAMPLES / f"{cipher}.py")


@pytest.mark.parametrize(
    ("target", "cipher"), cases({name: ciphers for name, (_, ciphers) in TARGETS.items()}, USUAL)
)
def test_a_folder_does_what_its_readme_says(
    target: str, cipher: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"CIPHER": file_of(cipher), "BOX": BOXES.get(cipher, "")}
    command = [words.get(word, word) for word in TARGETS[target][0]]
    ran = assay(capsys, *command, "-o", str(tmp_path), "--json")
    assert ran.code == 0, ran.err
    assert all(one["tools"] or one["skipped"] for one in ran.json.get("checked", ()))
    missing = emitted_folders.run(tmp_path)
    if missing:
        pytest.skip(f"not on this machine, so these steps were left out: {', '.join(missing)}")


@pytest.mark.parametrize(("processor", "cipher"), cases(dict.fromkeys(MODELS, of_papers()), USUAL_KERNELS))
def test_a_kernel_does_what_its_head_says(
    processor: str, cipher: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is assembled and simulated by the commands in its head, and leaves the program's result in memory."""
    place = ("-o", str(tmp_path / "kernel.s"), "--memory", str(tmp_path / "image"))
    ran = assay(capsys, "emit", "asm", cipher, "encrypt", "--processor", processor, *place)
    assert ran.code == 0, ran.err
    head = (tmp_path / "kernel.s").read_text(encoding="utf-8")
    assemble = re.search(r"Assemble it: (.*)", head)
    if processor != "ia64pp":  # of which some kernels use an instruction that nothing assembles
        assert (assemble is None) == (processor == "epic")
    simulate = re.search(r"^\S+ (assay simulate .*)", head, re.MULTILINE)
    assert simulate is not None
    command = simulate[1].replace("IMAGE", "image") + " --memory-out after"
    emitted_folders.execute(command.replace("FILE", "kernel.s"), tmp_path)

    kernel = Request(load(cipher), "encrypt", processors.load(processor)).kernel()
    zeros, image = memory_of(kernel)
    found = kernel.interface.results((tmp_path / "after").read_bytes()[image.varying :])
    assert found == [list(one) for one in kernel.program.evaluate(kernel.function, list(zeros))]
    if assemble is not None:
        (tool,) = emitted_folders.tools(assemble[1])
        if not emitted_folders.at_hand(tool):
            pytest.skip(f"not on this machine, so the text was not assembled: {tool}")
        assert emitted_folders.execute(assemble[1].replace("FILE", "kernel.s"), tmp_path) == ""


def test_each_target_and_each_cipher_is_in_the_usual_run() -> None:
    assert USUAL.keys() == TARGETS.keys()
    assert set(USUAL_KERNELS) == set(MODELS)
    assert all(set(USUAL[target]) <= set(ciphers) for target, (_, ciphers) in TARGETS.items())
    assert {cipher for ciphers in USUAL.values() for cipher in ciphers} >= set(of_papers())
