"""Histogram pictures of measured times, one panel per cipher, with the Gaussian of equal mean and spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.report.elements.ciphers import cipher_colour
from cipherassay.report.elements.figures import INK, MUTED, RULE
from cipherassay.report.elements.tables import number_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_MOST_BARS = 60
_LEAST_WIDTH = 10


def histograms(samples: Mapping[str, Sequence[float]]) -> Drawing:
    """Draw the distribution of each cipher's cycles: bars of whole cycles, the Gaussian as a line."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = min(3, len(samples))
    down = -(-len(samples) // across)
    drawing = Figure(figsize=(10.2, 2.55 * down), layout="constrained")
    FigureCanvasAgg(drawing)
    panels = drawing.subplots(down, across, squeeze=False)
    for panel in panels.flat[len(samples) :]:
        panel.set_visible(False)
    for panel, (cipher, cycles) in zip(panels.flat, samples.items(), strict=False):
        _panel(panel, cipher, cycles)
    return drawing


def _panel(panel: Any, cipher: str, cycles: Sequence[float]) -> None:
    import numpy as np

    values = np.asarray(cycles, dtype=float)
    mean, sigma = float(values.mean()), float(values.std(ddof=0))
    shown = _without_stragglers(values)
    low, high = np.floor(shown.min()) - 0.5, np.ceil(shown.max()) + 0.5
    width = max(1.0, np.ceil((high - low) / _MOST_BARS))
    if high - low < _LEAST_WIDTH:  # one bar of all inputs should look like one bar
        low, high = np.floor(mean) - _LEAST_WIDTH // 2 - 0.5, np.floor(mean) + _LEAST_WIDTH // 2 + 0.5
    edges = np.arange(low, high + width, width)
    counts, _ = np.histogram(values, edges)
    panel.bar(
        edges[:-1], counts / len(values) * 100, width=width, align="edge",
        color=cipher_colour(cipher.partition(",")[0]), alpha=0.8, linewidth=0,
    )  # fmt: skip
    if sigma > 0.05:
        at = np.linspace(edges[0], edges[-1], 200)
        density = np.exp(-0.5 * ((at - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))
        panel.plot(at, density * width * 100, color=INK, linewidth=1.1)
    beyond = int(np.count_nonzero((values < low) | (values > high)))
    panel.set_title(cipher, loc="left", fontsize=10, fontweight="bold", color=INK)
    told = f"avg {number_text(mean, 'cycles')}, σ {number_text(sigma, 'cycles')}"
    told += f" ({beyond} not shown)" if beyond else ""
    panel.set_title(told, loc="right", fontsize=8.5, color=MUTED)
    _style(panel)


def _without_stragglers(values: Any) -> Any:
    """Return the values without the few that lie so far out that the others would shrink to a line."""
    import numpy as np

    low, high = np.percentile(values, [0.5, 99.5])
    reach = max(2.0 * (high - low), _LEAST_WIDTH)
    return values[(values >= low - reach) & (values <= high + reach)]


def _style(panel: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    panel.set_xlabel("cycles", fontsize=8.5, color=MUTED)
    panel.set_ylabel("% of the inputs", fontsize=8.5, color=MUTED)
    panel.tick_params(colors=INK, labelsize=8.5, color=RULE)
    panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.ticklabel_format(axis="x", useOffset=False, style="plain")
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines[["left", "bottom"]].set_color(RULE)
    panel.margins(x=0.02)
