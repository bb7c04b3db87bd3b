"""What makes a program count: it computes the matrix. No code of the search is used."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import VerificationError
from cipherassay.linear.emitting import function_name, source
from cipherassay.linear.matrices import Matrix
from cipherassay.linear.program import Program
from cipherassay.tools.compiler import build_shared_library

RANDOM_INPUTS = 4096


def inputs(matrix: Matrix) -> NDArray[np.uint8]:
    """Return every bit of every byte alone, a basis of all inputs, then random ones, always the same."""
    basis = np.zeros((8 * matrix.columns, matrix.columns), np.uint8)
    for n in range(len(basis)):
        basis[n, n // 8] = 1 << (n % 8)
    random = np.random.default_rng(1).integers(0, 256, (RANDOM_INPUTS, matrix.columns), np.uint8)
    return np.concatenate([basis, random])


def check(matrix: Matrix, program: Program) -> None:
    """Evaluate a program against the matrix's plain meaning.

    Raises
    ------
    VerificationError
        ``L411``: another result; ``L412``: bytes that do not lie in exactly one place each.
    """
    for name, order, count in (
        ("input", program.inputs, matrix.columns),
        ("output", program.outputs, len(matrix.rows)),
    ):
        if sorted(order) != list(range(count)):
            raise VerificationError(
                "L412", f"the {name} order of the program for `{matrix.name}` is no permutation"
            )
    x = inputs(matrix)
    _compare(matrix, x, program.evaluate(x), "evaluated")


def check_compiled(matrix: Matrix, programs: Sequence[Program], names: Sequence[str]) -> None:
    """Compile the C of programs and compare what it computes with the matrix.

    Raises
    ------
    ToolError
        ``N002`` to ``N004``: there is no compiler, or it fails.
    VerificationError
        ``L411``: another result.
    """
    sources = {f"{name}.c": source(matrix, one, name) for name, one in zip(names, programs, strict=True)}
    library = ctypes.CDLL(str(build_shared_library("linear", sources)))
    x = np.ascontiguousarray(inputs(matrix))
    for name in names:
        function = getattr(library, function_name(name))
        y = np.zeros((len(x), len(matrix.rows)), np.uint8)
        for given, result in zip(x, y, strict=True):
            function(given.ctypes.data_as(ctypes.c_void_p), result.ctypes.data_as(ctypes.c_void_p))
        _compare(matrix, x, y, "compiled")


def _compare(matrix: Matrix, x: NDArray[np.uint8], found: NDArray[np.uint8], how: str) -> None:
    wrong = np.argwhere(found != matrix.compute(x))
    if len(wrong):
        n, byte = (int(number) for number in wrong[0])
        raise VerificationError(
            "L411",
            f"the program for `{matrix.name}`, {how}, differs from the matrix in byte {byte + 1}",
            notes=[
                f"input {x[n].tobytes().hex()}",
                f"expected {matrix.compute(x[n : n + 1]).tobytes().hex()}",
            ]
            + [f"found {found[n].tobytes().hex()}"],
        )
