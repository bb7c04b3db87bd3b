"""The last words of a key schedule that is an affine recurrence: step by step, or by one GF(2) matrix.

Decryption starts with the last words of the expanded key. Unrolled, they take all steps of the recurrence one
behind the other; as every step is an exclusive or of rotated words, they are also one matrix applied to the
key, whose common sums are shared (`shared_sums`), not multiplied out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cipherassay.errors import DescriptionError, VerificationError
from cipherassay.hardware.rtl.bodies import innermost_loops
from cipherassay.ir import Body, Operation

if TYPE_CHECKING:
    from cipherassay.lang.cipher import Cipher

AFFINE = ("load", "word", "xor", "rotl", "rotr", "store")
Matrix = NDArray[np.uint8]
Sums = list[list[int]]
"""A row of signals per sum: inputs are 0 .. inputs - 1, sums follow in their order."""


@dataclass(frozen=True)
class Recurrence:
    """``w[i + window] = f(w[i], …, w[i + window - 1], i)`` with an affine `f`."""

    operations: tuple[Operation, ...]
    window: int
    iterations: int
    width: int

    def word(self, words: Sequence[int], iteration: int) -> int:
        """Return the word that an iteration adds, from all words before it."""
        values: dict[str, int] = {}
        for one in self.operations:
            operands = [values[name] for name in _words(one)] + _constants(one)
            result = one.results[0].name
            if one.kind == "load":
                values[result] = words[iteration + (_offset(one) or 0)]
            elif one.kind == "word":
                values[result] = iteration
            elif one.kind == "xor":
                values[result] = operands[0] ^ operands[1]
            elif one.kind == "store":
                return operands[0]
            else:
                by = operands[1] % self.width * (1 if one.kind == "rotl" else -1)
                values[result] = _rotated(operands[0], by % self.width, self.width)
        raise AssertionError("a recurrence stores its word")

    def last(self, words: Sequence[int]) -> list[int]:
        """Return the last words, as many as the window has."""
        found = list(words)
        for iteration in range(self.iterations):
            found.append(self.word(found, iteration))
        return found[-self.window :]


def _rotated(value: int, by: int, width: int) -> int:
    return (value << by | value >> (width - by)) & ((1 << width) - 1)


def _offset(operation: Operation) -> int | None:
    """Return how far behind the iteration's number a place is; nothing if it is another kind of place."""
    first = operation.addresses[0]
    if [factor for factor, _ in first.terms] != [1] or first.ring or first.constant < 0:
        return None
    return first.constant


def _words(operation: Operation) -> list[str]:
    return [one for one in operation.operands if isinstance(one, str)]


def _constants(operation: Operation) -> list[int]:
    return [one for one in operation.operands if isinstance(one, int)]


def recurrence(cipher: Cipher) -> Recurrence:
    """Return the affine recurrence of a cipher's key schedule.

    Raises
    ------
    DescriptionError
        ``H745``: no loop of the key schedule is one.
    """
    bits = cipher.key_bits[0]
    schedule = cipher.compile(bits).mirror().functions.get("key_schedule")
    for loop, (body, *_) in innermost_loops(schedule.ops if schedule else ()):
        if _is_affine(body):
            words = (one.type.bits for op in body.ops for one in op.results if one.type.is_word)
            return Recurrence(body.ops, _offset(body.ops[-1]) or 0, loop.iteration_count, next(words))
    raise DescriptionError(
        "H745",
        f"the key schedule of {cipher.name} has no affine recurrence",
        notes=[
            "needed: a loop that stores one word an iteration, exclusive ors and rotations of earlier words"
        ],
    )


def _is_affine(body: Body) -> bool:
    stores = [one for one in body.ops if one.kind == "store"]
    if len(stores) != 1 or stores[0] is not body.ops[-1] or any(op.kind not in AFFINE for op in body.ops):
        return False
    last = _offset(stores[0])
    loads = [_offset(one) for one in body.ops if one.kind == "load"]
    return last is not None and all(one is not None and one < last for one in loads)


def matrix(of: Recurrence) -> tuple[Matrix, Matrix]:
    """Return the matrix from the first words' bits to the last words' bits, and the constant it adds.

    Bit 0 of word 0 comes first.
    """
    size = of.window * of.width
    constant = _bits(of.last([0] * of.window), of.width)
    columns = []
    for n in range(size):
        words = [0] * of.window
        words[n // of.width] = 1 << n % of.width
        columns.append(_bits(of.last(words), of.width) ^ constant)
    return np.array(columns, dtype=np.uint8).T, constant


def _bits(words: Sequence[int], width: int) -> Matrix:
    return np.array([word >> n & 1 for word in words for n in range(width)], dtype=np.uint8)


def shared_sums(table: Matrix) -> tuple[Sums, Sums]:
    """Return sums of two signals that several rows share, and what each row adds up then.

    The pair that most rows have in common is shared first (Paar), until no two rows have a pair in common;
    of equal pairs the first.
    """
    rows, inputs = table.shape
    room = inputs + int(table.sum())
    left = np.zeros((rows, room), dtype=np.float32)
    left[:, :inputs] = table
    pairs = np.zeros((room, room), dtype=np.float32)
    pairs[:inputs, :inputs] = np.triu(left[:, :inputs].T @ left[:, :inputs], 1)
    sums: Sums = []
    count = inputs
    while True:
        flat = int(pairs[:count, :count].argmax())
        a, b = divmod(flat, count)
        if pairs[a, b] < 2:
            break
        both = left[:, a] * left[:, b]
        left[:, a] -= both
        left[:, b] -= both
        left[:, count] = both
        sums.append([a, b])
        count += 1
        for one in (a, b, count - 1):
            common = left[:, one] @ left[:, :count]
            pairs[one, one + 1 : count] = common[one + 1 :]
            pairs[:one, one] = common[:one]
    return sums, [[int(n) for n in np.flatnonzero(row)] for row in left[:, :count]]


def check(table: Matrix, sums: Sums, rows: Sums) -> None:
    """Check that sums and rows multiply out to a matrix; raises VerificationError ``H746``."""
    inputs = table.shape[1]
    signals = np.zeros((inputs + len(sums), inputs), dtype=np.uint8)
    signals[:inputs] = np.eye(inputs, dtype=np.uint8)
    for n, (a, b) in enumerate(sums):
        signals[inputs + n] = signals[a] ^ signals[b]
    found = [np.bitwise_xor.reduce(signals[row], axis=0, initial=0) for row in rows]
    wrong = [n for n, row in enumerate(found) if not np.array_equal(row, table[n])]
    if wrong or len(rows) != len(table):
        where = wrong[0] if wrong else min(len(rows), len(table))
        raise VerificationError("H746", f"the shared sums do not multiply out to the matrix: row {where}")


def xors(sums: Sums, rows: Sums) -> int:
    """Return how many exclusive ors of two signals there are."""
    return len(sums) + sum(max(0, len(row) - 1) for row in rows)


def unrolled_verilog(of: Recurrence, name: str) -> str:
    """Return a module that computes the last words step by step."""
    high = of.window * of.width - 1
    lines = [f"module {name} (input [{high}:0] key, output [{high}:0] last);"]
    wire = f"    wire [{of.width - 1}:0]"
    places = [(n * of.width + of.width - 1, n * of.width) for n in range(of.window)]
    lines += [f"{wire} w{n} = key[{top}:{bottom}];" for n, (top, bottom) in enumerate(places)]
    lines += [f"{wire} w{iteration + of.window};" for iteration in range(of.iterations)]
    for iteration in range(of.iterations):
        lines += _step(of, iteration)
    words = ", ".join(f"w{of.iterations + n}" for n in reversed(range(of.window)))
    return "\n".join([*lines, f"    assign last = {{{words}}};", "endmodule", ""])


def _step(of: Recurrence, iteration: int) -> list[str]:
    values: dict[str, str] = {}
    lines: list[str] = []
    for one in of.operations:
        operands, result = [values[name] for name in _words(one)], one.results[0].name
        if one.kind == "load":
            values[result] = f"w{iteration + (_offset(one) or 0)}"
        elif one.kind == "word":
            values[result] = f"{of.width}'d{iteration}"
        elif one.kind == "xor":
            operands += [f"{of.width}'d{value}" for value in _constants(one)]
            values[result] = f"{operands[0]} ^ {operands[1]}"
        elif one.kind == "store":
            lines.append(f"    assign w{iteration + of.window} = {operands[0]};")
        else:
            (by,) = _constants(one)
            left = by % of.width if one.kind == "rotl" else -by % of.width
            wire = f"t{iteration}_{len(lines)}"
            lines.append(f"    wire [{of.width - 1}:0] {wire} = {operands[0]};")
            cut = of.width - left
            values[result] = f"{{{wire}[{cut - 1}:0], {wire}[{of.width - 1}:{cut}]}}"
    return lines


def single_step_verilog(sums: Sums, rows: Sums, constant: Sequence[int], inputs: int, name: str) -> str:
    """Return a module that computes the last words by shared sums."""
    signals = [f"key[{n}]" for n in range(inputs)] + [f"sum{n}" for n in range(len(sums))]
    lines = [f"module {name} (input [{inputs - 1}:0] key, output [{len(rows) - 1}:0] last);"]
    lines += [f"    wire sum{n} = {signals[a]} ^ {signals[b]};" for n, (a, b) in enumerate(sums)]
    words = [
        f"{'~' if constant[n] else ''}{_balanced([signals[one] for one in row]) if row else '0'}"
        for n, row in enumerate(rows)
    ]
    lines += [f"    wire row{n} = {word};" for n, word in enumerate(words)]
    names = ", ".join(f"row{n}" for n in reversed(range(len(rows))))
    return "\n".join([*lines, f"    assign last = {{{names}}};", "endmodule", ""])


def _balanced(terms: Sequence[str]) -> str:
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"({_balanced(terms[:half])} ^ {_balanced(terms[half:])})"


def document(of: Recurrence) -> dict[str, Any]:
    """Return the shared sums of a recurrence's matrix, checked: what is worth keeping."""
    table, _ = matrix(of)
    sums, rows = shared_sums(table)
    check(table, sums, rows)
    return {"window": of.window, "width": of.width, "sums": sums, "rows": rows}
