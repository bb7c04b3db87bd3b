"""The ABC scripts that map a function's logic to cells, from the smallest result to the fastest."""

from __future__ import annotations

from dataclasses import dataclass

from cipherassay.errors import UsageError, nearest

_PREPARE = ("strash", "ifraig", "scorr", "dc2", "strash")
# Few gates: resubstitution with growing cuts between rewriting; it takes prefix adders apart.
_LEAN = (
    "strash", "balance -l", "resub -K 6 -l", "rewrite -l", "resub -K 6 -N 2 -l", "refactor -l",
    "resub -K 8 -l", "balance -l", "resub -K 8 -N 2 -l", "rewrite -l", "resub -K 10 -l", "rewrite -z -l",
    "resub -K 10 -N 2 -l", "balance -l", "resub -K 12 -l", "refactor -z -l", "resub -K 12 -N 2 -l",
    "rewrite -z -l", "balance -l", "dch -f",
)  # fmt: skip
# Few levels: restructured twice over six-input cuts.
_FAST = ("if -g -K 6", "strash", "dch -f") * 2
# As it stands: multiplexers of large register blocks, which the others only take time over or make larger.
_PLAIN = ("strash",)
_STRUCTURES = {"lean": _LEAN, "fast": _FAST, "plain": _PLAIN}
_MAPPERS = {
    "A": ("amap -m", "topo", "buffer -c -N 16", "dnsize -D 100000"),
    "B": ("amap", "topo", "buffer -p -N 8", "upsize -D 100", "dnsize -D 100"),
    "M": ("&get -n", "&nf", "&put", "buffer -p -N 8", "upsize -D 100", "dnsize -D 100"),
    "N": ("&get -n", "&nf", "&put", "buffer -p -N 6", "upsize -D 100", "dnsize -D 100"),
    "D": ("map -B 0.9 -D 100", "topo", "buffer -p -N 4", "upsize -D 100", "dnsize -D 100"),
}
_OWN = {"A": "lean", "B": "lean", "M": "lean", "N": "fast", "D": "fast"}
# Megabytes for every thousand cells of the result, rounded up from runs; `map` keeps all matches of all cuts.
_MEMORY = {"A": 4.0, "B": 4.0, "M": 4.0, "N": 2.0, "D": 20.0}
# With 16, trees cost next to nothing; with 8, selects of a whole block are 0.3 ns faster.
_SINKS = {"A": 16, "B": 16, "M": 16, "N": 8, "D": 8}


@dataclass(frozen=True)
class Recipe:
    """A named ABC script, the most sinks of a net after it, and its memory for every thousand cells."""

    name: str
    commands: tuple[str, ...]
    memory_mb: float
    sinks: int

    @property
    def script(self) -> str:
        """The script's text, a command a line: without ABC's start file there are no aliases."""
        return "\n".join(self.commands) + "\n"


def _recipe(mapper: str, structure: str) -> Recipe:
    name = mapper if _OWN[mapper] == structure else f"{mapper}-{structure}"
    prepare = () if structure == "plain" else _PREPARE
    commands = (*prepare, *_STRUCTURES[structure], *_MAPPERS[mapper])
    return Recipe(name, commands, _MEMORY[mapper], _SINKS[mapper])


NAMED = {mapper: _recipe(mapper, structure) for mapper, structure in _OWN.items()}
"""The five recipes of the research that this flow began with, from the area end to the delay end."""

CROSSED = {
    one.name: one for one in (_recipe(mapper, structure) for mapper in _MAPPERS for structure in _STRUCTURES)
}
"""Every mapper after every structure."""

SWEEP = ("A", "D", "N", "A-plain", "M-plain", "M", "B", "N-plain", "D-plain", "A-fast")
"""The order in which a sweep takes recipes in: the ends first."""
BRIEF = ("A-plain",)
"""What takes least time: logic as it stands."""
LARGE_GATES = 6000
"""A unit with more gates is mapped as it stands: above this size only blocks of registers are found."""


def suited(name: str, gates: int) -> str:
    """Return the recipe for a unit of so many gates where a design's other units take `name`."""
    mapper = name.partition("-")[0]
    if gates < LARGE_GATES:
        return name
    return "A-plain" if mapper in "AB" else "M-plain"


def find(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises
    ------
    UsageError
        ``H703``: there is none of that name.
    """
    if name not in CROSSED:
        raise UsageError("H703", f"unknown recipe `{name}`", help=nearest(name, CROSSED))
    return CROSSED[name]


def of_points(points: int) -> list[Recipe]:
    """Return the recipes for a sweep of so many points."""
    return [find(name) for name in SWEEP[: max(1, points)]]
