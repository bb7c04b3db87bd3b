"""Charts of rows, by Vega-Altair: drawn by a notebook, saved by ``chart.save("costs.html")``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.errors import UsageError, nearest

if TYPE_CHECKING:
    import altair


Rows = Sequence[Mapping[str, Any]]
SAME = ("cipher", "variant", "implementation", "level", "target", "strategy", "configuration")
"""What metrics of one implementation share."""


def bars(rows: Rows, y: str = "cipher", color: str | None = None) -> altair.Chart:
    """Return a bar per row, the shortest first.

    Parameters
    ----------
    rows : sequence of dictionaries
        Of one metric.
    y, color : str
        The columns that name the bars and colour them.

    Raises
    ------
    UsageError
        ``R023``: the rows are of several metrics, or of none.
    """
    alt = _altair()
    metrics = sorted({row["metric"] for row in rows})
    if len(metrics) != 1:
        has = ", ".join(metrics) or "none: there are no rows"
        raise UsageError(
            "R023", "a chart of bars is of one metric", notes=[f"these rows have {has}"],
            help='choose one: rows.where(metric="cycles").bars()',
        )  # fmt: skip
    shown = {
        "x": alt.X("value:Q", title=_title(metrics[0])),
        "y": alt.Y(f"{y}:N", sort=alt.EncodingSortField("value", op="min"), title=_words(y)),
        "tooltip": [alt.Tooltip(f"{name}:N") for name in _filled(rows)],
    }
    if color:
        shown |= {"color": alt.Color(f"{color}:N", title=_words(color)), "yOffset": f"{color}:N"}
    chart: altair.Chart = alt.Chart(_data(alt, rows)).mark_bar().encode(**shown)
    return chart


def scatter(rows: Rows, x: str, y: str, color: str = "cipher") -> altair.Chart:
    """Return a point for each implementation that has both metrics: its best value of each.

    Parameters
    ----------
    x, y : str
        Metrics: ``area_ge``, ``throughput_mbps``.
    color : str
        One of the columns `SAME`.

    Raises
    ------
    UsageError
        ``R024``: the rows have no such metric; ``R025``: the column differs within an implementation.
    """
    alt = _altair()
    if color not in SAME:
        raise UsageError("R025", f"points have no column `{color}`", help=nearest(color, SAME))
    known = {row["metric"] for row in rows}
    for name in (x, y):
        if name not in known:
            raise UsageError("R024", f"the rows have no metric `{name}`", help=nearest(name, known))
    points = [point for point in _points(rows, (x, y)) if x in point and y in point]
    shown = {
        "x": alt.X(f"{x}:Q", title=_title(x), scale=alt.Scale(type="log")),
        "y": alt.Y(f"{y}:Q", title=_title(y), scale=alt.Scale(type="log")),
        "color": alt.Color(f"{color}:N", title=_words(color)),
        "tooltip": [alt.Tooltip(f"{name}:N") for name in SAME] + [alt.Tooltip(f"{n}:Q") for n in (x, y)],
    }
    chart: altair.Chart = alt.Chart(_data(alt, points)).mark_point(filled=True).encode(**shown)
    return chart


def _points(rows: Rows, metrics: Sequence[str]) -> list[dict[str, Any]]:
    from cipherassay.results.metrics import find_metric

    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in (row for row in rows if row["metric"] in metrics and row["part"] is None):
        key = tuple(line[name] for name in SAME)
        point = found.setdefault(key, dict(zip(SAME, key, strict=True)))
        metric = find_metric(line["metric"])
        best = max if metric is not None and metric.better == "higher" else min
        point[line["metric"]] = best(point.get(line["metric"], line["value"]), line["value"])
    return list(found.values())


def _filled(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name, value in row.items() if value is not None))


def _title(metric: str) -> str:
    from cipherassay.results.metrics import find_metric

    found = find_metric(metric)
    return f"{_words(metric)} ({found.unit})" if found is not None and found.unit else _words(metric)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _data(alt: Any, lines: Sequence[Mapping[str, Any]]) -> Any:
    return alt.Data(values=[dict(line) for line in lines])


def _altair() -> Any:
    from cipherassay import tools

    tools.require_packages("altair")
    import altair

    return altair
