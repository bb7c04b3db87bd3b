"""What a cell is made of: its outline in a LEF file, its transistors in a SPICE netlist."""

from __future__ import annotations

import re

_MACRO = re.compile(r"^MACRO\s+(\S+)\s*$(.*?)^END\s+\1\s*$", re.M | re.S)
_SIZE = re.compile(r"^\s*SIZE\s+([\d.]+)\s+BY\s+([\d.]+)\s*;", re.M)


def lef_areas(text: str) -> dict[str, float]:
    """Return the area of each macro of a LEF text, width times height in µm²."""
    areas = {}
    for name, body in _MACRO.findall(text):
        size = _SIZE.search(body)
        if size:
            areas[name] = round(float(size[1]) * float(size[2]), 6)
    return areas


def transistor_counts(text: str) -> dict[str, int]:
    """Return the transistors (M devices) of each subcircuit of a SPICE text, folded fingers as drawn."""
    counts: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        first = words[0].lower()
        if first == ".subckt":
            name = words[1]
            counts[name] = 0
        elif first.startswith(".ends"):
            name = ""
        elif name and first.startswith("m"):
            counts[name] += 1
    return counts
