"""Whether the time of a cipher's functions can depend on key or data, by analysis of its program."""

from __future__ import annotations

from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table
from cipherassay.report.sheets import file_name

ORDER = 16


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section: a line per function; None where there is no description."""
    described = data.cipher(cipher)
    if described is None:
        return None
    program = described.compile(described.key_bits[0])
    lines = []
    for one in program.functions():
        verdict = program.constant_time(one["name"])
        says, why = "yes" if verdict["constant_time"] else "no", verdict["sentence"]
        why = why.removeprefix(says).lstrip(", ")
        lines.append([Cell(one["name"].replace("_", " ")), Cell(says), Cell(why)])
    columns = [Column("function", text=True), Column("constant time", text=True), Column("why", text=True)]
    if not any(line[-1].text for line in lines):
        columns, lines = columns[:-1], [line[:-1] for line in lines]
    notes = [
        "Of the description's program with the shortest key. A strategy with tables may look up more; a "
        "processor may add accesses and times of its own."
    ]
    name = f"sheet-{file_name(cipher)}-constant-time"
    table = Table(name, f"{cipher}: constant time", columns, lines, notes)
    return Section("constant-time", "Constant time", [table])
