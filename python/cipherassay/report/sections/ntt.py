"""The NTT paper: its tables 1 (key scheduling) and 2 (data randomizing) of E2, beside ours.

Ours twice: on the modelled processor of the line, where there is code for it, and on this machine.
"""

from __future__ import annotations

from cipherassay.report.data import KEY_BITS, ReportData
from cipherassay.report.section import Section
from cipherassay.report.tables import EMPTY, Cell, Column, Table, ratio_cell, row_cell
from cipherassay.results import Row

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


def section(data: ReportData) -> Section | None:
    """Return the section, if E2 was measured."""
    if "E2" not in data.ciphers:
        return None
    words = (
        "NTT wrote E2 by hand for the processors of 1999: C and assembly on the Pentiums, assembly on "
        "the Alpha and the H8/300 (an 8-bit controller), and Java. Ours on the same processor is this "
        "project's code, made from the description and run in a simulator; a ratio is ours by theirs, in "
        "cycles."
    )
    return Section(
        "ntt-paper",
        "Optimized Software Implementations of E2 (NTT, 1999)",
        [words, _keys(data), _blocks(data)],
        label="NTT 1999",
    )


def _keys(data: ReportData) -> Table:
    columns = [Column("processor", text=True), Column("code", text=True)]
    columns += [Column(f"{bits} bits", "cycles/key", "key length") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "cycles/key", "ours on it") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "", "ours by theirs") for bits in KEY_BITS]
    columns += [Column(f"{bits} bits", "", "this machine by it") for bits in KEY_BITS]
    ours = {bits: data.cost("E2", "key_setup", bits) for bits in KEY_BITS}
    lines = [
        [
            Cell("this machine"),
            Cell(f"C, {data.strategies['E2']}"),
            *(row_cell(row) for row in ours.values()),
            *[EMPTY] * 9,
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
    columns = [
        Column("processor", text=True),
        Column("code", text=True),
        Column("speed", "cycles/block"),
        Column("speed", "Mbit/s"),
        Column("ours on it", "cycles/block"),
        Column("ours by theirs"),
        Column("this machine by it"),
    ]
    ours = data.cost("E2", "encrypt", 128)
    lines = [[Cell("this machine"), Cell(f"C, {data.strategies['E2']}"), row_cell(ours), *[EMPTY] * 4]]
    for target, name in TARGETS.items():
        cycles = data.theirs(PAPER, "E2", "encrypt", target=target)
        speed = data.theirs(PAPER, "E2", "encrypt", "throughput_mbps", target=target)
        if cycles is not None:
            code = Cell(cycles.configuration or "")
            there = _on(data, target, "encrypt", 128)
            cells = [row_cell(cycles), row_cell(speed), row_cell(there), ratio_cell(there, cycles)]
            lines.append([Cell(name), code, *cells, ratio_cell(ours, cycles)])
    notes = ["No Mbit/s for this machine: its cycles are counted, its clock is not fixed."]
    return Table(
        "ntt-table-2", "Table 2: data randomizing part (encryption of one block)", columns, lines, notes
    )


def _on(data: ReportData, target: str, operation: str, bits: int) -> Row | None:
    """Return our least cycles of E2 on one of the paper's processors, without what a caller does."""
    name = _plain(target)
    wanted = ("E2", operation, bits, "cycles")
    found = [
        row
        for row in (*data.kernels, *data.embedded, *data.pentiums)
        if (row.cipher, row.operation, row.key_bits, row.metric) == wanted
        and _plain((row.target or "").split(" (")[0]) == name
        and not (row.configuration or "").endswith("call to return")
    ]
    return min(found, key=lambda row: row.value, default=None)


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
