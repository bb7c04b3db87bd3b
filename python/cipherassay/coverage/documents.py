"""Cells of the table as JSON has them."""

from __future__ import annotations

from typing import Any

from cipherassay.coverage.level import Cell


def cell_document(cell: Cell) -> dict[str, Any]:
    """Return a cell: its number with unit and basis, or the code of the reason why there is none."""
    row = cell.row
    return {
        "cipher": cell.cipher.slug, "level": cell.level.name, "status": cell.status,
        "value": row.value if row else None, "unit": row.unit if row else None,
        "basis": row.basis if row else None, "stable": row.stable if row else None,
        "command": row.command if row else None,
        "code": cell.code or None, "reason": cell.reason or None,
    }  # fmt: skip
