"""The S-boxes of a cipher with the circuits that are kept of them, what is proved, and their pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.coverage.producers.circuits import TARGET
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Block, Fold, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, printed_text, row_cell
from cipherassay.report.sheets import file_name

if TYPE_CHECKING:
    from cipherassay.circuits.boxes import Box
    from cipherassay.circuits.library import StoredCircuit
    from cipherassay.results import Row

ORDER = 17
OBJECTIVE = "gates"
DRAWN = 130
"""Gates of a picture; a larger one cannot be read."""


def section(data: ReportData, cipher: str) -> Section | None:
    """Return the section; None of a cipher without S-boxes, or without a description."""
    from cipherassay.circuits import boxes, library, targets

    described = data.cipher(cipher)
    found = boxes.of_cipher(described) if described is not None else []
    if not found:
        return None
    target = targets.find(TARGET)
    kept = {box.name: library.find(box, target, OBJECTIVE) for box in found}
    lines = [_line(box, kept[box.name], data) for box in found]
    columns = [Column("S-box", text=True), Column("inputs", "bits"), Column("outputs", "bits")]
    columns += [Column("gates"), Column("depth"), Column("optimality", text=True), Column("from", text=True)]
    notes = [
        f"Gates: {target.title.lower()}; fewest gates, then depth. Each circuit was checked on every input. "
        "“From” says whether the circuit is kept in the library or constructed now."
    ]
    name = f"sheet-{file_name(cipher)}-boxes"
    blocks: list[Block] = [Table(name, f"{cipher}: S-boxes and circuits", columns, lines, notes)]
    drawn = [one for one in kept.values() if one and one.document.metrics.get("gates", DRAWN + 1) <= DRAWN]
    if drawn:
        from cipherassay.report.drawings.circuit_pictures import gallery

        blocks.append(Fold("Pictures of the circuits", [gallery(name, drawn)]))
    return Section("boxes", "S-boxes and circuits", blocks, label="S-boxes")


def _line(box: Box, kept: StoredCircuit | None, data: ReportData) -> list[Cell]:
    from cipherassay.circuits.rows import stored_rows

    own = stored_rows(kept.document) if kept else [row for row in data.circuits if _is_of(row, box)]
    rows = {row.metric: row for row in own}
    first = rows.get("gates")
    sizes = [Cell(str(bits), number=bits) for bits in (box.inputs, box.outputs)]
    origin = "library" if kept else "constructed" if first else "no circuit made"
    counts = [row_cell(first), row_cell(rows.get("depth"))]
    return [Cell(box.variant), *sizes, *counts, _optimality(first), Cell(origin)]


def _is_of(row: Row, box: Box) -> bool:
    return row.variant == box.variant and row.target == TARGET


def _optimality(row: Row | None) -> Cell:
    if row is None:
        return EMPTY
    if row.bound is None:
        return Cell("no bound", tone="muted")
    if row.bound == row.value:
        return Cell("optimal", row, note=row.certificate or "")
    return Cell(f"at least {printed_text(row.bound)}", row, note=row.certificate or "")
