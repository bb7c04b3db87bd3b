"""Of several choices the best kernel: what is the same as another, or cannot be the best, is not made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from cipherassay import keeping
from cipherassay.errors import DescriptionError
from cipherassay.processors import schedules
from cipherassay.processors.kernel import FILL_AND_DRAIN, Choice, Kernel
from cipherassay.processors.making import Selection

T = TypeVar("T")
Select = Callable[[Choice], Selection]


def least(choices: Sequence[Choice], select: Select, merit: Callable[[Kernel], tuple[int, int]]) -> Kernel:
    """Return the first kernel of the least merit; what takes the fewest cycles at least is made first.

    Parameters
    ----------
    merit : function
        Cycles, then operations, of a kernel.

    Raises
    ------
    DescriptionError
        The first of all, if no choice gives a kernel.
    """
    found: dict[int, Kernel] = {}
    selections, refused = _each(choices, _once(select))
    bounds = {k: _bound(one) for k, one in _different(selections).items()}
    best: tuple[int, int, int] | None = None
    for k in sorted(bounds, key=lambda k: (bounds[k], k)):
        if best is not None and (*bounds[k], k) > best:
            continue
        try:
            found[k] = selections[k].made()
        except DescriptionError as error:
            refused[k] = error
            continue
        mine = (*merit(found[k]), k)
        best = mine if best is None else min(best, mine)
    if best is None:
        raise refused[min(refused)]
    return found[best[2]]


def every(choices: Iterable[Choice], select: Select) -> list[Kernel]:
    """Return the kernels of all choices that give one; raises the first error if none does."""
    kernels, refused = _each(choices, lambda choice: select(choice).made())
    if not kernels:
        raise refused[min(refused)]
    return list(kernels.values())


def _each(
    choices: Iterable[Choice], make: Callable[[Choice], T]
) -> tuple[dict[int, T], dict[int, DescriptionError]]:
    """Return what is made of each choice, by its number, and the errors of those that give nothing."""
    found: dict[int, T] = {}
    refused: dict[int, DescriptionError] = {}
    for k, choice in enumerate(choices):
        try:
            found[k] = make(choice)
        except DescriptionError as error:
            refused[k] = error
    return found, refused


def _once(select: Select) -> Select:
    """Return what selects code once for choices that differ only in how far schedules look ahead."""
    known: dict[Choice, Selection | DescriptionError] = {}

    def one(choice: Choice) -> Selection:
        plain = replace(choice, window=0)
        if plain not in known:
            try:
                known[plain] = select(plain)
            except DescriptionError as error:
                known[plain] = error
        found = known[plain]
        if isinstance(found, DescriptionError):
            raise found
        return replace(found, choice=choice)

    return one


def _different(selections: dict[int, Selection]) -> dict[int, Selection]:
    """Return the selections whose kernels differ from all before: what is stored is stored for a choice."""
    known: set[tuple[object, ...]] = set()
    found: dict[int, Selection] = {}
    for k, one in selections.items():
        mine = tuple(_identity(one))
        if mine not in known:
            known.add(mine)
            found[k] = one
    return found


def _identity(one: Selection) -> Iterator[object]:
    cipher, name = one.made_of.keywords["cipher"], one.made_of.keywords["processor"].name
    stored = keeping.files(schedules.KIND, f"{cipher}/*-{name}-*.json")
    yield one.choice if stored else replace(one.choice, strategy="", circuits="", pointers=0, depth=0)
    yield one.code.text()
    yield one.code.interface()
    yield tuple(graph.json() for graph in one.code.graphs())


def _bound(one: Selection) -> tuple[int, int]:
    """Return cycles and operations that the kernel has at least."""
    cycles = one.code.least()
    if cycles is None:
        return 0, 0
    beyond = FILL_AND_DRAIN if one.made_of.keywords["processor"].issues_out_of_order else 0
    return cycles + beyond, sum(count for _, count in one.code.counts())
