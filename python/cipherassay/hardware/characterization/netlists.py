"""Transistor netlists of cells, with the diffusion at their ends that a netlist without areas leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cipherassay.errors import DescriptionError, Place
from cipherassay.hardware.libraries.characterization_recipe import Characterization, Device

_FACTORS = {"u": 1e-6, "n": 1e-9, "": 1.0}
_SCALE = 1e-6
"""Sizes in the netlists count micrometres: ``w=650000u`` is 0.65 of them."""


@dataclass(frozen=True)
class Transistor:
    """A transistor: its nets, its device, width and length in metres."""

    drain: str
    gate: str
    source: str
    bulk: str
    device: Device
    width: float
    length: float


@dataclass(frozen=True)
class Subcircuit:
    """A cell: its ports in the netlist's order, its transistors."""

    name: str
    ports: tuple[str, ...]
    transistors: tuple[Transistor, ...]

    def text(self, known: Characterization) -> str:
        """Return it as a subcircuit for ngspice, with areas and perimeters of diffusion.

        Ends of transistors of one kind on one net lie in pairs between two gates, in one region; a single one
        ends in a region of its own, as in a row of the layout (Uehara, van Cleemput, 1981).
        """
        single = self._single()
        lines = [f".subckt {self.name} {' '.join(self.ports)}"]
        for n, one in enumerate(self.transistors):
            areas = []
            for end, net in (("d", one.drain), ("s", one.source)):
                alone = single[one.device.kind, net] > 0
                single[one.device.kind, net] -= 1
                area, perimeter = _diffusion(one.width, alone, known)
                areas.append(f"a{end}={area:.6g} p{end}={perimeter:.6g}")
            nets = f"{one.drain} {one.gate} {one.source} {one.bulk}"
            size = f"w={one.width:.6g} l={one.length:.6g}"
            gaps = (
                f"sa={known.diffusion_end_um}u sb={known.diffusion_end_um}u sd={known.diffusion_shared_um}u"
            )
            lines.append(f"M{n} {nets} {one.device.model} {size} {' '.join(areas)} {gaps}")
        return "\n".join([*lines, ".ends", ""])

    def _single(self) -> Counter[tuple[str, str]]:
        """Return for each kind and net how many ends (one or none) have no partner."""
        ends: Counter[tuple[str, str]] = Counter()
        for one in self.transistors:
            ends.update([(one.device.kind, one.drain), (one.device.kind, one.source)])
        return Counter({key: count % 2 for key, count in ends.items()})


def _diffusion(width: float, alone: bool, known: Characterization) -> tuple[float, float]:
    """Return area and perimeter of one end, the edge under the gate included."""
    if alone:
        long = known.diffusion_end_um * 1e-6
        return width * long, 2 * (width + long)
    half = known.diffusion_shared_um * 1e-6 / 2
    return width * half, width + 2 * half


def read(text: str, name: str, devices: Mapping[str, Device]) -> Subcircuit:
    """Return the subcircuit of a cell from a SPICE text of transistors called as subcircuits (``X``).

    Raises
    ------
    DescriptionError
        ``H753``: it has none of that name; ``H760``: something else than known transistors in it.
    """
    ports: tuple[str, ...] = ()
    found: list[Transistor] = []
    for number, line in enumerate(re.sub(r"\n\+", " ", text).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("*"):
            continue
        if words[0].lower() == ".subckt":
            ports = tuple(words[2:]) if words[1] == name else ()
        elif words[0].lower() == ".ends":
            if ports:
                return Subcircuit(name, ports, tuple(found))
        elif ports:
            found.append(_transistor(words, line, Place(f"{name}.spice", number, text=line), devices))
    raise DescriptionError(
        "H753", f"the netlist holds no subcircuit `{name}`", places=[Place(f"{name}.spice")]
    )


def _transistor(words: list[str], line: str, place: Place, devices: Mapping[str, Device]) -> Transistor:
    sizes = dict(re.findall(r"\b([wl])=(\S+)", line))
    if len(words) < 6 or words[5] not in devices or set(sizes) != {"w", "l"}:
        raise DescriptionError("H760", "no transistor that the recipe knows", places=[place])
    width, length = (_metres(sizes[name]) for name in "wl")
    return Transistor(words[1], words[2], words[3], words[4], devices[words[5]], width, length)


def _metres(text: str) -> float:
    found = re.fullmatch(r"([\d.]+(?:e[+-]?\d+)?)([un]?)", text)
    return round(float(found[1]) * _FACTORS[found[2]] * _SCALE, 12) if found else float("nan")
