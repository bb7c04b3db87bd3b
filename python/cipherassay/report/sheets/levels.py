"""All of a cipher's numbers by level: a table per level, a line per target, code and operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay.hardware.timing import hold
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, printed_text, row_cell
from cipherassay.report.sheets import file_name
from cipherassay.results import Row

ORDER = 30
LEVELS = {
    "native": ("C on this machine", ("cycles", "cycles_min", "code_bytes", "context_bytes")),
    "processor": ("Modelled processors", ("cycles", "code_bytes", "ipc", "registers")),
    "embedded": ("Small processors", ("cycles", "code_bytes", "ram_bytes")),
    "hardware": ("Devices", ("area_um2", "area_ge", "transistors", "throughput_mbps", "period_ns")),
    "circuit": ("Circuits of S-boxes", ("gates", "depth", "cycles", "area_um2")),
}
PRINTED = ("cycles", "area_um2_min", "throughput_mbps_max")
"""The metrics of published numbers that a sheet lists."""
"""The levels of rows: what each is called, and which metrics are columns of its table."""


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section, if there is any row of the cipher."""
    made = (
        *data.rows, *data.kernels, *data.elsewhere, *data.embedded, *data.hardware, *data.circuits,
    )  # fmt: skip
    rows = [
        row
        for row in made
        if row.cipher == cipher and (row.strategy or row.level != "native")
    ]
    folds: list[Block] = [fold for level in LEVELS for fold in _level(cipher, level, rows)]
    published = [row for row in data.published if row.cipher == cipher and row.metric in PRINTED]
    if published:
        folds.append(Fold(f"Published numbers ({len(published)})", [_published(cipher, published)]))
    words = f"All numbers of {cipher} by level; sort and filter them, or follow one to its evidence."
    return Section("levels", "All numbers", [words, *folds]) if folds else None


def _level(cipher: str, level: str, rows: Sequence[Row]) -> Iterator[Fold]:
    title, metrics = LEVELS[level]
    found: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        if row.level == level and row.metric in metrics and not (level == "hardware" and row.part):
            found.setdefault(_key(row), {}).setdefault(row.metric, row)
    if not found:
        return
    shown = [name for name in metrics if any(name in values for values in found.values())]
    heads = ("target", "code", "variant", "operation")
    columns = [*(Column(head, text=True) for head in heads), Column("key", "bits")]
    columns += [Column(name.replace("_", " ")) for name in shown]
    columns += [Column("published"), Column("ours / published")]
    lines = [
        [
            *map(Cell, key[:4]), Cell(key[4]) if key[4] else EMPTY,
            *(row_cell(values.get(name)) for name in shown), *_reference(values.get(shown[0])),
        ]
        for key, values in found.items()
    ]  # fmt: skip
    table = Table(f"sheet-{file_name(cipher)}-{level}", f"{cipher}: {title}", columns, lines, dense=True)
    yield Fold(f"{title} ({len(lines)} lines)", [table])


def _key(row: Row) -> tuple[str, ...]:
    withdrawn = (row.certificate or "").partition(";")[0] if hold.fails(row) else None
    code = ", ".join(filter(None, (row.strategy, row.configuration, withdrawn)))
    operation = (row.operation or "").replace("_", " ")
    return row.target or "", code, row.variant or "", operation, str(row.key_bits or "")


def _reference(row: Row | None) -> tuple[Cell, Cell]:
    if row is None or row.reference is None or row.ratio is None:
        return EMPTY, EMPTY
    theirs = Cell(printed_text(row.reference), row, row.reference, note=row.reference_source or "")
    return theirs, Cell(f"{row.ratio:.2f}", row, row.ratio)


def _published(cipher: str, rows: Sequence[Row]) -> Table:
    heads = ("target", "code", "operation", "metric")
    columns = [*(Column(head, text=True) for head in heads), Column("key", "bits"), Column("value")]
    columns.append(Column("where", text=True))
    lines = [
        [
            Cell(row.target or ""), Cell(row.configuration or ""),
            Cell((row.operation or "").replace("_", " ")),
            Cell(row.metric.replace("_", " ")), Cell(str(row.key_bits)) if row.key_bits else EMPTY,
            row_cell(row), Cell(row.reference_source or ""),
        ]
        for row in rows
    ]  # fmt: skip
    name = f"sheet-{file_name(cipher)}-published"
    return Table(name, f"{cipher}: published numbers", columns, lines, dense=True)
