"""Random descriptions: what plain numbers say of them, their programs and all levels compute."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from cipherassay.ciphers import load
from cipherassay.jobs import executor
from support.fuzzing.descriptions import CIPHER, FUNCTION, PERMUTATION, random_description
from support.fuzzing.running import disagreement, run


@pytest.mark.parametrize("seed", range(24))
def test_the_description_and_its_program_agree_with_plain_numbers(seed: int, tmp_path: Path) -> None:
    description = random_description(seed)
    assert disagreement(description, load(str(description.write(tmp_path)))) == ""


def test_the_shapes_differ() -> None:
    found = [random_description(seed) for seed in range(60)]
    assert {one.kind for one in found} == {CIPHER, PERMUTATION, FUNCTION}
    assert {one.width for one in found} >= {4, 8, 16, 24, 32, 48, 64}
    assert len({one.block_bits for one in found}) > 10
    assert sum(one.tweak_words > 0 for one in found) > 10


def test_the_same_seed_gives_the_same_text() -> None:
    assert random_description(5).text() == random_description(5).text()


def test_a_wrong_step_is_found(tmp_path: Path) -> None:
    """Where plain numbers do another thing than the text, the first block says so."""
    description = random_description(1)
    wrong = replace(description, rounds=description.rounds - 1)
    path = wrong.write(tmp_path)
    path.write_text(description.text())
    assert disagreement(description, load(str(path))).startswith("encrypt of ")


def test_levels_are_counted_and_a_failure_names_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERASSAY_CACHE", str(tmp_path / "cache"))
    with executor() as place:
        *_, found = run(islice(iter(range(2)), 2), 0, place, tmp_path, ["c", "mckinley"])
    assert [line.split()[:2] for line in found.lines()] == [
        ["plain", "numbers"], ["c", "2"], ["mckinley", "2"],
    ]  # fmt: skip
    assert found.failures == []
