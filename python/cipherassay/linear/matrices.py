"""Matrices of bytes: of a cipher's program, or from a file.

A file is TOML: ``field``, 2 (the default) or a polynomial of degree 8 such as ``0x11b``; ``rows``, lists of
factors; for zeros and ones also strings (``"01111110"``) or, with ``sums = true``, the numbers of the inputs
that are added (``"234567"``).
"""

from __future__ import annotations

import importlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherassay._engine import Program
from cipherassay.errors import DescriptionError, Place, UsageError, nearest

_engine: Any = importlib.import_module("cipherassay._engine")

MOST = 64
"""Most rows and columns."""
MOST_OF_FIELD = 8
"""Most columns of a matrix over GF(2^8) that is searched."""
_FIELDS = {"field", "rows", "sums", "title", "source"}


@dataclass(frozen=True)
class Matrix:
    """Result byte `i` is the sum over `j` of ``rows[i][j] * x[j]``.

    Attributes
    ----------
    name, function : str
        Its name, and the function of a program that it stands in; empty for a file's.
    polynomial : int
        Of GF(2^8), with its leading bit; 0 where all factors are 0 or 1.
    """

    name: str
    polynomial: int
    rows: tuple[tuple[int, ...], ...]
    function: str = ""

    @property
    def columns(self) -> int:
        """Bytes that go in."""
        return len(self.rows[0])

    @property
    def is_binary(self) -> bool:
        """Whether all factors are 0 or 1."""
        return self.polynomial == 0

    @property
    def is_searched(self) -> bool:
        """Whether its columns are few enough for programs of words."""
        return self.columns <= (MOST if self.is_binary else MOST_OF_FIELD)

    def compute(self, x: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the plain meaning: results, shape (n, rows), of inputs, shape (n, columns)."""
        result = np.zeros((len(x), len(self.rows)), np.uint8)
        for i, row in enumerate(self.rows):
            for j, factor in enumerate(row):
                result[:, i] ^= _times(factor, x[:, j], self.polynomial)
        return result

    def inverse(self) -> Matrix:
        """Return the inverse matrix, by elimination.

        Raises
        ------
        DescriptionError
            ``L203``: it is not square; ``L204``: it is singular, with the row that depends on those before.
        """
        n = len(self.rows)
        if n != self.columns:
            raise DescriptionError(
                "L203",
                f"matrix `{self.name}` has {n} rows and {self.columns} columns, so it has no inverse",
            )
        work: list[list[int]] = []
        for number, row in enumerate(self.rows):
            rest = self._reduced([*row, *(int(k == number) for k in range(n))], work)
            pivot = next((c for c in range(n) if rest[c]), None)
            if pivot is None:
                used = [str(k + 1) for k in range(number) if rest[n + k]]
                raise DescriptionError(
                    "L204",
                    f"matrix `{self.name}` is singular, so it has no inverse",
                    notes=[f"row {number + 1} is a combination of rows {', '.join(used)}"]
                    if used
                    else [f"row {number + 1} is zero"],
                )
            scale = self._inverse_of(rest[pivot])
            work.append([self._multiplied(scale, value) for value in rest])
        ordered = sorted(range(n), key=lambda k: next(c for c in range(n) if work[k][c]))
        for k in reversed(range(n)):
            others = [work[i] for i in ordered[k + 1 :]]
            work[ordered[k]] = self._reduced(work[ordered[k]], others)
        return Matrix(f"{self.name} inverse", self.polynomial, tuple(tuple(work[k][n:]) for k in ordered))

    def _reduced(self, row: list[int], by: list[list[int]]) -> list[int]:
        """Return a row less what makes it zero where the others begin."""
        for other in sorted(by, key=lambda o: next(c for c, value in enumerate(o) if value)):
            factor = row[next(c for c, value in enumerate(other) if value)]
            row = [a ^ self._multiplied(factor, b) for a, b in zip(row, other, strict=True)]
        return row

    def _multiplied(self, a: int, b: int) -> int:
        return int(_times(a, np.array([b], np.uint8), self.polynomial)[0])

    def _inverse_of(self, a: int) -> int:
        power = 1
        for _ in range(254 if self.polynomial else 0):
            power = self._multiplied(power, a)
        return power


def _times(factor: int, byte: NDArray[np.uint8], polynomial: int) -> NDArray[np.uint8]:
    """Return products, bit by bit of the factor."""
    power: NDArray[Any] = byte.astype(np.uint16)
    total = np.zeros(len(byte), np.uint16)
    for bit in range(factor.bit_length()):
        if factor >> bit & 1:
            total ^= power
        power = power << 1
        power ^= np.where(power & 0x100, polynomial, 0).astype(np.uint16)
    return total.astype(np.uint8)


def of_cipher(program: Program, function: str = "encrypt") -> list[Matrix]:
    """Return the matrices of bytes of a function and of what it calls, each once, in the program's order.

    Raises
    ------
    UsageError
        ``L206``: no such function.
    """
    known = [one["name"] for one in program.functions()]
    if function not in known:
        raise UsageError(
            "L206", f"{program.name} has no function `{function}`", help=nearest(function, known)
        )
    found = []
    for entry in json.loads(_engine.linear_layers(program, function)):
        binary = all(factor < 2 for row in entry["rows"] for factor in row)
        rows = tuple(map(tuple, entry["rows"]))
        found.append(Matrix(entry["matrix"], 0 if binary else entry["polynomial"], rows, entry["function"]))
    return found


def read(path: Path) -> Matrix:
    """Read a matrix file; the module says what it holds.

    Raises
    ------
    DescriptionError
        ``L201``: it cannot be read; ``L212`` to ``L214``: a field, ``L202``, ``L215`` to ``L218``: a row
        or a factor that cannot be.
    """
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise DescriptionError("L201", f"{path.name} cannot be read: {error}") from None
    place = [Place(str(path))]
    for name in sorted(fields.keys() - _FIELDS):
        raise DescriptionError(
            "L212", f"a matrix has no field `{name}`", places=place, help=nearest(name, _FIELDS)
        )
    field, given = fields.get("field", 2), fields.get("rows")
    if field != 2 and not (isinstance(field, int) and 0x100 < field < 0x200):
        raise DescriptionError(
            "L213", f"the field cannot be {field!r}", places=place, help="2, or a polynomial such as 0x11b"
        )
    if not isinstance(given, list) or not 0 < len(given) <= MOST:
        raise DescriptionError("L214", f"`rows` has to be a list of 1 to {MOST} rows", places=place)
    rows = [_row(row, n, bool(fields.get("sums")), len(given), place) for n, row in enumerate(given)]
    for n, row in enumerate(rows):
        if len(row) != len(rows[0]) or not 0 < len(row) <= MOST:
            message = f"row {n + 1} has {len(row)} columns, row 1 has {len(rows[0])}"
            raise DescriptionError("L215", message, places=place)
        for column, factor in enumerate(row):
            _check_factor(factor, n, column, 2 if field == 2 else 256, place)
        if not any(row):
            raise DescriptionError("L216", f"row {n + 1} is zero: there is nothing to compute", places=place)
    polynomial = field if any(factor > 1 for row in rows for factor in row) else 0
    return Matrix(path.stem, polynomial, tuple(map(tuple, rows)))


def _row(row: Any, number: int, is_sum: bool, columns: int, place: list[Place]) -> list[Any]:
    if isinstance(row, list):
        return row
    if not isinstance(row, str) or not row.isdigit():
        raise DescriptionError("L202", f"row {number + 1} is no list and no string of digits", places=place)
    if not is_sum:
        return [int(digit) for digit in row]
    inputs = [int(digit) for digit in row]
    for digit in inputs:
        if not 1 <= digit <= columns:
            message = f"row {number + 1} adds input {digit}; there are inputs 1 to {columns}"
            raise DescriptionError("L217", message, places=place)
    return [int(n in inputs) for n in range(1, columns + 1)]


def _check_factor(factor: Any, row: int, column: int, size: int, place: list[Place]) -> None:
    if not isinstance(factor, int) or not 0 <= factor < size:
        raise DescriptionError(
            "L218",
            f"row {row + 1}, column {column + 1}: the factor cannot be {factor!r}",
            places=place,
            notes=[f"expected: 0 to {size - 1}"],
        )
