"""The state of the known answers: what was checked before anything was measured."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, row_cell
from cipherassay.results import Row

ORDER = 70
PAGE = "conditions"
PASSED, FAILED = "known_answers_passed", "known_answers_failed"
SETS = {
    "ecb_vk": ("variable key", "single blocks"),
    "ecb_vt": ("variable text", "single blocks"),
    "ecb_tbl": ("tables", "single blocks"),
    "ecb_e_m": ("ECB, enc.", "Monte Carlo, 10,000 steps a record"),
    "ecb_d_m": ("ECB, dec.", "Monte Carlo, 10,000 steps a record"),
    "cbc_e_m": ("CBC, enc.", "Monte Carlo, 10,000 steps a record"),
    "cbc_d_m": ("CBC, dec.", "Monte Carlo, 10,000 steps a record"),
}
"""NIST's sets of 1998 by the names of their files, and what the report calls them."""


def section(data: ReportData) -> Section | None:
    """Return the section, if known answers were checked."""
    if not data.answers:
        return None
    passed, failed = (int(sum(r.value for r in data.answers if r.metric == m)) for m in (PASSED, FAILED))
    state = f"All {passed} records pass." if not failed else f"{failed} of {passed + failed} records fail."
    words = f"A number is shown only after its code has passed its known answers. {state}"
    return Section("known-answers", "Known answers", [words, _table(data)])


def _table(data: ReportData) -> Table:
    columns = [Column("cipher", text=True), Column("computed by", text=True)]
    columns += [Column(title, "", group) for title, group in SETS.values()] + [Column("failed")]
    subjects = dict.fromkeys(_subject(row) for row in data.answers)
    lines = []
    for subject in subjects:
        rows = [row for row in data.answers if _subject(row) == subject]
        passed = {(row.part or "").removesuffix(".txt"): row for row in rows if row.metric == PASSED}
        failures = int(sum(row.value for row in rows if row.metric == FAILED))
        tone = "bad" if failures else "muted"
        cells = [row_cell(passed[name]) if name in passed else EMPTY for name in SETS]
        lines.append([*map(Cell, subject), *cells, Cell(str(failures), number=float(failures), tone=tone)])
    notes = ["Records that passed, in both directions; the evaluator computes no Monte Carlo chains here."]
    return Table("known-answers", "Records that passed", columns, lines, notes)


def _subject(row: Row) -> tuple[str, str]:
    name = f"{row.cipher}, {row.variant}" if row.variant else row.cipher or ""
    return name, f"C, {row.strategy}" if row.strategy else row.target or ""
