"""`assay synthesize --energy`: energy per bit of a device's speed grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.cli._shared.common import Bar, show_table

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis.exploring import Explored
    from cipherassay.results import Row


def energy_rows(found: Explored, command: str, bar: Bar, *, json: bool) -> list[Row]:
    """Return the rows of a device's energy, and show them unless JSON is wanted."""
    from cipherassay.hardware.energy import estimation

    rows = list(estimation.rows(found, bar, command=command))
    if not json:
        show_table(
            ("design", "key", "direction", "pJ/bit", "of it"),
            [(r.configuration, r.key_bits, r.operation, r.value, r.certificate) for r in rows],
        )
    return rows
