"""The catalogue: each cipher that is not of the papers, against its kept known answers, which other programs made."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from cipherassay.ciphers import Cipher, load, names, of_papers
from cipherassay.lang.files import load_anew
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.generated import build, generate
from cipherassay.vectors import EvaluatorBackend, check_file, read_vectors
from cipherassay.vectors.kept import find_answers
from cipherassay.vectors.records import VectorFile
from support.emitted import compilers

CATALOGUE = [name for name in names() if name not in of_papers()]
FEWEST, MOST_BYTES = 60, 60_000
"""Records of a variant, and bytes of its folder."""
SAMPLE = 40
"""Records of a key size that are computed: evenly taken from all."""


def answers(cipher: Cipher) -> list[tuple[VectorFile, str]]:
    """Return the kept files, each with its variant."""
    found = find_answers(Path(cipher.file), cipher)
    return [(read_vectors(path, *cipher.sizes), variant) for path, variant in found]


def sampled(file: VectorFile) -> VectorFile:
    """Return a file with at most so many of its records of each key size."""
    kept = []
    for bits in sorted({record.key_bits for record in file.records}):
        every = [record for record in file.records if record.key_bits == bits]
        kept += every[:: -(-len(every) // SAMPLE)]
    return replace(file, records=tuple(kept))


@pytest.mark.parametrize("name", CATALOGUE)
def test_loads_soon_and_has_known_answers_for_all_it_does(name: str) -> None:
    cipher = load(name)
    assert (cipher.slug, Path(cipher.file).stem) == (name, name)
    begin = time.process_time()
    load_anew(Path(cipher.file))
    assert time.process_time() - begin < 0.5
    files = answers(cipher)
    assert {variant for _, variant in files} == {"", *cipher.variants}
    for variant in ("", *cipher.variants):
        records = [r for file, one in files if one == variant for r in file.records]
        sizes = Counter(record.key_bits for record in records)
        assert set(sizes) == set(cipher.key_bits)
        assert sum(sizes.values()) >= FEWEST
    for file, _ in files:
        path = Path(file.path)
        assert "made with" in path.read_text().split("\nT=")[0]
        assert path.stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("name", CATALOGUE)
def test_evaluator_computes_the_known_answers(name: str) -> None:
    cipher = load(name)
    for file, variant in answers(cipher):
        backend = EvaluatorBackend(cipher, variant)
        outcome = check_file(sampled(file), backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order)
        assert outcome.ok, outcome.failures[0]


@pytest.mark.skipif(not compilers(), reason="no C compiler (apt-get install gcc libc6-dev)")
@pytest.mark.parametrize("name", CATALOGUE)
def test_c_computes_the_known_answers(name: str) -> None:
    cipher = load(name)
    bits = cipher.key_bits[:1]
    backend = LoadedBackend(build(generate(cipher, bits), flags=("-O0", "-fPIC")), "c")
    backend.directions = cipher.directions
    file = next(file for file, variant in answers(cipher) if not variant)
    first = replace(file, records=tuple(r for r in file.records if r.key_bits == bits[0]))
    assert check_file(first, backend, key_bits=bits, byte_order=cipher.nist_byte_order).ok
