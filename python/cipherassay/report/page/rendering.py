"""The page: one HTML file that holds everything it needs and opens offline."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from cipherassay.report.data import ReportData
from cipherassay.report.elements.figures import Figure, theme
from cipherassay.report.elements.gallery import Gallery
from cipherassay.report.elements.section import Fold, Section
from cipherassay.report.elements.tables import Table, number_text
from cipherassay.report.page.text_forms import column_groups, comma_separated, latex, markdown
from cipherassay.results import FIELDS, Row

_FIRST = ("metric", "value", "unit")
"""The fields that the list of rows shows first: what a reader who followed a number looks for."""


class RowNumbers:
    """Numbers the rows that cells lead to, in the order in which they are first shown."""

    def __init__(self) -> None:
        self._numbers: dict[Row, int] = {}

    def of(self, row: Row) -> int:
        """Return the row's number, from 1."""
        return self._numbers.setdefault(row, len(self._numbers) + 1)

    def rows(self) -> list[tuple[int, Row]]:
        """Return the numbered rows."""
        return [(number, row) for row, number in self._numbers.items()]


def page(data: ReportData, sections: Sequence[Section]) -> str:
    """Return the report as one HTML text without a reference to anything outside it."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_resource), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    numbers = RowNumbers()
    environment.globals.update(
        is_table=lambda block: isinstance(block, Table),
        is_figure=lambda block: isinstance(block, Figure),
        is_gallery=lambda block: isinstance(block, Gallery),
        is_fold=lambda block: isinstance(block, Fold),
        groups=column_groups,
        number_of=numbers.of,
        told=_told,
        downloads=_downloads,
    )
    charts = {f.name: f.chart for s in sections for f in s.figures if f.chart is not None}
    body = environment.get_template("body.html").render(data=data, sections=sections)
    rows = numbers.rows()
    used = [name for name in FIELDS if any(getattr(row, name) not in (None, "") for _, row in rows)]
    fields = [*_FIRST, *(name for name in used if name not in _FIRST)]
    return environment.get_template("page.html").render(
        title=f"Cipherassay: {data.machine}",
        data=data,
        sections=sections,
        body=Markup(body),
        fields=fields,
        rows=[(number, [_field(name, getattr(row, name)) for name in fields]) for number, row in rows],
        css=_resource("page.css") + "".join(sorted({g.style for s in sections for g in s.galleries})),
        script=_resource("page.js"),
        library=_vega() if charts else "",
        charts=_json(charts),
        themes=_json({"light": theme(dark=False), "dark": theme(dark=True)}),
    )


def _resource(name: str) -> str:
    return (files("cipherassay.report") / "page" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _vega() -> str:
    """Return the chart library as one script (vl-convert carries it), safe within a script element."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def _told(row: Row) -> str:
    """Say in a line what a number is: shown when it is pointed at."""
    parts = [row.describe(), f"{number_text(row.value, row.unit)} {row.unit or ''}".strip(), row.basis]
    if row.bound is not None:
        parts.append(f"bound {number_text(row.bound, row.unit)}")
    if row.reference_source:
        parts.append(row.reference_source)
    return " · ".join(parts)


def _field(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and name in ("value", "bound", "reference", "ratio"):
        return f"{value:.6g}" if value != int(value) else str(int(value))
    return str(value)


def _downloads(table: Table) -> Iterable[tuple[str, str, str]]:
    """Return (label, file name, data address) of the table's text forms."""
    for label, suffix, kind, text in (
        ("CSV", "csv", "text/csv", comma_separated(table)),
        ("Markdown", "md", "text/markdown", markdown(table)),
        ("LaTeX", "tex", "text/x-tex", latex(table)),
    ):
        encoded = base64.b64encode(text.encode()).decode()
        yield label, f"{table.name}.{suffix}", f"data:{kind};charset=utf-8;base64,{encoded}"
