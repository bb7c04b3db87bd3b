"""Known answers of single blocks for the drivers of emitted code, of any cipher."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cipherassay.ciphers import argument, load
from cipherassay.errors import DescriptionError
from cipherassay.vectors import EvaluatorBackend
from cipherassay.vectors.kept import find_answers
from cipherassay.vectors.single_blocks import Block, single_blocks
from support.places import EXAMPLES


def agrees(cipher: str | Path, block: Block) -> bool:
    """Whether the reference evaluator makes the ciphertext."""
    backend = EvaluatorBackend(load(cipher))
    return backend.run("encrypt", backend.keys(block.key, "encrypt"), block.plaintext) == block.ciphertext


def test_sets_are_taken_in_turn() -> None:
    """Variable keys have a plaintext of zeros, variable texts a key of zeros, tables neither."""
    found = single_blocks(load("rijndael"), 192, count=6)
    shapes = [(any(key), any(plaintext)) for key, plaintext, _, _ in found]
    assert shapes == [(True, True), (True, False), (False, True)] * 2
    assert all(agrees("rijndael", block) for block in found)


def test_answers_beside_the_file_come_first_and_others_are_computed() -> None:
    present = EXAMPLES / "present.py"
    printed = single_blocks(load(present), 80)
    assert printed[0] == (bytes(10), bytes(8), bytes.fromhex("5579C1387B228445"), b"")
    assert len(printed) == 4
    made = single_blocks(load(present), 128, count=5)
    assert len({block.key for block in made}) == 5
    assert all(agrees(present, block) for block in made)


def test_one_key() -> None:
    key = bytes(range(16))
    found = single_blocks(load("rc6"), 128, key=key, count=3)
    assert [block.key for block in found] == [key] * 3
    assert all(agrees("rc6", block) for block in found)


def test_a_user_s_file_has_not_the_project_s_vectors(tmp_path: Path) -> None:
    path = tmp_path / "rc6.py"
    path.write_text(Path(load("rc6").file).read_text().replace("rounds(1, r + 1)", "rounds(1, 3)"))
    found = single_blocks(load(path), 128, count=2)
    assert all(agrees(path, block) for block in found)
    assert (argument(load(path)), argument(load("rc6"))) == (str(path), "rc6")


def test_broken_answers_beside_a_file_are_named(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "speck.py", tmp_path)
    (tmp_path / "speck.kat.txt").write_text("T=KAT SET=x KS=128 I=1 KEY=00 PT=00 CT=00\n")
    with pytest.raises(DescriptionError) as caught:
        single_blocks(load(tmp_path / "speck.py"), 128)
    assert caught.value.places[0].line == 1


def test_answers_of_another_file_whose_name_begins_alike_are_not_taken(tmp_path: Path) -> None:
    """``present2.kat.txt`` is that of ``present2.py`` where that lies there, not that of ``present.py``."""
    for name in ("present", "present2"):
        shutil.copy(EXAMPLES / "present.py", tmp_path / f"{name}.py")
    for name in ("present_more", "present2"):
        shutil.copy(EXAMPLES / "present.kat.txt", tmp_path / f"{name}.kat.txt")
    file = tmp_path / "present.py"
    found = find_answers(file, load(file))
    assert [path.name for path, _ in found] == ["present_more.kat.txt"]
