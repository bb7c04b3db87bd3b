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

    with matplotlib.rc_context({"svg.hashsalt": "assay", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, color=_INK)
        for axes, (name, kept) in zip(figure.subplots(1, 2), on_fronts(every).items(), strict=True):
            _panel(axes, every, kept, name)
        marks, names = figure.axes[0].get_legend_handles_labels()
        legend = figure.legend(marks, names, loc="outside lower center", ncols=6)
        legend.set_title("filled: no other beats it in both quantities")
        for mark in legend.legend_handles:
            mark.set_facecolor(mark.get_edgecolor())
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
    names = list(dict.fromkeys(one.organization.name for one in every))
    for number, name_of in enumerate(names):
        own = [one for one in every if one.organization.name == name_of]
        colour = f"C{number % 10}"
        filled = [colour if one in kept else "white" for one in own]
        axes.scatter(
            [one.area_ge for one in own], [of(one) for one in own], s=34, edgecolors=colour, color=filled,
            marker=_MARKERS[number // 10 % len(_MARKERS)], label=name_of, zorder=3,
        )  # fmt: skip
