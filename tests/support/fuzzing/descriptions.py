"""Random descriptions of random shapes, with known answers computed by plain numbers beside them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.fuzzing.layers import Maker
from support.fuzzing.steps import State, Step, Tables

CIPHER, PERMUTATION, FUNCTION = "cipher", "permutation", "function"
WIDTHS = (4, 8, 16, 24, 32, 48, 64)
MOST_BITS = 256
"""Of a state."""


@dataclass(frozen=True)
class RandomDescription:
    """A description that a seed alone decides.

    Parameters
    ----------
    name : str
        Its name and slug.
    kind : str
        `CIPHER`, `PERMUTATION` or `FUNCTION`.
    width, count : int
        Bits of a word, and words of the state.
    key_words : int
        Words of the key; 0: there is none.
    rounds : int
        Rounds.
    big : bool
        Words are read most significant byte first.
    steps, key_steps, tweak_steps : tuple of Step
        Of a round, of a round of the key schedule, and of the tweak between two rounds.
    tables : tuple of str
        Lines that define the tables.
    tweak_words : int
        Words of the tweak; 0: there is none.
    """

    name: str
    kind: str
    width: int
    count: int
    key_words: int
    rounds: int
    big: bool
    steps: tuple[Step, ...]
    key_steps: tuple[Step, ...]
    tables: tuple[str, ...]
    tweak_words: int = 0
    tweak_steps: tuple[Step, ...] = ()

    @property
    def block_bits(self) -> int:
        """Bits of a state."""
        return self.width * self.count

    @property
    def key_bits(self) -> int:
        """Bits of the key."""
        return self.width * self.key_words

    @property
    def tweak_bits(self) -> int:
        """Bits of the tweak."""
        return self.width * self.tweak_words

    def text(self) -> str:
        """Return the description's file."""
        return "\n".join([
            f'"""{self.name}: random, for tests."""', "", "from cipherassay.lang import *", "",
            *self.tables, *self._byte_orders(), *self._made(), *self._key_schedule(), *self._functions(), "",
        ])  # fmt: skip

    def known_answers(self, count: int, rng: random.Random) -> str:
        """Return the file with known answers of random keys and blocks."""
        lines = []
        for n in range(1, count + 1):
            key, block = rng.randbytes(self.key_bits // 8), rng.randbytes(self.block_bits // 8)
            tweak = rng.randbytes(self.tweak_bits // 8)
            out = self.evaluate(key, block, tweak)
            size = f" KS={self.key_bits}" if self.key_words and self.kind == CIPHER else ""
            given = f" KEY={key.hex().upper()}" if self.key_words else ""
            given += f" TWEAK={tweak.hex().upper()}" if tweak else ""
            names = ("PT", "CT") if self.kind == CIPHER else ("IN", "OUT")
            pair = f"{names[0]}={block.hex().upper()} {names[1]}={out.hex().upper()}"
            lines.append(f"T=KAT SET=random{size} I={n}{given} {pair}\n")
        return "".join(lines)

    def write(self, folder: Path, answers: int = 8) -> Path:
        """Write the description and its known answers into a folder; returns the description's file."""
        path = folder / f"{self.name.lower()}.py"
        path.write_text(self.text())
        path.with_suffix(".kat.txt").write_text(self.known_answers(answers, random.Random(self.name)))
        return path

    def evaluate(self, key: bytes, block: bytes, tweak: bytes = b"") -> bytes:
        """Return the output by plain numbers: neither the language nor the engine is asked."""
        round_keys = self._round_keys(self._words(key))
        tweaks = self._tweaks(self._words(tweak))
        start = self._words(block)
        state: State = start
        for i in range(self.rounds):
            for step in self.steps:
                state = step.apply(state, round_keys[i] + tweaks[i], i)
        if self.kind == FUNCTION:
            mask = (1 << self.width) - 1
            state = [*(x + y & mask for x, y in zip(state, start, strict=True)), *state[:1]]
        return self._bytes(state)

    def _round_keys(self, key: State) -> list[State]:
        if not key:
            return [[]] * self.rounds
        out = []
        for i in range(self.rounds):
            for step in self.key_steps:
                key = step.apply(key, key, i)
            out.append(key[: self.used])
        return out

    def _tweaks(self, tweak: State) -> list[State]:
        """Return the first word of the tweak for each round."""
        out = []
        for i in range(self.rounds):
            out.append(tweak[:1])
            for step in self.tweak_steps:
                tweak = step.apply(tweak, tweak, i)
        return out

    @property
    def used(self) -> int:
        """Words of a round key."""
        return min(self.key_words, 2)

    def _words(self, data: bytes) -> State:
        if self.width == 4:
            return [byte >> low & 15 for byte in data for low in (0, 4)]
        size, order = self.width // 8, "big" if self.big else "little"
        return [int.from_bytes(data[n : n + size], order) for n in range(0, len(data), size)]  # type: ignore[arg-type]

    def _bytes(self, words: State) -> bytes:
        if self.width == 4:
            return bytes(low | high << 4 for low, high in zip(words[::2], words[1::2], strict=True))
        return b"".join(x.to_bytes(self.width // 8, "big" if self.big else "little") for x in words)

    def _byte_orders(self) -> list[str]:
        if self.width == 4:
            return [
                "", "def words(data):", "    return vec(*[bits(b, low, 4) for b in data for low in (0, 4)])",
                "", "def octets(v):", "    return vec(*[concat(v[n], v[n + 1]) for n in range(0, len(v), 2)])",
            ]  # fmt: skip
        order = "be" if self.big else "le"
        return [
            "", "def words(data):", f"    return {order}_words(data, {self.width})",
            "", "def octets(v):", f"    return {order}_bytes(v)",
        ]  # fmt: skip

    def _made(self) -> list[str]:
        head, tail = f'made = {self.kind.capitalize()}("{self.name}"', 'structure="other", source="tests")'
        sizes = {
            CIPHER: f"block_bits={self.block_bits}, key_bits=({self.key_bits},)"
            + (f", tweak_bits={self.tweak_bits}" if self.tweak_words else ""),
            PERMUTATION: f"state_bits={self.block_bits}",
            FUNCTION: f"input_bits={self.block_bits}, output_bits={self.block_bits + self.width}"
            + (f", key_bits=({self.key_bits},)" if self.key_words else ""),
        }[self.kind]
        return ["", f"{head}, {sizes}, {tail}"]

    def _key_schedule(self) -> list[str]:
        if not self.key_words:
            return []
        return [
            "", "@made.key_schedule", "def key_schedule(key):", "    s = words(key)",
            f"    K = array(word({self.width}), {self.rounds}, {self.used})",
            f"    for i in rounds({self.rounds}):",
            *_indented(line for step in self.key_steps for line in step.forward),
            f"        K[i] = s[:{self.used}]", "    return K",
        ]  # fmt: skip

    def _functions(self) -> list[str]:
        forward = _indented(line for step in self.steps for line in step.forward)
        if self.kind == FUNCTION:
            ending = ["    return octets(join(s + start, s[:1]))"]
            return self._function("evaluate", f"rounds({self.rounds})", forward, ending, ["    start = vec(*s)"])
        backward = _indented(line for step in reversed(self.steps) for line in step.backward)
        names = ("encrypt", "decrypt") if self.kind == CIPHER else ("permute", "inverse")
        ending = ["    return octets(s)"]
        return [
            *self._function(names[0], f"rounds({self.rounds})", forward, ending),
            *self._function(names[1], f"rounds({self.rounds - 1}, -1, -1)", backward, ending),
        ]

    def _function(
        self, name: str, loop: str, body: list[str], ending: list[str], start: Sequence[str] = ()
    ) -> list[str]:
        given = "K, tweak, data" if self.tweak_words else "K, data" if self.key_words else "data"
        keys = ["        k = join(K[i], W[i])" if self.tweak_words else "        k = K[i]"] if self.key_words else []
        return [
            "", f"@made.{name}", f"def {name}({given}):", *self._tweak_lines(), "    s = words(data)", *start,
            f"    for i in {loop}:", *keys, *body, *ending,
        ]  # fmt: skip


    def _tweak_lines(self) -> list[str]:
        """Return the lines that make the tweak's word of each round, before the block is looked at."""
        if not self.tweak_words:
            return []
        return [
            "    s = words(tweak)", f"    W = array(word({self.width}), {self.rounds}, 1)",
            f"    for i in rounds({self.rounds}):", "        W[i] = s[:1]",
            *_indented(line for step in self.tweak_steps for line in step.forward),
        ]  # fmt: skip


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"        {line}" for line in lines]


def random_description(seed: int) -> RandomDescription:
    """Return the description of a seed."""
    rng = random.Random(seed)
    kind = rng.choice([CIPHER, CIPHER, CIPHER, PERMUTATION, FUNCTION])
    width = rng.choice(WIDTHS)
    counts = [n for n in (1, 2, 3, 4, 5, 8, 16) if n * width <= MOST_BITS and n * width % 8 == 0]
    if kind == FUNCTION:
        counts = [n for n in counts if (n + 1) * width % 8 == 0] or counts
        width = width if width > 4 else 8
    count = rng.choice(counts)
    key_words = 0 if kind == PERMUTATION or (kind == FUNCTION and rng.random() < 0.5) else rng.choice(counts)
    tables = Tables(rng)
    tweak_words = rng.choice(counts) if kind == CIPHER and rng.random() < 0.4 else 0
    maker = Maker(rng, width, count, min(key_words, 2) + bool(tweak_words), tables)
    steps = [maker.step() for _ in range(rng.randint(2, 5))]
    if key_words:
        steps.insert(rng.randrange(len(steps) + 1), maker.key_addition())
    key_maker = Maker(rng, width, key_words, 0, tables)
    key_steps = [key_maker.step() for _ in range(rng.randint(1, 3))] if key_words else []
    tweak_maker = Maker(rng, width, tweak_words, 0, tables)
    tweak_steps = [tweak_maker.step() for _ in range(rng.randint(1, 3))] if tweak_words else []
    return RandomDescription(
        f"Random{seed}", kind, width, count, key_words, rng.randint(2, 8), rng.random() < 0.3,
        tuple(steps), tuple(key_steps), tuple(tables.lines), tweak_words, tuple(tweak_steps),
    )  # fmt: skip
