"""Every modelled processor in one table: cycles of a block of each cipher."""

from __future__ import annotations

from cipherassay.report.comparing import Platform, processors
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table
from cipherassay.report.sections.matrix import cell

ORDER = 30
PAGE = "processors"


def section(data: ReportData) -> Section | None:
    """Return the section, if code for a modelled processor was made."""
    ciphers = [*data.ciphers, *data.permutations]
    found = list(processors(data, ciphers))
    if not found:
        return None
    shown = [name for name in ciphers if any(name in one.rows for one in found)]
    columns = [Column("processor", text=True), *(Column(name, "cycles") for name in shown)]
    lines = [[_name(one), *(cell(one, name) for name in shown)] for one in found]
    notes = [
        "The fewest cycles of any code for the processor, with the cipher's shortest key, key setup "
        "excluded. The darker a "
        "cell, the better the cipher's rank on the processor; below a number: ours / published, where "
        "something is."
    ]
    table = Table("processors", "Cycles of one block", columns, lines, notes, dense=True)
    return Section("all-processors", "Every modelled processor", [table], label="All processors")


def _name(one: Platform) -> Cell:
    return Cell(one.title, note="" if one.title == one.name else f"`assay show {one.name}`")
