"""Which modules of a design are mapped by themselves, and whose block each of them is."""

from __future__ import annotations

from collections.abc import Mapping

from cipherassay.errors import UsageError, nearest
from cipherassay.hardware.netlists.rtlil import Module, reached

SPLITS = ("operators", "boxes", "auto", "flat", "blocks", "functions", "all")
MERGED = ("operators", "boxes", "auto")
"""The splits after which small modules are merged."""
OPERATORS_APART = ("operators", "boxes")
"""Those after `arithmetic.apart`."""
BLOCKS = {
    "interface": "Interface",
    "controller": "Controller",
    "key": "Key Schedule",
    "algorithm": "Algorithm",
    "distributor": "Distributor",
}
"""The blocks of a design by how the names of their instances begin."""


def units(modules: Mapping[str, Module], top: str, split: str) -> frozenset[str]:
    """Return the modules that are mapped by themselves.

    Parameters
    ----------
    split : str
        ``flat``: the top alone; ``blocks``: modules with registers too; ``functions``: what these use
        directly, too; ``all``: every module; ``auto``: first as ``all``, then `merged_small`;
        ``operators``: the same after `arithmetic.apart`; ``boxes``: as that, but S-boxes of which the library
        has circuits stay apart.

    Raises
    ------
    UsageError
        ``H710``: there is no such split.
    """
    if split not in SPLITS:
        raise UsageError("H710", f"unknown split `{split}`", help=nearest(split, SPLITS))
    every = [name for name, _ in reached(modules, top)]
    if split == "flat":
        return frozenset([top])
    if split == "all" or split in MERGED:
        return frozenset(every)
    blocks = {name for name in every if _leads_to_state(modules, name)} | {top}
    if split == "blocks":
        return frozenset(blocks)
    return frozenset(blocks | {child for name in blocks for child in modules[name].children})


def _leads_to_state(modules: Mapping[str, Module], name: str) -> bool:
    return modules[name].has_state or any(_leads_to_state(modules, c) for c in set(modules[name].children))


def block_of(instance: str) -> str:
    """Return the block that an instance of the top is, empty if none of them; copies are one block."""
    name = instance.lower()
    return next((block for begin, block in BLOCKS.items() if name.startswith(begin)), "")


def merged_small(
    modules: Mapping[str, Module], top: str, chosen: frozenset[str], gates: Mapping[str, int], least: int,
    apart: frozenset[str] = frozenset(),
) -> frozenset[str]:  # fmt: skip
    """Return the units without those that hold few gates and no registers: they go into what uses them.

    Parameters
    ----------
    gates : mapping
        How many gates stand in each unit itself.
    least : int
        A unit with fewer is merged.
    apart : frozenset of str
        Units that are not merged, however small.
    """
    return frozenset(
        name
        for name in chosen
        if name == top or name in apart or gates[name] >= least or _leads_to_state(modules, name)
    )
