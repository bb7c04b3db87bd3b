"""The first variable that a compiled program computes otherwise than the plain run of the description."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherassay.ciphers import Cipher
from cipherassay.lang.cipher import numbers
from cipherassay.lang.shapes import schedule_for
from cipherassay.vectors.first_difference import Difference
from cipherassay.vectors.plain_trace import Assignment, plain_trace

if TYPE_CHECKING:
    from cipherassay._engine import Program, TraceEvent

Key = tuple[str, int, str]
"""Name of the author's file, line, and name of the variable."""


def difference_from_plain(
    cipher: Cipher, variant: str, program: Program, operation: str, key: bytes, block: bytes
) -> Difference | None:
    """Run description and program on one block, key schedule first, and return where they part.

    Values are matched by the line and the variable that they are assigned to; what a pass has removed or
    doubled is left out. None: nothing that can be matched differs.
    """
    schedule = schedule_for(operation, [function["name"] for function in program.functions()])
    keys: Any = None
    if schedule:
        keys, plain = plain_trace(cipher, schedule, [key], variant)
        found = _first(schedule, plain, program.trace(schedule, [key]))
        if found is not None:
            return found
    compiled_keys: list[Any] = numbers(keys) if schedule else []
    _, plain = plain_trace(cipher, operation, [keys, block], variant)
    return _first(operation, plain, program.trace(operation, [*compiled_keys, block]))


def _first(function: str, plain: Sequence[Assignment], events: Sequence[TraceEvent]) -> Difference | None:
    words: defaultdict[Key, list[int]] = defaultdict(list)
    arrays: defaultdict[Key, list[list[int]]] = defaultdict(list)
    for event in events:
        key = _key_of_event(event)
        value = event["value"]
        if isinstance(value, int):
            words[key].append(value)
        else:
            arrays[key].append([-1 if cell is None else cell for cell in value])
    word_counts = Counter[Key]()
    for moment in plain:
        word_counts[_key(moment)] += len(moment.new)
    moment_counts = Counter(_key(moment) for moment in plain)
    taken, seen = Counter[Key](), Counter[Key]()
    for moment in plain:
        key = _key(moment)
        begin, taken[key], seen[key] = taken[key], taken[key] + len(moment.new), seen[key] + 1
        found = None
        if len(words.get(key, ())) == word_counts[key]:
            found = _compare(function, moment, words[key][begin : taken[key]])
        elif len(arrays.get(key, ())) == moment_counts[key]:
            found = _compare_array(function, moment, arrays[key][seen[key] - 1])
        if found is not None:
            return found
    return None


def _key(moment: Assignment) -> Key:
    return Path(moment.file).name, moment.line, moment.name


def _key_of_event(event: TraceEvent) -> Key:
    place = event["places"][0] if event["places"] else None
    return (Path(place.file).name, place.line or 0, event["name"]) if place else ("", 0, event["name"])


def _compare(function: str, moment: Assignment, got: list[int]) -> Difference | None:
    """Compare the words of one assignment; a program may compute a vector's elements in another order."""
    if sorted(value for _, value in moment.new) == sorted(got):
        return None
    known = [value for _, value in moment.new]
    extra = [value for value in got if value not in known]
    name, value = next((pair for pair in moment.new if pair[1] not in got), moment.new[0])
    return _difference(function, moment, name, value, extra[0] if extra else None)


def _compare_array(function: str, moment: Assignment, got: list[int]) -> Difference | None:
    for n, (expected, found) in enumerate(zip(moment.values, got, strict=False)):
        if expected != found:
            return _difference(function, moment, moment.element(n), expected, found)
    return None


def _difference(function: str, moment: Assignment, name: str, expected: int, found: int | None) -> Difference:
    digits = (moment.width + 3) // 4
    where = f"{function}, {moment.where}" if moment.where else function
    old, new = ("no value" if v is None or v < 0 else f"{v:0{digits}X}" for v in (expected, found))
    return Difference(where, name, old, new, f"plain Python, {Path(moment.file).name}:{moment.line}")
