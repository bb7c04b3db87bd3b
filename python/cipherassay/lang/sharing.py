"""Which variables of a loop hold the same list, dictionary or array, from one iteration to the next.

A loop of the program carries words, not lists. So each traced body works on copies of the lists that the
variables hold. Variables that share a list share its copy, unless the body leaves them with different
lists. Afterwards the iterations are run through once more with the identities of the lists alone, which
depend on no data: this says which variables share a list after the loop, and refuses a body that changes a
list in place which its variables share in some iterations only.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .arrays import Array
from .place import complain
from .state import Leaf, MissingValue, Path, fill, leaves, places, rebuild
from .trace import Block
from .value import Value
from .word import Word

Identity = Any
"""Of a list: the ``id`` of one that was there before the loop, (iteration, ``id``) of one made in a body."""


@dataclass
class Body:
    """One traced body: its iterations, its block, and the variables as it left them."""

    iterations: list[int]
    block: Block
    ends: dict[Path, Word | Value]
    shapes: dict[str, Any]
    now: dict[str, Any]
    start: Start


class Start:
    """The variables at the start of a body: copies of the lists that they hold before the loop.

    One copy serves all variables that hold a list; if its ``id`` is in `parted`, each has a copy of its own.
    """

    def __init__(self, entry: Mapping[str, Any], parted: set[int], carried: Mapping[Path, Value]) -> None:
        self.carried = carried
        self.copies: dict[Identity, Any] = {}
        self.origin: dict[Path, int] = {}
        self.first_place: dict[int, Path] = {}
        self._before: dict[Path, Any] = {}

        def place(path: Path, value: Any) -> tuple[Any, bool]:
            self.origin[path] = id(value)
            key = path if id(value) in parted else id(value)
            filled = key in self.copies
            return self.copies.setdefault(key, _empty(value)), filled

        def replace(path: Path, leaf: Leaf) -> Leaf:
            if isinstance(leaf, Word):
                return Word(leaf.width, node=carried[path]) if path in carried else leaf
            made, filled = place(path, leaf)
            if not filled:
                made.node = carried.get(path, leaf.node)
            return made  # type: ignore[no-any-return]

        self.values = {n: rebuild(value, (n,), replace, place) for n, value in entry.items()}
        self.groups: dict[Path, set[Path]] = {}
        for name, value in self.values.items():
            for path, held in places(value, (name,)):
                first = self.first_place.setdefault(id(held), path)
                self.groups.setdefault(first, set()).add(path)
                self._before.setdefault(first, (held, _contents(held)))

    def links(self, now: Mapping[str, Any]) -> dict[Path, Path | int]:
        """Say what each place holds `now`: what was at a path at the start, or something new (an ``id``)."""
        return {
            path: self.first_place.get(id(held), id(held))
            for name, value in now.items()
            for path, held in places(value, (name,))
        }

    def changed(self) -> set[Path]:
        """Return the first places of the lists that have been changed in place since."""
        return {path for path, (held, before) in self._before.items() if not _same(before, _contents(held))}


def _empty(value: Any) -> Any:
    if isinstance(value, Array):
        return copy.copy(value)
    kind: Any = type(value)
    return kind.__new__(kind)


def _contents(value: Any) -> Any:
    if isinstance(value, Array):
        return [value.node]
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(list.__iter__(value))


def _same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


class Holders:
    """Which list each place holds as the iterations go by."""

    def __init__(self, entry: Mapping[str, Any], unused: set[Path]) -> None:
        self.objects: dict[Identity, Any] = {}
        self.held: dict[Path, Identity] = {}
        self.changed: set[Identity] = set()
        for name, value in entry.items():
            for path, held in places(value, (name,)):
                self.held[path] = id(held)
                self.objects[id(held)] = held
        self._read = {
            path
            for name, value in entry.items()
            for path, held in places(value, (name,))
            if any(leaf not in unused for leaf, _ in leaves(held, path))
        }

    def run(self, bodies: Sequence[Body], pattern: Sequence[int]) -> None:
        """Go through all iterations.

        Raises
        ------
        DescriptionError
            D041: a list is changed in place that two variables share in some iterations and not in others.
        """
        changed = [body.start.changed() for body in bodies]
        ends = [body.start.links(body.now) for body in bodies]
        for iteration, k in enumerate(pattern):
            self._check(bodies[k].start.groups, changed[k])
            self.changed |= {self.held[path] for path in changed[k]}
            self.held = {
                path: self.held[link] if isinstance(link, tuple) else (iteration, link)
                for path, link in ends[k].items()
            }

    def _check(self, groups: Mapping[Path, set[Path]], changed: set[Path]) -> None:
        for first, group in groups.items():
            if len(group) == 1 and first not in changed:
                continue
            read = self._read | (group if len(group) > 1 else set())
            now = {p for p in read if self.held[p] == self.held[first]}
            wrong = (group & read) ^ now if first in changed else (group & read) - now
            for other in sorted(wrong - {first}, key=str):
                raise _refusal(first, other)

    def after(self, now: Mapping[str, Any], results: Mapping[Path, Value]) -> dict[str, Any]:
        """Return the variables after the loop, and give the lists from before it what the loop made of them.

        `now` are the variables at the end of the last iteration's body, `results` what the loop gives.
        """
        filled: dict[Identity, Any] = {}

        def place(path: Path, value: Any) -> tuple[Any, bool]:
            which = self.held[path]
            if which in filled:
                return filled[which], True
            filled[which] = self.objects[which] if which in self.objects else _empty(value)
            return filled[which], which in self.objects and which not in self.changed

        def replace(path: Path, leaf: Leaf) -> Leaf:
            if isinstance(leaf, Word):
                return Word(leaf.width, node=results[path]) if path in results else leaf
            made, done = place(path, leaf)
            if not done:
                made.node = results.get(path, leaf.node)
            return made  # type: ignore[no-any-return]

        for name, value in now.items():  # also those inside a list that is itself unchanged
            for path, held in places(value, (name,)):
                if self.held[path] in self.changed:
                    rebuild(held, path, replace, place)
        values = {name: rebuild(value, (name,), replace, place) for name, value in now.items()}
        for which in self.changed & self.objects.keys() - filled.keys():
            _forget(self.objects[which])
        return values


def _refusal(first: Path, other: Path) -> Exception:
    a, b = sorted((_spell(first), _spell(other)))
    return complain(
        "D041",
        f"`{a}` and `{b}` are one list in some rounds and two lists in others, "
        "and the loop changes it in place",
        help="where a list gets a second name, make a copy: `y = vec(*x)`",
    )


def _spell(path: Path) -> str:
    return str(path[0]) + "".join(f"[{part!r}]" for part in path[1:])


def _forget(value: Any) -> None:
    """Make each use an error of a list that the loop changed and that no variable holds any more."""
    lost = MissingValue(
        "a list",
        "was changed in a loop in which no variable kept it",
        "keep what a loop changes in local variables of the function that holds the loop",
    )
    if isinstance(value, Array):
        value.node = Value(value.type, value.name)
    else:
        fill(value, dict.fromkeys(value, lost) if isinstance(value, dict) else [lost] * len(value))


def unused_places(bodies: Sequence[Body], carried: Sequence[Path]) -> set[Path]:
    """Return the carried places that no body reads before it sets them."""
    used: set[Path] = set()
    for body in bodies:
        read = set(_operands(body.block)) | {_node(end) for end in body.ends.values()}
        used |= {path for path, value in body.start.carried.items() if value in read}
    return set(carried) - used


def _node(operand: Any) -> Value | None:
    return operand.node if isinstance(operand, Word) else operand


def _operands(block: Block) -> Iterator[Value]:
    for op in block.ops:
        for operand in op.operands:
            if (node := _node(operand)) is not None:
                yield node
        for body in op.attribute.bodies if op.kind == "loop" else ():
            yield from _operands(body)
            for operand in body.outputs:
                if (node := _node(operand)) is not None:
                    yield node
