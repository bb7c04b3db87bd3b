"""Random descriptions whose loops carry vectors: rotated among variables, shared, changed in place, held in lists."""

from __future__ import annotations

import random

NAMES = ("Y0", "Y1", "Y2", "Y3")


class Description:
    """One random body for :func:`toy.make`; `seed` alone decides it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines = ["Y0, Y1, Y2, Y3 = (vec(*p[k : k + 4]) for k in (0, 4, 8, 12))"]
        self.held = self.rng.choice(["", "", "[Y0, Y1, Y2, Y3]", "[vec(*Y0), vec(*Y1)]"])
        self.second = self.rng.random() < 0.3

    def text(self) -> str:
        """Return the body."""
        if self.held:
            self.lines.append(f"st = {self.held}")
        if self.second:
            self.lines.append("Z = Y1")
        self.statement(0)
        self.loop(0, self.rng.randint(2, 6))
        for _ in range(self.rng.randint(0, 2)):
            self.statement(0)
        if self.held:
            self.lines.append("Y0 = Y0 ^ st[0] ^ st[1]")
        if self.second:
            self.lines.append("Y1 = Y1 ^ Z")
        return "\n".join([*self.lines, "return join(Y0, Y1, Y2, Y3)"]) + "\n"

    def loop(self, depth: int, count: int) -> None:
        """Add a loop with some statements."""
        self.lines.append("    " * depth + f"for i{depth} in rounds({count}):")
        for _ in range(self.rng.randint(1, 4)):
            self.statement(depth + 1)

    def statement(self, depth: int) -> None:
        """Add one statement."""
        kinds = [
            "rotation",
            "rotation",
            "binding",
            "in place",
            "in place",
            "slice",
            "swap",
            "list",
            "loop",
            "condition",
        ]
        kind = self.rng.choice(kinds)
        if kind == "loop" and depth < 2:
            self.loop(depth, self.rng.randint(1, 4))
        elif kind == "condition" and depth:
            self.lines.append("    " * depth + f"if i{depth - 1} % 2 == 0:")
            self.lines.append(
                "    " * depth + f"    {self.name()}, {self.name()} = {self.vector()}, {self.vector()}"
            )
        else:
            self.lines.append("    " * depth + self.simple(kind))

    def simple(self, kind: str) -> str:
        """Return a statement of one line."""
        n, x, y, k, j = (
            self.rng.randint(0, 3),
            self.name(),
            self.name(),
            self.rng.randint(0, 3),
            self.rng.choice("=^+"),
        )
        if kind == "rotation":
            return f"Y0, Y1, Y2, Y3 = Y1, Y2, Y3, {self.vector()}"
        if kind == "in place":
            return f"{x}[{n}] {j.strip('=')}= {y}[{k}]"
        if kind == "slice":
            return f"{x}[1:3] = {y}[0:2]"
        if kind == "swap":
            return f"{x}, {y} = {y}, {x}"
        if kind == "list" and self.held:
            changes = ["st = st[1:] + st[:1]", "st[0], st[1] = st[1], st[0]", f"st[0] = {self.vector()}"]
            return self.rng.choice([*changes, f"st[1][2] ^= {x}[0]", f"{x} = st[1]"])
        return f"{x} = {self.vector()}"

    def name(self) -> str:
        """Return a variable."""
        return self.rng.choice(NAMES)

    def vector(self) -> str:
        """Return an expression for a vector, which may be one that there is."""
        a, b = self.name(), self.name()
        forms = [f"{a} ^ {b}", f"{a} + {b}", f"{a}.rotate(1)", f"vec(*{a})", a, f"{a}[[1, 0, 3, 2]]"]
        forms += ["Z ^ " + a] if self.second else []
        forms += ["st[0]", "st[-1] ^ " + a] if self.held else []
        return self.rng.choice(forms)
