"""Layouts that look the S-boxes up alone, by the width of entries; the linear layer is a program of words.

The paper's section 3.2.1 (Aoki, Ueda 1999): tables of 256 bytes, words as entries, words with the byte in
each place, and tables that two bytes index, (x, y) to (s(x), s(y)), of 128 KB where entries have no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from cipherassay.layouts.checking import check
from cipherassay.layouts.layers import Layer
from cipherassay.layouts.layout import Cost, Layout, Step, Table

if TYPE_CHECKING:
    from cipherassay.linear import Program

MOST_NODES = 300_000
"""Of the search for the linear layer's program; few seconds."""
FAMILY = "S alone"
_NONE = Cost(*[0] * 8)


@dataclass(frozen=True)
class _Form:
    """How S is looked up: bytes of an index, whether entries are words, whether the bytes are in place."""

    name: str
    index: int
    are_words: bool = False
    are_placed: bool = False


_FORMS = (
    _Form("bytes", 1),
    _Form("words", 1, True),
    _Form("placed words", 1, True, True),
    _Form("pairs", 2),
    _Form("pairs in words", 2, True),
    _Form("placed pairs", 2, True, True),
)


def of_alone(layer: Layer) -> Layer:
    """Return the layer without a second one behind it, whose bytes would come from the same tables."""
    return replace(layer, second="")


def widths(layer: Layer, word_bits: int) -> list[Layout]:
    """Return a layout for each width of entries, checked; none where the matrix is not of zeros and ones.

    Each looks up S of all bytes, shifted into place where entries do not have them there, and computes the
    linear layer by the program of fewest operations on words that `linear` finds. The layer is `of_alone`.

    Raises
    ------
    VerificationError
        ``L401``, ``L402``: a layout that is wrong.
    """
    program = _program(layer, word_bits)
    if program is None:
        return []
    alone, size = of_alone(layer), word_bits // 8
    forms = [f for f in _FORMS if f.index < size or (f.index == size and not f.are_words)]
    found = [_layout(alone, program, form) for form in forms]
    for one in found:
        check(alone, one)
    return found


def _program(layer: Layer, word_bits: int) -> Program | None:
    """Return the linear layer as a program of words, bytes in any order; None where there is none."""
    from cipherassay.linear import Matrix, search
    from cipherassay.linear.machines import load

    size = word_bits // 8
    is_binary = all(factor <= 1 for row in layer.matrix for factor in row)
    if not is_binary or layer.inputs % size or layer.outputs % size:
        return None
    matrix = Matrix(layer.name, 0, layer.matrix)
    found = search(matrix, load("single-issue"), word_bits, most_nodes=MOST_NODES)
    return found.best[0].program if found.best else found.sums.program


@dataclass
class _Steps:
    """Steps so far, and the tables that they read."""

    layer: Layer
    form: _Form
    size: int
    steps: list[Step] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    units: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, kind: str, *operands: int) -> int:
        """Add a step and return its value's number."""
        self.steps.append(Step(kind, operands))
        return len(self.steps) - 1

    def word(self, columns: tuple[int, ...]) -> int:
        """Add the look-ups of a word's bytes, the least significant first; return the word."""
        word = -1
        for place in range(0, self.size, self.form.index):
            part = self._part(columns[place : place + self.form.index], place)
            word = part if word < 0 else self.add("xor", word, part)
        return word

    def _part(self, unit: tuple[int, ...], place: int) -> int:
        table = Table(tuple(self.layer.boxes[c] for c in unit), tuple(self._factors(place)))
        if table not in self.tables:
            self.tables.append(table)
        self.units.append(unit)
        value = self.add("load", self.tables.index(table), len(self.units) - 1, 0)
        return self.add("up", value, place) if place and not self.form.are_placed else value

    def _factors(self, place: int) -> Iterator[tuple[int, ...]]:
        """Yield for each byte of an entry which byte of the index it has S of."""
        first = place if self.form.are_placed else 0
        for n in range(self.size if self.form.are_words else self.form.index):
            yield tuple(int(n == first + k) for k in range(self.form.index))


def _layout(layer: Layer, program: Program, form: _Form) -> Layout:
    made = _Steps(layer, form, program.bytes)
    words = range(0, len(program.inputs), program.bytes)
    values = [made.word(program.inputs[n : n + program.bytes]) for n in words]
    for step in program.steps:
        first, *rest = step.operands
        operands = [values[n] for n in rest] if step.kind == "xor" else rest
        values.append(made.add(step.kind, values[first], *operands))
    layout = Layout(
        f"{FAMILY}, {form.name}", _NONE, False, program.word_bits, program.outputs, tuple(made.units),
        tuple(made.tables), tuple(made.steps), tuple(values[n] for n in program.results),
    )  # fmt: skip
    return replace(layout, cost=layout.counted(layer))
