"""The first variable that a compiled program computes otherwise than the plain run of the description."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.ciphers import Cipher
from cipherassay.lang.cipher import numbers
from cipherassay.vectors.first_difference import Difference
from cipherassay.vectors.plain_trace import Assigned, plain_trace

if TYPE_CHECKING:
    from cipherassay._engine import Program, TraceEvent

Key = tuple[int, str]
"""Line of the author's file, and name of the variable."""


def difference_from_plain(
    cipher: Cipher, variant: str, program: Program, operation: str, key: bytes, block: bytes
) -> Difference | None:
    """Run description and program on one block, key schedule first, and return where they part.

    Values are matched by the line and the variable that they are assigned to; what a pass has removed or
    doubled is left out. None: nothing that can be matched differs.
    """
    has = {function["name"] for function in program.functions()}
    schedule = "key_schedule"
    if operation == "decrypt" and "key_schedule_decrypt" in has:
        schedule = "key_schedule_decrypt"
    keys, plain = plain_trace(cipher, schedule, [key], variant)
    found = _first(schedule, plain, program.trace(schedule, [key]))
    if found is not None:
        return found
    compiled_keys: list[Any] = numbers(keys)
    _, plain = plain_trace(cipher, operation, [keys, block], variant)
    return _first(operation, plain, program.trace(operation, [*compiled_keys, block]))


def _first(function: str, plain: Sequence[Assigned], events: Sequence[TraceEvent]) -> Difference | None:
    computed: defaultdict[Key, list[int]] = defaultdict(list)
    for event in events:
        if isinstance(event["value"], int) and event["places"]:
            computed[event["places"][0].line or 0, event["name"]].append(event["value"])
    counts: defaultdict[Key, int] = defaultdict(int)
    for moment in plain:
        counts[moment.line, moment.name] += len(moment.new)
    comparable = {key for key, count in counts.items() if len(computed.get(key, ())) == count}
    taken: defaultdict[Key, int] = defaultdict(int)
    for moment in plain:
        key = moment.line, moment.name
        if key in comparable:
            begin = taken[key]
            taken[key] += len(moment.new)
            found = _compare(function, moment, computed[key][begin : taken[key]])
            if found is not None:
                return found
    return None


def _compare(function: str, moment: Assigned, got: list[int]) -> Difference | None:
    """Compare the words of one assignment; a program may compute a vector's elements in another order."""
    expected = [value for _, value in moment.new]
    if sorted(expected) == sorted(got):
        return None
    extra = [value for value in got if value not in expected]
    name, value = next((name, value) for name, value in moment.new if value not in got)
    digits = (moment.width + 3) // 4
    where = f"{function}, {moment.where}" if moment.where else function
    found = f"{extra[0]:0{digits}X}" if extra else "another order"
    return Difference(where, name, f"{value:0{digits}X}", found, f"plain Python, line {moment.line}")
