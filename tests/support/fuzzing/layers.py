"""Steps of random rounds: additions of functions of other words, rotations, products, permutations, S-boxes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from support.fuzzing.steps import Expressions, State, Step, Tables, rotated


@dataclass(frozen=True)
class Maker:
    """Makes steps for a state of words of one width.

    Parameters
    ----------
    width, count : int
        Bits of a word, and words of the state.
    keys : int
        Round keys of a round.
    """

    rng: random.Random
    width: int
    count: int
    keys: int
    tables: Tables

    def step(self) -> Step:
        """Return a random step; some only in every second or third round."""
        kinds: list[Callable[[], Step]] = [self._mix, self._mix, self._rotation, self._permutation]
        if self.width >= 8:
            kinds.append(self._product)
        if self.width % 4 == 0:
            kinds.append(self._boxes)
        if self.count >= 4:
            kinds.append(self._bit_sliced)
        made = self.rng.choice(kinds)()
        return self._sometimes(made) if self.rng.random() < 0.15 else made

    def key_addition(self) -> Step:
        """Return the step that adds each round key to a word of its own."""
        pairs = [(w, k) for k, w in enumerate(self.rng.sample(range(self.count), min(self.keys, self.count)))]

        def apply(s: State, k: Sequence[int], i: int) -> State:
            out = list(s)
            for w, n in pairs:
                out[w] ^= k[n]
            return out

        lines = tuple(f"s[{w}] = s[{w}] ^ k[{n}]" for w, n in pairs)
        return Step(lines, lines, apply, apply)

    def _mix(self) -> Step:
        target = self.rng.randrange(self.count)
        others = [w for w in range(self.count) if w != target] or [target]
        if self.count == 1:
            return self._rotation()
        expression = Expressions(self.rng, self.width, others, self.keys, self.tables).make()
        operator, back = self.rng.choice(["+-", "-+", "^^"])
        mask = (1 << self.width) - 1

        def changed(s: State, k: Sequence[int], i: int, by: str) -> State:
            out, x = list(s), expression.value(s, k, i)
            out[target] = {"+": s[target] + x, "-": s[target] - x, "^": s[target] ^ x}[by] & mask
            return out

        return Step(
            (f"s[{target}] = s[{target}] {operator} {expression.text}",),
            (f"s[{target}] = s[{target}] {back} {expression.text}",),
            lambda s, k, i: changed(s, k, i, operator),
            lambda s, k, i: changed(s, k, i, back),
        )

    def _each(self, target: int, forward: str, backward: str, do: Callable[[int], int],
              undo: Callable[[int], int]) -> Step:  # fmt: skip
        """Return a step that replaces a word by a function of itself; `{}` in the texts is the word."""

        def with_word(s: State, function: Callable[[int], int]) -> State:
            return [function(x) if w == target else x for w, x in enumerate(s)]

        name = f"s[{target}]"
        return Step(
            (f"{name} = {forward.format(name)}",), (f"{name} = {backward.format(name)}",),
            lambda s, k, i: with_word(s, do), lambda s, k, i: with_word(s, undo),
        )  # fmt: skip

    def _rotation(self) -> Step:
        target, n, width = self.rng.randrange(self.count), self.rng.randrange(self.width), self.width
        return self._each(
            target, f"rotl({{}}, {n})", f"rotr({{}}, {n})",
            lambda x: rotated(x, n, width), lambda x: rotated(x, -n, width),
        )  # fmt: skip

    def _product(self) -> Step:
        target, factor, mask = self.rng.randrange(self.count), self.rng.getrandbits(self.width) | 1, (1 << self.width) - 1
        back = pow(factor, -1, mask + 1)
        return self._each(
            target, f"{{}} * {factor:#x}", f"{{}} * {back:#x}", lambda x: x * factor & mask, lambda x: x * back & mask
        )

    def _permutation(self) -> Step:
        order = self.rng.sample(range(self.count), self.count)
        back = [order.index(w) for w in range(self.count)]
        return Step(
            (f"s = s[{order}]",), (f"s = s[{back}]",),
            lambda s, k, i: [s[w] for w in order], lambda s, k, i: [s[w] for w in back],
        )  # fmt: skip

    def _boxes(self) -> Step:
        target, width = self.rng.randrange(self.count), self.width
        size = 8 if width % 8 == 0 and self.rng.random() < 0.5 else 4
        name, entries = self.tables.box(size)
        lows = range(0, width, size)

        def through(box: Sequence[int]) -> Callable[[int], int]:
            return lambda x: sum(box[x >> low & (1 << size) - 1] << low for low in lows)

        def text(box: str) -> str:
            return f"concat({', '.join(f'{box}[bits({{0}}, {low}, {size})]' for low in lows)})"

        inverse = [entries.index(x) for x in range(1 << size)]
        return self._each(target, text(name), text(f"{name}.inverse"), through(entries), through(inverse))

    def _bit_sliced(self) -> Step:
        words = self.rng.sample(range(self.count), 4)
        box = self.rng.sample(range(16), 16)
        inverse = [box.index(x) for x in range(16)]

        def through(table: Sequence[int]) -> Callable[[State, Sequence[int], int], State]:
            def apply(s: State, k: Sequence[int], i: int) -> State:
                out = [0 if w in words else x for w, x in enumerate(s)]
                for bit in range(self.width):
                    y = table[sum((s[w] >> bit & 1) << n for n, w in enumerate(words))]
                    for n, w in enumerate(words):
                        out[w] |= (y >> n & 1) << bit
                return out

            return apply

        def text(table: Sequence[int]) -> str:
            names = [f"s[{w}]" for w in words]
            entries = " ".join(map(str, table))
            return f"{', '.join(names)} = bitsliced(sbox('{entries}'), [{', '.join(names)}])"

        return Step((text(box),), (text(inverse),), through(box), through(inverse))

    def _sometimes(self, step: Step) -> Step:
        period = self.rng.choice([2, 3])
        phase = self.rng.randrange(period)
        test = f"if i % {period} == {phase}:"

        def only(change: Callable[[State, Sequence[int], int], State]) -> Callable[[State, Sequence[int], int], State]:
            return lambda s, k, i: change(s, k, i) if i % period == phase else s

        def under(lines: tuple[str, ...]) -> tuple[str, ...]:
            return (test, *(f"    {line}" for line in lines))

        return Step(under(step.forward), under(step.backward), only(step.apply), only(step.undo))
