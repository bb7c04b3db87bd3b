"""The environment and the conditions of the measurement."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table

ORDER = 80
PAGE = "conditions"


def section(data: ReportData) -> Section | None:
    """Return the section, if anything is known about the conditions."""
    if not data.conditions:
        return None
    lines = [[Cell(what), Cell(value)] for what, value in data.conditions]
    table = Table("conditions", "Conditions", [Column("what", text=True), Column("value", text=True)], lines)
    blocks: list[str | Table] = [table, *(f"Left out: {text}." for text in data.missing)]
    unstable = sum(1 for row in data.rows if row.stable is False)
    if unstable:
        blocks.append(f"{unstable} rows were measured while the machine was unsteady; they are marked.")
    return Section("conditions", "Environment and conditions", blocks, label="Conditions")
