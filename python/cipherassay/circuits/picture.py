"""A circuit as a picture: a levelled graph, inputs at the top, outputs at the bottom, as SVG.

Small rings mark complemented operands and results. Colours are the page's where it stands in one, else its
own, light or dark as the reader's system is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from cipherassay.circuits.layout import LayeredGraph, Place, lay_out

if TYPE_CHECKING:
    from cipherassay.circuits.targets import Target

ACROSS, DOWN, RADIUS, MARGIN = 38.0, 54.0, 12.0, 30.0
RING = 3.2

STYLE = """
.circuit{--linear:#2f7fc1;--nonlinear:#c8551b;--plain:#7a838d;
font:13px Inter,"Segoe UI",Helvetica,Arial,sans-serif}
.circuit .w{fill:none;stroke:var(--muted,#5c6670);stroke-width:1.2;opacity:.8}
.circuit .g{stroke:var(--rule,#d5dae0);stroke-width:1;stroke-dasharray:2 4}
.circuit .n{fill:var(--muted,#5c6670);font-size:10px}
.circuit .x{stroke:var(--linear)}.circuit .a{stroke:var(--nonlinear)}.circuit .p{stroke:var(--plain)}
.circuit .x,.circuit .a,.circuit .p{fill:var(--paper,#fff);stroke-width:1.8}
.circuit .a{fill:color-mix(in srgb,var(--nonlinear) 16%,var(--paper,#fff))}
.circuit .r{fill:var(--paper,#fff);stroke:var(--ink,#1c2127);stroke-width:1.2}
.circuit text{fill:var(--ink,#1c2127);text-anchor:middle;dominant-baseline:central}
.circuit .t{font-size:9.5px}
"""
"""The style of all circuits of a page; a file of its own carries it with it."""

_DARK = """
@media (prefers-color-scheme:dark){.circuit{--paper:#14181d;--ink:#e6e9ee;--muted:#9aa4b0;--rule:#333b45;
--linear:#6db3ea;--nonlinear:#f0905a;--plain:#9aa4b0}}
.circuit>.paper{fill:var(--paper,#fff)}
"""


@dataclass(frozen=True)
class Mark:
    """How a gate is drawn: its class (linear, nonlinear, plain), sign, and where rings stand."""

    kind: str
    sign: str
    rings: tuple[bool, ...]
    """One per operand: whether it is complemented."""
    inverted: bool = False


def mark_of(arity: int, table: int, name: str = "") -> Mark:
    """Return how a gate of this truth table (bit ``a0 + 2 a1 + …``) is drawn; `name` is a cell's."""
    if name:
        return Mark("x" if _is_linear(arity, table) else "a", name, (False,) * arity)
    if arity == 1:
        return Mark("p", "¬" if table & 1 else "=", (False,))
    if arity == 2:
        return _mark_of_two(table)
    if table in (0x96, 0x69) and arity == 3:
        return Mark("x", "⊕", (False,) * 3, table == 0x69)
    digits = (1 << arity) // 4
    return Mark("x" if _is_linear(arity, table) else "a", f"{table:0{digits}x}", (False,) * arity)


def _mark_of_two(table: int) -> Mark:
    if table in (6, 9):
        return Mark("x", "⊕", (False, False), table == 9)
    if table in (7, 1):
        return Mark("a", "∧" if table == 7 else "∨", (False, False), True)
    ones = [index for index in range(4) if table >> index & 1]
    if len(ones) == 1:
        return Mark("a", "∧", (not ones[0] & 1, not ones[0] & 2))
    zeros = [index for index in range(4) if not table >> index & 1]
    if len(zeros) == 1:
        return Mark("a", "∨", (bool(zeros[0] & 1), bool(zeros[0] & 2)))
    return Mark("p", f"{table:x}", (False, False))


def _is_linear(arity: int, table: int) -> bool:
    """Whether the function is an exclusive or of operands, perhaps complemented."""
    start = table & 1
    steps = [(table >> (1 << n) & 1) ^ start for n in range(arity)]
    return all(
        (table >> index & 1) == start ^ (sum(steps[n] for n in range(arity) if index >> n & 1) & 1)
        for index in range(1 << arity)
    )


def picture(
    circuit: Mapping[str, Any], *, names: Sequence[str] = (), alone: bool = True, title: str = ""
) -> str:
    """Return a circuit (as the engine's `circuit_read` gives it) as SVG.

    Parameters
    ----------
    names : sequence of str
        A name per gate (a cell's), empty for the sign of its function.
    alone : bool
        Whether it is to be a file of its own; else the page has `STYLE`.
    """
    reads = _reads(circuit)
    levels = _levels(circuit, reads)
    inputs = [f"x{k}" for k in range(circuit["inputs"])]
    graph = lay_out(levels, reads, inputs)
    marks = {
        f"g{n}": mark_of(gate["arity"], gate["table"], names[n] if names else "")
        for n, gate in enumerate(circuit["gates"])
    }
    body = [
        *_guides(graph, levels),
        *_wires(graph, reads),
        *_rings(graph, circuit, marks),
        *_nodes(graph, levels, marks),
    ]
    width = max(graph.x.values()) * ACROSS + 2 * MARGIN + 10
    height = (len(graph.levels) - 1) * DOWN + 2 * MARGIN - 12
    # A picture of few gates is not blown up to the page's width.
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="circuit" viewBox="0 0 {width:.0f} {height:.0f}"'
    head += f' style="width:{width:.0f}px;max-width:100%;min-width:0" role="img">'
    parts = [head]
    if title:
        parts.append(f"<title>{escape(title)}</title>")
    if alone:
        parts.append(f"<style>{STYLE}{_DARK}</style>")
        parts.append('<rect class="paper" width="100%" height="100%"/>')
    return "\n".join([*parts, *body, "</svg>"]) + "\n"


def _reads(circuit: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return what each gate and output reads; constants stand by themselves."""
    reads = {f"g{n}": list(gate["operands"]) for n, gate in enumerate(circuit["gates"])}
    return reads | {f"y{k}": [wire] for k, wire in enumerate(circuit["outputs"])}


def _levels(circuit: Mapping[str, Any], reads: Mapping[str, Sequence[str]]) -> dict[str, int]:
    levels = {f"x{k}": 0 for k in range(circuit["inputs"])} | {"0": 0, "1": 0}
    for n in range(len(circuit["gates"])):
        levels[f"g{n}"] = 1 + max(levels[wire] for wire in reads[f"g{n}"])
    bottom = max(levels.values()) + 1
    used = {wire for wires in reads.values() for wire in wires}
    levels |= {f"y{k}": bottom for k in range(len(circuit["outputs"]))}
    return {node: level for node, level in levels.items() if node not in ("0", "1") or node in used}


def _at(graph: LayeredGraph, place: Place) -> tuple[float, float]:
    return graph.x[place] * ACROSS + MARGIN + 10, place[1] * DOWN + MARGIN - 6


def _guides(graph: LayeredGraph, levels: Mapping[str, int]) -> list[str]:
    right = max(graph.x.values()) * ACROSS + 2 * MARGIN
    lines = []
    for level in range(1, len(graph.levels) - 1):
        y = level * DOWN + MARGIN - 6
        lines.append(
            f'<path class="g" d="M16 {y:.0f}H{right:.0f}"/><text class="n" x="8" y="{y:.0f}">{level}</text>'
        )
    return lines


def _wires(graph: LayeredGraph, reads: Mapping[str, Sequence[str]]) -> list[str]:
    """Draw each node's wires as one path; parts that several readers share are drawn once."""
    parts: dict[str, dict[tuple[Place, Place], None]] = {}
    for node, sources in reads.items():
        for source in sources:
            path = graph.path(source, (node, graph.own[node]))
            for pair in zip(path, path[1:], strict=False):
                parts.setdefault(source, {})[pair] = None
    return [
        f'<path class="w" d="{"".join(_curve(graph, a, b) for a, b in pairs)}"/>' for pairs in parts.values()
    ]


def _curve(graph: LayeredGraph, upper: Place, lower: Place) -> str:
    (x, y), (u, v) = _at(graph, upper), _at(graph, lower)
    if abs(x - u) < 0.5:
        return f"M{x:.0f} {y:.0f}V{v:.0f}"
    middle = (y + v) / 2
    return f"M{x:.0f} {y:.0f}C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v:.0f}"


def _rings(graph: LayeredGraph, circuit: Mapping[str, Any], marks: Mapping[str, Mark]) -> list[str]:
    """Draw rings on complemented operands where their wires meet the gate."""
    rings = []
    for n, gate in enumerate(circuit["gates"]):
        node = f"g{n}"
        for wire, complemented in zip(gate["operands"], marks[node].rings, strict=True):
            if complemented:
                place = (node, graph.own[node])
                x, y = _meeting(graph, (wire, place[1] - 1), place)
                rings.append(f'<circle class="r" cx="{x:.1f}" cy="{y:.1f}" r="{RING}"/>')
    return rings


def _meeting(graph: LayeredGraph, upper: Place, lower: Place) -> tuple[float, float]:
    """Return the point of a wire at the distance of a ring from the middle of the gate it ends in."""
    (x, y), (u, v) = _at(graph, upper), _at(graph, lower)
    middle = (y + v) / 2
    for step in range(60, -1, -1):
        t = step / 60
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        px, py = a * x + b * x + c * u + d * u, a * y + b * middle + c * middle + d * v
        if (px - u) ** 2 + (py - v) ** 2 >= (RADIUS + RING) ** 2:
            return px, py
    return u, v - RADIUS - RING


def _nodes(graph: LayeredGraph, levels: Mapping[str, int], marks: Mapping[str, Mark]) -> list[str]:
    drawn = []
    for node, level in levels.items():
        x, y = _at(graph, (node, level))
        if node not in marks:
            shift = -6 if node[0] in "x01" else 6
            drawn.append(f'<circle class="r" cx="{x:.0f}" cy="{y:.0f}" r="2"/>')
            drawn.append(f'<text x="{x:.0f}" y="{y + 2 * shift:.0f}">{node}</text>')
            continue
        mark = marks[node]
        wide = max(0.0, 5.6 * len(mark.sign) - 14.0) if len(mark.sign) > 2 else 0.0
        if wide:
            left, top = x - RADIUS - wide / 2, y - RADIUS + 2
            drawn.append(
                f'<rect class="{mark.kind}" x="{left:.0f}" y="{top:.0f}" width="{2 * RADIUS + wide:.0f}"'
                f' height="{2 * RADIUS - 4:.0f}" rx="8"/>'
            )
        else:
            drawn.append(f'<circle class="{mark.kind}" cx="{x:.0f}" cy="{y:.0f}" r="{RADIUS:.0f}"/>')
        small = ' class="t"' if len(mark.sign) > 1 else ""
        drawn.append(f'<text{small} x="{x:.0f}" y="{y:.0f}">{escape(mark.sign)}</text>')
        if mark.inverted:
            drawn.append(f'<circle class="r" cx="{x:.0f}" cy="{y + RADIUS + RING:.0f}" r="{RING}"/>')
    return drawn


def cell_names(circuit: Mapping[str, Any], target: Target) -> list[str]:
    """Return the name of each gate's cell on a target of standard cells; empty names on others."""
    if not target.name.startswith("cells:"):
        return [""] * len(circuit["gates"])
    cells = {(o.arity, o.table): o.name for o in sorted(target.operations, key=lambda o: -o.size)}
    return [cells.get((gate["arity"], gate["table"]), "") for gate in circuit["gates"]]
