"""The ciphers that are not of the papers: each by its kept answers, evaluated and as compiled C, in both directions."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import Cipher, load, names, of_papers
from cipherassay.lang.files import load_anew
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.generated import build, generate
from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
from cipherassay.vectors.backend import Backend
from cipherassay.vectors.kept import find_answers
from cipherassay.vectors.records import Record, VectorFile

CATALOGUE = [name for name in names() if name not in of_papers()]
LOADING = 0.5
"""Processor seconds that a file may take to load: commands load it each time they run."""
SAMPLE = 40
"""Records of a key size that are computed; all of them are what `assay kat check` takes."""
UNOPTIMIZED = ("-O0",)
"""The C is checked here, not measured: an optimizing compiler needs half a minute for PRESENT."""


@pytest.fixture(autouse=True, scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("CIPHERASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def records(cipher: Cipher, variant: str) -> Iterator[VectorFile]:
    """Yield the files with the kept answers of a variant, each with at most `SAMPLE` records of a key size."""
    for path, of_variant in find_answers(Path(cipher.file), cipher):
        if of_variant == variant:
            file = read_vectors(path, cipher.block_bits // 8)
            yield replace(
                file, records=tuple(one for size in cipher.key_bits for one in sample(file.records, size))
            )


def sample(all_records: Iterable[Record], size: int) -> list[Record]:
    """Return the first records of each set, and others until there are enough."""
    of_size = [one for one in all_records if one.key_bits == size]
    first = [one for one in of_size if one.index <= 4]
    others = [one for one in of_size if one.index > 4]
    more = max(0, min(SAMPLE - len(first), len(others)))
    return [*first, *random.Random(size).sample(others, more)]


def assert_answers(cipher: Cipher, variant: str, backend: Backend) -> None:
    checked = dict.fromkeys(cipher.key_bits, 0)
    for file in records(cipher, variant):
        outcome = check_file(file, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
        assert not outcome.failures, outcome.failures[0]
        for record in file.records:
            checked[record.key_bits] += 1
    assert min(checked.values()) > 0, f"no known answers: {checked}"


@pytest.mark.parametrize("name", CATALOGUE)
def test_file_loads_soon_and_names_its_source(name: str) -> None:
    path = Path(load(name).file)
    begin = time.process_time()
    cipher = load_anew(path)
    assert time.process_time() - begin < LOADING
    assert cipher.source in path.read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize("name", CATALOGUE)
def test_compiled_program_gives_the_kept_answers(name: str) -> None:
    """Compiling compares each function with its plain run; an answer is of both directions."""
    cipher = load(name)
    for variant in ("", *cipher.variants):
        assert_answers(cipher, variant, EvaluatorBackend(cipher, variant))


@pytest.mark.parametrize("name", CATALOGUE)
def test_decryption_undoes_encryption(name: str) -> None:
    cipher = load(name)
    blocks = random.Random(name).randbytes(cipher.block_bits // 8 * 8)
    for variant in ("", *cipher.variants):
        evaluator = EvaluatorBackend(cipher, variant)
        for size in cipher.key_bits:
            there, *back = cipher.directions
            key = random.Random(size).randbytes(size // 8)
            result = evaluator.run(there, evaluator.keys(key, there), blocks)
            assert result != blocks
            for direction in back:
                assert evaluator.run(direction, evaluator.keys(key, direction), result) == blocks


@pytest.mark.parametrize("name", CATALOGUE)
def test_generated_c_gives_the_kept_answers(name: str) -> None:
    cipher = load(name)
    assert_answers(cipher, "", LoadedBackend(build(generate(cipher), flags=UNOPTIMIZED), "c"))
