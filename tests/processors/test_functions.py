"""Functions that C calls: frames, moves of arguments, what is kept; errors. Emitted folders run in `test_emitted_folders.py`."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.errors import DescriptionError, UsageError
from cipherassay.processors.functions import convention, files, layout, text
from cipherassay.processors.functions.kernels import Kernels, kernels
from cipherassay.processors.kernel import Choice, Kernel
from cipherassay.processors.making import make
from support.command import assay

NAMES = ("cortex-m3", "sifive-e31")


def kernel(processor: str, operation: str, strategy: str = "looped", cipher: str = "rc6") -> Kernel:
    return make(load(cipher), operation, processors.load(processor), Choice(strategy, bytes=True), restarts=0)


def operations(processor: str, cipher: str = "rc6", strategy: str = "looped") -> Kernels:
    one = [kernel(processor, name, strategy, cipher) for name in ("key_setup_encrypt", "encrypt", "decrypt")]
    return Kernels(load(cipher), (one[0],), tuple(one[1:]))


@pytest.mark.parametrize("processor", NAMES)
def test_a_function_keeps_what_it_uses(processor: str) -> None:
    found = convention.of(processors.load(processor))
    folder = files.Folder(operations(processor, "twofish"), "")
    for one in folder.kernels.all:
        symbol = folder.symbol(one)
        written = text.function(symbol, one, folder.arguments(one), ".Ltables", found)
        body = one.assembly["body"]
        touched = [name for name in found.saved if re.search(rf"\b{name}\b", body)]
        assert touched
        for name in touched:
            at = touched.index(name) * found.word_bytes
            before, after = written.split(re.sub(r"\.Lloop", f".L{symbol}_loop", body))
            assert f"\t{found.line('save', register=name, offset=at)}\n" in before
            assert f"\t{found.line('restore', register=name, offset=at)}\n" in after


@pytest.mark.parametrize("processor", NAMES)
def test_arguments_come_to_where_a_kernel_wants_them(processor: str) -> None:
    """Random moves, some in circles, executed one after the other."""
    found = convention.of(processors.load(processor))
    source = random.Random(1)
    names = found.general[:8]
    circles = 0
    for _ in range(500):
        targets = source.sample(names, 5)
        moves = [
            text.Move(t, source.choice([*found.arguments[:4], found.stack]), source.choice((0, 0, 8)))
            for t in targets
        ]
        registers = {name: f"old {name}" for name in (*found.general, found.stack)}
        expected = {move.register: (registers[move.source], move.bytes) for move in moves}
        contents: dict[str, tuple[str, int]] = {name: (old, 0) for name, old in registers.items()}
        ordered = list(text._ordered(moves, found))
        circles += len(ordered) > len([m for m in moves if (m.register, 0) != (m.source, m.bytes)])
        for move in ordered:
            old, bytes = contents[move.source]
            contents[move.register] = (old, bytes + move.bytes)
        assert {name: contents[name] for name in expected} == expected
    assert circles > 10


def test_large_frames_take_several_lines() -> None:
    found = convention.of(processors.load("sifive-e31"))
    assert list(found.moved("open", 4096)) == ["addi sp,sp,-2032", "addi sp,sp,-2032", "addi sp,sp,-32"]
    assert list(found.added("a3", "sp", 2048)) == ["addi a3,sp,2032", "addi a3,a3,16"]
    assert list(found.added("a3", "a1", 0)) == ["mv a3,a1"]
    assert list(found.added("a1", "a1", 0)) == []


def test_round_keys_are_a_structure() -> None:
    keys = files.Folder(operations("sifive-e31", "twofish"), "").structures
    assert [(one.number, one.type, one.length, one.offset) for one in keys[0].fields] == [
        (0, "uint32_t", 40, 0), (1, "uint32_t", 256, 160), (2, "uint32_t", 256, 1184), (3, "uint32_t", 256, 2208),
        (4, "uint32_t", 256, 3232),
    ]  # fmt: skip
    assert len({one.name for one in keys[0].fields}) == 5


def test_kernels_that_go_together_make_the_same_round_keys() -> None:
    found = kernels(
        load("rijndael"), processors.load("sifive-e31"), key_bits=128, strategy="looped", form="loop"
    )
    assert [one.operation for one in found.all] == [
        "key_setup_encrypt",
        "key_setup_decrypt",
        "encrypt",
        "decrypt",
    ]
    assert all(one.choice.bytes for one in found.all)


def test_without_a_convention_an_operation_must_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = assay(capsys, "emit", "asm", "rc6", "--processor", "alpha-21164a", "-o", str(tmp_path))
    assert ran.code == 2
    assert ran.err == (
        "error[E141]: no operation is named for `alpha-21164a`\n"
        "   = no calling convention of C is known for `alpha`\n"
        "   = help: add [abi] to isas/alpha.toml (docs/processors.md), or name an operation: encrypt, …\n"
    )
    with pytest.raises(UsageError, match="M740"):
        convention.of(processors.load("pa8500"))


def test_memory_is_for_one_operation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = assay(capsys, "emit", "asm", "rc6", "-p", "sifive-e31", "--memory", str(tmp_path / "image"))
    assert ran.code == 2
    assert "error[M719]: `--memory` says nothing for `sifive-e31`" in ran.err


def _refused(code: str, words: Sequence[str], call: object) -> None:
    with pytest.raises(DescriptionError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == code
    assert all(word in str(caught.value) for word in words)


def test_what_cannot_be_a_function_is_refused() -> None:
    found = operations("sifive-e31")
    folder = files.Folder(found, "")
    one = replace(found.forward, assembly={**found.forward.assembly, "body": None})
    given = folder.arguments(found.forward)
    _refused(
        "M742", ["`f` cannot be a function"], lambda: text.function("f", one, given, "", folder.convention)
    )
    many = given * 5
    _refused(
        "M742", ["as many registers"], lambda: text.function("f", found.forward, many, "", folder.convention)
    )


def test_round_keys_in_other_places_are_refused() -> None:
    found = operations("sifive-e31", "twofish")
    interface = found.forward.interface
    moved = [replace(one, base=(0, one.base[1] + 16)) if one.base else one for one in interface.objects]
    other = replace(found.forward, interface=replace(interface, objects=tuple(moved)))
    keys = layout.structure("keys", found.setups[0])
    message = "twofish encrypt: it does not find the round keys as `keys` holds them"
    _refused("M741", [message], lambda: layout.check_keys(keys, found.setups[0], other, 5))


def test_round_keys_of_another_form_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twofish's keys without tables are not those with tables."""
    from cipherassay.processors.functions import kernels as module

    def mixed(_cipher: object, operation: str, **_options: object) -> Kernel:
        strategy = "bit-sliced" if operation == "none" else "looped"
        one = kernel("sifive-e31", operation, strategy, "rc6")
        return (
            replace(one, program=kernel("sifive-e31", operation, strategy, "mars").program)
            if operation == "encrypt"
            else one
        )

    monkeypatch.setattr(module, "best", mixed)
    _refused(
        "M743", ["takes other round keys than key_setup_encrypt makes", "--strategy NAME"],
        lambda: kernels(load("rc6"), processors.load("sifive-e31"), key_bits=128),
    )  # fmt: skip


def test_a_driver_is_for_keys_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = files.Folder(operations("sifive-e31"), "")
    given = folder.arguments(folder.kernels.forward)
    monkeypatch.setattr(folder, "arguments", lambda _: [*given, given[-1]])
    _refused("M744", ["would need more than key and block"], folder.driver)
