"""The charts of the overview, as Vega-Lite specifications: what stays in mind of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cipherassay.report.elements.ciphers import cipher_colour
from cipherassay.report.elements.figures import INK

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
THEIRS = "#8a93a0"
Points = Sequence[Mapping[str, Any]]
Part = dict[str, Any]


def across_platforms(points: Points, order: Sequence[str], places: Sequence[str]) -> Part:
    """Return a line per cipher through the platforms: how many times the cost of the cheapest cipher there.

    Parameters
    ----------
    points : sequence of mapping
        ``platform``, ``cipher``, ``times``, ``shown`` (the number itself, with its unit).
    places : sequence of str
        The platforms from top to bottom.
    """
    placed = [{**point, "place": places.index(point["platform"])} for point in points]
    common = {
        "y": _names("platform", places), "color": _colours(order, legend=True),
        "x": _log("times", "times the cost of the cheapest cipher", _ends(p["times"] for p in points)),
        "tooltip": _tips("cipher", "platform", "shown"),
    }  # fmt: skip
    mark = {"type": "line", "strokeWidth": 1.6, "opacity": 0.55}
    line = _layer(placed, mark, {**common, "order": _plain("place")})
    dots = _layer(placed, {"type": "circle", "size": 70, "opacity": 1}, common)
    return _whole([line, dots], 430, 27 * len(places))


def then_and_now(points: Points, order: Sequence[str]) -> Part:
    """Return published numbers and this machine's on one axis, a line per cipher.

    Parameters
    ----------
    points : sequence of mapping
        ``cipher``, ``where`` (machine and year), ``cycles``, ``ours`` (whether it is of this machine).
    """
    ours, theirs = ([p for p in points if p["ours"] == side] for side in (True, False))
    spans = [
        {"cipher": name, "least": min(own), "greatest": max(own)}
        for name in order
        if (own := [p["cycles"] for p in points if p["cipher"] == name])
    ]
    y, axis = _names("cipher", order), _ends(p["cycles"] for p in points)
    x = _log("cycles", "cycles of one block", axis)
    tips = _tips("cipher", "where", "cycles")
    rule = {"x": _log("least", "cycles of one block", axis), "x2": {"field": "greatest"}, "y": y}
    diamond = {"type": "point", "shape": "diamond", "size": 60, "filled": True, "opacity": 1}
    diamond |= {"fill": THEIRS, "stroke": THEIRS}
    circle = {"type": "circle", "size": 110, "opacity": 1}
    words = {"type": "text", "dy": -11, "fontSize": 10.5, "color": INK}
    layers = [
        _layer(spans, {"type": "rule", "color": THEIRS, "opacity": 0.6, "strokeWidth": 1.4}, rule),
        _layer(theirs, diamond, {"x": x, "y": y, "tooltip": tips}),
        _layer(ours, circle, {"x": x, "y": y, "tooltip": tips, "color": _colours(order)}),
        _layer(ours, words, {"x": x, "y": y, "text": {**_plain("cycles"), "format": ",.0f"}}),
    ]
    return _whole([layer for layer in layers if layer["data"]["values"]], 430, 38 * len(order))


def area_and_speed(points: Points, order: Sequence[str]) -> Part:
    """Return throughput against area: ours as lines over the best devices, published ones as open diamonds.

    Parameters
    ----------
    points : sequence of mapping
        ``cipher``, ``whose`` (``ours`` or ``published``), ``mm2``, ``mbps``, ``what``.
    """
    x = _log("mm2", "area (mm²)", _ends(p["mm2"] for p in points))
    y = _log("mbps", "throughput (Mbit/s)", _ends(p["mbps"] for p in points))
    tips = _tips("cipher", "whose", "what", "mm2", "mbps")
    common = {"x": x, "y": y, "color": _colours(order, legend=True), "tooltip": tips}
    diamond = {"type": "point", "shape": "diamond", "size": 70, "fill": "transparent", "strokeWidth": 1.6}
    ours, theirs = ([p for p in points if p["whose"] == whose] for whose in ("ours", "published"))
    layers = [
        _layer(ours, {"type": "line", "strokeWidth": 1.8}, {**common, "order": _plain("mm2")}),
        _layer(ours, {"type": "circle", "size": 44, "opacity": 1}, common),
        _layer(theirs, {**diamond, "opacity": 1}, common),
    ]
    return _whole([layer for layer in layers if layer["data"]["values"]], 430, 320)


def key_agility(points: Points, order: Sequence[str]) -> Part:
    """Return cycles per byte, key setup included, over the blocks that one key encrypts.

    Parameters
    ----------
    points : sequence of mapping
        ``cipher``, ``blocks``, ``cycles`` (per byte).
    """
    x = _plain("blocks") | {"title": "blocks encrypted with one key", "axis": {"tickCount": 6}}
    x["scale"] = {"type": "log", "base": 2}
    y = _log("cycles", "cycles per byte, key setup included", _ends(p["cycles"] for p in points))
    tips = _tips("cipher", "blocks", "cycles")
    common = {"x": x, "y": y, "color": _colours(order, legend=True), "tooltip": tips}
    line = _layer(points, {"type": "line", "strokeWidth": 2}, common)
    return _whole([line, _layer(points, {"type": "circle", "size": 28, "opacity": 1}, common)], 430, 300)


def _whole(layers: Sequence[Part], width: int, height: int) -> Part:
    return {"$schema": SCHEMA, "layer": list(layers), "width": width, "height": height}


def _layer(points: Points, mark: Part, encoding: Part) -> Part:
    return {"data": {"values": [dict(point) for point in points]}, "mark": mark, "encoding": encoding}


def _names(field: str, order: Sequence[str]) -> Part:
    axis = {"ticks": False, "domain": False, "labelPadding": 8, "labelLimit": 220, "grid": True}
    return {"field": field, "type": "nominal", "title": None, "axis": axis, "scale": {"domain": list(order)}}


def _plain(field: str) -> Part:
    return {"field": field, "type": "quantitative"}


_STEPS = ((8, (1, 1.5, 2, 3, 4, 5, 6, 8)), (150, (1, 2, 5)), (3000, (1, 3)))
"""Up to which ratio of the ends an axis has which marks between powers of ten."""


def _ends(values: Iterable[float]) -> tuple[float, float]:
    known = [value for value in values if value > 0] or [1.0]
    return min(known) / 1.12, max(known) * 1.12


def _log(field: str, title: str, ends: tuple[float, float]) -> Part:
    low, high = ends
    steps = next((steps for most, steps in _STEPS if high / low < most), (1,))
    marks = [round(step * 10.0**power, 6) for power in range(-4, 11) for step in steps]
    shown = [mark for mark in marks if low <= mark <= high]
    axis = {"values": shown, "labelExpr": "format(datum.value, ',')"}
    scale = {"type": "log", "domain": [low, high], "nice": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _colours(order: Sequence[str], *, legend: bool = False) -> Part:
    scale = {"domain": list(order), "range": [cipher_colour(name) for name in order]}
    shown = {"columns": 6, "symbolType": "circle", "symbolOpacity": 1} if legend else None
    return {"field": "cipher", "type": "nominal", "title": None, "scale": scale, "legend": shown}


def _tips(*names: str) -> list[Part]:
    return [{"field": name} for name in names]
