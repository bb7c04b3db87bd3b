"""Figures of the report: Vega-Lite charts and Matplotlib drawings as SVG, in colours that follow the page's
theme."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.figure import Figure as Drawing

INK, MUTED, RULE, PAPER = "#010101", "#020202", "#030303", "#040404"
"""Colours that stand for the page's own in a figure."""

_PAGE = {INK: "var(--ink)", MUTED: "var(--muted)", RULE: "var(--rule)", PAPER: "var(--paper)"}
_FILE = {INK: "#1c2127", MUTED: "#5c6670", RULE: "#d5dae0", PAPER: "#ffffff"}
_FONT = "Inter, Segoe UI, Helvetica Neue, Arial, sans-serif"
_NEEDLESS = (
    r' (?:role|aria-roledescription|font-family|class|pointer-events)="[^"]*"', r' opacity="1"',
    r' aria-hidden="true"', r' aria-label="(?:[XY]-axis|Symbol legend|Title text)[^"]*"',
    r'<path(?: display="none")?(?: d="(?:M0,0h0v0h0Z)?")(?: display="none")?/>', r' xmlns(?::\w+)?="[^"]*"',
    r' fill="transparent"(?= stroke)', r' font-weight="normal"',
)  # fmt: skip
"""What a chart's SVG says for nothing within a page: empty shapes, defaults, what the style sheet says."""
_CONCATENATIONS = ("hconcat", "vconcat", "concat")


@dataclass(frozen=True)
class Figure:
    """A named picture: a chart by its Vega-Lite specification, or a Matplotlib drawing."""

    name: str
    title: str
    caption: str
    chart: dict[str, Any] | None = None
    drawing: Drawing | None = None

    def page_svgs(self) -> list[str]:
        """Return the panels as SVG for the page, in colours that follow its theme; a drawing is one panel."""
        if self.drawing is not None:
            return [_coloured(_named(self._drawn[0], self.name), _PAGE)]
        return [_page_chart(panel) for panel in self._drawn]

    def files(self) -> dict[str, bytes]:
        """Return the figure's files by their names: SVG and PNG on white, of a chart its points as CSV."""
        whole = _assembled(self.chart or {}, iter(self._drawn))  # a drawing is one panel
        svg = _on_white(_coloured(whole, _FILE))
        made = {f"{self.name}.svg": svg.encode(), f"{self.name}.png": _svg_to_png(svg)}
        points = chart_points(self.chart or {})
        return made | ({f"{self.name}.csv": _comma_separated(points).encode()} if points else {})

    @cached_property
    def _drawn(self) -> list[str]:
        """The panels, each drawn once."""
        if self.drawing is not None:
            return [drawing_svg(self.drawing, self.name)]
        panels = enumerate(_panels(self.chart or {}))
        return [_renumbered(_chart_svg(panel), f"{self.name}-{number}-clip") for number, panel in panels]

    @property
    def file_names(self) -> list[str]:
        """The names of its files, in the order of `files`."""
        points = chart_points(self.chart or {})
        return [f"{self.name}.{end}" for end in ("svg", "png", *(["csv"] if points else []))]


def chart_points(chart: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the points of a chart in their order, each once: what its layers and panels are drawn from."""
    found: dict[str, dict[str, Any]] = {}
    for values in _values(chart):
        for point in values:
            found.setdefault(repr(point), point)
    return list(found.values())


def _values(chart: Mapping[str, Any]) -> Iterator[Sequence[dict[str, Any]]]:
    values = (chart.get("data") or {}).get("values")
    if values:
        yield values
    for part in (*_CONCATENATIONS, "layer"):
        for inner in chart.get(part, ()):
            yield from _values(inner)


def _comma_separated(points: Sequence[Mapping[str, Any]]) -> str:
    fields = list(dict.fromkeys(name for point in points for name in point))
    out = io.StringIO()
    writer = csv.DictWriter(out, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(points)
    return out.getvalue()


def _panels(chart: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the panels of a chart, so that a narrow page can set them below each other."""
    inner = [one for part in _CONCATENATIONS for one in chart.get(part, ())]
    if not inner:
        yield dict(chart)
    for one in inner:
        yield from _panels({"$schema": chart["$schema"], **one})


def _chart_svg(chart: Mapping[str, Any]) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg({**chart, "config": theme()})
    return svg


def _assembled(chart: Mapping[str, Any], panels: Iterator[str]) -> str:
    """Return the panels of a chart as one SVG, beside and below each other as its specification says."""
    for part in _CONCATENATIONS:
        if part in chart:
            svgs = [_assembled(one, panels) for one in chart[part]]
            return _beside(svgs, chart.get("spacing", 20), below=part == "vconcat")
    return next(panels)


def _beside(svgs: Sequence[str], spacing: float, *, below: bool) -> str:
    size_of = re.compile(r' (?:width|height)="([\d.]+)"')
    sizes = [tuple(map(float, size_of.findall(svg)[:2])) for svg in svgs]
    along, at, placed = int(below), 0.0, []
    for svg, size in zip(svgs, sizes, strict=True):
        x, y = (0, at) if below else (at, 0)
        placed.append(svg.replace("<svg", f'<svg x="{x:g}" y="{y:g}"', 1))
        at += size[along] + spacing
    across = max(size[1 - along] for size in sizes)
    width, height = (across, at - spacing) if below else (at - spacing, across)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
    return f'{head} viewBox="0 0 {width:g} {height:g}">{"".join(placed)}</svg>'


def _named(svg: str, name: str) -> str:
    """Return a drawing's SVG with names of its own: a page has several."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    return re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)


def _page_chart(svg: str) -> str:
    """Return a chart's SVG for the page: no more digits than can be seen, nothing that the page says."""
    svg = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), svg)
    for needless in _NEEDLESS:
        svg = re.sub(needless, "", svg)
    svg = svg.replace(" aria-label=", " data-says=")  # what a mark stands for; a shape may carry no label
    return _coloured(svg, _PAGE)


def _renumbered(svg: str, stem: str) -> str:
    """Number the clip paths from 1: the drawing library counts on from one chart to the next."""
    numbers: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"{stem}{len(numbers) + 1}")

    return re.sub(r"\bclip\d+\b", name, svg)


def _on_white(svg: str) -> str:
    """Return an SVG with a white ground, so that dark text on it can be read wherever it is shown."""
    return re.sub(r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="#ffffff"/>', svg, count=1)


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


def _coloured(svg: str, colours: Mapping[str, str]) -> str:
    for stand_in, colour in colours.items():
        svg = svg.replace(stand_in, colour)
    return svg


def specification(chart: alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart) -> dict[str, Any]:
    """Return a chart's Vega-Lite specification without the colours, which the page sets by its theme."""
    made: dict[str, Any] = chart.to_dict()
    made.pop("config", None)
    return made


def theme() -> dict[str, Any]:
    """Return the Vega configuration of every chart: the page's font, and stand-ins for its colours."""
    axis = {
        "labelColor": INK, "titleColor": MUTED, "gridColor": RULE, "domainColor": RULE, "tickColor": RULE,
        "labelFont": _FONT, "titleFont": _FONT, "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal",
    }  # fmt: skip
    fonts = {"labelFont": _FONT, "titleFont": _FONT, "labelFontSize": 12}
    words = {"labelColor": INK, "titleColor": MUTED, **fonts}
    return {
        "background": None,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {**words, "orient": "top", "titleFontWeight": "normal"},
        "header": {**words, "labelFontSize": 13, "labelFontWeight": "bold"},
        "title": {"color": INK, "font": _FONT, "fontSize": 13, "anchor": "start"},
        "text": {"color": INK, "font": _FONT},
        "point": {"fill": PAPER, "stroke": INK, "color": INK},
    }
