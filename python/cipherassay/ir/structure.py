"""The classes of the mirror; `crates/python/src/mirror.rs` fills them, in the order of their fields.

A value is known by its name, which is unique in its function. All classes are immutable; tuples keep the
program's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from cipherassay.ir.values import Operand, Place, Type, Value

ADDRESSED = ("load", "store")
"""The kinds of operations whose `Operation.name` is the value of an array."""


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of coefficients times values, plus a constant.

    Parameters
    ----------
    terms : tuple of (int, str)
        Coefficient, not 0, and name of a value, in the order written.
    constant : int
        What is added.
    ring : bool
        As an address: taken modulo the extent of its dimension.
    """

    terms: tuple[tuple[int, str], ...]
    constant: int
    ring: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation.

    Parameters
    ----------
    results : tuple of Value
        The values that it defines.
    kind : str
        Its word in the text form: ``add``, ``rotl``, ``load``, ``rounds``, …
    operands : tuple of str or int
        What it reads, in order: values and numbers. Of a loop the initial values of what it carries; of a
        store the words stored; of ``const`` the number; of a shift the word, then the amount.
    name : str
        The table (``lookup``), matrix (``linear``), box (``bitsliced``), function (``call``), or the value of
        the array (``load``, ``store``).
    addresses : tuple of Affine
        Of a load or store one or two, of a look-up one; the sum of ``word``, ``index_div``, ``index_mod``.
    number : int
        Lowest bit of ``extract``; divisor of ``index_div`` and ``index_mod``.
    loop : Loop or None
        Of ``rounds`` and ``steps``.
    places : tuple of Place
        Where it comes from, the innermost call first.
    """

    results: tuple[Value, ...]
    kind: str
    operands: tuple[Operand, ...] = ()
    name: str = ""
    addresses: tuple[Affine, ...] = ()
    number: int = 0
    loop: Loop | None = None
    places: tuple[Place, ...] = ()

    def reads(self) -> Iterator[str]:
        """Yield the values among its operands, then those of its addresses; the array is `name`."""
        yield from (one for one in self.operands if isinstance(one, str))
        for address in self.addresses:
            yield from (value for _, value in address.terms)


@dataclass(frozen=True, slots=True)
class Body:
    """What some iterations of a loop run.

    Parameters
    ----------
    params : tuple of Value
        The number of the iteration, an index from 0, then the carried values.
    ops : tuple of Operation
        Operations, in order.
    outputs : tuple of str or int
        The next carried values.
    """

    params: tuple[Value, ...]
    ops: tuple[Operation, ...]
    outputs: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A counted loop.

    Parameters
    ----------
    counter : str
        The author's name of the counter, which is ``start + step * iteration``.
    start, step : int
        See `counter`.
    pattern : tuple of int
        For each iteration which body runs; its length is the iteration count.
    bodies : tuple of Body
        One or more.
    """

    counter: str
    start: int
    step: int
    pattern: tuple[int, ...]
    bodies: tuple[Body, ...]

    @property
    def iteration_count(self) -> int:
        """How many iterations it has."""
        return len(self.pattern)

    def iterations(self, body: int) -> list[int]:
        """Return the iterations that a body runs, ascending."""
        return [iteration for iteration, which in enumerate(self.pattern) if which == body]

    def body_at(self, iteration: int) -> Body:
        """Return the body that an iteration runs."""
        return self.bodies[self.pattern[iteration]]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Parameters
    ----------
    name : str
        Unique in the program.
    params : tuple of Value
        Words and arrays; an array is a value, the caller's copy never changes.
    results : tuple of Type
        Types of what it returns.
    ops : tuple of Operation
        Operations, in order.
    outputs : tuple of str or int
        What it returns.
    """

    name: str
    params: tuple[Value, ...]
    results: tuple[Type, ...]
    ops: tuple[Operation, ...]
    outputs: tuple[Operand, ...]

    def types(self) -> dict[str, Type]:
        """Return the type of every value, by its name."""
        found = dict(self.params)
        for op in walk(self.ops):
            found.update(op.results)
            for body in op.loop.bodies if op.loop else ():
                found.update(body.params)
        return found


@dataclass(frozen=True, slots=True)
class Table:
    """A constant table: its name, the width of an entry in bits, its entries."""

    name: str
    bits: int
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix over GF(2^n): its name, the field's polynomial with its leading bit, its rows."""

    name: str
    polynomial: int
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Box:
    """An S-box of bit-sliced words: its name, input and output bits, the value at each input."""

    name: str
    inputs: int
    outputs: int
    entries: tuple[int, ...]


_Named = TypeVar("_Named", Table, Matrix, Box, Function)


def _by_name(listed: Iterable[_Named]) -> Mapping[str, _Named]:
    return MappingProxyType({one.name: one for one in listed})


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled cipher for one key size, or any set of functions.

    Parameters
    ----------
    name : str
        Free text.
    facts : tuple of (str, str)
        Facts about it in order: ``block_bits``, ``key_bits``, …; several may have one name.
    files : tuple of str
        Source files that places refer to.
    table_list, matrix_list, box_list : tuple
        Constants, in order; `tables`, `matrices` and `boxes` have them by name.
    function_list : tuple of Function
        A function calls only functions before it; `functions` has them by name.
    """

    name: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    table_list: tuple[Table, ...] = ()
    matrix_list: tuple[Matrix, ...] = ()
    box_list: tuple[Box, ...] = ()
    function_list: tuple[Function, ...] = ()
    tables: Mapping[str, Table] = field(init=False, repr=False, compare=False)
    matrices: Mapping[str, Matrix] = field(init=False, repr=False, compare=False)
    boxes: Mapping[str, Box] = field(init=False, repr=False, compare=False)
    functions: Mapping[str, Function] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", _by_name(self.table_list))
        object.__setattr__(self, "matrices", _by_name(self.matrix_list))
        object.__setattr__(self, "boxes", _by_name(self.box_list))
        object.__setattr__(self, "functions", _by_name(self.function_list))

    def operations(self) -> Iterator[Operation]:
        """Yield every operation of every function, those of loops behind the loop."""
        for function in self.function_list:
            yield from walk(function.ops)

    def has(self, kind: str) -> bool:
        """Return whether a function has an operation of a kind."""
        return any(op.kind == kind for op in self.operations())


def walk(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations and, behind each loop, those of all its bodies."""
    for op in ops:
        yield op
        for body in op.loop.bodies if op.loop else ():
            yield from walk(body.ops)
