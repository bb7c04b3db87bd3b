"""Compiled code as a back end: against the evaluator, and its Monte Carlo loops against plain ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherassay import strategies
from cipherassay.ciphers import load, of_papers
from cipherassay.errors import UsageError, VerificationError
from cipherassay.native.backend import CBackend, LoadedBackend
from cipherassay.native.checking import check_implementation
from cipherassay.native.harness import FOLDER
from cipherassay.native.loaded import LoadedCipher
from cipherassay.tools.compiler import build_shared_library
from cipherassay.vectors import EvaluatorBackend
from cipherassay.vectors.backend import MODES, chain_by_blocks, direction_of

XOR = """
#include "assay.h"
static int key(void *ctx, const uint8_t *key, size_t key_bits)
{
    for (int i = 0; i < 16; i++)
        ((uint8_t *)ctx)[i] = key[i];
    return key_bits == 128 ? 0 : -1;
}
static void run(const void *ctx, const uint8_t *in, uint8_t *out)
{
    for (int i = 0; i < 16; i++)
        out[i] = in[i] ^ ((const uint8_t *)ctx)[i];
}
const struct assay_cipher assay_xor = {16, 16, key, key, run, run, 0};
"""


@pytest.fixture(autouse=True, scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    patch = pytest.MonkeyPatch()
    patch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield patch
    patch.undo()


@pytest.fixture(scope="module")
def rc6(shared_cache: pytest.MonkeyPatch) -> CBackend:
    return CBackend(load("rc6"), strategy="direct")


def xor_cipher() -> LoadedCipher:
    sources = {"xor.c": XOR, "assay.h": (FOLDER / "assay.h").read_text()}
    return LoadedCipher(build_shared_library("xor", sources), "assay_xor")


@pytest.mark.parametrize("name", of_papers())
def test_every_cipher_computes_as_the_evaluator(name: str) -> None:
    cipher = load(name)
    backend = CBackend(cipher, strategy="direct")
    for bits in cipher.key_bits:
        check_implementation(cipher, backend, bits)


@pytest.mark.parametrize("mode", MODES)
def test_chains_are_those_of_nist(rc6: CBackend, mode: str) -> None:
    cipher = load("rc6")
    key, block = bytes(range(16)), bytes(range(100, 116))
    iv = b"" if mode.startswith("ecb") else bytes(range(7, 23))
    evaluator = EvaluatorBackend(cipher)
    direction = direction_of(mode)  # type: ignore[arg-type]
    keys = evaluator.keys(key, direction)
    for count in (2, 3, 50):
        plain = chain_by_blocks(lambda text: evaluator.run(direction, keys, text), mode, iv, block, count)  # type: ignore[arg-type]
        assert rc6.chain(rc6.keys(key, direction), mode, iv, block, count) == plain  # type: ignore[arg-type]


def test_wrong_lengths(rc6: CBackend) -> None:
    with pytest.raises(UsageError) as caught:
        rc6.keys(bytes(15), "encrypt")
    assert str(caught.value) == "error[N011]: a key of 120 bits is refused by the compiled code"
    keys = rc6.keys(bytes(16), "encrypt")
    with pytest.raises(UsageError) as caught:
        rc6.run("encrypt", keys, bytes(17))
    assert str(caught.value) == "error[N012]: 17 bytes are not a whole number of 16-byte blocks"
    with pytest.raises(ValueError, match="two steps"):
        rc6.chain(keys, "ecb_e_m", b"", bytes(16), 1)
    assert rc6.run("encrypt", keys, b"") == b""


def test_from_a_folder_as_emitted(tmp_path: Path) -> None:
    for file, text in strategies.emit_c(load("rc6"), strategy="direct"):
        (tmp_path / file).write_text(text)
    backend = CBackend.from_folder(tmp_path, "rc6", 16)
    check_implementation(load("rc6"), backend, 128)
    assert backend.name == f"c, {tmp_path}/rc6.c"


def test_wrong_code_is_caught() -> None:
    backend = LoadedBackend(xor_cipher(), "an exclusive-or")
    with pytest.raises(VerificationError) as caught:
        check_implementation(load("rc6"), backend, 128)
    lines = str(caught.value).splitlines()
    assert lines[0] == "error[N030]: an exclusive-or computes RC6 wrongly: encrypt, 128-bit key"
    assert lines[1] == f"   = key      {'00' * 16}"
    assert [line.split()[1] for line in lines[2:5]] == ["input", "expected", "found"]
    assert lines[2].split()[-1] == lines[4].split()[-1]  # under a zero key it changes nothing
