"""Counters: whole numbers that a loop counts, known for each iteration but not while the body is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NoReturn

from .place import complain
from .value import Value


@dataclass(eq=False)
class Iterations:
    """The iterations that the body under trace stands for; conditions on the counter narrow them."""

    value: Value
    """The iteration number as an index value of the program."""
    live: list[int]
    counter: str = ""


@dataclass(frozen=True)
class Quotient:
    """``counter // divisor`` or ``counter % divisor`` of a counter that still varies."""

    kind: str
    counter: Counter
    divisor: int


Atom = Iterations | Quotient
_LIMIT = 1 << 16


class Counter:
    """A whole number of the form ``sum of coefficient * atom + constant``; plain runs have the constant only.

    Arithmetic with numbers and counters gives counters. Asking for its number (a condition, a list index,
    ``range``) is answered for the iterations under trace, which are narrowed to those with the same answer.
    """

    __slots__ = ("constant", "terms")

    def __init__(self, constant: int, terms: tuple[tuple[int, Atom], ...] = ()) -> None:
        self.constant = constant
        self.terms = tuple((c, a) for c, a in terms if c)

    @property
    def number(self) -> int | None:
        """The number itself if it does not vary, else None."""
        return None if self.terms else self.constant

    def _combine(self, other: Any, sign: int) -> Any:
        if isinstance(other, int):
            return Counter(self.constant + sign * other, self.terms)
        if not isinstance(other, Counter):
            return NotImplemented
        terms: list[tuple[int, Atom]] = list(self.terms)
        for coefficient, atom in other.terms:
            for n, (c, a) in enumerate(terms):
                if _same(a, atom):
                    terms[n] = (c + sign * coefficient, a)
                    break
            else:
                terms.append((sign * coefficient, atom))
        return Counter(self.constant + sign * other.constant, tuple(terms))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (self * -1)._combine(other, 1)

    def __neg__(self) -> Any:
        return self * -1

    def __mul__(self, other: Any) -> Any:
        factor = other.number if isinstance(other, Counter) else other
        if isinstance(other, Counter) and factor is None and self.number is not None:
            return other * self.number
        if isinstance(other, Counter) and factor is None:
            raise complain(
                "D006",
                "a product of two counters",
                help="only a counter times a constant is known; `range` unrolls a loop",
            )
        if not isinstance(factor, int):
            return NotImplemented
        return Counter(self.constant * factor, tuple((c * factor, a) for c, a in self.terms))

    __rmul__ = __mul__

    def _divide(self, kind: str, divisor: Any) -> Any:
        number = divisor.number if isinstance(divisor, Counter) else divisor
        if not isinstance(number, int) or number <= 0:
            if hasattr(divisor, "width"):
                return NotImplemented
            raise complain("D056", "a counter is divided by what is no positive constant")
        values = self._values()
        results = {v // number if kind == "div" else v % number for v in values}
        if len(results) == 1:
            return Counter(results.pop())
        if kind == "mod" and all(0 <= v < number for v in values):
            return self
        return Counter(0, ((1, Quotient(kind, self, number)),))

    def __floordiv__(self, divisor: Any) -> Any:
        return self._divide("div", divisor)

    def __mod__(self, divisor: Any) -> Any:
        return self._divide("mod", divisor)

    def __rshift__(self, amount: Any) -> Any:
        return self._divide("div", 1 << _plain(amount))

    def __lshift__(self, amount: Any) -> Any:
        return self * (1 << _plain(amount))

    def __and__(self, mask: Any) -> Any:
        if not isinstance(mask, int):
            return NotImplemented
        if mask & (mask + 1):
            self._refuse("`&` with a number that is not 2^n - 1")
        return self._divide("mod", mask + 1)

    def _refuse(self, what: str) -> NoReturn:
        raise complain(
            "D062",
            f"a counter has no {what}",
            help="give it a width first: `u32(i)`, or unroll the loop with `range`",
        )

    def __xor__(self, other: Any) -> Any:
        if hasattr(other, "width"):
            return NotImplemented
        self._refuse("bitwise operation with a number")

    __rxor__ = __or__ = __ror__ = __xor__

    def __truediv__(self, _: object) -> NoReturn:
        self._refuse("division `/`; `//` and `%` by constants are known")

    def __pow__(self, _: object) -> NoReturn:
        self._refuse("power")

    __rpow__ = __rtruediv__ = __pow__

    def iterations(self) -> list[Iterations]:
        """Return the loops that it varies with."""
        found: list[Iterations] = []
        for _, atom in self.terms:
            for t in [atom] if isinstance(atom, Iterations) else atom.counter.iterations():
                if t not in found:
                    found.append(t)
        return found

    def at(self, iterations: dict[Iterations, int]) -> int:
        """Return its number when each loop is at the given iteration."""
        return self.constant + sum(c * _atom_at(a, iterations) for c, a in self.terms)

    def _assignments(self) -> Iterator[dict[Iterations, int]]:
        loops = self.iterations()
        size = 1
        for loop in loops:
            size *= len(loop.live)
        if size > _LIMIT:
            raise complain(
                "D058",
                f"a counter expression with {size} cases",
                help="shorten the loops or unroll one with `range`",
            )
        for iterations in product(*(loop.live for loop in loops)):
            yield dict(zip(loops, iterations, strict=True))

    def _values(self) -> set[int]:
        return {self.at(iterations) for iterations in self._assignments()}

    def range(self) -> tuple[int, int]:
        """Return its smallest and largest number over the iterations under trace."""
        values = self._values()
        return min(values), max(values)

    def decide(self, question: Callable[[int], Any]) -> Any:
        """Answer a question about its number, narrowing the traced iterations to those with one answer."""
        if not self.terms:
            return question(self.constant)
        answers = {question(v) for v in self._values()}
        if len(answers) == 1:
            return answers.pop()
        loops = self.iterations()
        if len(loops) != 1:
            names = " and ".join(f"`{t.counter}`" for t in loops)
            raise complain(
                "D059",
                f"a condition on two counters at once, {names}",
                help="unroll one of the loops with `range`",
            )
        loop = loops[0]
        answer = question(self.at({loop: loop.live[0]}))
        loop.live = [t for t in loop.live if question(self.at({loop: t})) == answer]
        return answer

    def __index__(self) -> int:
        return int(self.decide(lambda v: v))

    __int__ = __index__

    def __bool__(self) -> bool:
        return bool(self.decide(bool))

    def _compare(self, other: Any, question: Callable[[int], bool]) -> bool:
        if not isinstance(other, int | Counter):
            return NotImplemented  # type: ignore[no-any-return]
        return bool((self - other).decide(question))

    def __eq__(self, other: object) -> bool:
        return self._compare(other, lambda v: v == 0)

    def __ne__(self, other: object) -> bool:
        return self._compare(other, lambda v: v != 0)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, lambda v: v < 0)

    def __le__(self, other: Any) -> bool:
        return self._compare(other, lambda v: v <= 0)

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, lambda v: v > 0)

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, lambda v: v >= 0)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __repr__(self) -> str:
        return str(self.constant) if not self.terms else f"<counter {self.range()}>"

    __str__ = __repr__


def _plain(amount: Any) -> int:
    number = amount.number if isinstance(amount, Counter) else amount
    if not isinstance(number, int) or number < 0:
        raise complain("D057", "a counter is shifted by what is no constant")
    return number


def _atom_at(atom: Atom, iterations: dict[Iterations, int]) -> int:
    if isinstance(atom, Iterations):
        return iterations[atom]
    inner = atom.counter.at(iterations)
    return inner // atom.divisor if atom.kind == "div" else inner % atom.divisor


def _same(a: Atom, b: Atom) -> bool:
    if isinstance(a, Quotient) and isinstance(b, Quotient):
        if a.kind != b.kind or a.divisor != b.divisor:
            return False
        left, right = a.counter, b.counter
        return (
            left.constant == right.constant
            and len(left.terms) == len(right.terms)
            and all(c == d and _same(x, y) for (c, x), (d, y) in zip(left.terms, right.terms, strict=True))
        )
    return a is b
