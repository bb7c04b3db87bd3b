"""Arrays of words (round keys, key-dependent tables), ring buffers and constant tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .counter import Counter
from .place import complain, target_names
from .trace import Address, Op, current, record
from .value import ArrayType, Value
from .vec import vec, words_of
from .word import Word, apply, as_word, describe
from .word_types import WordType


class Array:
    """A fixed-size array of words, of one dimension or of rows; made by :func:`array` and :func:`ring`.

    A plain run holds the words in ``cells`` (None: not yet written), a trace the array's value in ``node``.
    """

    def __init__(
        self,
        type_: ArrayType,
        *,
        origin: int = 0,
        wrap: bool = False,
        read_only: bool = False,
        name: str = "",
    ) -> None:
        self.type, self.origin, self.wrap, self.read_only, self.name = type_, origin, wrap, read_only, name
        self.cells: list[Word | None] | None = None
        self.node: Value | None = None

    def __len__(self) -> int:
        return self.type.dims[0]

    def __repr__(self) -> str:
        return f"array {self.name or '?'}: {self.type}"

    def __iter__(self) -> Any:
        return iter([self[i + self.origin] for i in range(len(self))])

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _joined(self[i] for i in self._slice(key))
        parts = key if isinstance(key, tuple) else (key,)
        for n, part in enumerate(parts):
            if isinstance(part, slice):
                return _joined(self[(*parts[:n], i, *parts[n + 1 :])] for i in self._slice(part, n))
        words = self._load(parts)
        return words[0] if len(parts) == len(self.type.dims) else vec(*words)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.read_only:
            raise complain(
                "D017", f"`{self.name}` is a parameter, and only read", help="make a new array and return it"
            )
        parts = key if isinstance(key, tuple) else (key,)
        for n, part in enumerate(parts):
            if isinstance(part, slice):
                self._store_slice(parts, n, value)
                return
        expected = 1 if len(parts) == len(self.type.dims) else self.type.dims[1]
        words = words_of(value if isinstance(value, list | tuple) else [value], self.type.width)
        if len(words) != expected:
            raise complain(
                "D073",
                f"{len(words)} words are stored where {expected} fit",
                help=f"`{self.name}` is {self.type}",
            )
        self._store(parts, words)

    def _store_slice(self, parts: tuple[Any, ...], n: int, value: Any) -> None:
        indices = self._slice(parts[n], n)
        size = 1 if len(parts) == len(self.type.dims) else self.type.dims[1]
        words = words_of(value, self.type.width)
        if len(words) != len(indices) * size:
            raise complain(
                "D019",
                f"{len(words)} words do not fit a slice of {len(indices) * size}",
                help="an array keeps its length",
            )
        for k, i in enumerate(indices):
            self._store((*parts[:n], i, *parts[n + 1 :]), words[k * size : (k + 1) * size])

    def _slice(self, key: slice, dimension: int = 0) -> list[Any]:
        """Return the indices of a slice; its ends may be counters, its length must be constant."""
        origin, extent = (self.origin, len(self)) if dimension == 0 else (0, self.type.dims[1])
        start = origin if key.start is None else key.start
        stop = origin + extent if key.stop is None else key.stop
        length = stop - start
        if isinstance(length, Counter):
            length = length.number
        if not isinstance(length, int) or key.step not in (None, 1):
            raise complain(
                "D074",
                "a slice whose length is not constant",
                help="both ends must move together, in steps of one",
            )
        return [start + k for k in range(max(length, 0))]

    def _addresses(self, parts: tuple[Any, ...]) -> tuple[list[Address], list[Word]]:
        if len(parts) > len(self.type.dims):
            raise complain("D052", f"{len(parts)} indices for `{self.name}`, which is {self.type}")
        addresses, words = [], []
        for n, part in enumerate(parts):
            origin = self.origin if n == 0 else 0
            wrap = self.wrap and n == 0
            addresses.append(address(part, self.type.dims[n], origin, wrap, self.name or "the array"))
            if addresses[-1].dynamic:
                words.append(part)
        return addresses, words

    def _cells(self, parts: tuple[Any, ...]) -> range:
        addresses, words = self._addresses(parts)
        moving = iter(words)
        flat = 0
        for n, a in enumerate(addresses):
            index = (
                a.constant
                + (a.counter.constant if a.counter else 0)
                + ((next(moving).value or 0) if a.dynamic else 0)
            )
            flat = flat * self.type.dims[n] + (index % self.type.dims[n] if a.ring else index)
        rest = 1
        for extent in list(self.type.dims)[len(parts) :]:
            rest *= extent
        return range(flat * rest, (flat + 1) * rest)

    def _load(self, parts: tuple[Any, ...]) -> list[Word]:
        width = self.type.width
        if self.cells is not None:
            found = [self.cells[k] for k in self._cells(parts)]
            if any(w is None for w in found):
                raise complain(
                    "D012",
                    f"an entry of `{self.name}` is read before it is written",
                    help="write every entry before it is read",
                )
            return [w for w in found if w is not None]
        addresses, words = self._addresses(parts)
        count = 1 if len(parts) == len(self.type.dims) else self.type.dims[1]
        results = [Value(width, name) for name in (target_names(count) or [""] * count)]
        record(Op("load", [self.node, *words], list(results), addresses))
        return [Word(width, node=value) for value in results]

    def _store(self, parts: tuple[Any, ...], words: Sequence[Word]) -> None:
        if self.cells is not None:
            for k, w in zip(self._cells(parts), words, strict=True):
                self.cells[k] = w
            return
        addresses, moving = self._addresses(parts)
        result = Value(self.type, self.name)
        record(Op("store", [self.node, *moving, *words], [result], addresses))
        self.node = result


def address(key: Any, extent: int, origin: int, wrap: bool, name: str) -> Address:
    """Return the address for an index, checked against the extent unless it wraps around.

    Raises
    ------
    DescriptionError
        D005: out of range for some iteration, or for some value of a word. D002: no index at all.
    """
    if isinstance(key, Word) and not (key.known and key.value is not None):
        low, high = -origin, (1 << key.width) - 1 - origin
        made = Address(None, -origin, dynamic=True, ring=wrap)
    elif isinstance(key, Counter) and key.number is None:
        low, high = (bound - origin for bound in key.range())
        made = Address(key, -origin, ring=wrap)
    elif isinstance(key, int | Word | Counter):
        low = high = int(key) - origin
        made = Address(None, low, ring=wrap)
    else:
        raise complain(
            "D043", f"{describe(key)} is no index", help="index with a number, a counter or a word"
        )
    if not wrap and (low < 0 or high >= extent):
        help = "a `ring` takes its index modulo its length; `range(-8, 132)` as size keeps the paper's"
        if made.dynamic:
            help = "a word may have any value: index with a field of it, `bits(x, low, width)`"
        found = str(low + origin) if low == high else f"{low + origin} to {high + origin}"
        raise complain(
            "D005",
            f"index {found} is out of the range of `{name}` (entries {origin} to {origin + extent - 1})",
            help=help,
        )
    return made


def _joined(items: Iterable[Any]) -> vec:
    """Return words, and the words of rows, as one vector."""
    return vec(*(w for item in items for w in (item if isinstance(item, list) else [item])))


def array(type_: WordType, size: int | range, row: int | None = None) -> Array:
    """Make an array of words with unwritten entries.

    Parameters
    ----------
    type_ : WordType
        Type of the elements.
    size : int or range
        Number of entries, or the range of the paper's own indices: ``range(-8, 132)``.
    row : int, optional
        Words in each entry: ``array(u8, 44, 4)`` has 44 rows of four.
    """
    if isinstance(size, range) and size.step != 1:
        raise complain("D053", "the indices of an array step by one")
    origin, length = (size.start, len(size)) if isinstance(size, range) else (0, int(size))
    dims = (length,) if row is None else (length, int(row))
    if min(dims) < 1:
        raise complain(
            "D054",
            f"an array of {' by '.join(map(str, dims))} entries",
            help="an array has at least one entry",
        )
    made = Array(ArrayType(type_.width, dims), origin=origin, name=(target_names() or ["array"])[0])
    if current() is None:
        made.cells = [None] * (dims[0] * (row or 1))
    else:
        made.node = Value(made.type, made.name)
        record(Op("array", [], [made.node]))
    return made


def ring(type_: WordType, size: int | range, row: int | None = None) -> Array:
    """Make an array whose index is taken modulo its length; parameters as for :func:`array`."""
    made = array(type_, size, row)
    made.wrap = True
    return made


class Table:
    """A constant table; ``T[x]`` looks a word up, ``T[v]`` each word of a vector (an S-box layer)."""

    structure: Callable[[Word], Any] | None = None
    """The function that the entries were computed by, where the source says it."""

    def __init__(self, width: int, data: list[int], name: str) -> None:
        self.width, self.data, self.name = width, data, name

    def __len__(self) -> int:
        return len(self.data)

    @property
    def inverse(self) -> Table:
        """The inverse permutation, for a table that holds one."""
        if sorted(self.data) != list(range(len(self.data))):
            raise complain("D034", f"`{self.name}` is no permutation, so it has no inverse")
        return Table(
            self.width,
            [self.data.index(x) for x in range(len(self.data))],
            (target_names() or [f"{self.name}_inverse"])[0],
        )

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list | tuple):
            return vec(*(self[x] for x in key))
        if isinstance(key, slice):
            return vec(*(Word(self.width, x, known=True) for x in self.data[key]))
        place = address(key, len(self.data), 0, False, self.name)
        if place.dynamic:
            return apply("lookup", [as_word(key, key.width)], [self.width], (self, place))[0]
        if place.counter is None:
            return Word(self.width, self.data[place.constant], known=True)
        value = Value(self.width, (target_names() or [""])[0])
        record(Op("lookup", [], [value], (self, place)))
        return Word(self.width, node=value)


def table(type_: WordType, data: Iterable[int] | Callable[[Word], Any], name: str = "") -> Table:
    """Make a constant table; ``name`` defaults to the variable that it is assigned to.

    ``data`` is its entries, or the function of a word of ``type_`` that computes them: then a look-up may
    also become the function's operations (the table's structure), which are fewer gates.
    """
    called = name or (target_names() or ["T"])[0]
    author = data if callable(data) else None
    numbers = _entries(data, type_.width) if callable(data) else [int(x) for x in data]
    for x in numbers:
        as_word(x, type_.width)
    if not numbers:
        raise complain("D055", "a table without entries")
    made = Table(type_.width, numbers, called)
    made.structure = author
    return made


def _entries(author: Callable[[Word], Any], width: int) -> list[int]:
    return [as_word(author(Word(width, x, known=True)), width).value or 0 for x in range(1 << width)]
