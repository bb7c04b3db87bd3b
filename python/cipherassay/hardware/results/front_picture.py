"""Fronts of a cipher's organizations as a picture: area against latency and against throughput."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherassay.hardware.results.fronts import FRONTS, FrontPoint, on_fronts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _GREY = "#1a1a1a", "#8a8a8a"
_MARKERS = ("o", "s", "^")


def draw(every: Sequence[FrontPoint], title: str, kind: str) -> bytes:
    """Return the picture as ``svg`` or ``png``; equal points give equal bytes."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with matplotlib.rc_context({"svg.hashsalt": "assay", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, color=_INK)
        for axes, (name, kept) in zip(figure.subplots(1, 2), on_fronts(every).items(), strict=True):
            _panel(axes, every, kept, name)
        marks = [
            Line2D([], [], ls="", marker=_marker(number), color=_colour(number), label=name)
            for number, name in enumerate(_names(every))
        ]
        legend = figure.legend(handles=marks, loc="outside lower center", ncols=6)
        legend.set_title("filled: no other beats it in both quantities")
        stream = io.BytesIO()
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(stream, format=kind, dpi=150, metadata=metadata, facecolor="white")
    return stream.getvalue()


def _panel(axes: Axes, every: Sequence[FrontPoint], kept: Sequence[FrontPoint], name: str) -> None:
    of = FRONTS[name].of
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(0.12)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.6g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("area, GE")
    axes.set_ylabel(FRONTS[name].label)
    axes.grid(visible=True, which="both", color="#eeeeee", lw=0.6)
    axes.set_axisbelow(True)
    axes.step([one.area_ge for one in kept], [of(one) for one in kept], where="post", color=_GREY, lw=1.0)
    for number, called in enumerate(_names(every)):
        own = [one for one in every if one.organization.name == called]
        filled = [_colour(number) if one in kept else "white" for one in own]
        axes.scatter(
            [one.area_ge for one in own], [of(one) for one in own], s=34, edgecolors=_colour(number),
            color=filled, marker=_marker(number), zorder=3,
        )  # fmt: skip


def _names(every: Sequence[FrontPoint]) -> list[str]:
    return list(dict.fromkeys(one.organization.name for one in every))


def _colour(number: int) -> str:
    return f"C{number % 10}"


def _marker(number: int) -> str:
    return _MARKERS[number // 10 % len(_MARKERS)]
