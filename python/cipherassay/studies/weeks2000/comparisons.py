"""The hardware paper's Tables 11 to 18, what one key size saves, the paper's form to the letter, errata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherassay import published
from cipherassay.hardware.results.designs import (
    ARCHITECTURES,
    BLOCKS,
    KEYS,
    Hardware,
    Name,
    Point,
    least_and_greatest,
)
from cipherassay.hardware.rtl import build
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, number_text, ratio_text
from cipherassay.results import Row
from cipherassay.studies.weeks2000 import paper
from cipherassay.studies.weeks2000.tables import LINES, Line, ratio_of, shown, value

GRADES = 5


def fastest(hardware: Hardware, ciphers: Sequence[str], architecture: str, key: str) -> Table:
    """Return the table of the fastest design of each cipher: ours, the paper's, the ratio, by parameter."""
    columns = [Column("parameter", text=True), Column("unit", text=True), Column("whose", text=True)]
    columns += [Column(cipher) for cipher in ciphers]
    lines = []
    for line in LINES:
        ours, theirs, ratios = _fastest_lines(hardware, ciphers, architecture, key, line)
        if all(cell is EMPTY for cell in (*ours, *theirs)):
            continue
        lines.append([Cell(line.title), Cell(line.unit), Cell("ours"), *ours])
        if any(cell is not EMPTY for cell in theirs):
            lines.append([Cell(), Cell(), Cell("paper"), *theirs])
            lines.append([Cell(), Cell(), Cell("ratio"), *ratios])
    number = paper.COMPARISONS[architecture, key].partition("-")[2]
    title = f"Table {number}: the fastest designs, {architecture}, {KEYS[key]}"
    notes = [
        "The fastest design of each cipher, so greatest area and transistor count, least times; of designs "
        "for several key sizes, the values of 128-bit keys.",
        paper.COMPARABLE,
    ]
    missing = [c for c in ciphers if hardware.not_run(Name(c, architecture, key))]
    if missing:
        notes.append(f"Not run: {', '.join(Name(c, architecture, key).command for c in missing)}.")
    return Table(f"hardware-fastest-{architecture}-{key}", title, columns, lines, notes, dense=True)


def _fastest_lines(
    hardware: Hardware, ciphers: Sequence[str], architecture: str, key: str, line: Line
) -> tuple[list[Cell], list[Cell], list[Cell]]:
    ours, theirs, ratios = [], [], []
    end = "min" if line.metric == "time_ns" else "max"
    for cipher in ciphers:
        point = hardware.fastest(Name(cipher, architecture, key))
        row = None if point is None else value(point, line, 128 if line.per_key else 0)
        printed = paper.find(
            paper.COMPARISONS[architecture, key], cipher, f"{line.metric}_{end}", operation=line.operation,
            part=line.part,
        )  # fmt: skip
        ours.append(shown(row, line))
        theirs.append(paper.cell(printed, line.scale, line.digits))
        ratios.append(ratio_of(row, printed, line.better) if row is not None and printed else EMPTY)
    return ours, theirs, ratios


def per_area(hardware: Hardware, ciphers: Sequence[str], architecture: str, key: str) -> Table:
    """Return throughput per area over the speed grades: ours by total and by Algorithm block, and theirs."""
    columns = [Column("cipher", text=True), Column("key", text=True), Column("whose", text=True)]
    columns += [Column(f"speed {number}") for number in range(1, GRADES + 1)] + [Column("change %")]
    lines = [
        line
        for cipher in ciphers
        for bits in _key_sizes(hardware, cipher, architecture, key)
        for line in _per_area_lines(hardware, Name(cipher, architecture, key), bits)
    ]
    number = paper.PER_AREA[architecture, key].partition("-")[2]
    notes = [
        "Bit/s per µm². Speed 1 is the fastest, speed 5 the smallest; if the Pareto front has fewer than "
        "five points, intermediate grades are blank. Change = max / min - 1.",
        "Recomputed: the paper's greatest throughput / its greatest area at speed 1, the least / the "
        "least at speed 5; its areas of the grades between are not printed, nor those of its Algorithm "
        "blocks.",
        paper.COMPARABLE,
    ]
    title = f"Table {number}: throughput per area, {architecture}, {KEYS[key]}"
    return Table(f"hardware-per-area-{architecture}-{key}", title, columns, lines, notes, dense=True)


def _key_sizes(hardware: Hardware, cipher: str, architecture: str, key: str) -> list[int]:
    """Return the key sizes for which the paper, or our device, has values of their own."""
    if key != "3in1":
        return [int(key)]
    rates = {
        number_text(row.value)
        for point in hardware.grades(Name(cipher, architecture, key))[:1]
        for bits in point.key_bits
        if (row := point.throughput(bits)) is not None
    }
    table = published.paper(paper.PAPER).table(paper.PER_AREA[architecture, key])
    printed = {row.key_bits for row in table.rows if row.cipher == cipher}
    return [128, 192, 256] if len(rates) > 1 or len(printed) > 1 else [128]


def _per_area_lines(hardware: Hardware, name: Name, bits: int) -> Iterator[list[Cell]]:
    grades = hardware.grades(name)
    label, size = name.cipher, str(bits)
    for whose, part in (("ours, total", ""), ("ours, Algorithm", "Algorithm")):
        ours = spread([_density(point, bits, part) for point in grades])
        if grades:
            yield [Cell(label), Cell(size), Cell(whose), *ours, _change(ours)]
            label = size = ""
    if not grades and name.cipher not in paper.FINALISTS:
        return
    if not grades:
        why = "not run" if hardware.not_run(name) else "withdrawn"
        yield [Cell(label), Cell(size), Cell(f"ours: {why}"), *[EMPTY] * GRADES, EMPTY]
        label = size = ""
    printed = [_printed_density(name, bits, number) for number in range(1, GRADES + 1)]
    if any(cell is not EMPTY for cell in printed):
        yield [Cell(label), Cell(size), Cell("paper, printed"), *printed, _printed_change(name, bits)]
        again = [recomputed(name, bits, "max"), *[EMPTY] * (GRADES - 2), recomputed(name, bits, "min")]
        yield [Cell(), Cell(), Cell("paper, recomputed, total"), *again, _change(again)]
        yield [Cell(), Cell(), Cell("ratio to recomputed"), *_density_ratios(grades, bits, again), EMPTY]


def spread(cells: Sequence[Cell]) -> list[Cell]:
    """Return cells of fewer grades in five places: the fastest first, the smallest last."""
    if len(cells) <= 1:
        return [*cells, *[EMPTY] * (GRADES - len(cells))]
    return [*cells[:-1], *[EMPTY] * (GRADES - len(cells)), cells[-1]]


def density(point: Point, bits: int, part: str = "") -> float | None:
    """Return bit/s per µm² of a device or of one of its blocks."""
    rate, area = point.throughput(bits), point.row("area_um2", part=part)
    return None if rate is None or area is None else 1e6 * rate.value / area.value


def _density(point: Point, bits: int, part: str) -> Cell:
    number = density(point, bits, part)
    row = point.throughput(bits)
    return EMPTY if number is None else Cell(number_text(number), row, number)


def _printed(name: Name, bits: int, configuration: str, metric: str) -> published.PublishedRow | None:
    return paper.find(
        paper.PER_AREA[name.architecture, name.key], name.cipher, metric, key_bits=bits,
        configuration=f"{name.architecture}, {paper.KEYS[name.key]}{configuration}",
    )  # fmt: skip


def _printed_density(name: Name, bits: int, number: int) -> Cell:
    return paper.cell(_printed(name, bits, f", speed {number}", "throughput_per_area"))


def _printed_change(name: Name, bits: int) -> Cell:
    return paper.cell(_printed(name, bits, "", "change"))


def recomputed(name: Name, bits: int, end: str) -> Cell:
    """Return the paper's throughput by its total area, of the fastest (``max``) or smallest (``min``)."""
    found = [
        paper.summary(name.cipher, name.architecture, name.key, f"{metric}_{end}", key_bits=bits)
        for metric in ("throughput_mbps", "area_um2")
    ]
    if found[0] is None or found[1] is None:
        return EMPTY
    number = 1e6 * found[0].value / found[1].value
    note = f"{found[0].printed} Mbit/s by {found[1].printed} µm²"
    return Cell(number_text(number), paper.result(found[0]), number, "muted", note)


def _density_ratios(grades: Sequence[Point], bits: int, theirs: Sequence[Cell]) -> list[Cell]:
    found = spread([_density(point, bits, "") for point in grades])
    cells = []
    for ours, its in zip(found, theirs, strict=True):
        if ours.number is None or its.number is None:
            cells.append(EMPTY)
        else:
            ratio = ours.number / its.number
            tone = "good" if ratio > 1 else "bad" if ratio < 1 else ""
            cells.append(Cell(ratio_text(ratio), ours.row, ratio, tone))
    return cells


def _change(cells: Sequence[Cell]) -> Cell:
    known = [cell.number for cell in cells if cell.number is not None]
    if len(known) < 2:
        return EMPTY
    percent = 100 * (max(known) / min(known) - 1)
    return Cell(f"{percent:.0f}", None, percent)


def jump(rows: Sequence[Row]) -> Table:
    """Return Table 7: Serpent's last eight key words, unrolled and in one step."""
    columns = [Column("approach", text=True), Column("time", "ns", "ours"), Column("area", "mm²", "ours")]
    columns += [Column("time", "ns", "paper"), Column("area", "mm²", "paper")]
    columns += [Column("time", "", "ratio"), Column("area", "", "ratio")]
    lines, missing = [], []
    for approach in ("unrolled", "single step"):
        ours = _fastest_jump(rows, approach)
        theirs = {
            metric: paper.find(
                "table-7", "Serpent", metric, configuration=approach, operation="key_setup_decrypt",
                part=JUMP,
            )
            for metric in ("time_ns", "area_um2")
        }  # fmt: skip
        time, area = Line("", "ns", "time_ns"), Line("", "", "area_um2", scale=1e6, digits=2)
        cells = [shown(ours.get("time_ns"), time), shown(ours.get("area_um2"), area)]
        cells += [paper.cell(theirs["time_ns"]), paper.cell(theirs["area_um2"], 1e6, 2)]
        for metric in ("time_ns", "area_um2"):
            mine, its = ours.get(metric), theirs[metric]
            cells.append(ratio_of(mine, its, "lower") if mine is not None and its else EMPTY)
        lines.append([Cell(approach), *cells])
        if not ours:
            missing.append(approach)
    notes = ["The fastest of each form, as in the paper; key setup of the devices above uses neither."]
    notes.append(paper.COMPARABLE)
    if missing:
        notes.append(f"Not run: {', '.join(missing)}; `assay study key-jump serpent --keep` does.")
    return Table("hardware-serpent-jump", f"Table 7: Serpent's {JUMP}", columns, lines, notes)


JUMP = "last eight key words"


def _fastest_jump(rows: Sequence[Row], approach: str) -> dict[str, Row]:
    """Return the rows of the fastest grade of an approach, by their metrics."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if _is_jump(row, approach):
            found.setdefault(row.configuration or "", {})[row.metric] = row
    timed = [one for one in found.values() if "time_ns" in one]
    return min(timed, key=lambda one: one["time_ns"].value, default={})


def _is_jump(row: Row, approach: str) -> bool:
    words = (row.configuration or "").split(", ")
    return (row.cipher, row.part, row.level) == ("Serpent", JUMP, "hardware") and approach in words


def savings(hardware: Hardware, ciphers: Sequence[str]) -> Table:
    """Return what a device for 128-bit keys saves against one for three key sizes, block by block."""
    columns = [Column("cipher", text=True), Column("architecture", text=True), Column("block", text=True)]
    for metric in ("area", "transistors"):
        unit = "mm²" if metric == "area" else "thousand"
        columns += [Column(title, unit, metric) for title in ("3-in-1", "128-bit")]
        columns += [Column("saved", "%", metric), Column("paper", "%", metric)]
    lines: list[list[Cell]] = []
    for cipher in ciphers:
        for architecture in ARCHITECTURES:
            lines += _savings(hardware, cipher, architecture)
    notes = ["The smallest design of each. Saving = 1 - (128-bit area / 3-in-1 area)."]
    return Table("hardware-savings", "What a single key size saves", columns, lines, notes, dense=True)


def _savings(hardware: Hardware, cipher: str, architecture: str) -> Iterator[list[Cell]]:
    both = (
        hardware.smallest(Name(cipher, architecture, "3in1")),
        hardware.smallest(Name(cipher, architecture, "128")),
    )
    parts = [""] + [part for part in BLOCKS if any(p is not None and part in p.blocks for p in both)]
    for part in parts if all(both) else [""]:
        cells: list[Cell] = []
        for metric, scale, digits in (("area_um2", 1e6, 2), ("transistors", 1e3, 1)):
            line = Line("", "", metric, scale=scale, digits=digits)
            rows = [None if point is None else point.row(metric, part=part) for point in both]
            cells += [shown(row, line) for row in rows]
            cells += [_saved(*(row.value if row is not None else None for row in rows))]
            cells.append(EMPTY if part else _saved(*_printed_sizes(cipher, architecture, metric)))
        if any(cell is not EMPTY for cell in cells):
            first = part == ""
            head = [cipher, architecture, "whole device"] if first else ["", "", part]
            yield [*map(Cell, head), *cells]


def _printed_sizes(cipher: str, architecture: str, metric: str) -> tuple[float | None, float | None]:
    if cipher == "Serpent":
        return None, None  # one design for both
    found = [paper.summary(cipher, architecture, key, f"{metric}_min") for key in ("3in1", "128")]
    values = [None if row is None else row.value for row in found]
    return values[0], values[1]


def _saved(every: float | None, one: float | None) -> Cell:
    if every is None or one is None:
        return EMPTY
    percent = 100 * (1 - one / every)
    return Cell(f"{percent:.0f}", None, percent, "bad" if percent < 0 else "")


def literal(hardware: Hardware, ciphers: Sequence[str]) -> Table:
    """Return the designs that follow the paper to the letter, beside our best and the paper's."""
    columns = [Column("cipher", text=True), Column("architecture", text=True), Column("key", text=True)]
    shown_lines = [LINES[0], LINES[2], LINES[4], LINES[5], LINES[9]]
    for line in shown_lines:
        columns += [Column(title, line.unit, line.title.lower()) for title in ("literal", "best", "paper")]
    lines = []
    for cipher in ciphers:
        for architecture in ARCHITECTURES:
            for key in KEYS:
                name = Name(cipher, architecture, key)
                if hardware.literal(name):
                    head = [cipher, architecture, KEYS[key]]
                    cells = [cell for line in shown_lines for cell in _trio(hardware, name, line)]
                    lines.append([*map(Cell, head), *cells])
    notes = [
        f"Literal: the strategy `{build.LITERAL}`, a register a round, S-boxes as tables, round keys stored "
        "only where the key schedule cannot make them in step. Each "
        "number is the best of its sweep: least area, transistors and times, greatest throughput, 128-bit "
        "keys."
    ]
    return Table("hardware-literal", "The paper's form to the letter", columns, lines, notes, dense=True)


def _trio(hardware: Hardware, name: Name, line: Line) -> list[Cell]:
    bits = 128 if line.per_key else 0
    place = 1 if line.better == "higher" else 0
    cells = [
        shown(least_and_greatest(value(point, line, bits) for point in points)[place], line)
        for points in (hardware.literal(name), hardware.grades(name))
    ]
    printed = paper.summary(
        name.cipher, name.architecture, name.key, f"{line.metric}_{('min', 'max')[place]}",
        operation=line.operation, key_bits=bits,
    )  # fmt: skip
    return [*cells, paper.cell(printed, line.scale, line.digits)]


def errata() -> Table:
    """Return what the paper contradicts itself in."""
    columns = [Column("where", text=True), Column("printed", text=True), Column("what follows", text=True)]
    lines = [
        [Cell(one.where), Cell(one.printed), Cell(one.follows)] for one in published.paper(paper.PAPER).errata
    ]
    return Table("hardware-contradictions", "Where the paper contradicts itself", columns, lines)
