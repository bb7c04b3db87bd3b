"""The charts of the report, as Vega-Lite specifications made with Altair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherassay.report.elements.ciphers import cipher_colour
from cipherassay.report.elements.figures import specification

_PANEL = 250
_NEUTRAL = "#8a93a0"
_OURS = "#5b63c9"


def cost_bars(points: Sequence[dict[str, Any]], order: Sequence[str]) -> dict[str, Any]:
    """Return bars of cycles per cipher, one panel per operation, with marks for what they are compared with.

    Parameters
    ----------
    points : sequence of dict
        ``cipher``, ``operation`` (in words), ``series`` (``ours`` or what is compared with), ``cycles``,
        ``label`` (beside a bar).
    order : sequence of str
        The ciphers from top to bottom.
    """
    import altair as alt

    operations = list(dict.fromkeys(point["operation"] for point in points))
    others = list(dict.fromkeys(p["series"] for p in points if p["series"] != "ours"))
    panels, lift = [], -6 if others else 0  # the bars make room for the marks below them
    for operation in operations:
        here = [p for p in points if p["operation"] == operation]
        ours = _chart([p for p in here if p["series"] == "ours"])
        y = alt.Y(
            "cipher:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6)
        )
        x = alt.X("cycles:Q", title="cycles", axis=alt.Axis(tickCount=4))
        tips = [alt.Tooltip("cipher:N"), alt.Tooltip("series:N"), alt.Tooltip("cycles:Q", format=".1f")]
        bars = ours.mark_bar(
            height={"band": 0.42 if others else 0.62}, cornerRadiusEnd=2, yOffset=lift
        ).encode(x=x, y=y, color=_cipher_colours(order), tooltip=tips)
        words = ours.mark_text(align="left", dx=4, fontSize=11, yOffset=lift).encode(
            x=x, y=y, text="label:N"
        )
        layers: list[Any] = [bars, words]
        if others:
            marks = _chart([p for p in here if p["series"] != "ours"])
            shapes = alt.Scale(domain=others, range=["diamond", "circle", "triangle-up"][: len(others)])
            layers.append(
                marks.mark_point(size=44, filled=True, opacity=1, strokeWidth=1.2, yOffset=9).encode(
                    x=x, y=y, tooltip=tips, shape=alt.Shape("series:N", scale=shapes, title=None)
                )
            )  # fmt: skip
        high = (38 if others else 30) * len(order)
        panels.append(alt.layer(*layers).properties(width=_PANEL, height=high, title=operation))
    return specification(alt.hconcat(*panels, spacing=18))


def key_size_lines(points: Sequence[dict[str, Any]], order: Sequence[str]) -> dict[str, Any]:
    """Return cycles against key size, a panel per operation; points: cipher, operation, key_bits, cycles."""
    import altair as alt

    operations = list(dict.fromkeys(point["operation"] for point in points))
    panels = []
    for operation in operations:
        here = _chart([p for p in points if p["operation"] == operation])
        base = here.encode(
            x=alt.X("key_bits:O", title="key size (bits)", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("cycles:Q", title="cycles", axis=alt.Axis(tickCount=5)),
            color=_cipher_colours(order, legend=True),
            tooltip=[
                alt.Tooltip("cipher:N"),
                alt.Tooltip("key_bits:O"),
                alt.Tooltip("cycles:Q", format=".1f"),
            ],
        )
        lines = alt.layer(base.mark_line(strokeWidth=2), base.mark_circle(size=42, opacity=1))
        panels.append(lines.properties(width=_PANEL, height=200, title=operation))
    return specification(alt.hconcat(*panels, spacing=18))


def ratio_bars(points: Sequence[dict[str, Any]], order: Sequence[str], title: str) -> dict[str, Any]:
    """Return bars of a ratio per cipher and operation with a line at 1; points: cipher, operation, ratio."""
    import altair as alt

    panels = []
    for operation in dict.fromkeys(point["operation"] for point in points):
        here = _chart([p for p in points if p["operation"] == operation])
        x = alt.X("ratio:Q", title=title, axis=alt.Axis(tickCount=5))
        y = alt.Y(
            "cipher:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6)
        )
        tips = [alt.Tooltip("cipher:N"), alt.Tooltip("operation:N"), alt.Tooltip("ratio:Q", format=".3f")]
        bars = here.mark_bar(height={"band": 0.62}, cornerRadiusEnd=2).encode(
            x=x, y=y, color=_cipher_colours(order), tooltip=tips
        )
        words = here.mark_text(align="left", dx=4, fontSize=11).encode(
            x=x, y=y, text=alt.Text("ratio:Q", format=".2f")
        )
        one = (
            _chart([{"at": 1}])
            .mark_rule(strokeDash=[4, 3], color=_NEUTRAL)
            .encode(x=alt.X("at:Q", title=title))
        )
        panels.append(
            alt.layer(bars, words, one).properties(width=_PANEL, height=30 * len(order), title=operation)
        )
    return specification(alt.hconcat(*panels, spacing=18))


def _chart(points: Sequence[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Chart(alt.Data(values=list(points)))  # type: ignore[no-untyped-call]


def _cipher_colours(order: Sequence[str], *, legend: bool = False) -> Any:
    import altair as alt

    scale = alt.Scale(domain=list(order), range=[cipher_colour(name) for name in order])
    return alt.Color("cipher:N", scale=scale, title=None, legend=alt.Legend() if legend else None)


def count_dots(points: Sequence[dict[str, Any]], order: Sequence[str], across: int = 3) -> dict[str, Any]:
    """Return ours beside published counts per S-box, a panel per target.

    Parameters
    ----------
    points : sequence of dict
        ``panel``, ``box``, ``series`` (``ours`` or ``published``), ``count``, ``unit``.
    order : sequence of str
        The boxes from left to right.
    """
    import altair as alt

    panels = []
    series = ["ours", "published"]
    colours = alt.Scale(domain=series, range=[_OURS, _NEUTRAL])
    shapes = alt.Scale(domain=series, range=["circle", "diamond"])
    for panel in dict.fromkeys(point["panel"] for point in points):
        here = [p for p in points if p["panel"] == panel]
        counts = [p["count"] for p in here]
        x = alt.X(
            "box:N", sort=list(order), title=None, axis=alt.Axis(labelAngle=0, ticks=False, labelFontSize=10)
        )
        low = alt.Scale(domain=[max(0, min(counts) - 1), max(counts) + 1], nice=False)
        y = alt.Y("count:Q", title=here[0]["unit"], scale=low, axis=alt.Axis(tickMinStep=1, tickCount=6))
        tips = [alt.Tooltip("box:N"), alt.Tooltip("series:N"), alt.Tooltip("count:Q")]
        gaps = _chart(here).mark_line(color=_NEUTRAL, strokeWidth=2, opacity=0.55).encode(
            x=x, y=y, detail="box:N"
        )  # fmt: skip
        dots = _chart(here).mark_point(filled=True, size=54, opacity=1).encode(
            x=x, y=y, tooltip=tips,
            color=alt.Color("series:N", scale=colours, title=None),
            shape=alt.Shape("series:N", scale=shapes),
        )  # fmt: skip
        panels.append(alt.layer(gaps, dots).properties(width=265, height=150, title=panel))
    starts = range(0, len(panels), across)
    rows = [alt.hconcat(*panels[n : n + across], spacing=52, bounds="flush") for n in starts]
    return specification(alt.vconcat(*rows, spacing=18))
