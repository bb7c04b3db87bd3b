"""The hardware paper's Tables 1 to 10: each cipher and key version, least and greatest over the sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cipherassay.hardware.results.designs import (
    ARCHITECTURES,
    FEEDBACK,
    KEYS,
    LATENCY,
    SWITCH,
    Hardware,
    Name,
    Point,
    clocks,
)
from cipherassay.hardware.results.designs import least_and_greatest as extremes
from cipherassay.hardware.timing import hold
from cipherassay.published import PublishedRow
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text
from cipherassay.results import METRICS, Row
from cipherassay.results.row import FAILS_HOLD
from cipherassay.studies.weeks2000 import paper


@dataclass(frozen=True)
class Line:
    """A parameter of the paper's tables: what it is called, its metric, how it is shown."""

    title: str
    unit: str
    metric: str
    operation: str = ""
    part: str = ""
    scale: float = 1.0
    digits: int | None = None
    per_key: bool = False
    """Whether it has a value for each key size."""

    @property
    def better(self) -> str:
        """``lower`` or ``higher``."""
        return METRICS[self.metric].better


LINES = (
    Line("Area", "mm²", "area_um2", scale=1e6, digits=2),
    Line("Area", "kGE", "area_ge", scale=1e3, digits=1),
    Line("Transistors", "thousand", "transistors", scale=1e3, digits=1),
    Line("Inputs, outputs", "pads", "io_pads"),
    Line("Throughput", "Mbit/s", "throughput_mbps", per_key=True),
    Line("Throughput, feedback modes", "Mbit/s", "throughput_mbps", part=FEEDBACK, per_key=True),
    Line("Key setup, encryption", "ns", "time_ns", "key_setup_encrypt", per_key=True),
    Line("Key switch, encryption", "ns", "time_ns", "key_setup_encrypt", part=SWITCH, per_key=True),
    Line("Key setup, decryption", "ns", "time_ns", "key_setup_decrypt", per_key=True),
    Line("Key switch, decryption", "ns", "time_ns", "key_setup_decrypt", part=SWITCH, per_key=True),
    Line("Algorithm setup", "ns", "time_ns", part="algorithm setup"),
    Line("Time of a block, encryption", "ns", "time_ns", "encrypt", per_key=True),
    Line("Time of a block, decryption", "ns", "time_ns", "decrypt", per_key=True),
    Line("Latency, encryption", "ns", "time_ns", "encrypt", part=LATENCY, per_key=True),
    Line("Latency, decryption", "ns", "time_ns", "decrypt", part=LATENCY, per_key=True),
    Line("Energy, encryption", "pJ/bit", "energy_pj_per_bit", "encrypt", per_key=True),
    Line("Energy, decryption", "pJ/bit", "energy_pj_per_bit", "decrypt", per_key=True),
)
"""The paper's parameters in its order; besides, gate equivalents, feedback modes, latency, energy."""


def summary(hardware: Hardware, cipher: str, key: str) -> Table:
    """Return the table of a cipher and key version: ours and the paper's least and greatest, and ratios."""
    columns = [Column("parameter", text=True), Column("", "", ""), Column("key", text=True)]
    for architecture in ARCHITECTURES:
        columns += [Column(title, "", f"{architecture}, ours") for title in ("min", "max", "change %")]
        columns += [Column(title, "", f"{architecture}, paper") for title in ("min", "max")]
        columns.append(Column("ratio", "", architecture))
    columns[1] = Column("unit", text=True)
    lines = [cells for line in LINES for cells in _parameter(hardware, cipher, key, line)]
    number = paper.SUMMARIES.get((cipher, key), "")
    printed = f"Table {number.partition('-')[2]}: " if number else ""
    name = f"hardware-{cipher}-{key}".lower()
    return Table(name, f"{printed}{cipher}, {KEYS[key]}", columns, lines, _notes(hardware, cipher, key), True)


def _notes(hardware: Hardware, cipher: str, key: str) -> list[str]:
    notes = []
    for architecture in ARCHITECTURES:
        name = Name(cipher, architecture, key)
        grades = hardware.grades(name)
        if grades:
            strategies = ", ".join(sorted({point.strategy for point in grades}))
            notes.append(f"{architecture}: {_many(len(grades), 'speed grade')}; strategies: {strategies}.")
        elif hardware.not_run(name):
            notes.append(f"{architecture}: not run; `{name.command}` makes the rows.")
        if hardware.withdrawn(name):
            many = _many(len(hardware.withdrawn(name)), "speed grade")
            notes.append(f"{architecture}: {many} left out: {FAILS_HOLD}.")
    if (cipher, key) == ("Serpent", "128"):
        notes.append("The paper has one design of Serpent for all key sizes; it stands here again.")
    if cipher not in paper.FINALISTS:
        return [*notes, "The paper has no such design."]
    return [*notes, paper.COMPARABLE]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _parameter(hardware: Hardware, cipher: str, key: str, line: Line) -> Iterator[list[Cell]]:
    """Yield the lines of a parameter: one, or one for each key size where the values differ."""
    sizes = _sizes(hardware, cipher, key) if line.per_key else [0]
    made = {bits: _sides(hardware, cipher, key, line, bits) for bits in sizes}
    texts = {tuple(cell.text for cell in cells) for cells in made.values()}
    for bits, cells in made.items():
        if all(cell is EMPTY or not cell.text for cell in cells) and line.metric != "area_um2":
            return
        one = len(texts) == 1
        label = "" if not line.per_key else "all" if one and len(sizes) > 1 else str(bits)
        first = bits == sizes[0]
        yield [Cell(line.title if first else ""), Cell(line.unit if first else ""), Cell(label), *cells]
        if one:
            return


def _sizes(hardware: Hardware, cipher: str, key: str) -> list[int]:
    if key != "3in1":
        return [int(key)]
    designs = [Name(cipher, architecture, key) for architecture in ARCHITECTURES]
    known = {bits for name in designs for point in hardware.grades(name) for bits in point.key_bits}
    return sorted(known | {128, 192, 256})


def _sides(hardware: Hardware, cipher: str, key: str, line: Line, bits: int) -> list[Cell]:
    cells: list[Cell] = []
    for architecture in ARCHITECTURES:
        name = Name(cipher, architecture, key)
        grades = hardware.grades(name)
        ours = extremes(value(point, line, bits) for point in grades)
        theirs = tuple(
            paper.summary(
                cipher, architecture, key, f"{line.metric}_{end}", operation=line.operation, part=line.part,
                key_bits=bits,
            )
            for end in ("min", "max")
        )  # fmt: skip
        cells += [shown(ours[0], line), shown(ours[1], line), change(*ours)]
        cells += [paper.cell(row, line.scale, line.digits) for row in theirs]
        cells.append(best_ratio(ours, theirs, line))
    return cells


def value(point: Point, line: Line, bits: int) -> Row | None:
    """Return a device's row of a parameter; of a throughput that of the slower direction."""
    if line.metric == "throughput_mbps":
        return point.throughput(bits, line.part)
    return point.row(line.metric, operation=line.operation, part=line.part, key_bits=bits)


def shown(row: Row | None, line: Line) -> Cell:
    """Return the cell of a number of ours in the parameter's unit."""
    if row is None:
        return EMPTY
    number = row.value / line.scale
    text = number_text(number, line.unit) if line.digits is None else f"{number:.{line.digits}f}"
    return Cell(text, row, number)


def change(least: Row | None, greatest: Row | None) -> Cell:
    """Return the greatest by the least less one, in per cent."""
    if least is None or greatest is None or not least.value:
        return EMPTY
    percent = 100 * (greatest.value / least.value - 1)
    return Cell(f"{percent:.0f}", greatest, percent)


def best_ratio(
    ours: tuple[Row | None, Row | None], theirs: Sequence[PublishedRow | None], line: Line
) -> Cell:
    """Return our best by the paper's best: the least of what is better lower, else the greatest."""
    place = 1 if line.better == "higher" else 0
    mine, its = ours[place], theirs[place]
    if mine is None or its is None:
        return EMPTY
    return ratio_of(mine, its, line.better)


def ratio_of(mine: Row, its: PublishedRow, better: str) -> Cell:
    """Return ours / theirs, toned by which is better."""
    note = f"{number_text(mine.value)} / {its.printed}"
    if not its.value:
        good = mine.value <= its.value
        return Cell("=" if good else ">", mine, None, "" if good else "bad", note)
    ratio = mine.value / its.value
    wins = ratio > 1 if better == "higher" else ratio < 1
    # A ratio that is printed as 1, and one to a number of nothing, says neither better nor worse.
    tone = "" if ratio_text(ratio) == "1.00" or not mine.value else "good" if wins else "bad"
    return Cell(ratio_text(ratio), mine, ratio, tone, note)


def grades(hardware: Hardware, chosen: Sequence[Name]) -> Table:
    """Return every speed grade: its strategy, clock, size, throughput, and the areas of its blocks.

    Grades that fail hold stand below those of their design, without a number.
    """
    heads = ("cipher", "architecture", "key", "speed", "strategy", "withdrawn")
    columns = [Column(title, text=True) for title in heads]
    columns += [Column("period", "ns"), Column("area", "mm²"), Column("transistors", "thousand")]
    columns += [Column("throughput", "Mbit/s"), Column("cycles / block"), Column("latency", "cycles")]
    columns += [Column(name, "mm²", "area of") for name in ("Key Schedule", "Algorithm")]
    lines = []
    for name in chosen:
        numbered = [(str(n), point) for n, point in enumerate(hardware.grades(name), 1)]
        for number, point in [*numbered, *(("–", point) for point in hardware.withdrawn(name))]:
            head = [name.cipher, name.architecture, KEYS[name.key], number, point.strategy]
            lines.append([*map(Cell, head), _withdrawn(point), *_grade(point)])
    notes = ["Speed 1 is the fastest, the last the smallest; between them the knees of the front."]
    notes += [hold.WHY] * any(hardware.withdrawn(name) for name in chosen)
    return Table("hardware-grades", "Speed grades of every design", columns, lines, notes, dense=True)


def _withdrawn(point: Point) -> Cell:
    """Return what is wrong with a device; how many latches, where one points at it."""
    return Cell(point.withdrawn.partition(":")[0], tone="bad", note=point.withdrawn)


def _grade(point: Point) -> list[Cell]:
    rate, period = point.throughput(), point.period()
    per_block = 0.0
    if rate is not None and period is not None:
        # Half clocks and thirds, where cores stand side by side.
        per_block = round(1000 * paper.BLOCK_BITS / (rate.value * period.value), 2)
    area, kilo = LINES[0], LINES[2]
    cells = [shown(period, Line("", "ns", "period_ns")), shown(point.row("area_um2"), area)]
    cells += [shown(point.row("transistors"), kilo), shown(rate, Line("", "", "throughput_mbps"))]
    cells.append(Cell(f"{per_block:g}", rate, per_block) if per_block else EMPTY)
    cells.append(_latency(point))
    return cells + [shown(point.row("area_um2", part=part), area) for part in ("Key Schedule", "Algorithm")]


def _latency(point: Point) -> Cell:
    row = point.time("encrypt")
    count = clocks(row)
    return EMPTY if count is None else Cell(str(count), row, count)


def missing(hardware: Hardware, chosen: Sequence[Name]) -> Table | None:
    """Return the designs that were not run, with the commands that run them; None if there are none."""
    columns = [Column(title, text=True) for title in ("cipher", "architecture", "key", "command")]
    lines = [
        [Cell(name.cipher), Cell(name.architecture), Cell(KEYS[name.key]), Cell(name.command)]
        for name in chosen
        if hardware.not_run(name)
    ]
    if not lines:
        return None
    notes = ["`assay synthesize --all` with the same options makes those of all ciphers."]
    return Table("hardware-missing", "Designs that were not run", columns, lines, notes)
