"""Arithmetic in GF(2^n) on plain numbers, and matrices over it that work on words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .place import complain, target_names
from .vec import vec
from .word import Word, apply, as_word


class GF:
    """The field of polynomials over GF(2) modulo ``polynomial`` (with its leading bit: 0x11B), of degree 1 to
    16."""

    def __init__(self, polynomial: int) -> None:
        self.polynomial = polynomial
        self.degree = polynomial.bit_length() - 1
        if not 1 <= self.degree <= 16:
            raise complain("D030", f"a field of degree {self.degree}", help="degrees from 1 to 16 are known")

    def mul(self, a: int, b: int) -> int:
        """Multiply two elements, given as numbers below 2^n."""
        if not (0 <= a >> self.degree < 1 and 0 <= b >> self.degree < 1):
            size = 1 << self.degree
            raise complain(
                "D031", f"{a} times {b} in a field of {size} elements", help=f"elements run to {size - 1}"
            )
        product = 0
        while b:
            if b & 1:
                product ^= a
            a <<= 1
            if a >> self.degree:
                a ^= self.polynomial
            b >>= 1
        return product

    def pow(self, a: int, exponent: int) -> int:
        """Raise ``a`` to a power of 0 or more; 0 to the power 0 is 1."""
        result = 1
        while exponent:
            if exponent & 1:
                result = self.mul(result, a)
            a = self.mul(a, a)
            exponent >>= 1
        return result

    def inv(self, a: int) -> int:
        """Return the inverse of ``a``, and 0 for 0."""
        return self.pow(a, (1 << self.degree) - 2)

    def matrix(self, rows: Sequence[Sequence[int]]) -> Matrix:
        """Return the matrix with these rows."""
        return Matrix(self, rows)

    def circulant(self, row: Sequence[int]) -> Matrix:
        """Return the circulant matrix with this first row; each further row is one place to the right."""
        n = len(row)
        return Matrix(self, [[row[(j - i) % n] for j in range(n)] for i in range(n)])


class Matrix:
    """A matrix over a field; ``M @ v`` multiplies it by a column vector of words."""

    def __init__(self, field: GF, rows: Sequence[Sequence[int]]) -> None:
        self.field = field
        self.rows = [list(row) for row in rows]
        self.name = (target_names() or ["M"])[0]
        size = 1 << field.degree
        if len({len(row) for row in self.rows}) != 1 or any(
            not 0 <= x < size for row in self.rows for x in row
        ):
            raise complain(
                "D090", f"the rows of a matrix must be of one length, with entries from 0 to {size - 1}"
            )

    def __matmul__(self, vector: Iterable[Word | int]) -> vec:
        """Multiply by a column vector: as many words as the matrix has columns, each as wide as the field."""
        words = [as_word(x, self.field.degree) for x in vector]
        if len(words) != len(self.rows[0]):
            raise complain(
                "D032", f"the matrix has {len(self.rows[0])} columns, the vector {len(words)} words"
            )
        return vec(*apply("linear", words, [self.field.degree] * len(self.rows), self))

    def columns(self, vector: Sequence[Word]) -> vec:
        """Multiply each group of as many words as the matrix has columns: a state held column by column."""
        n = len(self.rows[0])
        if len(vector) % n:
            raise complain("D093", f"{len(vector)} words are not a number of whole columns of {n}")
        return vec(*(y for k in range(0, len(vector), n) for y in self @ vector[k : k + n]))

    def column(self, j: int, y: Word) -> vec:
        """Return column ``j`` times the word ``y``: the product with a vector that is 0 elsewhere."""
        return self @ [y if k == j else 0 for k in range(len(self.rows[0]))]

    @property
    def inverse(self) -> Matrix:
        """The inverse matrix, by Gauss-Jordan elimination; an error (D034) if there is none."""
        n, field = len(self.rows), self.field
        work = [[*row, *(int(i == j) for j in range(n))] for i, row in enumerate(self.rows)]
        for c in range(n if n == len(self.rows[0]) else 0):
            pivot = next((i for i in range(c, n) if work[i][c]), None)
            if pivot is None:
                break
            work[c], work[pivot] = work[pivot], work[c]
            scale = field.inv(work[c][c])
            work[c] = [field.mul(scale, x) for x in work[c]]
            for i in range(n):
                if i != c:
                    factor = work[i][c]
                    work[i] = [x ^ field.mul(factor, y) for x, y in zip(work[i], work[c], strict=True)]
        else:
            if n == len(self.rows[0]):
                made = Matrix(field, [row[n:] for row in work])
                made.name = f"{self.name}_inverse"
                return made
        raise complain("D095", f"matrix `{self.name}` has no inverse")

    def times(self, values: Sequence[int]) -> list[int]:
        """Multiply by a vector of plain numbers."""
        result = []
        for row in self.rows:
            total = 0
            for a, x in zip(row, values, strict=True):
                total ^= self.field.mul(a, x)
            result.append(total)
        return result


def xor_matrix(rows: Sequence[str | Iterable[int]], width: int = 8) -> Matrix:
    """Return the matrix of zeros and ones whose row i names the inputs (from 1) that output i is the XOR of.

    Parameters
    ----------
    rows : sequence
        As many rows as there are inputs, each the numbers of inputs: a list (``[1, 12]``), a text of numbers
        with spaces between (``"1 12"``) or, up to nine inputs, of digits (``"134"``).
    width : int
        Of the words, in bits: 1, 4, 8 or 16.

    Raises
    ------
    DescriptionError
        D030: another width. D031: a row that names no input, one twice, or that can be read in two ways.
    """
    polynomial = {1: 0b11, 4: 0x13, 8: 0x11B, 16: 0x1002B}.get(width)
    if polynomial is None:
        raise complain(
            "D089", f"an XOR matrix over words of {width} bits", help="widths 1, 4, 8 and 16 are known"
        )
    inputs = [_inputs(row, len(rows)) for row in rows]
    return Matrix(GF(polynomial), [[int(j in row) for j in range(1, len(rows) + 1)] for row in inputs])


def _inputs(row: Any, count: int) -> list[int]:
    """Return the numbers of a row of an XOR matrix with `count` inputs."""
    if isinstance(row, str) and len(row.split()) == 1 and len(row.strip()) > 1 and count > 9:
        raise complain(
            "D091",
            f"the row `{row}` of an XOR matrix with {count} inputs can be read in two ways",
            help="from ten inputs on give lists of numbers, `[1, 12]`, or put spaces between: `1 12`",
        )
    parts = row if not isinstance(row, str) else row.split() if len(row.split()) > 1 else row.strip()
    try:
        numbers = [int(part) for part in parts]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or len(set(numbers)) < len(numbers) or not all(1 <= n <= count for n in numbers):
        raise complain(
            "D092",
            f"{row!r} is no row of an XOR matrix with {count} inputs",
            help=f"a row names inputs from 1 to {count}, each once: `[1, {count}]`",
        )
    return numbers
