"""A part of a cipher on several processors as graphs whose rows are cycles."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cipherassay.report.drawings.levels import untangled
from cipherassay.report.elements.figures import INK, MUTED, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from cipherassay.processors.parts import Operation, PartSchedule

GAP = 1.05
"""Least distance of operations in a row."""
COLOUR = "#5b63c9"


def levelled(schedules: Sequence[PartSchedule], titles: Sequence[str]) -> Drawing:
    """Draw the schedules of one part beside each other: a row per cycle, operands at the top."""
    from matplotlib.figure import Figure as Drawing

    most = max(one.cycles for one in schedules)
    drawing = Drawing(figsize=(3.7 * len(schedules), 0.62 * (most + 2)))
    panels = drawing.subplots(1, len(schedules), squeeze=False)[0]
    for panel, one, title in zip(panels, schedules, titles, strict=True):
        _panel(panel, one, title, most)
    drawing.subplots_adjust(left=0.01, right=0.99, top=0.94, bottom=0.01, wspace=0.08)
    return drawing


def _panel(panel: Axes, one: PartSchedule, title: str, most: int) -> None:
    places = _places(one.operations)
    width = max((x for x, _ in places.values()), default=3.0)
    panel.set_xlim(-1.1, max(width, 3.0) + 0.7)
    panel.set_ylim(most + 0.2, -1.6)
    panel.axis("off")
    panel.set_title(title, fontsize=10, color=INK)
    for cycle in range(one.cycles):
        panel.plot((-0.75, max(width, 3.0) + 0.7), (cycle, cycle), color=RULE, linewidth=0.6, zorder=0)
        panel.text(-1.0, cycle, str(cycle + 1), fontsize=7, color=MUTED, va="center")
    for op in one.operations:
        for source in op.sources:
            if source in places:
                (x, y), (u, v) = places[op.result], places[source]
                panel.plot((u, x), (v, y), color=MUTED, linewidth=0.8, zorder=1)
    for name, (x, y) in places.items():
        label = next((label_of(op.text) for op in one.operations if op.result == name), "")
        _node(panel, x, y, label or _operand(name, one.operations))


def _node(panel: Axes, x: float, y: float, label: str) -> None:
    operand = label.startswith("X")
    box = {
        "boxstyle": "round,pad=0.22", "facecolor": "white", "linewidth": 0.9,
        "edgecolor": RULE if operand else COLOUR,
    }  # fmt: skip
    colour = "#5c6670" if operand else "#1c2127"
    panel.text(x, y, label, fontsize=7.5, ha="center", va="center", color=colour, bbox=box, zorder=2)


def _operand(name: str, operations: Sequence[Operation]) -> str:
    """Return X0 to X3 for the words that the part takes."""
    number = re.search(r"(\d+)$", name)
    return f"X{int(number[1]) // 4}" if number else name


def _places(operations: Sequence[Operation]) -> dict[str, tuple[float, float]]:
    """Return where each operand and operation stands: near what it waits for, apart from its neighbours."""
    results = {op.result for op in operations}
    operands = {s for op in operations for s in op.sources if s not in results and "key" in s}
    order = sorted(operands, key=lambda name: _operand(name, operations))
    places = {name: (GAP * n, -1.0) for n, name in enumerate(order)}
    for cycle in sorted({op.cycle for op in operations}):
        row = [op for op in operations if op.cycle == cycle]
        wanted = {op.result: _middle(op, places) for op in row}
        for name, x in _spread(wanted).items():
            places[name] = (x, float(cycle))
    edges = {(s, op.result): None for op in operations for s in op.sources if s in places}
    return untangled(places, list(edges), GAP)


def _middle(op: Operation, places: dict[str, tuple[float, float]]) -> float:
    known = [places[s][0] for s in op.sources if s in places]
    return sum(known) / len(known) if known else 0.0


def _spread(wanted: dict[str, float]) -> dict[str, float]:
    """Return positions near those wanted, at least `GAP` apart, with the same middle."""
    names = sorted(wanted, key=lambda name: (wanted[name], name))
    found: list[float] = []
    for name in names:
        found.append(max(wanted[name], found[-1] + GAP) if found else wanted[name])
    shift = (sum(wanted.values()) - sum(found)) / len(names) if names else 0.0
    return {name: x + shift for name, x in zip(names, found, strict=True)}


LABELS: tuple[tuple[str, Callable[[list[int]], str]], ...] = (
    (r"shrpw\.rotate .*, (\d+)$", lambda n: f"<<< {32 - n[0]}"),
    (r"depw,z .*, (\d+), \d+$", lambda n: f"<< {31 - n[0]}"),
    (r"rotr32\.i .*, (\d+)$", lambda n: f"<<< {32 - n[0]}"),
    (r"dep\.z .*, (\d+), \d+$", lambda n: f"<< {n[0]}"),
    (r"extr\.u .*, (\d+), \d+$", lambda n: f">> {n[0]}"),
    (r"shladd %\S+ (\d+), .*$", lambda n: f"<< {n[0]} +"),
    (r"shrp .*, (\d+)$", lambda n: f"shrp {n[0]}"),
    (r"xor .*$", lambda n: "⊕"),
    (r"add .*$", lambda n: "+"),
    (r"or .*$", lambda n: "∨"),
    (r"and .*$", lambda n: "∧"),
)
"""Texts of instructions and what the graphs call them."""


def label_of(text: str) -> str:
    """Return what the graphs call an instruction; its name where there is no shorter one."""
    for pattern, made in LABELS:
        found = re.fullmatch(pattern, text)
        if found:
            return made([int(n) for n in found.groups()])
    return text.split(" ", 1)[0]
