"""The paper's Tables 1 and 2, beside the best circuits known."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.elements.tables import Table
from cipherassay.studies.worley2000.equation_tables import equation_tables

BOXES = tuple(f"{kind}{n}" for kind in "SI" for n in range(8))


def blocks(data: ReportData) -> list[Table]:
    """Return the two tables; none without their rows."""
    return equation_tables(data, BOXES)
