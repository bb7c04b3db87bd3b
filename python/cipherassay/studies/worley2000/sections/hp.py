"""The HP paper: its distributions of key setup, encryption and decryption on the PA-8500, beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cipherassay.report.data import ReportData
from cipherassay.report.drawings.charts import ratio_bars
from cipherassay.report.drawings.histograms import histograms
from cipherassay.report.elements.figures import Figure
from cipherassay.report.elements.section import Section
from cipherassay.report.elements.tables import Cell, Column, Table, probability_cell, ratio_cell, row_cell
from cipherassay.report.sections.pictures import unsteady_words
from cipherassay.results import Row

ORDER = 20
DISTRIBUTIONS = {"key_setup": "Keying", "encrypt": "Encryption", "decrypt": "Decryption"}
LEAST = "cycles_min"
STATISTICS = {
    LEAST: "min",
    "cycles_average": "avg",
    "cycles_mode": "mode",
    "cycles_max": "max",
    "cycles_sigma": "σ",
}
Rows = Mapping[str, Row | None]
KEYS_OF_BOTH = "combined-keys"
"""The strategy with one key setup for both directions, of a cipher whose keys differ by direction."""
SLIDES, PAPER = "worley2000-slides", "worley2000"
TARGET = "pa8500"


def section(data: ReportData) -> Section | None:
    """Return the section, if anything was measured."""
    if not data.ciphers:
        return None
    blocks: list[str | Table | Figure] = [
        "The HP paper timed 100,000 random inputs 10,000 times each on a PA-8500, took the minimum "
        "of each input, and found that the times of different inputs form distributions. The same "
        "here: the tables give the paper's columns beside ours, the pictures the distributions on this "
        "machine with the Gaussian of equal average and spread. Ratio = our minimum / "
        "their minimum.",
    ]
    for operation in DISTRIBUTIONS:
        blocks.append(_table(data, operation))
        blocks += _pictures(data, operation)
    blocks += _ratios(data)
    return Section(
        "hp-paper", "AES Finalists on PA-RISC and IA-64 (HP, 2000): distributions", blocks, "HP 2000"
    )


def _table(data: ReportData, operation: str) -> Table:
    columns = [Column("cipher", text=True)]
    columns += [Column(name, "", "this machine, cycles") for name in STATISTICS.values()]
    columns += [Column(name, "", "PA-8500, cycles") for name in STATISTICS.values()]
    columns += [Column("ratio", "", ""), Column("Gaussian", "p", "")]
    lines = []
    for label, ours, theirs in _subjects(data, operation):
        cells = [row_cell(rows.get(metric)) for rows in (ours, theirs) for metric in STATISTICS]
        ratio = ratio_cell(ours.get(LEAST), theirs.get(LEAST))
        lines.append([Cell(label), *cells, ratio, probability_cell(ours.get("normality_p"))])
    name = DISTRIBUTIONS[operation]
    notes = [
        "Gaussian: p-value of D'Agostino and Pearson's test of normality (p < 0.05: not normal); "
        "– where there is nothing to test or nothing was published."
    ]
    if operation == "key_setup":
        notes.append(
            f"Key setup for both directions: Rijndael's is that of the strategy {KEYS_OF_BOTH}, which keeps "
            "the keys of both, as the paper's does. The paper's Twofish is full keying. MARS, round-1: the "
            "key schedule of the first submission."
        )
    return Table(
        f"hp-{operation.replace('_', '-')}", f"{name} distributions, 128-bit keys", columns, lines, notes
    )


def _subjects(data: ReportData, operation: str) -> Iterator[tuple[str, Rows, Rows]]:
    """Yield each line of a table: its name, our rows by metric, the paper's by the same metrics."""
    wanted = (*STATISTICS, "normality_p")
    for cipher in data.ciphers:
        yield (
            cipher,
            {metric: _ours(data, cipher, operation, metric) for metric in wanted},
            {
                m: data.published_cost(SLIDES, cipher, operation, _printed(m), target=TARGET)
                for m in STATISTICS
            },
        )
        if operation == "key_setup":
            yield from _other_keyings(data, cipher)


def _ours(data: ReportData, cipher: str, operation: str, metric: str = LEAST) -> Row | None:
    """Return our row; for key setup, of a strategy that keeps the keys of both directions, as the paper's."""
    if operation == "key_setup":
        both = data.ours(cipher, "key_setup_encrypt", 128, metric, strategy=KEYS_OF_BOTH)
        if both is not None:
            return both
    return data.cost(cipher, operation, 128, metric)


def _other_keyings(data: ReportData, cipher: str) -> Iterator[tuple[str, Rows, Rows]]:
    """Yield the key setups that the paper's text adds: for encryption only, of an earlier schedule."""
    variants = sorted({row.variant for row in data.rows if row.cipher == cipher and row.variant})
    named = [("encryption only", "", "key_setup_encrypt", "key_setup_encrypt")]
    named += [(variant, variant, "key_setup_encrypt", "key_setup_both") for variant in variants if variant]
    for name, variant, operation, printed in named:
        theirs = {
            m: data.theirs(PAPER, cipher, printed, _printed(m), target=TARGET, variant=variant)
            for m in STATISTICS
        }
        ours = {
            m: data.ours(cipher, operation, 128, m, variant=variant) for m in (*STATISTICS, "normality_p")
        }
        if theirs[LEAST] is not None and ours[LEAST] is not None:
            yield f"{cipher}, {name}", ours, theirs


def _printed(metric: str) -> str:
    """Return what the published data call a statistic: the least time is their ``cycles``, the best one."""
    return "cycles" if metric == LEAST else metric


def _pictures(data: ReportData, operation: str) -> list[Figure]:
    rows = {cipher: _ours(data, cipher, operation) for cipher in data.ciphers}
    samples = {
        cipher: data.sample(row) for cipher, row in rows.items() if row is not None and data.sample(row)
    }
    if not samples:
        return []
    inputs = max(len(sample) for sample in samples.values())
    name = DISTRIBUTIONS[operation]
    return [
        Figure(
            f"hp-{operation.replace('_', '-')}-histograms",
            f"{name}: the times of {inputs:,} random inputs",
            "Minimum cycles of each input on this machine. Line: the Gaussian of the same average and spread."
            + unsteady_words(list(rows.values())),
            chart=histograms(samples),
        )
    ]


def _ratios(data: ReportData) -> list[Figure]:
    points: list[dict[str, Any]] = []
    used: list[Row | None] = []
    for operation, name in DISTRIBUTIONS.items():
        for cipher in data.ciphers:
            ours = _ours(data, cipher, operation)
            theirs = data.published_cost(SLIDES, cipher, operation, target=TARGET)
            if ours is not None and theirs is not None:
                used.append(ours)
                points.append(
                    {"cipher": cipher, "operation": name, "ratio": round(ours.value / theirs.value, 4)}
                )
    if not points:
        return []
    order = [cipher for cipher in data.ciphers if any(point["cipher"] == cipher for point in points)]
    return [
        Figure(
            "hp-ratios",
            "Cycles on this machine relative to the PA-8500",
            "Below 1: fewer cycles than the hand-written assembly of 2000. The paper names 32-bit "
            "multiplication and variable rotation as the difficulties that RC6 and MARS shared on its "
            "processors." + unsteady_words(used),
            ratio_bars(points, order, "cycles here / cycles on the PA-8500"),
        )
    ]
