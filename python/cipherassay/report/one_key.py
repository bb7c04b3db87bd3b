"""Code for one key beside code for all keys: whether compiling a key into the code gains anything."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.report.kernel_tables import NAMES
from cipherassay.report.kernels import MACHINES, Kernels
from cipherassay.report.tables import EMPTY, Cell, Column, Table, row_cell
from cipherassay.results import Row

CONFIGURATION = "unrolled, one key"
METRICS = {"cycles": "cycles", "operations": "ops", "code bytes": "code_bytes"}


def table(kernels: Kernels, ciphers: Sequence[str]) -> Table:
    """Return cycles, operations and bytes of code for one key, beside those of code for all keys."""
    columns = [Column(name, text=True) for name in ("cipher", "operation", "processor")]
    for title in METRICS:
        columns += [Column(name, group=title) for name in ("all keys", "one key")]
    columns.append(Column("cycles gained"))
    lines = [
        _line(kernels, cipher, operation, target)
        for cipher in ciphers
        for operation in ("encrypt", "decrypt")
        for target in MACHINES
        if kernels.row(cipher, operation, target, configuration=CONFIGURATION)
    ]
    notes = [
        "Code for one key holds its round keys as numbers, its tables as constants. The paper expects no "
        "gain on superscalar RISC and EPIC processors, where round keys are loaded beside other work. "
        "An instruction with a number of 32 bits takes two slots, or is two instructions."
    ]
    return Table("one-key", "Code compiled for one key", columns, lines, notes)


def _line(kernels: Kernels, cipher: str, operation: str, target: str) -> list[Cell]:
    line = [Cell(cipher), Cell(NAMES[operation]), Cell(MACHINES[target])]
    for metric in METRICS.values():
        line.append(row_cell(kernels.row(cipher, operation, target, metric)))
        line.append(row_cell(kernels.row(cipher, operation, target, metric, configuration=CONFIGURATION)))
    both = [kernels.row(cipher, operation, target, configuration=c) for c in ("unrolled", CONFIGURATION)]
    return [*line, _gain(*both)]


def _gain(general: Row | None, special: Row | None) -> Cell:
    if general is None or special is None:
        return EMPTY
    gain = general.value - special.value
    return Cell(f"{gain:g}", number=gain)
