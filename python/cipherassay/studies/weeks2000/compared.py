"""Our devices' best numbers with the hardware paper's as their references, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cipherassay.hardware.results.designs import Hardware, Name, least_and_greatest
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import paper
from cipherassay.studies.weeks2000.tables import LINES, Line, value


def compared(hardware: Hardware, chosen: Sequence[Name]) -> Iterator[Row]:
    """Yield the best row of each parameter of each design; `reference` is the paper's best, if it has one."""
    for name in chosen:
        for line in LINES:
            for bits in _sizes(hardware, name) if line.per_key else [0]:
                row = _best(hardware, name, line, bits)
                if row is not None:
                    yield row


def _sizes(hardware: Hardware, name: Name) -> list[int]:
    return sorted({bits for point in hardware.grades(name) for bits in point.key_bits})


def _best(hardware: Hardware, name: Name, line: Line, bits: int) -> Row | None:
    place = 1 if line.better == "higher" else 0
    row = least_and_greatest(value(point, line, bits) for point in hardware.grades(name))[place]
    if row is None:
        return None
    printed = paper.summary(
        name.cipher, name.architecture, name.key, f"{line.metric}_{('min', 'max')[place]}",
        operation=line.operation, part=line.part, key_bits=bits,
    )  # fmt: skip
    if printed is None:
        return row
    where = published_where(printed.where, printed.note)
    return replace(row, reference=printed.value, reference_source=f"{paper.PAPER}, {where}")


def published_where(where: str, note: str) -> str:
    """Return where a number is printed, with how it follows where it is computed."""
    return f"{where}: {note}" if note else where
