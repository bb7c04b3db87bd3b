"""The pages of the report as HTML: no page needs a network or a server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from cipherassay.report.data import ReportData
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.gallery import Gallery
from cipherassay.report.elements.section import Block, Fold
from cipherassay.report.elements.tables import Cell, Table
from cipherassay.report.page.rows import CHOICES, RowNumbers, pieces
from cipherassay.report.page.text_forms import column_groups
from cipherassay.report.pages import Page
from cipherassay.results import Row

if TYPE_CHECKING:
    import jinja2

ROWS = Page(
    "rows", "rows.html", "All rows", "Rows", "Evidence", 41,
    "Every number of the report, and every published one.",
)  # fmt: skip
"""The page of rows, which no section stands on."""
FILTERED = 16
"""From so many lines on a table can be filtered."""


@dataclass(frozen=True)
class Entry:
    """A line of a page's contents."""

    anchor: str
    title: str
    inner: bool = False


class Site:
    """Renders the pages of one report; numbers go to rows by the same numbers on all of them."""

    def __init__(
        self, data: ReportData, pages: Sequence[Page], numbers: RowNumbers, *, alone: bool = False
    ) -> None:
        self._data, self._numbers = data, numbers
        self._pages = sorted((*pages, ROWS), key=lambda page: page.order)
        self._environment = _environment()
        self._environment.globals.update(
            is_table=lambda block: isinstance(block, Table),
            is_figure=lambda block: isinstance(block, Figure),
            is_gallery=lambda block: isinstance(block, Gallery),
            is_fold=lambda block: isinstance(block, Fold),
            groups=column_groups,
            classes=_classes,
            number_of=numbers.of,
            filtered=FILTERED,
            alone=alone,
        )

    def page(self, page: Page) -> str:
        """Return one page."""
        return self._whole(page, self._body(page), contents(page))

    def alone(self, page: Page, state: str, refresh: int) -> str:
        """Return a page that needs no file beside it: style sheet, script and the rows of its numbers inside.

        Parameters
        ----------
        state : str
            What it says of how far it is; empty when it is finished.
        refresh : int
            Seconds after which it loads itself again; 0: it does not.
        """
        from markupsafe import Markup

        body = self._body(page)  # which gives the rows their numbers
        rows = "".join(text for _, text in pieces(self._numbers.rows()))
        return self._environment.get_template("alone.html").render(
            page=page, body=Markup(body), contents=contents(page), machine=self._data.machine, state=state,
            refresh=refresh, style=Markup(resource("site.css")), script=Markup(resource("site.js")),
            rows=Markup(rows),
        )  # fmt: skip

    def _body(self, page: Page) -> str:
        from markupsafe import Markup

        styles = "".join(sorted({g.style for s in page.sections for g in s.galleries}))
        return self._environment.get_template("body.html").render(page=page, styles=Markup(styles))

    def rows(self) -> str:
        """Return the page of rows; to be made last, as pages may show rows that have no number yet."""
        body = self._environment.get_template("rows.html").render(
            page=ROWS, choices=CHOICES, count=len(self._numbers.rows())
        )
        return self._whole(ROWS, body, [])

    def _whole(self, page: Page, body: str, entries: Sequence[Entry]) -> str:
        from markupsafe import Markup

        groups = dict.fromkeys(one.group for one in self._pages)
        return self._environment.get_template("page.html").render(
            page=page, body=Markup(body), contents=entries, machine=self._data.machine, rows_page=ROWS,
            navigation=[(group, [p for p in self._pages if p.group == group]) for group in groups],
        )  # fmt: skip


def contents(page: Page) -> list[Entry]:
    """Return a page's contents: its sections, with the tables and figures of each."""
    found = []
    for section in page.sections:
        found.append(Entry(section.name, section.label or section.title))
        found += [Entry(*entry, inner=True) for block in section.blocks if (entry := _titled(block))]
    return found


def _titled(block: Block) -> tuple[str, str] | None:
    if isinstance(block, Table):
        return f"table-{block.name}", block.title
    if isinstance(block, Figure):
        return f"figure-{block.name}", block.title
    if isinstance(block, Fold):
        return fold_name(block), block.title
    return None


def fold_name(fold: Fold) -> str:
    """Return the anchor of a fold: its title's letters and digits."""
    return "fold-" + re.sub(r"[^a-z0-9]+", "-", fold.title.lower()).strip("-")


def assets() -> dict[str, str]:
    """Return the files that all pages share by their names."""
    return {name: resource(name) for name in ("site.css", "site.js", "rows.js")}


@cache
def resource(name: str) -> str:
    """Return a file of this package as text."""
    return (files("cipherassay.report") / "page" / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(resource), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    made.globals.update(fold_name=fold_name)
    return made


def _classes(cell: Cell, text: bool) -> str:
    """Return the classes of a cell as an attribute; a cell with a plain number has none."""
    names = [cell.tone] if cell.tone else []
    if text:
        names += ["words", *(["long"] if len(cell.text) > 40 else ["some"] if len(cell.text) > 24 else [])]
    if cell.unsteady:
        names.append("unsteady")
    if cell.rank is not None:
        place, of = cell.rank
        names.append(f"rank{1 + round(4 * (place - 1) / max(1, of - 1))}")
    return f' class="{" ".join(names)}"' if names else ""


def shown_rows(data: ReportData) -> tuple[Row, ...]:
    """Return our rows in the order in which ``rows.json`` has them."""
    studies = (row for rows in data.studies.values() for row in rows)
    return (
        *data.answers, *data.rows, *data.compared, *data.circuits, *data.kernels, *data.hardware,
        *data.embedded, *data.elsewhere, *studies,
    )  # fmt: skip
