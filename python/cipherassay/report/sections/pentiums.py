"""The Pentium Pro and the Pentium II: every cipher's cycles in the simulator of micro-operations."""

from __future__ import annotations

from cipherassay.processors.requests import RECIPE
from cipherassay.report.comparing import title_of
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, row_cell
from cipherassay.results import Row

ORDER = 31
PAGE = "processors"
_APART = ("for one key", RECIPE)
_SHOWN = {"key_setup": "key setup", "encrypt": "encrypt", "decrypt": "decrypt"}


def section(data: ReportData) -> Section | None:
    """Return the section, if kernels for the Pentiums were made."""
    if not data.pentiums:
        return None
    words = (
        "Code for x86-32 from the same descriptions: two operands, seven registers, tables and keys at fixed "
        "addresses, straight-line code or key setups in loops, whichever takes fewer cycles. Each kernel "
        "was run by this machine, if it can, on known answers and random inputs, and simulated as "
        "micro-operations from its text: fetching with the instruction cache, decoders, renaming, reorder "
        "buffer, ports, the data cache. Cycles are the average over random inputs, one after the other, so "
        "that caches are warm, without call, saved registers and return."
    )
    targets = dict.fromkeys(row.target or "" for row in data.pentiums)
    return Section(
        "pentiums",
        "Pentium Pro and Pentium II",
        [words, *(_table(data, t) for t in targets)],
        label="Pentiums",
    )


def _table(data: ReportData, target: str) -> Table:
    own = [row for row in data.pentiums if row.target == target]
    columns = [Column("cipher", text=True), Column("key", "bits")]
    for group in ("cycles", "micro-operations", "a cycle", "bytes of code"):
        columns += [Column(title, group=group) for title in _SHOWN.values()]
    lines = []
    keys = {(r.cipher or "", r.key_bits or 0, _apart(r)) for r in own}
    for cipher, bits, apart in sorted(keys, key=lambda k: _place(data, k)):
        of = [r for r in own if (r.cipher, r.key_bits, _apart(r)) == (cipher, bits, apart)]
        line = [Cell(cipher + apart), Cell(str(bits), number=bits)]
        for metric in ("cycles", "ops", "ipc", "code_bytes"):
            line += [_cell(of, operation, metric) for operation in _SHOWN]
        lines.append(line)
    return Table(f"pentiums-{target}", title_of(target), columns, lines, dense=True)


def _place(data: ReportData, line: tuple[str, int, str]) -> tuple[int, int, str]:
    return list(data.strategies).index(line[0]), line[1], line[2]


def _apart(row: Row) -> str:
    """Return what is said behind the cipher's name of code for one key, and of a paper's recipe."""
    return next((f", {one}" for one in _APART if (row.configuration or "").endswith(one)), "")


def _cell(rows: list[Row], operation: str, metric: str) -> Cell:
    found = [r for r in rows if (r.operation or "").startswith(operation) and r.metric == metric]
    return row_cell(found[0]) if found else EMPTY
