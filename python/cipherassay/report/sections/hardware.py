"""Devices by cipher: the smallest, the fastest, and the one with the most throughput per area."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cipherassay.hardware.results.designs import Hardware, Name, Point
from cipherassay.report.data import ReportData
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text
from cipherassay.results import Row

ORDER = 28
PAGE = "hardware"
Device = tuple[Name, Point]


def section(data: ReportData) -> Section | None:
    """Return the section, if devices were synthesized."""
    devices: dict[str, list[Device]] = {}
    for name, points in Hardware(data.hardware).points.items():
        devices.setdefault(name.cipher, []).extend((name, point) for point in points)
    chosen = {cipher: devices[cipher] for cipher in data.strategies if cipher in devices}
    if not chosen:
        return None
    words = (
        "Devices of every architecture and key version, mapped to 0.5 µm standard cells before layout; "
        "devices whose "
        "latches fail hold are left out. The page of the hardware paper has every design beside the paper's."
    )
    tables = [
        _table(chosen, "smallest", "The smallest device of each cipher", lambda point: -point.area_um2),
        _table(chosen, "fastest", "The fastest device of each cipher", _rate),
        _table(chosen, "densest", "The device of each cipher with the most throughput per area", _density),
    ]
    return Section("devices", "The best devices", [words, *tables], label="Devices")


def _rate(point: Point) -> float:
    row = point.throughput()
    return row.value if row is not None else 0.0


def _density(point: Point) -> float:
    return _rate(point) / point.area_um2


def _table(
    devices: Mapping[str, Sequence[Device]], name: str, title: str, better: Callable[[Point], float]
) -> Table:
    columns = [Column(head, text=True) for head in ("cipher", "architecture", "key version", "strategy")]
    columns += [Column("area", "mm²"), Column("area", "kGE"), Column("transistors", "thousand")]
    columns += [Column("period", "ns"), Column("throughput", "Mbit/s")]
    columns.append(Column("throughput / area", "bit/s per µm²"))
    lines = []
    for cipher, known in devices.items():
        design, point = max(known, key=lambda one: better(one[1]))
        density = 1e6 * _density(point)
        lines.append([
            Cell(cipher), Cell(design.architecture), Cell(design.key), Cell(point.strategy),
            _scaled(point.row("area_um2"), 1e6), _scaled(point.row("area_ge"), 1e3),
            _scaled(point.row("transistors"), 1e3),
            _scaled(point.period(), 1), _scaled(point.throughput(), 1),
            Cell(number_text(density), point.throughput(), density),
        ])  # fmt: skip
    return Table(f"devices-{name}", title, columns, lines, dense=True)


def _scaled(row: Row | None, scale: float) -> Cell:
    if row is None:
        return EMPTY
    value = row.value / scale
    return Cell(number_text(value), row, value)
