"""Every operation of every cipher at every key size."""

from __future__ import annotations

from cipherassay.report.data import OPERATIONS, ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table, row_cell

ORDER = 40
PAGE = "native"


def section(data: ReportData) -> Section | None:
    """Return the section, if anything was measured."""
    measured = {row.operation for row in data.rows if row.strategy}
    operations = [name for name in OPERATIONS if name in measured]
    if not data.ciphers or not operations:
        return None
    columns = [Column("cipher", text=True), Column("operation", text=True)]
    columns += [Column(f"{bits} bits", "", "cycles, median") for bits in data.key_sizes]
    columns += [Column(f"{bits} bits", "", "cycles, minimum") for bits in data.key_sizes]
    lines = []
    for cipher in data.ciphers:
        for operation in operations:
            typical = [data.ours(cipher, operation, bits) for bits in data.key_sizes]
            least = [data.ours(cipher, operation, bits, "cycles_min") for bits in data.key_sizes]
            if any(typical):
                cells = [row_cell(row) for row in (*typical, *least)]
                lines.append([Cell(cipher), Cell(OPERATIONS[operation]), *cells])
    notes = ["Median: the median over the inputs of each input's minimum; blocks chained."]
    table = Table("key-sizes", "Cycles by key size", columns, lines, notes)
    return Section("key-sizes", "All key sizes", [table])
