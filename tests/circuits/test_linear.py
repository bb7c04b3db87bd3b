"""XOR programs of GF(2) matrices: what is found multiplies out, keeps its depth, and bad input is refused."""

from __future__ import annotations

import numpy as np
import pytest

from cipherassay.circuits.linear import XorProgram, minimize
from cipherassay.errors import DescriptionError

E2_P = ["234567", "134678", "124578", "123568", "12456", "12367", "23478", "13458"]


def e2_matrix() -> np.ndarray:
    return np.array([[int(str(k + 1) in row) for k in range(8)] for row in E2_P], dtype=np.uint8)


def test_e2_permutation_needs_no_more_than_its_word_method() -> None:
    # The designers' word method: four additions of half-blocks of four bytes, sixteen byte additions.
    program = minimize(e2_matrix())
    assert program.xors <= 16
    assert np.array_equal(program.matrix(), e2_matrix())


def test_depth_and_arrival_are_kept() -> None:
    program = minimize(e2_matrix(), depth=3)
    assert program.depth() <= 3
    late = [0, 0, 0, 0, 0, 0, 0, 2]
    assert minimize(e2_matrix(), arrival=late, depth=4).depth(late) <= 4


def test_zero_rows_and_copies_cost_nothing() -> None:
    program = minimize([[0, 0, 0], [0, 1, 0], [0, 1, 0]])
    assert program == XorProgram(3, (), (None, 1, 1))


def test_same_seed_same_program() -> None:
    matrix = np.random.default_rng(4).integers(0, 2, (12, 24))
    options = {"starts": 2, "patience": 500}
    assert minimize(matrix, **options) == minimize(matrix, **options)


def test_bad_input_is_refused() -> None:
    with pytest.raises(DescriptionError) as error:
        minimize([[1, 1, 1, 1, 1]], depth=2)
    assert error.value.message == "output 0 cannot be there at level 2"
    with pytest.raises(DescriptionError) as error:
        minimize([[0, 2]])
    assert error.value.message == "a matrix over GF(2) has rows of zeros and ones, all of one length"
    with pytest.raises(DescriptionError) as error:
        minimize([[1, 1]], arrival=[1])
    assert error.value.message == "`arrival` has 1 levels for 2 wires"
