"""Kernels on modelled processors, for the report: their rows, found by what they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cipherassay.results import Row

MACHINES = {
    "pa8500": "PA-8500",
    "mckinley-paper": "IA-64, the paper's snapshot",
    "mckinley": "IA-64, one shifter",
    "ia64pp": "IA-64++",
    "four-banger": "four bundles",
    "mckinley-paper-infinite": "IA-64, no limits",
    "ia64pp-infinite": "IA-64++, no limits",
}
"""The processors of the HP paper, and what the report calls them."""
Key = tuple[str, str, str, str, str, int]


def of_the_paper(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the processors that the HP paper has, whatever the values of their parameters."""
    return [row for row in rows if (row.target or "").split(" ")[0] in MACHINES]


@dataclass(frozen=True)
class Kernels:
    """The rows of kernels by cipher, variant, operation, target, configuration and key size."""

    rows: Sequence[Row]
    _found: dict[Key, dict[str, Row]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            key = (
                row.cipher or "", row.variant or "", row.operation or "", row.target or "",
                row.configuration or "", row.key_bits or 0,
            )  # fmt: skip
            if row.part is None:
                self._found.setdefault(key, {})[row.metric] = row

    def row(
        self,
        cipher: str,
        operation: str,
        target: str,
        metric: str = "cycles",
        *,
        variant: str = "",
        configuration: str = "unrolled",
        key_bits: int = 128,
    ) -> Row | None:
        """Return a row of a kernel."""
        key = (cipher, variant, operation, target, configuration, key_bits)
        return self._found.get(key, {}).get(metric)

    def best(
        self, cipher: str, operation: str, target: str, *, variant: str = "", key_bits: int = 128
    ) -> Row | None:
        """Return the cycles of the faster of straight-line code and code with loops."""
        rows = [
            self.row(cipher, operation, target, variant=variant, configuration=form, key_bits=key_bits)
            for form in ("unrolled", "loop")
        ]
        known = [row for row in rows if row is not None]
        return min(known, key=lambda row: row.value) if known else None

    def refusal(self, cipher: str, operation: str, target: str, *, variant: str = "") -> str:
        """Return why there is no straight-line code of a kernel."""
        row = self.row(cipher, operation, target, "refused", variant=variant)
        return (row.certificate or "") if row is not None else ""

    @property
    def variants(self) -> list[tuple[str, str, str]]:
        """Every cipher, variant and operation, in the order of the rows."""
        return list(
            dict.fromkeys((cipher, variant, operation) for cipher, variant, operation, *_ in self._found)
        )

    @property
    def targets(self) -> list[str]:
        """The processors that have rows, in the order of `MACHINES`."""
        known = {target for _, _, _, target, _, _ in self._found}
        return [name for name in MACHINES if name in known]

    @property
    def refused(self) -> list[Row]:
        """The rows of kernels that could not be made."""
        return [row for row in self.rows if row.metric == "refused"]
