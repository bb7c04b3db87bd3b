"""Random descriptions: the text of an `encrypt` that uses the language in every way that fits together."""

from __future__ import annotations

import random

WORDS = ("a", "b", "c", "d")


class Description:
    """One random body for :func:`toy.make`, built statement by statement; `seed` alone decides it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.counters: list[tuple[str, int]] = []
        self.depth = 0

    def text(self) -> str:
        """Return the body: four words of state, an array, a ring and a vector, statements, and the output."""
        self.lines = [
            "a, b, c, d = le_words(p)",
            "v = vec(u8, *p[0:4])",
            "T = ring(u32, 8)",
            "T[:] = [*S[0:4], *(S[0:4] + 1)]",
            "B = table(u8, [(7 * x + 3) % 256 for x in range(256)])",
            "M = GF(0x11B).circulant([2, 3, 1, 1])",
            "box = sbox('12 5 6 11 9 0 10 13 3 14 15 8 4 7 1 2')",
            "n = 0",
        ]
        for _ in range(self.rng.randint(3, 8)):
            self.statement()
        self.lines.append("return le_bytes(a ^ T[0], b ^ T[5], c, d ^ concat(*v))")
        return "\n".join(self.lines) + "\n"

    def line(self, text: str) -> None:
        """Add a line at the present depth."""
        self.lines.append("    " * self.depth + text)

    def statement(self) -> None:
        """Add one statement; loops hold statements of their own."""
        kinds = ["word", "word", "word", "vector", "array", "swap", "choose", "sliced"]
        if self.depth < 3:
            kinds += ["rounds", "unrolled"]
        if self.counters:
            kinds += ["counter", "condition"]
        getattr(self, f"_{self.rng.choice(kinds)}")()

    def word(self) -> str:
        """Return an expression of 32 bits."""
        rng = self.rng
        x, y = rng.choice(WORDS), rng.choice(WORDS)
        forms = [
            f"{x} {rng.choice('+-*^&|')} {y}",
            f"rotl({x}, {rng.randint(0, 40)})",
            f"rotr({x}, {y})",
            f"({x} << {rng.randint(0, 31)}) ^ ({y} >> {rng.randint(0, 31)})",
            f"~{x} + {rng.getrandbits(32)}",
            f"zext(bits({x}, {rng.randint(0, 9)}, {rng.randint(1, 20)}), 32) * {y}",
            f"concat(byte({x}, {rng.randint(0, 3)}), *v[1:4])",
            f"T[{self.index()}] + {y}",
            f"select(less({x}, {y}), {rng.choice(WORDS)}, {rng.getrandbits(16)})",
            f"concat(*[B[t] for t in le_bytes({x})])",
        ]
        return rng.choice(forms)

    def index(self) -> str:
        """Return an index into the ring."""
        rng = self.rng
        if self.counters and rng.random() < 0.7:
            counter, _ = rng.choice(self.counters)
            return f"{rng.randint(1, 3)} * {counter} + {rng.randint(-4, 9)}"
        return str(rng.randint(-9, 20)) if rng.random() < 0.7 else f"bits({rng.choice(WORDS)}, 3, 3)"

    def _word(self) -> None:
        self.line(f"{self.rng.choice(WORDS)} {self.rng.choice(['=', '+=', '^='])} {self.word()}")

    def _vector(self) -> None:
        forms = [
            "v = B[v]",
            "v = v.rotate(1)",
            "v = M @ v",
            "v ^= le_bytes(a)",
            "v = v[[2, 0, 3, 1]] + 1",
            "v[2] = v[2] ^ byte(b, 1)",
        ]
        self.line(self.rng.choice(forms))

    def _array(self) -> None:
        self.line(f"T[{self.index()}] = {self.word()}")

    def _swap(self) -> None:
        order = list(WORDS)
        self.rng.shuffle(order)
        self.line(f"{', '.join(WORDS)} = {', '.join(order)}")

    def _choose(self) -> None:
        self.line(f"t = {self.word()}")
        self.line(f"{self.rng.choice(WORDS)} = select(equal(t, {self.rng.choice(WORDS)}), t, b)")

    def _sliced(self) -> None:
        self.line("a, b, c, d = bitsliced(box, vec(a, b, c, d))")

    def _counter(self) -> None:
        counter, limit = self.rng.choice(self.counters)
        form = self.rng.choice([f"{counter} // 2", f"{counter} % 3", f"3 * {counter} + 1", counter])
        self.line(f"{self.rng.choice(WORDS)} ^= u32({form})")

    def _condition(self) -> None:
        counter, limit = self.rng.choice(self.counters)
        test = self.rng.choice(
            [f"{counter} % 2 == 0", f"{counter} < {limit // 2}", f"{counter} in (0, {limit - 1})"]
        )
        self.line(f"if {test}:")
        self._nested(1)
        if self.rng.random() < 0.5:
            self.line("else:")
            self._nested(1)

    def _nested(self, most: int) -> None:
        self.depth += 1
        for _ in range(self.rng.randint(1, most)):
            kinds = ["_word", "_vector", "_array", "_swap"]
            getattr(self, self.rng.choice(kinds))() if most == 1 else self.statement()
        self.depth -= 1

    def _rounds(self) -> None:
        limit = self.rng.randint(1, 7)
        counter = f"i{len(self.counters)}"
        bounds = self.rng.choice([f"{limit}", f"{limit - 1}, -1, -1"])
        self.line(f"for {counter} in {self.rng.choice(['rounds', 'steps'])}({bounds}):")
        self.counters.append((counter, limit))
        self._nested(4)
        self.counters.pop()

    def _unrolled(self) -> None:
        self.line(f"for k in range({self.rng.randint(1, 3)}):")
        self._nested(2)
