"""A cipher on every platform: its cost, its rank among the others, and what is published."""

from __future__ import annotations

from cipherassay.report.comparing import platforms
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text
from cipherassay.report.sheets import file_name

ORDER = 20


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section, if the cipher has a number on any platform."""
    own = [one for one in platforms(data, list(data.strategies)) if cipher in one.rows]
    if not own:
        return None
    columns = [Column("platform", text=True), Column("kind", text=True), Column("ours")]
    columns += [Column("unit", text=True), Column("rank"), Column("of"), Column("compared with")]
    columns += [Column("ours / theirs"), Column("theirs", text=True)]
    lines = []
    for one in own:
        rank, ratio, theirs = one.rank(cipher), one.ratio(cipher), one.references.get(cipher)
        value = one.value(cipher) or 0.0
        ours = Cell(number_text(value, one.unit), one.rows[cipher], value)
        line = [Cell(one.title), Cell(one.group), ours, Cell(one.unit)]
        line += [Cell(str(n), number=n, rank=rank) for n in rank[:1]] if rank else [EMPTY]
        line += [Cell(str(rank[1]), number=rank[1])] if rank else [EMPTY]
        if theirs is None or ratio is None:
            lines.append([*line, EMPTY, EMPTY, Cell()])
            continue
        shown = theirs.value / one.scale
        its = Cell(number_text(shown, one.unit), theirs.row, shown)
        lines.append([*line, its, Cell(ratio_text(ratio), one.rows[cipher], ratio), Cell(theirs.source)])
    notes = [
        "One block or state with the shortest key, key setup excluded; for gates, the smallest and the "
        "fastest device. "
        "Rank 1 is the best of the ciphers of this report."
        if not data.cells
        else "Rank 1 is the best among this page's ciphers and those of the catalogue with a number in the "
        "results store or the package, however much work went into each."
    ]
    name = f"sheet-{file_name(cipher)}-ranks"
    table = Table(name, f"{cipher} on every platform", columns, lines, notes, dense=True)
    return Section("ranks", "Cost and rank", [table])
