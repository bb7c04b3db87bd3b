"""What the listings have in common: their parts, and putting them together line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cipherassay.errors import Place
from cipherassay.lang.shapes import Direction
from cipherassay.vectors.fields import Field

Token = int | bytes
"""A 32-bit word as its number, or a string of bytes as it stands in a list of bytes."""


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one step, as the words or byte strings that it consists of."""

    label: str
    place: Place
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """One block, with the state after each step; bytes in the order of the cipher's description."""

    operation: Direction
    key: bytes
    input: bytes
    output: bytes
    steps: tuple[Step, ...]
    round_keys: tuple[Step, ...] = ()
    """The round keys in their order, all of them."""


class Collector:
    """Puts lines ``LABEL=value`` together: ``KEY``, then ``PT``, steps, ``CT`` (or the other way round)."""

    def __init__(self, order: Callable[[bytes], bytes] = lambda data: data) -> None:
        self.order = order
        self.key, self.text = b"", b""
        self.operation: Direction | None = None
        self.steps: list[Step] = []
        self.round_keys: list[Step] = []

    def take(self, name: str, value: str, place: Place) -> Iterator[Listing]:
        """Take ``KEY``, ``PT`` or ``CT``; yields the listing that it ends."""
        data = self.order(Field(name, value, place).data())
        if name == "KEY":
            self.key, self.operation, self.steps, self.round_keys = data, None, [], []
        elif self.operation == ("decrypt" if name == "PT" else "encrypt") and self.steps:
            yield Listing(
                self.operation, self.key, self.text, data, tuple(self.steps), tuple(self.round_keys)
            )
            self.operation, self.steps = None, []
        else:
            self.text, self.operation, self.steps = data, "encrypt" if name == "PT" else "decrypt", []

    def step(self, label: str, place: Place, *tokens: Token) -> None:
        """Add the state after a step."""
        self.steps.append(Step(label, place, tokens))


def lines(path: str, text: str) -> Iterator[tuple[Place, str]]:
    """Yield the lines that are not empty, with their places."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield Place(path, number, text=line), line.strip()


BLOCK_LINE = re.compile(r"(KEY|PT|CT)\s*=\s*([0-9A-Fa-f]+)$")
"""A line with a key, a plaintext or a ciphertext."""


def little_words(data: bytes) -> tuple[int, ...]:
    """Return the 32-bit words of a string, least significant byte first."""
    return tuple(int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4))
