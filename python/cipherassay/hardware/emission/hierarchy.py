"""The modules of an emitted device: which has instances of which, what each computes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_INSTANCE = re.compile(r"^ {4}(\w+) (\w+) \($", re.M)


@dataclass(frozen=True)
class Module:
    """A module in the tree of a device."""

    depth: int
    name: str
    count: int
    """Instances of it in the module above."""
    text: str
    """What the head of its file says it is."""


def hierarchy(files: Sequence[tuple[str, str]], top: str) -> list[Module]:
    """Return the modules of Verilog files, each below the one that has instances of it."""
    texts = {name.removesuffix(".v"): text for name, text in files}
    found: list[Module] = []
    _below(texts, top, 1, 0, found)
    return found


def _below(texts: Mapping[str, str], name: str, count: int, depth: int, found: list[Module]) -> None:
    text = texts.get(name, "")
    head = text.partition("\n")[0].lstrip("/ ").partition(": ")[2]
    found.append(Module(depth, name, count, head))
    inside = Counter(module for module, _ in _INSTANCE.findall(text) if module in texts)
    for module, number in inside.items():
        _below(texts, module, number, depth + 1, found)
