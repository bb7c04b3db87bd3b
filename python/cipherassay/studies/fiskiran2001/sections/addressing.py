"""The Princeton study: what addressing modes for table look-ups are worth."""

from __future__ import annotations

from collections.abc import Sequence

from cipherassay.report.data import ReportData
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Block, Section
from cipherassay.report.elements.tables import EMPTY, Cell, Column, Table, row_cell
from cipherassay.results import Row
from cipherassay.studies.fiskiran2001 import charts
from cipherassay.studies.fiskiran2001.report_jobs import LOOK_UP

ORDER = 24
MODES = ("indexed", "scaled-indexed", "scaled-indexed + extract", "load.ex.sc")
TABLES = {
    "table-1": ("Table 1: one and two wide, one memory port", ((1, 1), (2, 1))),
    "table-2": ("Table 2: eight wide, one and two memory ports", ((8, 1), (8, 2))),
    "others": ("Four wide, and more memory ports", ((2, 2), (4, 1), (4, 2), (4, 4), (8, 4), (8, 8))),
}


def section(data: ReportData) -> Section | None:
    """Return the section, if the study was made."""
    if not data.of_study("addressing"):
        return None
    found = _RowsBySubject(data.of_study("addressing"))
    blocks: list[Block] = [_words(found), *_shares(found)]
    blocks += [_speedups(found, name, title, machines) for name, (title, machines) in TABLES.items()]
    blocks += [_latencies(found), *_figures(found), _look_ups(found), _assumptions(), _sensitivity(found)]
    title = "Performance Impact of Addressing Modes (Princeton, 2001): rebuilt"
    return Section("addressing", title, blocks, "Princeton 2001")


class _RowsBySubject:
    """The rows by what they are of."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.by = {(r.cipher, r.part, r.target, r.configuration, r.metric): r for r in rows}
        self.ciphers = list(dict.fromkeys(r.cipher for r in rows if r.metric == "look_up_share" and r.cipher))

    @property
    def using(self) -> list[str]:
        """The ciphers that have look-ups."""
        return [name for name in self.ciphers if self.row(name, (1, 1), "indexed", "look_up_share").value > 0]

    def row(
        self, cipher: str, machine: tuple[int, int], mode: str, metric: str, part: str | None = None
    ) -> Row:
        """Return the row of a cell."""
        return self.by[cipher, part, f"epic-{machine[0]}g{machine[1]}m", mode, metric]

    def error(self, part: str, cipher: str | None) -> Row:
        """Return the root mean square of the differences under changed assumptions."""
        return self.by[cipher, part, "epic", None, "rms_error"]


def _words(found: _RowsBySubject) -> str:
    ratios = [r for r in found.rows if r.metric == "speedup" and r.reference is not None and r.part is None]
    error = found.error("none", None).value
    unlike = sorted(ratios, key=lambda r: abs(r.value - (r.reference or 0)))[-3:]
    far = ", ".join(
        f"{r.cipher} {_machine_name(r.target)} {r.configuration} {r.value:.2f} for {r.reference:.2f}"
        for r in reversed(unlike)
    )
    none = [name for name in found.ciphers if name not in found.using]
    return (
        "Fiskiran and Lee simulated generic EPIC processors with four addressing modes for look-ups. Here "
        "every cipher's own file is compiled for a model of them. The paper says little of its compiler and "
        f"latencies; with one set of assumptions (below), the same for all, its {len(ratios)} speedups come "
        f"out with a root mean square difference of {error:.3f}. Farthest off: {far}. "
        f"{' and '.join(none)} look nothing up: the mode makes no difference to them."
    )


def _machine_name(target: str | None) -> str:
    return (target or "").removeprefix("epic-").upper().replace("G", "G_", 1)


def _speedups(found: _RowsBySubject, name: str, title: str, machines: Sequence[tuple[int, int]]) -> Table:
    columns = [Column("cipher", text=True), Column("processor", text=True)]
    columns += [Column(mode, "cycles", "100 blocks") for mode in MODES]
    columns += [Column(mode, "", "speedup") for mode in MODES[1:]]
    paper = any(found.row("Rijndael", machine, MODES[1], "speedup").reference for machine in machines[:1])
    columns += [Column(mode, "", "the paper's") for mode in MODES[1:]] if paper else []
    lines = []
    for cipher in found.using:
        for machine in machines:
            line = [Cell(cipher), Cell(f"{machine[0]}G_{machine[1]}M")]
            line += [_hundred(found.row(cipher, machine, mode, "cycles")) for mode in MODES]
            speedups = [found.row(cipher, machine, mode, "speedup") for mode in MODES[1:]]
            line += [Cell(f"{row.value:.2f}", row, row.value) for row in speedups]
            if paper:
                line += [
                    Cell(f"{row.reference:.2f}", row, row.reference) if row.reference else EMPTY
                    for row in speedups
                ]
            lines.append(line)
    notes = ["2G_1M: two issue slots, one of which also takes loads and stores.", *_slower(found, machines)]
    return Table(f"addressing-{name}", title, columns, lines, notes, dense=True)


def _slower(found: _RowsBySubject, machines: Sequence[tuple[int, int]]) -> list[str]:
    """Name where the last mode takes more cycles than one that does less: the schedules are heuristic."""
    named = [
        f"{cipher} on {machine[0]}G_{machine[1]}M"
        for cipher in found.using
        for machine in machines
        if found.row(cipher, machine, MODES[-1], "cycles").value
        > min(found.row(cipher, machine, mode, "cycles").value for mode in MODES[:-1])
    ]
    if not named:
        return []
    return [
        f"{MODES[-1]} takes more cycles than a mode whose instruction does less for {', '.join(named)}: "
        "schedules "
        "are heuristic, and a stronger instruction does not always find the shorter one."
    ]


def _hundred(row: Row) -> Cell:
    return Cell(f"{100 * row.value:,.0f}", row, 100 * row.value)


def _latencies(found: _RowsBySubject) -> Table:
    machines = ((1, 1), (2, 1), (8, 1), (8, 2))
    columns = [Column("cipher", text=True)]
    columns += [
        Column(f"{latency}-cycle", "", f"{w}G_{p}M") for w, p in machines for latency in (1, 2)
    ]  # fmt: skip
    lines = []
    for cipher in found.using:
        rows = [
            found.row(cipher, machine, "load.ex.sc", "speedup", f"load.ex.sc in {latency}")
            for machine in machines
            for latency in (1, 2)
        ]
        lines.append([Cell(cipher), *(Cell(f"{row.value:.2f}", row, row.value) for row in rows)])
    notes = [
        "Speedup against indexed addressing. The paper expects two cycles at high clock rates and one in a "
        "cryptographic processor. Tables aligned to 1 KB give the address by joining bits, not adding: "
        "load.ex.sc then takes one cycle, as a load."
    ]
    title = "Speedup of load.ex.sc in one and in two cycles"
    return Table("addressing-load-ex-sc", title, columns, lines, notes)


def _shares(found: _RowsBySubject) -> list[Figure]:
    points = []
    for cipher in found.ciphers:
        share = found.row(cipher, (1, 1), "indexed", "look_up_share").value
        for place, (kind, part) in enumerate(
            (("table look-ups", share), ("all other operations", 1 - share))
        ):
            points.append({"cipher": cipher, "kind": kind, "share": round(part, 4), "place": place})
    caption = "Figure 1 of the paper: indexed addressing, one operation a cycle."
    title = "Cycles of table look-ups and of all other operations"
    return [Figure("addressing-shares", title, caption, charts.shares(points, found.ciphers))]


def _figures(found: _RowsBySubject) -> list[Figure]:
    wanted = {
        "addressing-narrow": ("Cycles, one and two wide with one memory port", ((1, 1), (2, 1)), 3),
        "addressing-ports": (
            "Cycles, eight wide with one to eight memory ports", ((8, 1), (8, 2), (8, 4), (8, 8)), 4,
        ),
    }  # fmt: skip
    figures = []
    for name, (title, machines, number) in wanted.items():
        points = [
            {
                "cipher": cipher,
                "machine": f"{machine[0]}G_{machine[1]}M",
                "mode": mode,
                "cycles": found.row(cipher, machine, mode, "cycles").value,
            }
            for cipher in found.using
            for machine in machines
            for mode in MODES
        ]
        chart = charts.cycles(points, found.using, MODES)
        figures.append(Figure(name, title, f"Figure {number} of the paper: encryption of a block.", chart))
    return figures


def _look_ups(found: _RowsBySubject) -> Table:
    columns = [Column("addressing", text=True), Column("instructions"), Column("which", text=True)]
    rows = [row for row in found.rows if row.part == LOOK_UP]
    lines = [[Cell(row.configuration or ""), row_cell(row), Cell(row.tools or "")] for row in rows]
    notes = ["Counted in the code selected for a look-up by a byte in the middle of a register (section 3)."]
    return Table("addressing-look-up", "Instructions of a look-up", columns, lines, notes)


def _assumptions() -> Table:
    from cipherassay.studies.fiskiran2001.addressing import Assumptions

    columns = [Column("assumption", text=True), Column("value", text=True), Column("meaning", text=True)]
    lines = [
        [Cell(name.replace("_", " ")), Cell(value), Cell(why)] for name, value, why in Assumptions().lines()
    ]
    notes = ["`assay study addressing --search` tries all sets, `--assume NAME=VALUE` another one."]
    return Table("addressing-assumptions", "The set of assumptions", columns, lines, notes)


def _sensitivity(found: _RowsBySubject) -> Table:
    rows = [row for row in found.rows if row.metric == "rms_error"]
    parts = list(dict.fromkeys(row.part or "" for row in rows))
    ciphers = list(dict.fromkeys(row.cipher for row in rows))
    columns = [
        Column("changed alone", text=True),
        *(Column(name or "together", "", "RMS") for name in ciphers),
    ]
    lines = []
    for part in parts:
        cells = [found.error(part, cipher) for cipher in ciphers]
        shown = [Cell(f"{row.value:.3f}", row, row.value) for row in cells]
        lines.append([Cell(part.replace("_", " ")), *shown])
    notes = ["Root mean square of ours less theirs over the printed speedups, each assumption changed alone."]
    return Table("addressing-sensitivity", "What the assumptions weigh", columns, lines, notes, dense=True)
