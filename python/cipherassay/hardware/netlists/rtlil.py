"""RTLIL texts, Yosys's own form of a design: in modules, named anew, cut where functions are mapped alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_MODULE = re.compile(r"^module (\S+)$", re.M)
_PRIVATE = re.compile(r"(?<=[\s\"])\$[^\s\"]*\$\d+[^\s\"]*")
_CHILD = re.compile(r"^  cell ((?:\\|\$paramod)\S+) \S+$", re.M)
_PORT = re.compile(r"^  wire .*\b(?:input|output|inout) \d+ .*$", re.M)
_SOURCE = re.compile(r"^ *attribute \\src .*\n", re.M)
_STATE = re.compile(r"^  cell (?:\$\w*(?:dff|dlatch|ff|sr)\w*|\$mem\w*wr\w*) ", re.M)


@dataclass(frozen=True)
class Module:
    """A module's text; private names are numbered, so that the text depends on the module alone."""

    name: str
    text: str

    @cached_property
    def children(self) -> tuple[str, ...]:
        """The modules of its instances, one entry an instance."""
        return tuple(kind.removeprefix("\\") for kind in _CHILD.findall(self.text))

    @property
    def has_state(self) -> bool:
        """Whether registers stand in the module itself."""
        return _STATE.search(self.text) is not None

    @property
    def stub(self) -> str:
        """The module with its ports alone."""
        ports = "\n".join(_PORT.findall(self.text))
        return f"attribute \\blackbox 1\n{self.text.splitlines()[0]}\n{ports}\nend\n"


def split(text: str) -> dict[str, Module]:
    """Return the modules of an RTLIL text by their names."""
    found = {}
    starts = list(_MODULE.finditer(text))
    for start in starts:
        end = text.index("\nend\n", start.start()) + len("\nend\n")
        body = _SOURCE.sub("", text[start.start() : end])
        name = start[1].removeprefix("\\")
        found[name] = Module(name, _renumbered(body))
    return found


def _renumbered(text: str) -> str:
    names: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        if found[0].startswith("$paramod"):
            return found[0]  # a module with parameters
        return names.setdefault(found[0], f"$n{len(names)}")

    return _PRIVATE.sub(renamed, text)


def cut(modules: Mapping[str, Module], top: str, units: frozenset[str]) -> str:
    """Return the text of `top` with everything below it, except that units below it are only their ports."""
    texts = [
        modules[name].stub if name in units and name != top else modules[name].text
        for name in sorted(_below(modules, top, units))
    ]
    return "\n".join(texts)


def _below(modules: Mapping[str, Module], top: str, units: frozenset[str]) -> set[str]:
    """Return what `top` is made of down to the units, these and itself included."""
    seen, left = {top}, [top]
    while left:
        for child in modules[left.pop()].children:
            if child not in seen:
                seen.add(child)
                if child not in units:
                    left.append(child)
    return seen


def reached(modules: Mapping[str, Module], top: str) -> Iterator[tuple[str, int]]:
    """Yield every module below `top`, and itself, with its least depth, the top's being 0."""
    seen, level = {top}, [top]
    depth = 0
    while level:
        for name in level:
            yield name, depth
        level = [c for name in level for c in dict.fromkeys(modules[name].children) if c not in seen]
        level = list(dict.fromkeys(level))
        seen.update(level)
        depth += 1
