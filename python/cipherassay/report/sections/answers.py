"""The state of the known answers: what was checked before anything was measured."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.section import Section
from cipherassay.report.tables import Cell, Column, Table

ORDER = 70


def section(data: ReportData) -> Section | None:
    """Return the section, if known answers were checked."""
    if not data.answers:
        return None
    columns = [
        Column("cipher", text=True),
        Column("known answers", text=True),
        Column("computed by", text=True),
        Column("passed", "records"),
        Column("failed", "records"),
    ]
    lines = [
        [
            Cell(one.cipher),
            Cell(one.file),
            Cell(one.backend),
            Cell(str(one.passed), number=float(one.passed)),
            Cell(str(one.failed), number=float(one.failed), tone="bad" if one.failed else "muted"),
        ]
        for one in data.answers
    ]
    total = sum(one.passed for one in data.answers)
    failed = sum(one.failed for one in data.answers)
    state = f"All {total} records pass." if not failed else f"{failed} of {total + failed} records fail."
    words = f"A number is shown only after its code has passed its known answers. {state}"
    return Section(
        "known-answers", "Known answers", [words, Table("known-answers", "Records checked", columns, lines)]
    )
