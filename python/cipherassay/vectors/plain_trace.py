"""The variables of a plain run: what the author's functions assign, in order, when Python calls them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from cipherassay.ciphers import Cipher
from cipherassay.lang.arrays import Array
from cipherassay.lang.word import Word

LARGEST = 300
"""Elements of a list or array beyond which it is not followed: tables of constants."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a variable held after a line that changed it.

    Parameters
    ----------
    name : str
        The variable; ``K[0]`` for a list within a list.
    function : str
        The author's function that it belongs to.
    file, line : str, int
        The author's file, and the line in it.
    counters : tuple of (str, int)
        The loops around the line, outermost first, with the counter's number: ``(("i", 3),)``.
    width : int
        Bits of a word.
    values : tuple of int
        The words of a list or array, -1 for one without a value; a single one for a word.
    changed : tuple of int
        The elements that are new; empty for a word.
    labels : tuple of str
        The index of each element as the author writes it, for arrays: ``-8``, ``3, 1``; empty: 0, 1, 2 …
    """

    name: str
    function: str
    file: str
    line: int
    counters: tuple[tuple[str, int], ...]
    width: int
    values: tuple[int, ...]
    changed: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()

    def element(self, n: int) -> str:
        """Return the name of an element: ``D[0]``; of a word the name itself."""
        if not self.changed:
            return self.name
        return f"{self.name}[{self.labels[n] if self.labels else n}]"

    @property
    def new(self) -> list[tuple[str, int]]:
        """Name and number of each word that is new."""
        return [(self.element(n), self.values[n]) for n in self.changed or (0,)]

    @property
    def where(self) -> str:
        """The loops around the line, for people: ``i = 3``; empty outside of loops."""
        return ", ".join(f"{name} = {number}" for name, number in self.counters)


def plain_trace(
    cipher: Cipher, role: str, arguments: Sequence[Any], variant: str = ""
) -> tuple[Any, list[Assignment]]:
    """Call a function of a cipher and return its result with all that its variables were assigned, in order.

    Only functions in the cipher's file and in files beside it are followed. A debugger's own trace is put
    back afterwards.
    """
    author = cipher.author_function(role, variant)
    file = author.__code__.co_filename if author is not None else ""
    follower = _Follower(file)
    before = sys.gettrace()
    sys.settrace(follower.call)
    try:
        result = cipher.run(role, *arguments, variant=variant)
    finally:
        sys.settrace(before)
    return result, follower.found


class _Follower:
    """Follows the calls into a file and those beside it."""

    def __init__(self, file: str) -> None:
        self.folder = Path(file).parent
        self.loops: dict[str, list[tuple[str, range]] | None] = {file: _loops(file)}
        self.found: list[Assignment] = []
        self.frames: list[_Frame] = []

    def call(self, frame: FrameType, _event: str, _: object) -> Callable[..., Any] | None:
        file = frame.f_code.co_filename
        if file not in self.loops:
            self.loops[file] = _loops(file) if Path(file).parent == self.folder else None
        if self.loops[file] is None or frame.f_code.co_name.startswith("<"):
            return None
        self.frames.append(_Frame(frame))
        return self.local

    def local(self, frame: FrameType, event: str, _: object) -> Any:
        top = self.frames[-1]
        counters = tuple(c for outer in self.frames for c in outer.counters(self.loops[outer.file] or []))
        self.found.extend(top.changes(counters))
        top.line = frame.f_lineno
        if event == "return":
            self.frames.pop()
        return self.local


def _loops(file: str) -> list[tuple[str, range]]:
    """Return the counter and the lines of the body of each ``for`` statement, outer ones first."""
    try:
        tree = ast.parse(Path(file).read_text())
    except (OSError, SyntaxError, ValueError):
        return []  # typed at a prompt: no numbers of rounds, but the variables all the same
    return [
        (node.target.id, range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
        for node in ast.walk(tree)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    ]


HeldValue = tuple[int, tuple[Word | None, ...], tuple[str, ...], bool]
"""Width, words, labels of the elements, whether it is a list."""


class _Frame:
    """One call: what its variables held when the present line began."""

    def __init__(self, frame: FrameType) -> None:
        self.frame, self.line, self.file = frame, frame.f_lineno, frame.f_code.co_filename
        self.held = dict(_variables(frame.f_locals))

    def counters(self, loops: list[tuple[str, range]]) -> Iterator[tuple[str, int]]:
        variables = self.frame.f_locals
        for name, lines in loops:
            value = variables.get(name)
            number = value if isinstance(value, int) else getattr(value, "number", None)
            if self.line in lines and isinstance(number, int):
                yield name, number

    def changes(self, counters: tuple[tuple[str, int], ...]) -> Iterator[Assignment]:
        now = dict(_variables(self.frame.f_locals))
        function = self.frame.f_code.co_name
        for name, (width, words, labels, is_list) in now.items():
            before = self.held.get(name)
            old = before[1] if before is not None and len(before[1]) == len(words) else (None,) * len(words)
            new = tuple(n for n, word in enumerate(words) if word is not None and word is not old[n])
            # Words without a number belong to a function that is being inverted, not run.
            values = tuple(-1 if word is None or word.value is None else word.value for word in words)
            if new and all(values[n] >= 0 for n in new):
                changed = new if is_list else ()
                place = self.file, self.line
                yield Assignment(name, function, *place, counters, width, values, changed, labels)
        self.held = now


def _variables(variables: dict[str, Any]) -> Iterator[tuple[str, HeldValue]]:
    for name, value in list(variables.items()):
        yield from _parts(name, value)


def _parts(name: str, value: Any) -> Iterator[tuple[str, HeldValue]]:
    if isinstance(value, Word):
        yield name, (value.width, (value,), (), False)
    elif isinstance(value, Array):
        if value.cells is not None and len(value.cells) <= LARGEST:
            yield name, (value.type.width, tuple(value.cells), _labels(value), True)
    elif isinstance(value, list | tuple) and 0 < len(value) <= LARGEST:
        words = (
            [item for item in list.__iter__(value) if isinstance(item, Word)]
            if isinstance(value, list)
            else []
        )
        if words and len(words) == len(value):
            yield name, (words[0].width, tuple(words), (), True)
            return
        for n, item in enumerate(value):
            yield from _parts(f"{name}[{n}]", item)


def _labels(array: Array) -> tuple[str, ...]:
    if len(array.type.dims) == 1:
        return tuple(str(array.origin + n) for n in range(array.type.dims[0])) if array.origin else ()
    rows, columns = array.type.dims
    return tuple(f"{array.origin + row}, {column}" for row in range(rows) for column in range(columns))
