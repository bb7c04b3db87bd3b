"""Writes a report: the page, its tables as text, its figures as pictures, its rows."""

from __future__ import annotations

import json
from pathlib import Path

from cipherassay.cli._shared.common import output_folder, write_file
from cipherassay.report.data import ReportData
from cipherassay.report.page import page
from cipherassay.report.section import all_sections
from cipherassay.report.text_forms import comma_separated, latex, markdown


def write_report(folder: Path, data: ReportData) -> Path:
    """Write the report into a folder and return the page's path.

    ``index.html`` needs nothing beside it; ``tables/`` has each table as Markdown, CSV and LaTeX,
    ``figures/`` each figure as SVG and PNG, ``rows.json`` our rows. Files of an earlier
    report are replaced one by one.

    Raises
    ------
    UsageError
        ``U030`` to ``U032``: the folder cannot be written.
    """
    sections = all_sections(data)
    tables, figures = output_folder(folder / "tables"), output_folder(folder / "figures")
    for table in (table for section in sections for table in section.tables):
        for suffix, form in (("md", markdown), ("csv", comma_separated), ("tex", latex)):
            write_file(tables / f"{table.name}.{suffix}", form(table))
    for figure in (figure for section in sections for figure in section.figures):
        for name, content in figure.files().items():
            write_file(figures / name, content)
    for gallery in (gallery for section in sections for gallery in section.galleries):
        for name, content in gallery.files().items():
            write_file(figures / name, content)
    ours = (
        *data.answers, *data.rows, *data.compared, *data.circuits, *data.equations, *data.kernels,
        *data.distributions, *data.addressing, *data.hardware, *data.embedded, *data.elsewhere, *data.layouts,
        *data.calls,
    )  # fmt: skip
    rows = {"rows": [row.as_dict() for row in ours]}
    write_file(folder / "rows.json", json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    write_file(folder / "index.html", page(data, sections))
    return folder / "index.html"
