"""Histograms of measured times, one panel per cipher, with the Gaussian of equal mean and spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.report.elements.ciphers import cipher_colour
from cipherassay.report.elements.figures import INK, MUTED
from cipherassay.report.elements.tables import number_text

if TYPE_CHECKING:
    import numpy as np

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MOST_BARS = 60
_LEAST_WIDTH = 10
_CURVE = 80
"""Points of a curve."""
_ACROSS = 3


def histograms(samples: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the distribution of each cipher's cycles: bars of whole cycles, the Gaussian as a line.

    A panel shows the middle 99 % of the inputs; its title says how many lie beyond, and how far.
    """
    panels = [_panel(cipher, cycles) for cipher, cycles in samples.items()]
    starts = range(0, len(panels), _ACROSS)
    rows = [{"hconcat": panels[begin : begin + _ACROSS], "spacing": 24} for begin in starts]
    return {"$schema": SCHEMA, "vconcat": rows, "spacing": 18}


def _panel(cipher: str, cycles: Sequence[float]) -> dict[str, Any]:
    import numpy as np

    values = np.asarray(cycles, dtype=float)
    mean, sigma = float(values.mean()), float(values.std(ddof=0))
    edges = _edges(values)
    width = float(edges[1] - edges[0])
    counts, _ = np.histogram(values, edges)
    bars = [
        {"from": float(low), "to": float(low) + width, "percent": round(100 * float(count) / len(values), 3)}
        for low, count in zip(edges[:-1], counts, strict=True)
        if count
    ]
    scale = {"domain": [float(edges[0]), float(edges[-1])], "nice": False}
    axis = {"tickCount": 5, "tickMinStep": 1}
    x = {"type": "quantitative", "title": "cycles", "scale": scale, "axis": axis}
    y = {"field": "percent", "type": "quantitative", "title": "% of the inputs", "axis": {"tickCount": 4}}
    mark = {"type": "bar", "color": cipher_colour(cipher.partition(",")[0]), "opacity": 0.85}
    tips = [{"field": name, "type": "quantitative"} for name in ("from", "to", "percent")]
    ends = {"x": {**x, "field": "from"}, "x2": {"field": "to"}, "y": y, "y2": {"datum": 0}}
    encoding = {**ends, "tooltip": tips}
    layers: list[dict[str, Any]] = [{"data": {"values": bars}, "mark": mark, "encoding": encoding}]
    curve = _gaussian(edges, mean, sigma, width)
    if curve:
        line = {"type": "line", "color": INK, "strokeWidth": 1.1}
        at = {"x": {**x, "field": "cycles"}, "y": y}
        layers.append({"data": {"values": curve}, "mark": line, "encoding": at})
    title = {
        "text": cipher, "subtitle": _told(values, edges, mean, sigma), "subtitleColor": MUTED,
        "subtitleFontSize": 11,
    }  # fmt: skip
    return {"layer": layers, "title": title, "width": 250, "height": 130}


def _edges(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the ends of the bars: whole cycles around the middle 99 % of the values, a bar of one value not
    alone."""
    import numpy as np

    low, high = np.percentile(values, [0.5, 99.5])
    margin = max(0.06 * (high - low), (_LEAST_WIDTH - (high - low)) / 2, 0.0)
    begin, end = np.floor(low - margin) - 0.5, np.ceil(high + margin) + 0.5
    width = max(1.0, np.ceil((end - begin) / _MOST_BARS))
    return np.arange(begin, end + width, width)


def _gaussian(edges: np.ndarray[Any, Any], mean: float, sigma: float, width: float) -> list[dict[str, float]]:
    import numpy as np

    if sigma <= 0.05:
        return []
    at = np.linspace(edges[0], edges[-1], _CURVE)
    density = np.exp(-0.5 * ((at - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi)) * width * 100
    return [
        {"cycles": round(float(x), 3), "percent": round(float(percent), 4)}
        for x, percent in zip(at, density, strict=True)
    ]


def _told(values: np.ndarray[Any, Any], edges: np.ndarray[Any, Any], mean: float, sigma: float) -> str:
    beyond = values[(values < edges[0]) | (values > edges[-1])]
    told = f"mean {number_text(mean, 'cycles')}, σ {number_text(sigma, 'cycles')}"
    if not len(beyond):
        return told
    furthest = max(beyond, key=lambda value: abs(value - mean))
    return f"{told}; {len(beyond)} beyond, up to {number_text(float(furthest), 'cycles')}"
