"""The loops of a cipher's functions, read from its program's text: what a round consists of."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

SOURCES = ("load", "word", "index_div", "index_mod", "array")
"""Operations that read nothing of the data: places in arrays, counters."""


@dataclass(frozen=True)
class Operation:
    """One line of a body: what it computes, of which width, from which values and constants."""

    name: str
    results: tuple[str, ...]
    width: str
    operands: tuple[str, ...]
    text: str
    """What stands after the name: operands, places, constants."""


@dataclass
class Body:
    """A body of a loop that holds no other loop."""

    function: str
    loop: str
    """The counter's name."""
    trips: int
    forms: int = 1
    """How many bodies the loop has: other trips may compute something else."""
    inputs: tuple[str, ...] = ()
    """The words that change from trip to trip."""
    outputs: tuple[str, ...] = ()
    operations: list[Operation] = field(default_factory=list)
    results: tuple[str, ...] = ()
    """What the outputs are called, if not as the inputs in their order."""


_RESULT = re.compile(r"%([\w.]+): ([\w\[\]]+)")
_ROUNDS = re.compile(r'rounds (\d+) "(\w+)"')
_LINE = re.compile(r"^(?:(?P<results>%.*?) = )?(?P<name>\w+)(?P<text>.*?)(?:\s+@[\d:<]+)?$")


def bodies(text: str) -> list[Body]:
    """Return the first body of every innermost loop of every function, in the program's order."""
    found: list[Body] = []
    function = ""
    open_loops: list[Body] = []
    body: Body | None = None
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("func @"):
            function = line[6 : line.index("(")]
        elif (rounds := _ROUNDS.search(line)) is not None:
            open_loops.append(Body(function, rounds[2], int(rounds[1]), forms=0))
            body = None  # a loop that holds a loop is none of the innermost
        elif line.startswith("body ") and open_loops:
            words = tuple(name for name, kind in _RESULT.findall(line) if _is_word(kind))
            loop = open_loops[-1]
            body = replace(loop, inputs=words, operations=[])
        elif line.startswith("yield") and body is not None:
            body.outputs = tuple(re.findall(r"%([\w.]+)", line))
            loop.forms += 1
            if loop.forms == 1:
                found.append(_only_words(body))
            else:
                found[-1].forms = loop.forms
            body = None
        elif line.startswith("}  @") or line == "}":
            if line != "}" and open_loops:
                open_loops.pop()
        elif body is not None:
            body.operations.append(operation(line))
    return found


def _only_words(body: Body) -> Body:
    """Return a body whose outputs are words: arrays pass through stores, which are operations."""
    words = set(body.inputs) | {name for one in body.operations if one.width for name in one.results}
    return replace(body, forms=1, outputs=tuple(name for name in body.outputs if name in words))


def operation(line: str) -> Operation:
    """Return the operation of a line of a program's text.

    Raises
    ------
    ValueError
        It is no such line.
    """
    match = _LINE.match(line)
    if match is None:
        raise ValueError(f"not a line of a program: {line!r}")
    results = _RESULT.findall(match["results"] or "")
    text = match["text"].strip()
    width = results[0][1] if results and _is_word(results[0][1]) else ""
    places = text.partition("]")[0] if match["name"] in ("load", "store") else ""
    data = text[len(places) :] if match["name"] == "store" else "" if match["name"] in SOURCES else text
    return Operation(
        match["name"], tuple(name for name, _ in results), width, tuple(re.findall(r"%([\w.]+)", data)), text
    )


def _is_word(kind: str) -> bool:
    return re.fullmatch(r"u\d+", kind) is not None


def base(name: str) -> str:
    """Return a value's name without the number that tells it from others of that name."""
    return name.partition(".")[0]


def place(text: str) -> str:
    """Return an array's place as the author would write it: ``S[2i+2]``."""
    match = re.match(r"%?@?([\w.]+)\[(?:ring )?(.*?)\]", text)
    if match is None:
        return text
    return f"{base(match[1])}[{counted(match[2])}]"


def counted(text: str) -> str:
    """Return an expression of counters as the author would write it: ``2i+2``."""
    return re.sub(r"%([\w.]+)", lambda found: base(found[1]), text).replace("*", "").replace(" ", "")
