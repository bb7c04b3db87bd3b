"""A device's blocks and what runs between them, read from its emitted modules, as a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from cipherassay.hardware.emission.structures import arrow, svg

if TYPE_CHECKING:
    from cipherassay.hardware.rtl.build import Device

OUTSIDE = "pins"
WIDE, HIGH = 128.0, 58.0
PLACES = {
    "interface": (118.0, 118.0),
    "controller": (330.0, 24.0),
    "key_schedule": (330.0, 212.0),
    "algorithm": (548.0, 118.0),
    "distributor": (548.0, 24.0),
}
"""Where the corner of each block stands: from left to right as the data run."""
SIZE = (760.0, 300.0)
_LABEL = 0.3
"""How far along an arrow its number stands: not in the middle, where arrows cross."""


@dataclass(frozen=True)
class Link:
    """How many bits run from one block, or the pins, to another."""

    source: str
    target: str
    bits: int


_PORT = re.compile(r"^ {4}(input|output)\s+(?:reg\s+)?(?:\[(\d+):0\]\s*)?(\w+)", re.M)
_WIRE = re.compile(r"^ {4}wire (?:\[(\d+):0\] )?(\w+);", re.M)
_INSTANCE = re.compile(r"^ {4}(\w+) (\w+) \((.*?)\n {4}\);", re.M | re.S)
_ASSIGN = re.compile(r"^ {4}assign (\w+) = (\w+);", re.M)


def links(files: Sequence[tuple[str, str]]) -> list[Link]:
    """Return what runs between the blocks of a device, from its emitted Verilog; clock and reset left out."""
    texts = {name.removesuffix(".v"): text for name, text in files}
    top = files[-1][1]
    widths = {name: int(high or 0) + 1 for high, name in _WIRE.findall(top)}
    source: dict[str, str] = {}
    readers: list[tuple[str, str]] = []
    for direction, high, name in _PORT.findall(top):
        widths[name] = int(high or 0) + 1
        if direction == "input":
            source[name] = OUTSIDE
    for module, instance, ports in _INSTANCE.findall(top):
        block = re.sub(r"_\d+$", "", instance)
        directions = {name: direction for direction, _, name in _PORT.findall(texts[module])}
        for port, wire in re.findall(r"\.(\w+)\((\w+)\)", ports):
            if directions[port] == "output":
                source[wire] = block
            else:
                readers.append((wire, block))
    readers += [(wire, OUTSIDE) for _, wire in _ASSIGN.findall(top)]
    return _summed(source, readers, widths)


def _summed(source: dict[str, str], readers: Sequence[tuple[str, str]], widths: dict[str, int]) -> list[Link]:
    found: dict[tuple[str, str], int] = {}
    for wire, block in readers:
        if wire not in ("clock", "reset") and wire in source:
            key = (source[wire], block)
            found[key] = found.get(key, 0) + widths[wire]
    return [Link(*key, bits) for key, bits in found.items()]


def top_level(device: Device, *, alone: bool = True) -> str:
    """Return a device's blocks with their register bits, and the widths of what runs between them, as SVG."""
    between = links(device.design.files("verilog"))
    registers: dict[str, list[int]] = {}
    for name, bits in device.registers.items():
        registers.setdefault(re.sub(r"_\d+$", "", name), []).append(bits)
    drawn = [part for link in between for part in _link(link, between)]
    for block, (x, y) in PLACES.items():
        if block not in registers:
            continue
        words = block.replace("_", " ").title()
        copies = f"{len(registers[block])} × " if len(registers[block]) > 1 else ""
        drawn.append(
            f'<rect class="big" x="{x:.0f}" y="{y:.0f}" width="{WIDE:.0f}" height="{HIGH:.0f}" rx="7"/>'
        )
        drawn.append(f'<text class="e" x="{x + WIDE / 2:.0f}" y="{y + 22:.0f}">{escape(words)}</text>')
        text = f"{copies}{registers[block][0]} register bits"
        drawn.append(f'<text class="q" x="{x + WIDE / 2:.0f}" y="{y + 40:.0f}">{text}</text>')
    title = f"{device.title}, {device.architecture}, {device.key}"
    return svg(drawn, *SIZE, alone=alone, title=title)


def _link(link: Link, between: Sequence[Link]) -> list[str]:
    """Draw an arrow between the edges of two blocks; two that run against each other stand side by side."""
    if (link.source not in PLACES and link.source != OUTSIDE) or (
        link.target not in PLACES and link.target != OUTSIDE
    ):
        return []
    (x, y), (u, v) = _ends(link)
    twin = any((one.source, one.target) == (link.target, link.source) for one in between)
    if twin and OUTSIDE not in (link.source, link.target):
        length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
        aside = 9.0 if link.source < link.target else -9.0
        dx, dy = -(v - y) / length * abs(aside), (u - x) / length * abs(aside)
        x, y, u, v = x + dx, y + dy, u + dx, v + dy
    upright = abs(u - x) < 1
    at = x + _LABEL * (u - x) + (13 if upright else 0), y + _LABEL * (v - y) - (0 if upright else 8)
    return [
        arrow(x, y, u, v),
        f'<text class="q" x="{at[0]:.0f}" y="{at[1]:.0f}">{link.bits}</text>',
    ]


def _ends(link: Link) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where an arrow leaves a block and where it enters another."""
    if link.source == OUTSIDE:
        block = _middle(link.target)
        if link.target == "interface":
            return (14.0, block[1]), (PLACES["interface"][0], block[1])
        return (block[0] - 30, 4.0), (block[0] - 30, PLACES[link.target][1])
    if link.target == OUTSIDE:
        block = _middle(link.source)
        if link.source == "algorithm":
            return (PLACES["algorithm"][0] + WIDE, block[1]), (SIZE[0] - 14, block[1])
        right = PLACES[link.source][0] + WIDE
        return (right, block[1] - 10), (SIZE[0] - 14, block[1] - 10)
    return _clipped(link.source, _middle(link.target)), _clipped(link.target, _middle(link.source))


def _middle(block: str) -> tuple[float, float]:
    x, y = PLACES[block]
    return x + WIDE / 2, y + HIGH / 2


def _clipped(block: str, towards: tuple[float, float]) -> tuple[float, float]:
    """Return the point of a block's edge on the line from its middle to another point."""
    x, y = _middle(block)
    dx, dy = towards[0] - x, towards[1] - y
    scale = min(WIDE / 2 / abs(dx) if dx else 1e9, HIGH / 2 / abs(dy) if dy else 1e9)
    return x + dx * scale, y + dy * scale
