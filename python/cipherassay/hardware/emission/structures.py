"""Structure pictures: a round as a graph of its operations, a device as its blocks, as SVG.

Colours are the page's where a picture stands in one, else its own, light or dark as the reader's system is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from cipherassay.circuits.layout import LayeredGraph, Place, lay_out
from cipherassay.hardware.rtl.bodies import SOURCES, Body, Operation, base

ACROSS, DOWN, HIGH, MARGIN = 47.0, 46.0, 20.0, 26.0
_HEAD = 8.0
"""How long the head of an arrow is, and how wide."""
_KINDS = {"add": "a", "sub": "a", "mul": "a", "lookup": "s", "bitsliced": "s", "call": "s", "linear": "l"}
"""The class of an operation: arithmetic, substitution, linear over a field; the others are plain."""

STYLE = """
.structure{--arithmetic:#c8551b;--box:#5b63c9;--linear:#0a9a72;
font-family:Inter,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px}
.structure .w{fill:none;stroke:var(--muted,#5c6670);stroke-width:1.2;opacity:.8}
.structure rect{fill:var(--paper,#fff);stroke:var(--muted,#5c6670);stroke-width:1.4}
.structure .a{stroke:var(--arithmetic)}.structure .s{stroke:var(--box)}.structure .l{stroke:var(--linear)}
.structure .k{stroke-dasharray:3 2}.structure .big{stroke:var(--ink,#1c2127);stroke-width:1.6}
.structure text{fill:var(--ink,#1c2127);text-anchor:middle;dominant-baseline:central}
.structure .e{font-weight:600}.structure .q{fill:var(--muted,#5c6670);font-size:10.5px}
.structure .b{text-anchor:start}
.structure .h{fill:var(--muted,#5c6670);stroke:none}
"""
"""The style of all structure pictures of a page; a file of its own carries it with it."""

_DARK = """
@media (prefers-color-scheme:dark){.structure{--paper:#14181d;--ink:#e6e9ee;--muted:#9aa4b0;
--arithmetic:#f0905a;--box:#9aa2f5;--linear:#4fd0a8}}
.structure>.paper{fill:var(--paper,#fff);stroke:none}
"""


def data_flow(body: Body, *, alone: bool = True, title: str = "") -> str:
    """Return a body of a loop as SVG: words enter at the top and leave at the bottom in the cipher's order.

    Parameters
    ----------
    alone : bool
        Whether it is to be a file of its own; else the page has `STYLE`.
    """
    nodes, reads, owner = _graph(body)
    levels = _levels(body, nodes, reads, owner)
    outputs = [f"out{n}" for n in range(len(body.outputs))]
    widths = {name: (_wide(one.label) + 8) / ACROSS for name, one in nodes.items()}
    named = body.results or body.inputs
    ends = [*zip(body.inputs, body.inputs, strict=True), *zip(outputs, named, strict=False)]
    widths |= {node: max(1.0, _wide(base(name)) / ACROSS) for node, name in ends}
    graph = lay_out(levels, reads, [*body.inputs, *outputs], widths)
    drawn = [*_wires(graph, reads), *_inputs(graph, body), *_operations(graph, nodes), *_outputs(graph, body)]
    left, right = zip(*_spans(graph, nodes), strict=True)
    if (beyond := MARGIN / 2 - min(left)) > 0:
        drawn = [f'<g transform="translate({beyond:.0f} 0)">', *drawn, "</g>"]
    width = max(max(graph.x.values()) * ACROSS + 2 * MARGIN + 30, max(right) + MARGIN / 2) + max(beyond, 0)
    height = (len(graph.levels) - 1) * DOWN + 2 * MARGIN
    return svg(drawn, width, height, alone=alone, title=title)


def svg(drawn: Sequence[str], width: float, height: float, *, alone: bool, title: str = "") -> str:
    """Return the frame of a structure picture with what is drawn in it."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="structure" viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [head + f' style="width:{width:.0f}px;max-width:100%;min-width:0" role="img">']
    if title:
        parts.append(f"<title>{escape(title)}</title>")
    if alone:
        parts += [f"<style>{STYLE}{_DARK}</style>", '<rect class="paper" width="100%" height="100%"/>']
    return "\n".join([*parts, *drawn, "</svg>"]) + "\n"


def arrow(x: float, y: float, u: float, v: float) -> str:
    """Return an arrow from (x, y) to (u, v) without a marker, since markers of several pictures clash."""
    length = math.hypot(u - x, v - y)
    dx, dy = (u - x) / length * _HEAD, (v - y) / length * _HEAD
    sides = f"L{u - dx - dy / 2:.1f} {v - dy + dx / 2:.1f}L{u - dx + dy / 2:.1f} {v - dy - dx / 2:.1f}z"
    return (
        f'<path class="w" d="M{x:.0f} {y:.0f}L{u - dx / 2:.1f} {v - dy / 2:.1f}"/>'
        f'<path class="h" d="M{u:.1f} {v:.1f}{sides}"/>'
    )


Reads = dict[str, list[str]]


def _graph(body: Body) -> tuple[dict[str, Operation], Reads, dict[str, str]]:
    """Return the operations that matter as nodes, what each reads, and which node gives each value."""
    owner = {name: name for name in body.inputs}
    nodes: dict[str, Operation] = {}
    for operation in body.operations:
        name = operation.results[0] if operation.results else operation.label
        if operation.bits or operation.name == "store":
            nodes[name] = operation
            owner |= dict.fromkeys(operation.results, name)
    reads = {
        name: list(dict.fromkeys(owner[one] for one in operation.operands if one in owner))
        for name, operation in nodes.items()
    }
    reads |= {f"out{n}": [owner[name]] for n, name in enumerate(body.outputs) if name in owner}
    wanted = {source for sources in reads.values() for source in sources}
    unread = [name for name in nodes if name not in wanted and nodes[name].name in SOURCES]
    for name in unread:
        del nodes[name], reads[name]
    return nodes, reads, owner


def _levels(
    body: Body, nodes: Mapping[str, Operation], reads: Mapping[str, Sequence[str]], owner: Mapping[str, str]
) -> dict[str, int]:
    levels = dict.fromkeys(body.inputs, 0)
    for name in nodes:
        levels[name] = 1 + max((levels[source] for source in reads[name]), default=0)
    for name, operation in nodes.items():
        if operation.name in SOURCES:
            readers = [levels[r] for r, sources in reads.items() if name in sources and r in nodes]
            levels[name] = max(1, min(readers, default=1) - 1)  # what is only given out has no reader
    if not body.inputs:
        levels = {name: level - 1 for name, level in levels.items()}
    bottom = 1 + max(levels.values(), default=0)
    return levels | {f"out{n}": bottom for n in range(len(body.outputs))}


def _at(graph: LayeredGraph, where: Place) -> tuple[float, float]:
    return graph.x[where] * ACROSS + MARGIN + 15, where[1] * DOWN + MARGIN


def _wires(graph: LayeredGraph, reads: Mapping[str, Sequence[str]]) -> list[str]:
    """Draw each value's wires as one path; parts that several readers share are drawn once."""
    parts: dict[str, dict[tuple[Place, Place], None]] = {}
    for node, sources in reads.items():
        for source in sources:
            path = graph.path(source, (node, graph.own[node]))
            parts.setdefault(source, {}).update(dict.fromkeys(zip(path, path[1:], strict=False)))
    return [
        f'<path class="w" d="{"".join(_curve(graph, a, b) for a, b in pairs)}"/>' for pairs in parts.values()
    ]


def _curve(graph: LayeredGraph, upper: Place, lower: Place) -> str:
    (x, y), (u, v) = _at(graph, upper), _at(graph, lower)
    if abs(x - u) < 0.5:
        return f"M{x:.0f} {y:.0f}V{v:.0f}"
    middle = (y + v) / 2
    return f"M{x:.0f} {y:.0f}C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v:.0f}"


def _inputs(graph: LayeredGraph, body: Body) -> list[str]:
    return [
        f'<text class="e" x="{x:.0f}" y="{y - 10:.0f}">{escape(base(name))}</text>'
        for name in body.inputs
        for x, y in [_at(graph, (name, 0))]
    ]


def _outputs(graph: LayeredGraph, body: Body) -> list[str]:
    names = list(body.results) or [base(name) for name in body.inputs]
    drawn = []
    for n in range(len(body.outputs)):
        x, y = _at(graph, (f"out{n}", graph.own[f"out{n}"]))
        drawn.append(f'<text class="e" x="{x:.0f}" y="{y + 10:.0f}">{escape(names[n])}</text>')
    return drawn


def _operations(graph: LayeredGraph, nodes: Mapping[str, Operation]) -> list[str]:
    drawn = []
    for name, operation in nodes.items():
        x, y = _at(graph, (name, graph.own[name]))
        text, width = operation.label, f"u{operation.bits}" if operation.bits else ""
        wide = _wide(text)
        kind = _KINDS.get(operation.name, "k" if operation.name in (*SOURCES, "store") else "p")
        drawn.append(
            f"<g><title>{escape(f'{operation.name} {width}'.strip())}</title>"
            f'<rect class="{kind}" x="{x - wide / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{wide:.0f}"'
            f' height="{HIGH:.0f}" rx="6"/><text x="{x:.0f}" y="{y:.0f}">{escape(text)}</text></g>'
        )
    return drawn


def _spans(graph: LayeredGraph, nodes: Mapping[str, Operation]) -> Iterator[tuple[float, float]]:
    """Yield where boxes begin and end from left to right; at least one."""
    yield MARGIN, MARGIN
    for name, operation in nodes.items():
        x, _ = _at(graph, (name, graph.own[name]))
        yield x - _wide(operation.label) / 2, x + _wide(operation.label) / 2


def _wide(text: str) -> float:
    """Return how wide a box with a text in it is."""
    return max(24.0, sum(8.5 if one.isupper() else 7.0 for one in text) + 12)
