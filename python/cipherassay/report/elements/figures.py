"""Figures of the report: Vega-Lite charts and Matplotlib drawings, in the page's colours, light and dark."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.figure import Figure as Drawing

INK, MUTED, RULE = "#010101", "#020202", "#030303"
"""Colours that stand for the page's own in a drawing."""

_PAGE = {INK: "var(--ink)", MUTED: "var(--muted)", RULE: "var(--rule)"}
_FILE = {INK: "#1c2127", MUTED: "#5c6670", RULE: "#d5dae0"}
_FONT = "Inter, Segoe UI, Helvetica Neue, Arial, sans-serif"


@dataclass(frozen=True)
class Figure:
    """A named picture: a chart (drawn by the browser from its specification) or a drawing (SVG)."""

    name: str
    title: str
    caption: str
    chart: dict[str, Any] | None = None
    drawing: Drawing | None = None

    def page_svg(self) -> str:
        """Return the drawing as SVG for the page, in the page's colours."""
        assert self.drawing is not None
        return _coloured(drawing_svg(self.drawing, self.name), _PAGE)

    def files(self) -> dict[str, bytes]:
        """Return the figure's files by their names: SVG and PNG, on white."""
        if self.drawing is not None:
            svg = _coloured(drawing_svg(self.drawing, self.name), _FILE)
            return {f"{self.name}.svg": svg.encode(), f"{self.name}.png": _svg_to_png(svg)}
        import vl_convert

        svg = _renumbered(vl_convert.vegalite_to_svg(light(self.chart or {})))
        return {f"{self.name}.svg": svg.encode(), f"{self.name}.png": _svg_to_png(svg)}


def _renumbered(svg: str) -> str:
    """Number the clip paths from 1: the drawing library counts on from one chart to the next."""
    numbers: dict[str, str] = {}
    return re.sub(r"\bclip\d+\b", lambda found: numbers.setdefault(found[0], f"clip{len(numbers) + 1}"), svg)


def _svg_to_png(svg: str) -> bytes:
    import vl_convert

    png: bytes = vl_convert.svg_to_png(svg, scale=2.0)
    return png


def drawing_svg(drawing: Drawing, salt: str) -> str:
    """Return a Matplotlib drawing as SVG, the same bytes each time."""
    import matplotlib

    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "path"}):
        drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    svg = out.getvalue()
    return svg[svg.index("<svg") :]  # without the XML heading, so that it stands within a page


def _coloured(svg: str, colours: dict[str, str]) -> str:
    for stand_in, colour in colours.items():
        svg = svg.replace(stand_in, colour)
    return svg


def specification(chart: alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart) -> dict[str, Any]:
    """Return a chart's Vega-Lite specification without the colours, which the page sets by its theme."""
    made: dict[str, Any] = chart.to_dict()
    made.pop("config", None)
    return made


def theme(dark: bool) -> dict[str, Any]:
    """Return the Vega configuration of the page's light or dark theme."""
    ink, muted, rule = ("#e6e9ee", "#9aa4b0", "#333b45") if dark else ("#1c2127", "#5c6670", "#d5dae0")
    paper = "#14181d" if dark else "#ffffff"
    axis = {
        "labelColor": ink, "titleColor": muted, "gridColor": rule, "domainColor": rule, "tickColor": rule,
        "labelFont": _FONT, "titleFont": _FONT, "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal",
    }  # fmt: skip
    words = {
        "labelColor": ink,
        "titleColor": muted,
        "labelFont": _FONT,
        "titleFont": _FONT,
        "labelFontSize": 12,
    }
    return {
        "background": "transparent" if dark else None,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {**words, "orient": "top", "titleFontWeight": "normal"},
        "header": {**words, "labelFontSize": 13, "labelFontWeight": "bold"},
        "title": {"color": ink, "font": _FONT, "fontSize": 13, "anchor": "start"},
        "text": {"color": ink, "font": _FONT},
        "point": {"fill": paper, "stroke": ink, "color": ink},
    }


def light(chart: dict[str, Any]) -> dict[str, Any]:
    """Return a chart's specification with the light theme, for files."""
    return {**chart, "config": {**theme(dark=False), "background": "white"}}
