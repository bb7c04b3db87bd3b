"""Devices for the report: synthesized rows gathered into designs, their speed grades, what was not run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cipherassay.hardware.rtl.build import LITERAL
from cipherassay.hardware.synthesis import front
from cipherassay.hardware.timing import hold
from cipherassay.results import Row

TARGET = "osu050"
"""The technology of the tables: 0.5 µm, as the paper's."""
ARCHITECTURES = ("iterative", "pipelined")
KEYS = {"3in1": "3-in-1", "128": "128-bit key"}
"""The paper's key versions, and what the report calls them."""
BLOCKS = ("Interface", "Controller", "Key Schedule", "Key Setup", "Algorithm")
DIRECTIONS = ("encrypt", "decrypt")
BASES = ("synthesized", "simulated")
"""How numbers of devices were obtained: energy is simulated, the others follow from synthesis."""
LATENCY, FEEDBACK, SWITCH = "key setup and one block", "feedback modes", "key switch"
"""Parts of numbers that are not of a block: what the rows of ours and of the paper call them."""


@dataclass(frozen=True, eq=False)
class Point:
    """A synthesized device: all its rows, of one strategy and one speed grade."""

    strategy: str
    configuration: str
    rows: Sequence[Row]
    _found: dict[tuple[str, str, int, str], Row] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            key = (row.part or "", row.operation or "", row.key_bits or 0, row.metric)
            self._found.setdefault(key, row)

    def row(self, metric: str, *, part: str = "", operation: str = "", key_bits: int = 0) -> Row | None:
        """Return one of its rows."""
        return self._found.get((part, operation, key_bits, metric))

    @property
    def withdrawn(self) -> str:
        """What is wrong with it: ``fails hold: 96 latches``; empty if nothing is."""
        marks = (row.certificate or "" for row in self.rows if hold.fails(row))
        return next((mark.partition(";")[0] for mark in marks), "")

    @property
    def key_bits(self) -> list[int]:
        """The key sizes that it serves."""
        sizes = {row.key_bits for row in self.rows if row.metric == "throughput_mbps" and row.key_bits}
        return sorted(sizes)

    @property
    def blocks(self) -> list[str]:
        """The blocks whose area is known, in the paper's order."""
        return [name for name in BLOCKS if self.row("area_um2", part=name) is not None]

    def throughput(self, key_bits: int = 0, part: str = "") -> Row | None:
        """Return the throughput of the slower direction; by default with the shortest key."""
        bits = key_bits or (self.key_bits or [0])[0]
        found = [self.row("throughput_mbps", part=part, operation=name, key_bits=bits) for name in DIRECTIONS]
        return min((row for row in found if row is not None), key=lambda row: row.value, default=None)

    def time(self, operation: str, key_bits: int = 0) -> Row | None:
        """Return the time of a block or of a key setup; by default with the shortest key."""
        return self.row("time_ns", operation=operation, key_bits=key_bits or (self.key_bits or [0])[0])

    def period(self, key_bits: int = 0) -> Row | None:
        """Return the clock period; where a key size has one of its own, that."""
        bits = key_bits or (self.key_bits or [0])[0]
        return self.row("period_ns", key_bits=bits) or self.row("period_ns")

    @property
    def delay_ns(self) -> float:
        """The time of a bit: what the speed grades are picked by, with the area."""
        row = self.throughput()
        return 1000 / row.value if row is not None else float("inf")

    @property
    def area_um2(self) -> float:
        """Its whole area."""
        row = self.row("area_um2")
        return row.value if row is not None else float("inf")


@dataclass(frozen=True, order=True)
class Name:
    """A design of the paper: which cipher, architecture and key version."""

    cipher: str
    architecture: str
    key: str

    @property
    def title(self) -> str:
        """In words: ``CIPHER, iterative, 128-bit key``."""
        return f"{self.cipher}, {self.architecture}, {KEYS.get(self.key, self.key)}"

    @property
    def command(self) -> str:
        """The command that makes its rows."""
        return (
            f"assay synthesize {self.cipher.lower()} --architecture {self.architecture} "
            f"--key-bits {self.key} --direction both"
        )


def clocks(row: Row | None) -> int | None:
    """Return the clock count that a time was computed from."""
    found = re.search(r"(?:^|; )(\d+) clocks?\b", (row.certificate or "") if row is not None else "")
    return int(found[1]) if found else None


class Hardware:
    """The synthesized devices of a technology, found by design.

    Devices that fail hold stand apart (`withdrawn`): they are no points, so nothing is compared with them.
    """

    def __init__(self, rows: Iterable[Row], target: str = TARGET) -> None:
        gathered: dict[tuple[Name, str, str], list[Row]] = {}
        for row in rows:
            if row.level == "hardware" and row.target == target and row.basis in BASES:
                name = _name(row)
                if name is not None:
                    key = (name, row.strategy or "", row.configuration or "")
                    gathered.setdefault(key, []).append(row)
        self.points: dict[Name, list[Point]] = {}
        self._withdrawn: dict[Name, list[Point]] = {}
        for (name, strategy, configuration), found in gathered.items():
            point = Point(strategy, configuration, found)
            if point.throughput() is not None and point.row("area_um2") is not None:
                place = self._withdrawn if point.withdrawn else self.points
                place.setdefault(name, []).append(point)
        self._grades = {name: front.grades(found) for name, found in self.points.items()}

    def __bool__(self) -> bool:
        """Whether there is any device."""
        return bool(self.points or self._withdrawn)

    def grades(self, name: Name) -> list[Point]:
        """Return a design's speed grades over all its strategies, fastest first; none if it was not run."""
        return self._grades.get(name, [])

    def withdrawn(self, name: Name) -> list[Point]:
        """Return a design's devices that fail hold, fastest first."""
        return sorted(self._withdrawn.get(name, []), key=lambda point: (point.delay_ns, point.area_um2))

    def not_run(self, name: Name) -> bool:
        """Whether there is no device of a design, not even one that is withdrawn."""
        return not self.grades(name) and name not in self._withdrawn

    def literal(self, name: Name) -> list[Point]:
        """Return the speed grades of the form that follows the paper to the letter, fastest first."""
        return front.front([point for point in self.points.get(name, []) if point.strategy == LITERAL])

    def fastest(self, name: Name) -> Point | None:
        """Return the fastest point of a design."""
        return next(iter(self.grades(name)), None)

    def smallest(self, name: Name) -> Point | None:
        """Return the smallest point of a design."""
        grades = self.grades(name)
        return grades[-1] if grades else None


def names(ciphers: Sequence[str]) -> Iterator[Name]:
    """Yield the designs of the study."""
    for cipher in ciphers:
        for architecture in ARCHITECTURES:
            for key in KEYS:
                yield Name(cipher, architecture, key)


def least_and_greatest(rows: Iterable[Row | None]) -> tuple[Row | None, Row | None]:
    """Return the rows of the least and the greatest value."""
    known = sorted((row for row in rows if row is not None), key=lambda row: row.value)
    return (known[0], known[-1]) if known else (None, None)


def _name(row: Row) -> Name | None:
    """Return the design that a row is of; None for one direction alone, or another kind of row."""
    words = [word.strip() for word in (row.configuration or "").split(",")]
    if row.cipher is None or words[0] not in ARCHITECTURES or set(words) & set(DIRECTIONS):
        return None
    return Name(row.cipher, words[0], row.variant or "")
