"""The HP paper's distributions on its own machine: simulated on the modelled PA-8500, beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cipherassay.report.data import ReportData
from cipherassay.report.drawings.histograms import histograms
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table, probability_cell, row_cell
from cipherassay.results import Row

ORDER = 26
TITLES = {"key_setup": "Key setup", "encrypt": "Encryption", "decrypt": "Decryption"}
STATISTICS = {
    "cycles_min": "min",
    "cycles_average": "avg",
    "cycles_mode": "mode",
    "cycles_max": "max",
    "cycles_sigma": "σ",
}
SLIDES, PAPER, TARGET = "worley2000-slides", "worley2000", "pa8500"
Line = tuple[str, str, str]
"""Cipher, variant, operation."""


def section(data: ReportData) -> Section | None:
    """Return the section, if distributions were simulated."""
    if not data.of_study("distributions"):
        return None
    found = _by_line(data.of_study("distributions"))
    blocks: list[str | Table | Figure] = [_words(data, found)]
    for name, title in TITLES.items():
        lines = [line for line in found if line[2].startswith(name)]
        if lines:
            blocks.append(_table(data, name, title, {line: found[line] for line in lines}))
            blocks += _pictures(data, name, title, lines)
    title = "AES Finalists on PA-RISC and IA-64 (HP, 2000): distributions on the modelled PA-8500"
    return Section("distributions", title, blocks, label="PA-8500")


def _by_line(rows: Sequence[Row]) -> dict[Line, dict[str, Row]]:
    found: dict[Line, dict[str, Row]] = {}
    for row in rows:
        line = (row.cipher or "", row.variant or "", row.operation or "")
        found.setdefault(line, {})[row.metric] = row
    return found


def _words(data: ReportData, found: Mapping[Line, Mapping[str, Row]]) -> str:
    from cipherassay.processors.distributions import FULL_INPUTS
    from cipherassay.processors.simulating import START_STATE

    counts = [int(rows["inputs"].value) for rows in found.values()]
    fewest, most = min(counts), max(counts)
    full = (
        "as many as the paper took"
        if fewest == FULL_INPUTS
        else f"the paper took {_grouped(FULL_INPUTS)}; `assay report --full` takes as many"
    )
    inputs = _grouped(fewest) if fewest == most else f"{_grouped(fewest)} to {_grouped(most)}"
    return (
        "The same code as in the processors' tables, run by the simulator of the PA-8500 on random keys or "
        f"blocks: {inputs} a line, {full}. Every run starts from the same state ({START_STATE}), so only "
        "the input makes a difference, as in the paper, which took the least of 10,000 runs of each input. "
        "The cause of σ is found by switching the model's mechanisms off one after the other. "
        + _unexplained(data, found)
    )


def _unexplained(data: ReportData, found: Mapping[Line, Mapping[str, Row]]) -> str:
    """Say where the paper saw a spread and the model has nothing that could give one."""
    named = [
        _label(line) + (", " + TITLES[_kind(line)].lower())
        for line, rows in found.items()
        if rows["cycles_sigma"].value == 0
        and (paper := _printed(data, line, "cycles_sigma")) is not None
        and paper.value
    ]
    if not named:
        return ""
    return (
        f"For {'; '.join(named)} the paper prints a spread and the model has none: it knows conflicts of "
        "banks, loads that wait for stores and the flow of control, and none depends on the input there. "
        "Nothing was fitted to make up for it."
    )


def _grouped(number: int) -> str:
    return f"{number:,}"


def _kind(line: Line) -> str:
    return next(name for name in TITLES if line[2].startswith(name))


def _label(line: Line) -> str:
    cipher, variant, operation = line
    words = [cipher, variant, "forward" if operation == "key_setup_encrypt" else ""]
    return ", ".join(word for word in words if word)


def _table(data: ReportData, name: str, title: str, found: Mapping[Line, Mapping[str, Row]]) -> Table:
    columns = [Column("cipher", text=True)]
    columns += [Column(one, group="the model, cycles") for one in STATISTICS.values()]
    columns += [Column(one, group="the paper, cycles") for one in STATISTICS.values()]
    columns += [Column("Gaussian", "p"), Column("inputs"), Column("cause of our σ", text=True)]
    lines = []
    for line, rows in found.items():
        cells = [row_cell(rows.get(metric)) for metric in STATISTICS]
        cells += [row_cell(_printed(data, line, metric)) for metric in STATISTICS]
        cells += [probability_cell(rows.get("normality_p")), _count(rows["inputs"]), _cause(rows)]
        lines.append([Cell(_label(line)), *cells])
    notes = [
        "Gaussian: p-value of D'Agostino and Pearson's test of normality (p < 0.05: not normal); – where all "
        "are equal. The model's parameters are calibrated on least cycles alone, never on a spread."
    ]
    if name == "key_setup":
        notes.append(
            "Branches are predicted perfectly here. The paper's MARS branches where it fixes weak words of "
            "the key, and a wrong guess cost its machine cycles: these lie in its σ and max, not in ours."
        )
    return Table(
        f"pa8500-{name.replace('_', '-')}", f"{title} on the PA-8500, 128-bit keys", columns, lines, notes,
        dense=True,
    )  # fmt: skip


def _count(row: Row) -> Cell:
    return Cell(_grouped(int(row.value)), row, row.value)


def _cause(rows: Mapping[str, Row]) -> Cell:
    row = rows["cycles_sigma"]
    if row.value == 0:
        return Cell("none: all alike", row, tone="muted")
    return Cell(row.certificate or "", row)


def _printed(data: ReportData, line: Line, metric: str) -> Row | None:
    """Return the paper's number: of the slides, which have all statistics, else of the text."""
    cipher, variant, operation = line
    wanted = "cycles" if metric == "cycles_min" else metric
    if not variant and operation != "key_setup_encrypt":
        row = data.theirs(SLIDES, cipher, operation, wanted, target=TARGET)
        if row is not None:
            return row
    return data.theirs(PAPER, cipher, operation, wanted, target=TARGET, variant=variant)


def _pictures(data: ReportData, name: str, title: str, lines: Sequence[Line]) -> Iterator[Figure]:
    samples = {_label(line): data.simulated_samples[line] for line in lines if line in data.simulated_samples}
    if not samples:
        return
    yield Figure(
        f"pa8500-{name.replace('_', '-')}-histograms",
        f"{title} on the modelled PA-8500",
        "Cycles of each random input. Line: the Gaussian of the same average and spread.",
        chart=histograms(samples),
    )
