"""Cells by logical effort: what a static CMOS gate's structure says of loads, delays, size and transistors.

A gate is a network of pull-down transistors and its dual of pull-up ones. Widths make every path conduct as
an inverter's transistor does, so all gates of a drive have the inverter's resistance. Then, in units of tau,
the delay of an inverter that drives one like itself without parasitics, a gate's delay is effort plus
parasitic delay, g h + p: h is load over input capacitance, g the input capacitance over the inverter's, p the
diffusion at the output over the inverter's (Sutherland, Sproull, Harris, "Logical Effort", 1999).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property

from cipherassay.errors import DescriptionError, Place

SITES_OF_NAND2 = 3
"""Two columns of a pull-up above a pull-down transistor, and the gap to the next cell."""

Tree = str | tuple[str, tuple["Tree", ...]]
"""A transistor by the name of its gate, or ``("&", …)`` in series, ``("|", …)`` in parallel."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """A cell without state: stages of static gates, each ``name = ~(…)``, the last one its output."""

    name: str
    drives: tuple[int, ...]
    stages: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class State:
    """A cell with a state: transistors, sites, loads in inverters, and paths as stages (effort, parasitic).

    The last stage of `clock_path` (and of a latch's `data_path`) has its load for effort. `setup_path` is
    what data must pass before the clock's edge.
    """

    name: str
    kind: str
    clock: str
    active: str
    data: str
    output: str
    transistors: int
    sites: int
    clock_load: float
    data_load: float
    clock_path: tuple[tuple[float, float], ...]
    setup_path: tuple[tuple[float, float], ...]
    data_path: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class LogicalEffort:
    """What a library by logical effort is made of: tau, the inverter's load, its parasitic delay, cells."""

    tau_ns: float
    unit_capacitance_ff: float
    pull_up_ratio: float
    inverter_parasitic: float
    gate: tuple[Gate, ...]
    state: tuple[State, ...]


@dataclass(frozen=True)
class Stage:
    """One static gate; loads in inverters, per input and of drive 1."""

    output: str
    tree: Tree
    ratio: float

    @cached_property
    def transistors(self) -> int:
        """Transistors of drive 1: one in either network for each input that stands in the expression."""
        return 2 * len(_leaves(self.tree))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Its inputs in the order of the expression."""
        return tuple(dict.fromkeys(_leaves(self.tree)))

    def load(self, name: str) -> float:
        """Return the logical effort of an input: its transistors' widths over the inverter's."""
        down, up = _widths(self.tree, 1.0), _widths(dual(self.tree), self.ratio)
        total = sum(width for leaf, width in (*down, *up) if leaf == name)
        return total / (1 + self.ratio)

    def parasitic(self) -> float:
        """Return the diffusion at its output over the inverter's."""
        return (_drain(self.tree, 1.0) + _drain(dual(self.tree), self.ratio)) / (1 + self.ratio)


def stage(text: str, ratio: float, place: Place) -> Stage:
    """Return the stage that a text describes: ``Y = ~((A & B) | C)``.

    Raises
    ------
    DescriptionError
        ``H608``: it is no complement of series and parallel inputs.
    """
    output, _, expression = text.partition("=")
    try:
        parsed = ast.parse(expression.strip(), mode="eval").body
        if not isinstance(parsed, ast.UnaryOp) or not isinstance(parsed.op, ast.Invert):
            raise ValueError("it does not begin with ~")
        return Stage(output.strip(), _tree(parsed.operand), ratio)
    except (SyntaxError, ValueError) as error:
        raise DescriptionError(
            "H608",
            f"`{text}` is no static gate",
            places=[place],
            notes=[str(error)],
            help="for instance Y = ~((A & B) | C)",
        ) from None


def _tree(node: ast.expr) -> Tree:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        kind = "&" if isinstance(node.op, ast.BitAnd) else "|"
        parts: list[Tree] = []
        for one in (_tree(node.left), _tree(node.right)):
            parts += one[1] if isinstance(one, tuple) and one[0] == kind else [one]
        return kind, tuple(parts)
    raise ValueError("only names, & and | may stand within it")


def _leaves(tree: Tree) -> list[str]:
    return [tree] if isinstance(tree, str) else [leaf for part in tree[1] for leaf in _leaves(part)]


def dual(tree: Tree) -> Tree:
    """Return the network that conducts where another does not: series for parallel."""
    if isinstance(tree, str):
        return tree
    return "|" if tree[0] == "&" else "&", tuple(dual(part) for part in tree[1])


def _widths(tree: Tree, width: float) -> list[tuple[str, float]]:
    if isinstance(tree, str):
        return [(tree, width)]
    each = width * len(tree[1]) if tree[0] == "&" else width
    return [pair for part in tree[1] for pair in _widths(part, each)]


def _drain(tree: Tree, width: float) -> float:
    """Return the diffusion at the upper end of a network: of parts in series, the narrowest stands there."""
    if isinstance(tree, str):
        return width
    if tree[0] == "&":
        return min(_drain(part, width * len(tree[1])) for part in tree[1])
    return sum(_drain(part, width) for part in tree[1])


@dataclass(frozen=True)
class Structure:
    """A cell of a drive: its stages, of which the last is as wide as the drive says."""

    name: str
    drive: int
    stages: tuple[Stage, ...]
    known: LogicalEffort = field(repr=False)

    @cached_property
    def pins(self) -> tuple[str, ...]:
        """Its inputs, sorted."""
        made = {one.output for one in self.stages}
        return tuple(sorted({name for one in self.stages for name in one.inputs} - made))

    @property
    def output(self) -> str:
        """Its output."""
        return self.stages[-1].output

    def width(self, one: Stage) -> int:
        """Return how much wider than drive 1 a stage is: those before the last are a quarter of it."""
        return self.drive if one is self.stages[-1] else -(-self.drive // 4)

    @cached_property
    def transistors(self) -> int:
        """Its transistors, wide ones as fingers."""
        return sum(one.transistors * self.width(one) for one in self.stages)

    @cached_property
    def sites(self) -> int:
        """Its width in sites: a column for two transistors, one between stages, one to the next cell."""
        return self.transistors // 2 + len(self.stages)

    @cached_property
    def function(self) -> str:
        """Its output's function of its inputs."""
        texts: dict[str, str] = {}
        for one in self.stages:
            plain = isinstance(one.tree, str) and one.tree not in texts
            inner = _text(one.tree, texts)
            texts[one.output] = f"~{inner}" if plain else f"~({inner})"
        return texts[self.output]

    def load_ff(self, name: str) -> float:
        """Return the capacitance of a net of the cell, in fF: the inputs that it leads to."""
        total = sum(one.load(name) * self.width(one) for one in self.stages if name in one.inputs)
        return total * self.known.unit_capacitance_ff

    def paths(self, pin: str) -> list[tuple[bool, float]]:
        """Return every way from a pin to the output: whether it inverts, its delay without load in tau."""
        return self._from(pin)

    def _from(self, name: str) -> list[tuple[bool, float]]:
        if name == self.output:
            return [(False, 0.0)]
        ways = []
        for one in self.stages:
            if name in one.inputs:
                own = one.parasitic() * self.known.inverter_parasitic
                if one is not self.stages[-1]:
                    own += self.load_ff(one.output) / self.known.unit_capacitance_ff / self.width(one)
                ways += [(not inverts, own + rest) for inverts, rest in self._from(one.output)]
        return ways

    @property
    def own_ff(self) -> float:
        """The diffusion at its output, in fF: what its parasitic delay comes from."""
        last = self.stages[-1]
        return last.parasitic() * self.known.inverter_parasitic * self.drive * self.known.unit_capacitance_ff


def _text(tree: Tree, texts: dict[str, str]) -> str:
    if isinstance(tree, str):
        return texts.get(tree, tree)
    return f" {tree[0]} ".join(
        f"({_text(part, texts)})" if isinstance(part, tuple) else _text(part, texts) for part in tree[1]
    )


def structures(known: LogicalEffort, place: Place) -> list[Structure]:
    """Return the cells without state, every drive of each; raises DescriptionError ``H608``."""
    found = []
    for gate in known.gate:
        stages = tuple(stage(text, known.pull_up_ratio, place) for text in gate.stages)
        found += [Structure(f"{gate.name}X{drive}", drive, stages, known) for drive in gate.drives]
    return found
