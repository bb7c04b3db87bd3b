"""Random descriptions taken through all levels: what plain numbers say is what everything must compute."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from cipherassay.ciphers import load
from cipherassay.coverage import Cell, Level, cells, levels
from cipherassay.jobs import SILENT, Executor
from cipherassay.lang.cipher import Cipher
from cipherassay.vectors import single_blocks
from support.fuzzing.descriptions import RandomDescription, random_description

PLAIN = "plain numbers"
"""The first level: the description called with words, and the evaluator of its program."""
LEFT_OUT = ("synthesis", "circuit")
"""Levels that do not compute blocks."""
BATCH = 4
"""Descriptions that are taken through the same levels at once."""
IN_EACH = ("c", "java")


@dataclass(frozen=True)
class Failure:
    """A description that a level has no number for."""

    seed: int
    level: str
    code: str
    reason: str

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.level}: {self.code}: {self.reason}"


@dataclass
class Findings:
    """What was found, by level."""

    made: Counter[str] = field(default_factory=Counter)
    bounds: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    descriptions: int = 0

    def add(self, seed: int, cell: Cell) -> None:
        """Count a cell."""
        name = cell.level.name
        if cell.status == "number":
            self.made[name] += 1
        elif cell.status == "bound":
            self.bounds[name] += 1
        else:
            self.failures.append(Failure(seed, name, cell.code, cell.reason))

    def lines(self) -> Iterator[str]:
        """Yield a line for each level: how many agree, are refused with a bound, fail."""
        failed = Counter(one.level for one in self.failures)
        width = max(map(len, [*self.made, *failed, PLAIN]))
        for name in [PLAIN, *(one.name for one in levels() if one.name not in LEFT_OUT)]:
            counts = self.made[name], self.bounds[name], failed[name]
            if any(counts):
                agree, bound, wrong = counts
                yield f"{name:{width}}  {agree:5} agree  {bound:3} beyond a bound  {wrong:3} failed"


def run(
    seeds: Iterator[int], seconds: float, place: Executor, folder: Path, only: Sequence[str] = ()
) -> Iterator[Findings]:
    """Take descriptions through levels until the time is over; yields what is found so far after each batch.

    Parameters
    ----------
    seeds : iterator of int
        Those of the descriptions; the first of a batch chooses its levels.
    seconds : float
        No batch begins after this time; one does in any case.
    folder : Path
        An empty folder for the descriptions.
    only : sequence of str
        Names of levels; without any, C, Java and one of each other group for each batch.
    """
    found, end = Findings(), monotonic() + seconds
    while True:
        batch = [seed for seed, _ in zip(seeds, range(BATCH), strict=False)]
        if not batch:
            return
        _batch(batch, found, place, folder, only)
        yield found
        if monotonic() >= end:
            return


def _batch(batch: list[int], found: Findings, place: Executor, folder: Path, only: Sequence[str]) -> None:
    made = {}
    for seed in batch:
        description = random_description(seed)
        cipher = load(str(description.write(folder)))
        found.descriptions += 1
        if reason := disagreement(description, cipher):
            found.failures.append(Failure(seed, PLAIN, "", reason))
        else:
            found.made[PLAIN] += 1
            made[cipher.slug] = seed, cipher
    chosen = _levels(random.Random(batch[0]), only)
    ciphers = [cipher for _, cipher in made.values()]
    for cell in cells(ciphers, chosen, quick=True, place=place, progress=SILENT):
        found.add(made[cell.cipher.slug][0], cell)


def _levels(rng: random.Random, only: Sequence[str]) -> list[Level]:
    known = [one for one in levels() if one.name not in LEFT_OUT]
    if only:
        return [one for one in known if one.name in only]
    groups: dict[str, list[Level]] = {}
    for one in known:
        groups.setdefault(one.group, []).append(one)
    picked = [rng.choice(group) for name, group in groups.items() if name != "code here"]
    return [one for one in known if one.name in IN_EACH or one in picked]


def disagreement(description: RandomDescription, cipher: Cipher) -> str:
    """Return where the description, run or evaluated, departs from plain numbers; empty where nowhere."""
    directions = cipher.directions
    for bits in cipher.key_bits:
        program = cipher.compile(bits)
        for block in single_blocks.known_blocks(cipher, bits, of_each_set=8):
            for direction in directions:
                given, expected = block.sides(direction)
                keys = list(program.evaluate("key_schedule", [block.key])) if description.key_words else []
                evaluated = bytes(program.evaluate(direction, [*keys, given])[0])
                plain_keys = [cipher.run("key_schedule", block.key)] if description.key_words else []
                plain = bytes(int(x) for x in cipher.run(direction, *plain_keys, given))
                if not evaluated == plain == expected:
                    return (
                        f"{direction} of {given.hex()} with key {block.key.hex()}: expected {expected.hex()}, "
                        f"evaluated {evaluated.hex()}, run {plain.hex()}"
                    )
    return ""
