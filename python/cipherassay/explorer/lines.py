"""Texts whose lines are tied to lines of the description, and what of each line is counted.

The program's text form has a place behind each operation, C and hardware languages cite file and line in
comments, listings of machine code have a record for each instruction.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cipherassay import ir
    from cipherassay.families._listing import Listing

_PLACES = re.compile(r"\s@((?:\d+:)?\d+:\d+(?:<(?:\d+:)?\d+:\d+)*)$")
_CITED = re.compile(r"([\w.-]+\.py):((?:\d+(?:-\d+)?(?:, )?)+)")
_COMMENTS = re.compile(r"(?://|/\*|--|#)(.*)$")
Lines = list[list[int]]
"""Of each line of a text the lines of the description that it comes from, innermost first."""


def document(
    name: str, language: str, text: str, lines: Lines, facts: Iterable[tuple[str, str]] = (), **more: Any
) -> dict[str, Any]:
    """Return a text as the page takes it."""
    return {"name": name, "language": language, "text": text, "lines": lines, "facts": list(facts), **more}


def of_program(text: str, files: Sequence[str], own: str) -> Lines:
    """Return the lines of a program's text form; ``own`` is the description's file."""
    return [list(_of_places(line, files, own)) for line in text.splitlines()]


def _of_places(line: str, files: Sequence[str], own: str) -> Iterator[int]:
    found = _PLACES.search(line)
    for place in found[1].split("<") if found else ():
        *file, at, _ = map(int, place.split(":"))
        if is_own(files[file[0] if file else 0], own):
            yield at


def is_own(file: str, own: str) -> bool:
    """Return whether a place's file is the description's."""
    return file.rpartition("/")[2] == own


def of_comments(text: str, own: str) -> Lines:
    """Return the lines of a text that cites them in comments.

    A comment holds for what follows up to the next one, an empty line or the end of a block.
    """
    found: Lines = []
    current: list[int] = []
    for line in text.splitlines():
        cited = _cited(line, own)
        if cited:
            current = cited
        elif not line.strip() or line.lstrip().startswith(("}", "end")):
            current = []
        found.append(current)
    return found


def _cited(line: str, own: str) -> list[int]:
    comment = _COMMENTS.search(line)
    if not comment:
        return []
    numbers: list[int] = []
    for file, ranges in _CITED.findall(comment[1]):
        if file == own:
            for one in ranges.strip(", ").split(", "):
                first, _, last = one.partition("-")
                numbers += range(int(first), int(last or first) + 1)
    return numbers


def of_listing(listing: Listing, own: str) -> tuple[Lines, list[Any], dict[int, dict[str, float]]]:
    """Return the lines of a listing, the cycle of each, and of each line of the description what it takes."""
    count = len(listing.text.splitlines())
    lines: Lines = [[] for _ in range(count)]
    cycles: list[Any] = [None] * count
    taken: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in listing.operations:
        own_lines = [at for file, at in one.places if is_own(file, own)]
        lines[one.line - 1], cycles[one.line - 1] = own_lines, one.cycle
        for at in own_lines[: 1 if one.runs else 0]:
            taken[at]["instructions"] += one.runs
            taken[at]["cycles"] += one.cycles
    return lines, cycles, {at: dict(values) for at, values in sorted(taken.items())}


def operations_by_line(program: ir.Program, own: str) -> dict[str, dict[int, int]]:
    """Return of each function how many operations each line of the description executes.

    Functions that are called and all iterations of loops are counted, as `Program.statistics` does.
    """
    found: dict[str, dict[int, int]] = {}
    for function in program.function_list:
        counts: dict[int, int] = defaultdict(int)
        _count(function.ops, program.files, own, 1, counts, found)
        found[function.name] = dict(sorted(counts.items()))
    return found


def _count(
    ops: Iterable[ir.Operation], files: Sequence[str], own: str, times: int, counts: dict[int, int],
    called: Mapping[str, Mapping[int, int]],
) -> None:  # fmt: skip
    for op in ops:
        if op.loop is not None:
            for number, body in enumerate(op.loop.bodies):
                runs = len(op.loop.iterations(number))
                _count(body.ops, files, own, times * runs, counts, called)
        elif op.kind == "call":
            for at, count in called[op.name].items():
                counts[at] += times * count
        else:
            for place in (one for one in op.places if is_own(files[one.file], own)):
                counts[place.line] += times
                break
