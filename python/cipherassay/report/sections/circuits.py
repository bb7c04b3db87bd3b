"""Circuits of S-boxes: the best known beside the published, per target, and as pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cipherassay.report.data import ReportData
from cipherassay.report.drawings.charts import count_dots
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Block, Fold, Section, added
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, printed_text, ratio_text, row_cell
from cipherassay.results import METRICS, Row

if TYPE_CHECKING:
    from cipherassay.circuits.library import StoredCircuit

ORDER = 46
PAGE = "circuits"
DRAWN = ("two-input", "ternary", "two-alu", "infinite")
"""The targets whose circuits the page draws; `assay circuit analyse --picture` draws those of the others."""


def section(data: ReportData) -> Section | None:
    """Return the section, if the library has circuits."""
    if not data.circuits:
        return None
    cipher = _cipher(data)
    order = _boxes(cipher)
    groups = _groups(data, cipher)
    several = [(target, rows) for target, rows in groups if len(rows) > 1]
    blocks: list[Block] = [_words(data), *_chart(several, cipher, order)]
    blocks += [_target_table(target, rows, order) for target, rows in several]
    blocks += added("circuits", data)
    blocks += _others(data, cipher)
    blocks += _pictures(data, cipher, order)
    return Section("circuits", "Circuits of S-boxes", blocks, label="Circuits")


def _cipher(data: ReportData) -> str:
    """Return the cipher with the most boxes: its tables have a line a box, the others share one table."""
    boxes = {(row.cipher or "", row.variant or "") for row in data.circuits}
    count = Counter(cipher for cipher, _ in sorted(boxes))
    return count.most_common(1)[0][0]


def _family(cipher: str) -> str:
    """Return the name under which the library has a cipher's circuits; the name itself if it has none."""
    from cipherassay.circuits import boxes
    from cipherassay.circuits.rows import cipher_name

    return next((one for one in boxes.families() if cipher_name(one) == cipher), cipher)


def _boxes(cipher: str) -> list[str]:
    """Return the boxes of a cipher: by number, inverses after all others."""
    from cipherassay.circuits import boxes

    known = [box.variant for box in boxes.boxes_of(_family(cipher))]
    return sorted(known, key=lambda name: (name[:1] == "I", known.index(name)))


def _groups(data: ReportData, cipher: str) -> list[tuple[tuple[str, str], dict[str, dict[str, Row]]]]:
    """Return a cipher's rows by (target, objective), box and metric, in the targets' order."""
    from cipherassay.circuits import targets

    found: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in data.circuits:
        if row.cipher == cipher:
            key = (row.target or "", row.configuration or "")
            found.setdefault(key, {}).setdefault(row.variant or "", {})[row.metric] = row
    known = targets.names()
    order = [name for name in _FIRST if name in known] + [name for name in known if name not in _FIRST]

    def place(item: tuple[tuple[str, str], Any]) -> tuple[int, bool, str]:
        target, objective = item[0]
        own = targets.find(target).objective[0]
        return order.index(target), objective.split(" ")[0] != own, objective

    return sorted(found.items(), key=place)


_FIRST = ("two-input", "and-complement", "ternary", "two-alu", "infinite", "x86-5")


def _words(data: ReportData) -> str:
    """Say how many circuits are below, at and above the published counts: computed from the rows."""
    first = [row for row in data.circuits if row.metric == (row.configuration or "").split(" ")[0]]
    compared = [row for row in first if row.reference is not None]
    less = sum(row.value < (row.reference or 0) for row in compared)
    same = sum(row.value == row.reference for row in compared)
    proved = sum(row.bound == row.value for row in first)
    return (
        f"The best circuits known for {len(first)} questions (an S-box, a target, an objective), each found "
        f"by this project's own search and checked on every input. {len(compared)} can be compared with a "
        f"published count: {less} are smaller, {same} tie and {len(compared) - less - same} are larger. "
        f"{proved} are provably optimal."
    )


def _chart(
    groups: Sequence[tuple[tuple[str, str], dict[str, dict[str, Row]]]], cipher: str, order: Sequence[str]
) -> list[Figure]:
    points: list[dict[str, Any]] = []
    for (target, objective), rows in groups:
        metric = objective.split(" ")[0]
        compared = {
            box: r[metric] for box, r in rows.items() if metric in r and r[metric].reference is not None
        }
        for box in (b for b in order if b in compared):
            row = compared[box]
            unit = METRICS[metric].unit
            shared = {"panel": target, "box": box, "unit": unit}
            points.append({**shared, "series": "published", "count": row.reference})
            points.append({**shared, "series": "ours", "count": row.value})
    if not points:
        return []
    return [
        Figure(
            "circuit-counts",
            f"{cipher}'s S-boxes and inverses: ours beside the best published",
            "The first metric of each target's objective. Where one mark is seen, both counts are equal.",
            count_dots(points, order),
        )
    ]


def _shown(objective: str) -> list[str]:
    """Return the metrics of an objective, an area also in gate equivalents."""
    return [m for metric in objective.split(" ") for m in (metric, *_ALSO.get(metric, ()))]


_ALSO = {"area_um2": ("area_ge",)}


def _label(metric: str) -> str:
    return {"area_um2": "area in µm²", "area_ge": "area in GE"}.get(metric, metric.replace("_", " "))


def _target_table(which: tuple[str, str], rows: dict[str, dict[str, Row]], order: Sequence[str]) -> Table:
    from cipherassay.circuits import targets

    target, objective = which
    metrics = [m for m in _shown(objective) if any(m in r for r in rows.values())]
    compared = [m for m in metrics if any(m in r and r[m].reference is not None for r in rows.values())]
    columns = [Column("box", text=True)]
    columns += [Column(_label(m), group="ours") for m in metrics]
    columns += [Column(_label(m), group="published") for m in compared]
    columns += [Column("ratio"), Column("optimality", text=True), Column("published by", text=True)]
    lines = [_line(box, rows[box], metrics, compared) for box in order if box in rows]
    lines.append(_sums(rows, metrics, compared))
    aims = [_label(m) for m in metrics if m in objective.split(" ")]
    title = f"{target}: {targets.find(target).title}, by {' then '.join(aims)}"
    name = f"circuits-{targets.find(target).file_name}-{metrics[0].replace('_', '-')}"
    return Table(name, title, columns, lines, [_NOTE], dense=True, totals=1)


_NOTE = (
    "Optimality: “optimal”, or the best proved lower bound; follow it for the proof. Ratio = ours / "
    "published, "
    "of the first metric."
)


def _line(box: str, rows: dict[str, Row], metrics: Sequence[str], compared: Sequence[str]) -> list[Cell]:
    first = rows[metrics[0]]
    ratio = EMPTY
    if first.ratio is not None:
        equal = ratio_text(first.ratio) == "1.00"
        tone = "" if equal else "good" if first.ratio < 1 else "bad"
        ratio = Cell(ratio_text(first.ratio), first, first.ratio, tone)
    return [
        Cell(box),
        *(row_cell(rows.get(m)) for m in metrics),
        *(_reference(rows.get(m)) for m in compared),
        ratio,
        _goodness(first),
        Cell(first.reference_source or ""),
    ]


def _reference(row: Row | None) -> Cell:
    if row is None or row.reference is None:
        return EMPTY
    return Cell(printed_text(row.reference), row, row.reference, note=row.reference_source or "")


def _goodness(row: Row) -> Cell:
    if row.bound is None:
        return Cell("no bound", row, tone="muted")
    if row.bound == row.value:
        return Cell("optimal", row, note=row.certificate or "")
    return Cell(f"at least {printed_text(row.bound)}", row, note=row.certificate or "")


def _sums(rows: dict[str, dict[str, Row]], metrics: Sequence[str], compared: Sequence[str]) -> list[Cell]:
    def total(metric: str, name: str) -> Cell:
        values = [getattr(r[metric], name) for r in rows.values() if metric in r]
        whole = len(values) == len(rows) and None not in values
        return Cell(printed_text(sum(values)), number=sum(values), tone="best") if whole else EMPTY

    ours = [total(m, "value") for m in metrics]
    theirs = [total(m, "reference") for m in compared]
    ratio = EMPTY
    if theirs and compared[0] == metrics[0] and ours[0].number and theirs[0].number:
        value = ours[0].number / theirs[0].number
        ratio = Cell(ratio_text(value), number=value, tone="best")
    return [Cell("sum", tone="best"), *ours, *theirs, ratio, Cell(), Cell()]


def _others(data: ReportData, cipher: str) -> list[Table]:
    """Return the table of the other ciphers' boxes: a line per box, target and objective."""
    rows: dict[tuple[str, str, str, str], dict[str, Row]] = {}
    for row in data.circuits:
        if row.cipher != cipher:
            key = (row.cipher or "", row.variant or "", row.target or "", row.configuration or "")
            rows.setdefault(key, {})[row.metric] = row
    if not rows:
        return []
    columns = [Column(name, text=True) for name in ("cipher", "box", "target", "first")]
    columns += [Column("count", group="ours"), Column("published"), Column("ratio")]
    columns += [Column("then", text=True), Column("optimality", text=True), Column("published by", text=True)]
    lines = []
    for (name, box, target, objective), found in sorted(rows.items()):
        metrics = [m for m in _shown(objective) if m in found]
        line = _line(box, found, metrics[:1], metrics[:1])
        then = ", ".join(f"{_label(m)} {found[m].value:.4g}" for m in metrics[1:])
        lines.append([Cell(name), line[0], Cell(target), Cell(metrics[0]), *line[1:4], Cell(then), *line[4:]])
    return [Table("circuits-others", "Other S-boxes", columns, lines, [_NOTE], dense=True)]


def _pictures(data: ReportData, cipher: str, order: Sequence[str]) -> list[Block]:
    from cipherassay.circuits import library
    from cipherassay.report.drawings.circuit_pictures import gallery

    shown = {
        (row.target, (row.configuration or "").split(" ")[0]) for row in data.circuits if row.cipher == cipher
    }
    folds: list[Block] = []
    for target in DRAWN:
        stored = [s for s in library.stored(_family(cipher), target) if (target, s.metric) in shown]
        if stored:
            first = sorted(stored, key=lambda one: _position(one, order))
            metrics = sorted({s.metric for s in first})
            chosen = [s for s in first if s.metric == _main(target, metrics)]
            folds.append(
                Fold(f"Pictures: {cipher} for {target}", [_LEGEND, gallery(f"circuits-{target}", chosen)])
            )
    return folds


_LEGEND = (
    "Inputs at the top, outputs at the bottom, a level per line. ⊕ XOR, ∧ and, ∨ or, ¬ complement; "
    "a ring complements an operand or a result; two hexadecimal digits are the truth table of a gate of "
    "three inputs."
)


def _main(target: str, metrics: Sequence[str]) -> str:
    from cipherassay.circuits import targets

    first = targets.find(target).objective[0]
    return first if first in metrics else metrics[0]


def _position(item: StoredCircuit, order: Sequence[str]) -> int:
    from cipherassay.circuits import boxes

    variant = boxes.find(item.box).variant
    return order.index(variant) if variant in order else len(order)
