"""`assay synthesize --energy`: energy per bit of a device's speed grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherassay.console.output import show_table
from cipherassay.console.progress import Bar

if TYPE_CHECKING:
    from cipherassay.hardware.synthesis.exploring import Exploration
    from cipherassay.results import Row


def energy_rows(found: Exploration, command: str, bar: Bar, *, glitches: bool, json: bool) -> list[Row]:
    """Return the rows of a device's energy, and show them unless JSON is wanted."""
    from cipherassay.hardware.energy import estimation

    rows = list(estimation.rows(found, bar, glitches=glitches, command=command))
    if not json:
        show_table(
            ("design", "key", "direction", "pJ/bit", "of it"),
            [(r.configuration, r.key_bits, r.operation, r.value, r.certificate) for r in rows],
        )
    return rows
