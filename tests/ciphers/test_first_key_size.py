"""Where no key size is given it is the cipher's first, and commands name a user's cipher by its file."""

from __future__ import annotations

import pytest

from cipherassay import processors
from cipherassay.ciphers import load
from cipherassay.errors import UsageError
from cipherassay.processors.exploring import best
from cipherassay.processors.requests import Request
from cipherassay.x86 import kernel, model
from support.command import assay
from support.other_shapes import FILES


def test_the_first_is_the_default() -> None:
    present = load(FILES["present"])
    assert (present.key_size(), present.key_size(128)) == (80, 128)
    assert present.compile().meta["key_bits"] == "80"
    with pytest.raises(UsageError) as refused:
        present.key_size(256)
    assert str(refused.value) == (
        "error[U010]: PRESENT has no key size of 256 bits\n   = help: its key sizes: 80, 128"
    )


def test_a_request_for_a_kernel() -> None:
    file = FILES["oneway96"]
    asked = Request(load(file), "encrypt", processors.load("mckinley-paper"))
    assert asked.key_bits == 96
    assert asked.command == f"assay measure {file} --processor mckinley-paper --operation encrypt"


def test_the_papers_devices_are_not_compared_with_a_users(capsys: pytest.CaptureFixture[str]) -> None:
    file = FILES["xtea"]
    ran = assay(capsys, "study", "hardware", str(file))
    assert (ran.code, ran.err) == (
        2,
        f"error[U036]: no synthesized rows are kept of `{file}`, and the paper has no such cipher\n"
        f"   = help: `assay synthesize {file}` shows its speed grades\n",
    )


def test_kernels() -> None:
    cipher = load(FILES["oneway96"])
    assert best(cipher, "encrypt", processors.load("mckinley-paper")).key_bits == 96
    assert kernel.best(cipher, "encrypt", model.load("pentium-ii")).key_bits == 96
