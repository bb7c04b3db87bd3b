"""The six ciphers against known answers: the vectors that the project carries, and those of ../shared/vectors.

Single blocks go through the reference evaluator, Monte Carlo records (10,000 steps each) through the generated C:
a part of them here, all with `ASSAY_ALL_VECTORS=1` (a minute or two). The shared vectors are looked for beside the
repository; without them the project's own, which agree with them, are enough.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from cipherassay import strategies
from cipherassay._engine import Program
from cipherassay.ciphers import Cipher, load, of_papers
from cipherassay.errors import UsageError
from cipherassay.known_answers.choosing import BackendName, make_backend
from cipherassay.known_answers.writing import GenerationRequest, file_text
from cipherassay.native.backend import LoadedBackend
from cipherassay.native.generated import build, generate
from cipherassay.vectors import (
    EvaluatorBackend,
    Outcome,
    PythonBackend,
    Record,
    VectorFile,
    check_file,
    kept,
    read_vectors,
)
from cipherassay.vectors.backend import Backend
from cipherassay.vectors.explaining import failure_error
from cipherassay.vectors.which_cipher import which_cipher
from support.emitted import WARNINGS
from support.places import SHARED
from support.usual import usual

ALL = bool(os.environ.get("ASSAY_ALL_VECTORS"))
VECTORS = SHARED / "vectors"
SHARED_FILES = sorted(VECTORS.glob("*.txt"))
SHARED_NAMES = ("e2", "mars", "mars_r1", "rc6", "rijndael", "serpent", "twofish")
MONTE_CARLO = [VECTORS / f"{name}.mct.txt" for name in ("mars_r1", "rijndael", "serpent")]
CIPHERS = [(name, variant) for name in of_papers() for variant in ("", *load(name).variants)]
KEPT_FILES = sorted(
    path
    for folder in {kept.folder_name(load(name), variant) for name, variant in CIPHERS}
    for path in (kept.FOLDER / folder).glob("*.txt")
    if path.stem != "ecb_iv"
)
"""Of the papers' ciphers; those of the catalogue are checked in `ciphers/test_catalogue.py`."""
needs_shared = pytest.mark.skipif(not SHARED_FILES, reason="no ../shared/vectors beside the repository")
needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("cc", "gcc", "clang")), reason="no C compiler"
)


def check(file: VectorFile, cipher: Cipher, variant: str, backend: BackendName) -> Outcome:
    made = make_backend(backend, cipher, variant)
    outcome = check_file(
        file, made, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order, threads=os.cpu_count() or 1
    )
    if not outcome.ok:
        pytest.fail(str(failure_error(outcome, cipher, variant, made, [VECTORS / "iv"])))
    return outcome


def some(file: VectorFile, every: int) -> VectorFile:
    """Return the file with every so many of its records, spread over its sets and key sizes."""
    return file if ALL else VectorFile(file.path, file.layout, file.records[::every], file.algorithm)


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


@needs_shared
@pytest.mark.parametrize("path", [VECTORS / f"{name}.kat.txt" for name in SHARED_NAMES], ids=label)
def test_shared_single_blocks(path: Path) -> None:
    file = read_vectors(path)
    cipher, variant = which_cipher(path, file.algorithm)
    stem = path.name.split(".")[0]
    assert (cipher.slug, variant) == (("mars", "round-1") if stem == "mars_r1" else (stem, ""))
    outcome = check(file, cipher, variant, "evaluator")
    assert outcome.passed == file.counts


@needs_compiler
@needs_shared
@pytest.mark.parametrize("path", usual([VECTORS / f"{name}.mct.txt" for name in SHARED_NAMES], MONTE_CARLO), ids=label)
def test_shared_monte_carlo_records(path: Path) -> None:
    file = read_vectors(path)
    assert file.counts == {"MCT": 2400}
    # 21 has no factor in common with the 200 records of a set and key size, so all of these are met.
    part = some(file, 21)
    outcome = check(part, *which_cipher(path, file.algorithm), "c")
    assert outcome.passed == part.counts
    assert len({(record.set, record.key_bits) for record in part.records}) == 12


@needs_shared
def test_the_shared_vectors_are_complete() -> None:
    """As many records as their README counts."""
    counts = {path.name: len(read_vectors(path).records) for path in SHARED_FILES}
    assert counts == {
        "e2.kat.txt": 1003,
        "mars.kat.txt": 1018,
        "mars_r1.kat.txt": 1019,
        "rc6.kat.txt": 1006,
        "rijndael.kat.txt": 1247,
        "serpent.kat.txt": 2365,
        "twofish.kat.txt": 984,
        **{
            f"{name}.mct.txt": 2400
            for name in ("e2", "mars", "mars_r1", "rc6", "rijndael", "serpent", "twofish")
        },
    }


@pytest.mark.parametrize(("name", "variant"), CIPHERS)
def test_every_cipher_has_kept_vectors(name: str, variant: str) -> None:
    folder = kept.FOLDER / kept.folder_name(load(name), variant)
    wanted = GenerationRequest.of(name, variant)
    assert sorted(path.stem for path in folder.glob("*.txt")) == sorted(wanted.sets)


@pytest.mark.parametrize("path", [p for p in KEPT_FILES if not p.stem.endswith("_m")], ids=label)
def test_kept_single_blocks(path: Path) -> None:
    file = read_vectors(path)
    check(file, *which_cipher(path, file.algorithm), "evaluator")


@needs_compiler
@pytest.mark.parametrize("path", [p for p in KEPT_FILES if p.stem.endswith("_m")], ids=label)
def test_kept_monte_carlo_records(path: Path) -> None:
    file = read_vectors(path)
    assert [record.index for record in file.records] == [*range(20), 399] * 3
    outcome = check(some(file, 4), *which_cipher(path, file.algorithm), "c")
    if ALL:
        assert outcome.links == 3 * 19


@needs_shared
@pytest.mark.parametrize(("name", "variant"), CIPHERS)
def test_kept_and_shared_vectors_agree(name: str, variant: str) -> None:
    cipher = load(name)
    folder = kept.folder_name(cipher, variant)
    ours: dict[tuple[str, int, int], Record] = {}
    for path in KEPT_FILES:
        if path.parent.name == folder:
            ours |= {(r.set, r.key_bits, r.index): r for r in read_vectors(path).records}
    theirs = "mars_r1" if variant else name
    compared = 0
    for path in (VECTORS / f"{theirs}.kat.txt", VECTORS / f"{theirs}.mct.txt"):
        for record in read_vectors(path).records:
            own = ours.get((record.set, record.key_bits, record.index))
            # The keys of Rijndael's ecb_tbl are our own; its rule is checked where it is generated.
            if own is not None and (name, record.set) != ("rijndael", "ecb_tbl"):
                assert (own.key, own.iv, own.plaintext, own.ciphertext) == (
                    record.key,
                    record.iv,
                    record.plaintext,
                    record.ciphertext,
                ), str(record)
                compared += 1
    tables = {"mars": 78 if variant else 77, "serpent": 1026, "twofish": 92}
    assert compared == 385 + 258 + tables.get(name, 0) + 12 * 10


@pytest.mark.parametrize(("name", "variant"), CIPHERS)
def test_the_generator_makes_the_kept_files(name: str, variant: str) -> None:
    """Byte for byte: `ecb_vt` here, all files with `ASSAY_ALL_VECTORS=1`."""
    wanted = GenerationRequest.of(name, variant, records=kept.RECORDS)
    folder = kept.FOLDER / kept.folder_name(wanted.cipher, variant)
    for chosen in wanted.sets if ALL else ("ecb_vt",):
        assert file_text(wanted, chosen)[0] == (folder / f"{chosen}.txt").read_text(), chosen


@pytest.mark.golden
@pytest.mark.parametrize(("name", "variant"), CIPHERS)
def test_kept_intermediate_values(name: str, variant: str) -> None:
    """What the functions compute under the author's names; `make bless` keeps new names."""
    wanted = GenerationRequest.of(name, variant)
    text, _ = file_text(wanted, "ecb_iv")
    path = kept.FOLDER / kept.folder_name(wanted.cipher, variant) / "ecb_iv.txt"
    if os.environ.get("ASSAY_BLESS"):
        path.write_text(text)
    for bits in wanted.key_bits:
        found = kept.difference_from_kept(wanted.cipher, variant, bits)
        assert found is None, str(found)
    assert path.read_text() == text


@pytest.mark.parametrize(("name", "variant"), CIPHERS)
def test_the_plain_run(name: str, variant: str) -> None:
    """The description as plain Python, without the engine: a few blocks of each key size."""
    cipher = load(name)
    path = kept.FOLDER / kept.folder_name(cipher, variant) / "ecb_vt.txt"
    file = read_vectors(path)
    few = VectorFile(file.path, file.layout, file.records[::50])
    outcome = check_file(
        few, PythonBackend(cipher, variant), key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order
    )
    assert outcome.ok
    assert outcome.passed["KAT"] == 8


@needs_compiler
@pytest.mark.parametrize("name", of_papers())
def test_generated_code_on_single_blocks(name: str) -> None:
    cipher = load(name)
    for variant in ("", *cipher.variants):
        for path in sorted((kept.FOLDER / kept.folder_name(cipher, variant)).glob("ecb_v?.txt")):
            check(read_vectors(path), cipher, variant, "c")


def _pairs(*, for_processors: bool) -> list[tuple[str, str]]:
    """Return ciphers with the strategies that start from a form they have; some change nothing in them."""
    return [
        (name, strategy)
        for name in of_papers()
        for strategy in strategies.names()
        if strategies.load(strategy).for_processors == for_processors
        and not strategies.load(strategy).for_each_key  # the records do not share a key
        and strategies.load(strategy).form_for(load(name)) is not None
    ]


def _programs(cipher: Cipher, strategy: str, variant: str, sizes: Sequence[int]) -> dict[int, Program] | None:
    """Return the programs of a strategy, None where it is refused because it changes nothing."""
    try:
        return {bits: strategies.program(cipher, bits, strategy, variant) for bits in sizes}
    except UsageError as error:
        if error.code != "S032":
            raise
        return None


def _records(cipher: Cipher, variant: str) -> list[Record]:
    """Return blocks of all sets and key sizes, and the first Monte Carlo records."""
    found: list[Record] = []
    for path in sorted((kept.FOLDER / kept.folder_name(cipher, variant)).glob("*.txt")):
        if path.stem != "ecb_iv":
            found += [r for r in read_vectors(path).records if r.index in (0, 1, 64, 128)]
    return found


def _check(file: VectorFile, backend: Backend, cipher: Cipher, variant: str) -> None:
    outcome = check_file(
        file, backend, key_bits=cipher.key_bits, byte_order=cipher.nist_byte_order, threads=2
    )
    if not outcome.ok:
        pytest.fail(str(failure_error(outcome, cipher, variant, backend)))


@needs_compiler
@pytest.mark.parametrize(("name", "strategy"), _pairs(for_processors=False))
def test_every_strategy(name: str, strategy: str) -> None:
    """Each strategy's program in the evaluator and its C: blocks of all sets and key sizes, first Monte Carlo."""
    cipher = load(name)
    for variant in ("", *cipher.variants):
        programs = _programs(cipher, strategy, variant, cipher.key_bits)
        if programs is None:
            return
        records = _records(cipher, variant)
        blocks = VectorFile("single blocks", "nist", tuple(r for r in records if r.kind == "KAT"))
        everything = VectorFile("all", "nist", tuple(r for r in records if r.kind == "KAT" or r.index == 0))
        # Without optimization, for what is checked here is the C text; Twofish's longest takes minutes with it.
        code = generate(cipher, strategy=strategy, variant=variant)
        compiled = LoadedBackend(build(code, flags=("-O0", *WARNINGS)), f"c, {strategy}")
        _check(blocks, EvaluatorBackend(cipher, variant, program=programs.__getitem__), cipher, variant)
        _check(everything, compiled, cipher, variant)
        assert {record.key_bits for record in everything.records} == set(cipher.key_bits)


@pytest.mark.parametrize(("name", "strategy"), _pairs(for_processors=True))
def test_every_strategy_for_processors(name: str, strategy: str) -> None:
    """Each strategy's program in the evaluator: blocks of all sets with the shortest keys."""
    cipher = load(name)
    bits = cipher.key_bits[0]
    programs = _programs(cipher, strategy, "", [bits])
    if programs is None:
        return
    records = [r for r in _records(cipher, "") if r.kind == "KAT" and r.key_bits == bits]
    assert records
    file = VectorFile("single blocks", "nist", tuple(records))
    _check(file, EvaluatorBackend(cipher, "", program=programs.__getitem__), cipher, "")
