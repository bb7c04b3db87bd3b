"""Waves that simulators write (value change dumps), read as one row of values per clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cipherassay.errors import VerificationError

Value = int | None
"""A number, or None where a bit is neither 0 nor 1."""
Name = tuple[str, str]
"""Block and register; the block of a pin is empty."""
RESET_CLOCKS = 2
"""Clocks of the test benches before those that they count."""
DEVICE = "device"
"""The device's instance in the test benches."""


def rows(lines: Iterable[str], names: Sequence[Name]) -> Iterator[list[Value]]:
    """Yield the values of registers and pins in every clock, as they stand before its rising edge.

    ``names`` may lack in the waves (words of memories); their values are None. The clocks of the reset are
    left out, so that the first row is the clock that the test bench counts as 0.

    Raises
    ------
    VerificationError
        ``H510``: the waves do not show the device's clock.
    """
    reading = iter(lines)
    places = _places(reading)
    clock = places.get(("", "clock"))
    if clock is None:
        raise VerificationError("H510", "the waves do not show the clock of the device")
    wanted: dict[str, list[int]] = {}
    for n, (block, register) in enumerate(names):
        code = places.get((block.lower(), register.lower()))
        if code is not None:
            wanted.setdefault(code, []).append(n)
    return _sampled(reading, clock, wanted, len(names))


def variables(lines: Iterator[str], instance: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Read the head; yield of every variable of an instance where in it that is, its name and its code.

    The instance is named in small letters. What marks an escaped name is no part of it.
    """
    scope: list[str] = []
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scope.append(words[2].lstrip("\\"))
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var" and instance in (small := [one.lower() for one in scope]):
            inside = scope[small.index(instance) + 1 :]
            yield tuple(inside), "".join(words[4:-1]).lstrip("\\"), words[3]
        elif words[0] == "$enddefinitions":
            break


def _places(lines: Iterator[str]) -> dict[Name, str]:
    """Read the head: the code of every signal of the device and of its blocks."""
    return {
        (inside[0].lower() if inside else "", name.split("[")[0].lower()): code
        for inside, name, code in variables(lines, DEVICE)
        if len(inside) < 2
    }


def _sampled(
    lines: Iterator[str], clock: str, wanted: Mapping[str, Sequence[int]], count: int
) -> Iterator[list[Value]]:
    values: list[Value] = [None] * count
    changes: dict[str, Value] = {}
    level: Value = None
    seen = 0
    for line in lines:
        if line[:1] == "#":
            # What changes with the clock's edge is the next clock's.
            if changes.get(clock) == 1 and level == 0:
                seen += 1
                if seen > RESET_CLOCKS:
                    yield values.copy()
            level = changes.get(clock, level)
            for code, value in changes.items():
                for n in wanted.get(code, ()):
                    values[n] = value
            changes.clear()
            continue
        change = _change(line)
        if change is not None and (change[0] in wanted or change[0] == clock):
            changes[change[0]] = change[1]


def _change(line: str) -> tuple[str, Value] | None:
    """Return code and value of a line such as ``1!`` or ``b0110 #a``."""
    first = line[:1]
    if first in "bB" and first:
        digits, _, code = line[1:].strip().partition(" ")
        return code, int(digits, 2) if not digits.strip("01") else None
    if first and first in "01xXzZuUwWlLhH-":
        return line[1:].strip(), {"0": 0, "1": 1}.get(first)
    return None
