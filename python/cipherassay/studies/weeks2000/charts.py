"""The charts of the hardware section, as Vega-Lite specifications.

Written as plain dictionaries: the library that the other charts use copies and checks each panel many times,
which takes longer than everything else in the section. A test checks them against its schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cipherassay.report.elements.ciphers import cipher_colour

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WHOSE = {"ours": -6, "paper": 6}
"""Whose bars there are, and how far they stand from the middle of a line."""
PARTS = ("key setup", "one block")
SPEEDS = [1, 2, 3, 4, 5]
_NEUTRAL = "#8a93a0"
_BLOCK_COLOURS = ("#b9c0c9", "#7f8a97", "#d98a00", "#cf5a1a", "#3a9bd9")
_SWEEP_COLOURS = ("#3a9bd9", "#cf5a1a", "#0a9a72")
Points = Sequence[Mapping[str, Any]]
Part = dict[str, Any]


def ranges(points: Points, order: Sequence[str], unit: str, *, zero: bool = False) -> Part:
    """Return a bar from least to greatest per cipher, ours above the paper's, a panel per `panel`.

    Parameters
    ----------
    points : sequence of mapping
        ``panel``, ``cipher``, ``whose`` (``ours`` or ``paper``), ``least``, ``greatest``.
    zero : bool
        Whether values may be 0: the axis is then linear near 0 and logarithmic above.
    """
    panels = []
    for panel, here in _panels(points):
        axis = _axis([p[end] for p in here for end in ("least", "greatest")], zero)
        tips = _tips("cipher", "whose") + _tips("least", "greatest", form=",.4~r")
        layers = []
        for whose, offset in WHOSE.items():
            own = [p for p in here if p["whose"] == whose]
            common = {"y": _lines(order), "tooltip": tips, "color": _colour(order, whose)}
            span = {"x": _number("least", unit, axis), "x2": {"field": "greatest"}}
            layers.append(_layer(own, {"type": "bar", "height": 6, "yOffset": offset}, {**common, **span}))
            for end in ("least", "greatest"):
                dot = {"type": "circle", "size": 46, "opacity": 1, "yOffset": offset}
                layers.append(_layer(own, dot, {**common, "x": _number(end, unit, axis)}))
        panels.append(_panel(layers, panel, 300, 32 * len(order)))
    return _figure(panels)


def blocks(points: Points, order: Sequence[str], parts: Sequence[str]) -> Part:
    """Return stacked bars of transistors by block; points: panel, cipher, block, kilo; the paper's as marks.

    The paper's points have the block ``paper``.
    """
    panels = []
    for panel, here in _panels(points):
        mine = [{**p, "place": parts.index(p["block"])} for p in here if p["block"] != "paper"]
        scale = {"domain": list(parts), "range": list(_BLOCK_COLOURS[: len(parts)])}
        x = _number("kilo", "thousand transistors", {"axis": {"tickCount": 4}})
        common: Part = {
            "y": _lines(order),
            "tooltip": _tips("cipher", "block") + _tips("kilo", form=",.1f"),
        }
        bars = {
            **common, "x": {**x, "stack": True}, "order": {"field": "place", "type": "quantitative"},
            "color": {"field": "block", "type": "nominal", "scale": scale, "title": None},
        }  # fmt: skip
        mark = {"type": "point", "shape": "diamond", "size": 64, "opacity": 1}
        mark |= {"fill": _NEUTRAL, "stroke": _NEUTRAL}
        layers = [
            _layer(mine, {"type": "bar", "height": {"band": 0.6}}, bars),
            _layer([p for p in here if p["block"] == "paper"], mark, {**common, "x": x}),
        ]
        panels.append(_panel(layers, panel, 300, 26 * len(order)))
    return _figure(panels)


def scatter(points: Points, order: Sequence[str], x_title: str, y_title: str, *, zero: bool = False) -> Part:
    """Return two numbers of designs against each other, grades joined by lines; the paper's open and dashed.

    Parameters
    ----------
    points : sequence of mapping
        ``panel``, ``cipher``, ``whose``, ``x``, ``y``, ``label`` (shown when pointed at).
    zero : bool
        Whether `y` may be 0.
    """
    tips = _tips("cipher", "whose", "label") + _tips("x", "y", form=",.4~r")
    panels = []
    for panel, here in _panels(points):
        x = _number("x", x_title, _axis([p["x"] for p in here], False))
        y = _number("y", y_title, _axis([p["y"] for p in here], zero))
        by = {"field": "x", "type": "quantitative"}
        panels.append(_panel(_joined(here, order, {"x": x, "y": y, "tooltip": tips}, by), panel, 330, 260))
    return _figure(panels)


def grades(points: Points, order: Sequence[str], unit: str) -> Part:
    """Return a number over the five speed grades; points: panel, cipher, whose, speed, value."""
    tips = _tips("cipher", "whose", "speed") + _tips("value", form=",.3~r")
    panels = []
    for panel, here in _panels(points):
        x = {
            "field": "speed", "type": "ordinal", "title": "speed grade", "axis": {"labelAngle": 0},
            "scale": {"domain": SPEEDS},
        }  # fmt: skip
        y = _number("value", unit, _axis([p["value"] for p in here], False))
        by = {"field": "speed", "type": "quantitative"}
        panels.append(_panel(_joined(here, order, {"x": x, "y": y, "tooltip": tips}, by), panel, 330, 240))
    return _figure(panels)


def _joined(points: Points, order: Sequence[str], encoding: Part, by: Part) -> list[Part]:
    """Return the lines and marks of ours (filled) and of the paper's (open, dashed)."""
    encoding = {**encoding, "color": {**_colour(order, "ours"), "legend": {}}}
    layers = []
    for whose in WHOSE:
        own = [p for p in points if p["whose"] == whose]
        line: Part = {"type": "line", "strokeWidth": 1.8}
        mark: Part = {"type": "circle", "size": 46, "opacity": 1}
        if whose == "paper":
            line = {"type": "line", "strokeWidth": 1.4, "strokeDash": [4, 3], "opacity": 0.7}
            mark = {"type": "point", "shape": "diamond", "size": 46, "opacity": 1}
        layers += [_layer(own, line, {**encoding, "order": by}), _layer(own, mark, encoding)]
    return layers


def latency(points: Points, order: Sequence[str]) -> Part:
    """Return key setup and one block as stacked bars, a scale per panel.

    The scale ends where the bars of most ciphers do; longer ones are cut and carry their number.

    Parameters
    ----------
    points : sequence of mapping
        ``panel``, ``cipher``, ``whose``, ``part`` (of `PARTS`), ``ns``.
    """
    panels = []
    for panel, here in _panels(points):
        end = _end(here)
        placed = list(_stacked(here, end))
        scale = {"domain": [0, end], "nice": False}
        fade = {"domain": list(PARTS), "range": [0.45, 1]}
        key = {"symbolFillColor": _NEUTRAL, "symbolStrokeColor": _NEUTRAL}
        layers = []
        for whose, offset in WHOSE.items():
            own = [p for p in placed if p["whose"] == whose]
            common = {
                "y": _lines(order),
                "tooltip": _tips("cipher", "whose", "part") + _tips("ns", form=",.1f"),
            }
            span = {
                "x": {
                    "field": "begin", "type": "quantitative", "title": "ns", "scale": scale,
                    "axis": {"tickCount": 4},
                },
                "x2": {"field": "stop"}, "color": _colour(order, whose),
                "opacity": {
                    "field": "part", "type": "ordinal", "sort": list(PARTS), "scale": fade, "title": None,
                    "legend": key,
                },
            }  # fmt: skip
            layers.append(_layer(own, {"type": "bar", "height": 11, "yOffset": offset}, {**common, **span}))
            words = {"type": "text", "align": "right", "dx": -3, "fontSize": 10, "yOffset": offset}
            text = {"field": "total", "type": "quantitative", "format": ",.0f"}
            at = {**common, "x": {"field": "stop", "type": "quantitative"}, "text": text}
            layers.append(_layer([p for p in own if p["total"] is not None], words, at))
        panels.append(_panel(layers, panel, 300, 34 * len(order)))
    return _figure(panels)


def sweeps(points: Points) -> Part:
    """Return functions swept: delay against area, a panel per cipher; the picked points filled.

    Parameters
    ----------
    points : sequence of mapping
        ``panel``, ``function``, ``rank`` (its colour), ``recipe``, ``x`` (ns), ``y`` (mm²), ``picked``.
    """
    panels = []
    for panel, here in _panels(points):
        ranks = sorted({p["rank"] for p in here})
        scale = {"domain": ranks, "range": [_SWEEP_COLOURS[n % 3] for n in range(len(ranks))]}
        common = {
            "x": _number("x", "ns", _axis([p["x"] for p in here], False)),
            "y": _number("y", "mm²", _axis([p["y"] for p in here], False)),
            "color": {"field": "rank", "type": "nominal", "scale": scale, "legend": None},
            "tooltip": _tips("function", "recipe") + _tips("x", "y", form=",.4~r"),
        }
        picked = [p for p in here if p["picked"]]
        line = {**common, "order": {"field": "x", "type": "quantitative"}}
        last = [max((p for p in picked if p["rank"] == rank), key=lambda p: float(p["x"])) for rank in ranks]
        words = {"type": "text", "dy": -10, "fontSize": 11}
        middle = sum(p["x"] for p in here) / len(here)
        sides = {"left": [p for p in last if p["x"] < middle], "right": [p for p in last if p["x"] >= middle]}
        text = {**common, "text": {"field": "function", "type": "nominal"}}
        layers = [
            _layer(picked, {"type": "line", "strokeWidth": 1.4, "opacity": 0.7}, line),
            _layer(here, {"type": "point", "size": 40, "opacity": 1, "shape": "circle"}, common),
            _layer(picked, {"type": "circle", "size": 46, "opacity": 1}, common),
            *(_layer(own, {**words, "align": side}, text) for side, own in sides.items() if own),
        ]
        panels.append(_panel(layers, panel, 330, 220))
    return _figure(panels)


def _end(points: Points) -> float:
    """Return where the axis ends: a little above the longest bar that is not far above the median."""
    totals: dict[tuple[Any, Any], float] = {}
    for p in points:
        totals[p["cipher"], p["whose"]] = totals.get((p["cipher"], p["whose"]), 0.0) + p["ns"]
    known = sorted(totals.values())
    middle = known[len(known) // 2]
    return 1.08 * float(max(one for one in known if one <= 4 * middle))


def _stacked(points: Points, end: float) -> Iterator[Part]:
    """Yield the points with where their bars begin and stop; those cut off with their total."""
    for key in dict.fromkeys((p["cipher"], p["whose"]) for p in points):
        begin = 0.0
        own = [p for part in PARTS for p in points if (p["cipher"], p["whose"], p["part"]) == (*key, part)]
        total = sum(p["ns"] for p in own)
        for p in own:
            stop = begin + p["ns"]
            shown = total if begin < end <= stop else None
            yield {**p, "begin": min(begin, end), "stop": min(stop, end), "total": shown}
            begin = stop


def _panels(points: Points) -> list[tuple[str, Points]]:
    """Return the points by their panel."""
    names = dict.fromkeys(str(point["panel"]) for point in points)
    return [(name, [point for point in points if point["panel"] == name]) for name in names]


def _figure(panels: Sequence[Part]) -> Part:
    """Set panels side by side, two in a row."""
    rows = [{"hconcat": list(panels[n : n + 2]), "spacing": 24} for n in range(0, len(panels), 2)]
    return {"$schema": SCHEMA, "vconcat": rows, "spacing": 18}


def _panel(layers: Sequence[Part], title: str, width: int, height: int) -> Part:
    # A layer without points would make the axes infinite.
    full = [layer for layer in layers if layer["data"]["values"]]
    return {"layer": full or list(layers)[:1], "title": title, "width": width, "height": height}


def _layer(points: Points, mark: Part, encoding: Part) -> Part:
    return {"data": {"values": [dict(point) for point in points]}, "mark": mark, "encoding": encoding}


def _lines(order: Sequence[str]) -> Part:
    """Return an axis with a line per cipher, also where a panel has nothing of it."""
    axis = {"ticks": False, "domain": False, "labelPadding": 10}
    return {
        "field": "cipher", "type": "nominal", "title": None, "axis": axis, "scale": {"domain": list(order)}
    }  # fmt: skip


def _number(field: str, title: str, axis: Part) -> Part:
    return {"field": field, "type": "quantitative", "title": title, **axis}


_STEPS = ((8, (1, 1.5, 2, 3, 4, 5, 6, 8)), (150, (1, 2, 5)), (3000, (1, 3)))
"""Up to which ratio of the ends an axis has which marks between powers of ten."""


def _axis(values: Sequence[float], zero: bool) -> Part:
    """Return scale and axis of a logarithmic dimension, marks at as many round numbers as there is room."""
    known = [value for value in values if value > 0] or [1.0]
    low, high = min(known) / 1.15, max(known) * 1.15
    steps = next((steps for most, steps in _STEPS if high / low < most), (1,))
    marks = [round(step * 10.0**power, 6) for power in range(-4, 11) for step in steps]
    shown = [mark for mark in marks if low <= mark <= high]
    axis = {"values": [*([0] if zero else []), *shown], "labelExpr": "format(datum.value, ',')"}
    if zero:
        return {"scale": {"type": "symlog", "constant": 10, "domain": [0, high], "nice": False}, "axis": axis}
    return {"scale": {"type": "log", "domain": [low, high], "nice": False}, "axis": axis}


def _colour(order: Sequence[str], whose: str) -> Part:
    """Return the colour of ours by cipher, of the paper's one grey."""
    if whose == "paper":
        return {"value": _NEUTRAL}
    scale = {"domain": list(order), "range": [cipher_colour(name) for name in order]}
    return {"field": "cipher", "type": "nominal", "title": None, "scale": scale, "legend": None}


def _tips(*names: str, form: str = "") -> list[Part]:
    if form:
        return [{"field": name, "type": "quantitative", "format": form} for name in names]
    return [{"field": name, "type": "nominal"} for name in names]
