"""Writes a report: its pages, what they share, its tables as text, its figures as pictures, its rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from cipherassay.console.output import output_folder, write_file
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section, all_sections
from cipherassay.report.page.rendering import Site, assets, shown_rows
from cipherassay.report.page.rows import RowNumbers, pieces
from cipherassay.report.page.search import index
from cipherassay.report.page.text_forms import comma_separated, latex, markdown
from cipherassay.report.pages import Page, pages
from cipherassay.report.sheets import sheet_pages


def write_report(folder: Path, data: ReportData) -> Path:
    """Write the report into a folder and return the path of the page that it begins with.

    ``index.html`` and the pages beside it (``papers/``, ``levels/``, ``ciphers/``) need nothing but this
    folder: ``assets/`` has what they share, ``rows/`` the rows as scripts, ``tables/`` each table as
    Markdown, CSV and LaTeX, ``figures/`` each figure as SVG and PNG, of a chart also its points as CSV.
    ``rows.json`` has our rows. Files of an earlier report are replaced one by one.

    Raises
    ------
    UsageError
        ``U030`` to ``U032``: the folder cannot be written.
    """
    found = [*pages(all_sections(data)), *sheet_pages(data)]
    _write_texts(folder, [section for page in found for section in page.sections])
    ours = shown_rows(data)
    rows = {"rows": [row.as_dict() for row in ours]}
    write_file(folder / "rows.json", json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    _write_pages(folder, data, found, RowNumbers([*ours, *data.published]))
    return folder / "index.html"


def _write_pages(folder: Path, data: ReportData, found: list[Page], numbers: RowNumbers) -> None:
    site = Site(data, found, numbers)
    for page in found:
        path = folder / page.path
        output_folder(path.parent)
        write_file(path, site.page(page))
    write_file(folder / "rows.html", site.rows())
    shared = {**assets(), "search.js": index(found)}
    for name, text in shared.items():
        write_file(output_folder(folder / "assets") / name, text)
    for name, text in pieces(numbers.rows()):
        write_file(output_folder(folder / "rows") / name, text)


def _write_texts(folder: Path, sections: Iterable[Section]) -> None:
    tables, figures = output_folder(folder / "tables"), output_folder(folder / "figures")
    for section in sections:
        for table in section.tables:
            for suffix, form in (("md", markdown), ("csv", comma_separated), ("tex", latex)):
                write_file(tables / f"{table.name}.{suffix}", form(table))
        made = [*(one.files() for one in section.figures), *(one.files() for one in section.galleries)]
        for name, content in (item for files in made for item in files.items()):
            write_file(figures / name, content)
