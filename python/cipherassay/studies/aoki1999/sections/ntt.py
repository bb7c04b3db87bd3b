"""The NTT paper: its tables, layouts and figures rebuilt beside its numbers, and all ciphers by platforms.

Ours twice: on the modelled processor of the line, where there is code for it, and on this machine.
"""

from __future__ import annotations

from cipherassay.ciphers import load
from cipherassay.processors.requests import RECIPE
from cipherassay.published import same_processor
from cipherassay.report.data import KEY_BITS, ReportData
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_cell, row_cell
from cipherassay.results import Row
from cipherassay.studies.aoki1999 import figures, tables

ORDER = 30
PAPER = "aoki1999"
TARGETS = {
    "pentium-pro": "Pentium Pro, 200 MHz",
    "pentium-ii": "Pentium II, 450 MHz",
    "java-jit": "Java VM, JIT (Pentium Pro)",
    "java-interpreted": "Java VM (Pentium Pro)",
    "alpha-21164a": "Alpha 21164A, 600 MHz",
    "h8-300": "H8/300, 5 MHz",
}
"""The processors of the paper, with its clocks, in the order of its tables."""
SPEEDS = (("speed", "cycles/block"), ("speed", "Mbit/s"))


def section(data: ReportData) -> Section | None:
    """Return the section, if E2 was measured."""
    if "E2" not in data.ciphers:
        return None
    words = (
        "NTT wrote E2 by hand for the processors of 1999: C and assembly on the Pentiums, assembly on "
        "the Alpha and the H8/300 (an 8-bit controller), and Java. Ours on the same processor is this "
        "project's code, made from the description and run in a simulator; a ratio is ours / theirs, in "
        "cycles."
    )
    blocks: list[Block] = [words, _keys(data), _blocks(data), *tables.calls(data)]
    blocks += [*tables.layouts(data), *tables.platforms(data)]
    blocks += [Fold("Figures 1 to 4, drawn from the program", figures.figures(load("e2")))]
    title = "Optimized Software Implementations of E2 (NTT, 1999)"
    return Section("ntt-paper", title, blocks, label="NTT 1999")


def _keys(data: ReportData) -> Table:
    columns = [Column("processor", text=True), Column("code", text=True)]
    columns += [Column(f"{bits} bits", "cycles/key", "theirs") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "cycles/key", "ours, same processor") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "", "ours / theirs") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "", "this machine / theirs") for bits in KEY_BITS]
    ours = {bits: data.cost("E2", "key_setup", bits) for bits in KEY_BITS}
    lines = [
        [
            Cell("this machine"),
            Cell(f"C, {data.strategies['E2']}"),
            *[EMPTY] * 3,
            *(row_cell(row) for row in ours.values()),
            *[EMPTY] * 6,
        ]
    ]
    for target, name in TARGETS.items():
        theirs = {
            bits: data.theirs(PAPER, "E2", "key_setup_both", target=target, key_bits=bits)
            for bits in KEY_BITS
        }
        known = next((row for row in theirs.values() if row is not None), None)
        if known is not None:
            there = {bits: _on(data, target, "key_setup_both", bits) for bits in KEY_BITS}
            cells = [*map(row_cell, theirs.values()), *map(row_cell, there.values())]
            for costs in (there, ours):
                cells += [ratio_cell(costs[bits], theirs[bits]) for bits in KEY_BITS]
            lines.append([Cell(name), Cell(known.configuration or ""), *cells])
    return Table("ntt-table-1", "Table 1: key scheduling part", columns, lines, dense=True)


def _blocks(data: ReportData) -> Table:
    columns = [Column("processor", text=True), Column("code", text=True)]
    columns += [Column(title, unit, "theirs") for title, unit in SPEEDS]
    columns += [Column(title, unit, "ours, same processor") for title, unit in SPEEDS]
    columns += [Column("ours / theirs"), Column("cycles", "", "their recipe in our model")]
    columns += [Column("ratio", "", "their recipe in our model"), Column("this machine / theirs")]
    ours = data.cost("E2", "encrypt", 128)
    code = Cell(f"C, {data.strategies['E2']}")
    lines = [[Cell("this machine"), code, EMPTY, EMPTY, row_cell(ours), *[EMPTY] * 5]]
    for target, name in TARGETS.items():
        cycles = data.theirs(PAPER, "E2", "encrypt", target=target)
        speed = data.theirs(PAPER, "E2", "encrypt", "throughput_mbps", target=target)
        if cycles is not None:
            there, recipe = _on(data, target, "encrypt", 128), _on(data, target, "encrypt", 128, recipe=True)
            cells = [row_cell(cycles), row_cell(speed), row_cell(there), _speed(data, target, there)]
            cells += [ratio_cell(there, cycles), row_cell(recipe), ratio_cell(recipe, cycles)]
            lines.append([Cell(name), Cell(cycles.configuration or ""), *cells, ratio_cell(ours, cycles)])
    notes = [
        "No Mbit/s for this machine: its cycles are counted, its clock is not fixed. Ours in Mbit/s are 128 "
        "bits by the cycles at the clock of the paper's machine. Their recipe: their layout of tables and "
        "order of bytes, instructions as they come; it says how well our model stands for their machine. "
        "Java runs on this machine, theirs on the Pentium Pro.",
    ]
    title = "Table 2: data randomizing part (encryption of one block)"
    return Table("ntt-table-2", title, columns, lines, notes, dense=True)


def _on(data: ReportData, target: str, operation: str, bits: int, *, recipe: bool = False) -> Row | None:
    """Return our least cycles of E2 on one of the paper's processors, without what a caller does.

    With ``recipe`` those of code as the paper describes it.
    """
    wanted = ("E2", operation, bits, "cycles")
    found = [
        row
        for row in (*data.kernels, *data.embedded, *data.elsewhere)
        if (row.cipher, row.operation, row.key_bits, row.metric) == wanted
        and same_processor(_platform(row)) == same_processor(target)
        and not (row.level == "native" and not row.strategy)
        and not (row.configuration or "").endswith("call to return")
        and (row.configuration == RECIPE) == recipe
    ]
    return min(found, key=lambda row: row.value, default=None)


def _platform(row: Row) -> str:
    """Return a row's processor; Java, which runs here, is named by its configuration."""
    name = row.configuration if row.level == "native" else (row.target or "").split(" (")[0]
    return (name or "").partition(",")[0]


def _speed(data: ReportData, target: str, cycles: Row | None) -> Cell:
    """Return 128 bits by cycles at the clock of the paper's processor, in Mbit/s."""
    clocks = [r for r in data.published if (r.metric, r.target) == ("clock_mhz", target)]
    if cycles is None or not clocks or cycles.level == "native":
        return EMPTY
    speed = 128 * clocks[0].value / cycles.value
    return Cell(number_text(speed), cycles, speed, note=f"at {number_text(clocks[0].value)} MHz")
