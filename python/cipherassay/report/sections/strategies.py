"""The strategies beside each other: the same cipher as different code."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table, row_cell

ORDER = 50
PAGE = "native"
COLUMNS = {
    "key_setup_encrypt": "key setup",
    "key_setup_decrypt": "key setup, decryption",
    "encrypt": "encryption",
    "decrypt": "decryption",
}


def section(data: ReportData) -> Section | None:
    """Return the section, if a cipher was measured in more than one strategy."""
    found = sorted(
        {
            (row.cipher or "", row.variant or "", row.strategy or "")
            for row in data.rows
            if row.strategy and row.cipher in data.ciphers
        }
    )
    if len(found) <= len(data.ciphers):
        return None
    columns = [Column("cipher", text=True), Column("strategy", text=True)]
    columns += [Column(name, "cycles", "128-bit key") for name in COLUMNS.values()]
    lines: list[list[Cell]] = []
    for cipher in data.ciphers:
        for name, variant, strategy in found:
            rows = [data.ours(cipher, op, 128, variant=variant, strategy=strategy) for op in COLUMNS]
            if name == cipher and any(rows):
                default = strategy == data.strategies[cipher] and not variant
                called = strategy + (f" ({variant})" if variant else "") + (" · default" if default else "")
                lines.append(
                    [
                        Cell(cipher),
                        Cell(called),
                        *(row_cell(row) for row in rows),
                    ]
                )
    table = Table("strategies", "Every strategy measured", columns, lines)
    return Section("strategies", "Strategies", [table])
