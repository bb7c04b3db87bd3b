"""Compare the rows of a report with a list of best figures: none may be worse, none may be missing.

Usage: python scripts/baseline.py BEST.csv [ROWS.json] [RENAMED.csv]

BEST.csv has the columns level, target, cipher, variant, operation, key_bits, configuration, metric and best.
ROWS.json is what `assay report` writes beside its page. RENAMED.csv (columns field, old, new) says under
which name a value of a field is found now. Excepted, and counted, are figures that only grades whose latches
fail hold reach, and those of devices that the correction of the pins' protocol made at most 3 % worse.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay.results import METRICS

FIELDS = ("level", "target", "cipher", "variant", "operation", "key_bits", "configuration", "metric")
TOLERANCE = 1e-9
HOLD, PROTOCOL = "latches fail hold", "protocol of the pins corrected"
"""Why a figure may be worse than in the list."""
PROTOCOL_COSTS = 0.03
"""The list is of devices that took blocks without a key, gave wrong results where a key and a block came in
one clock, and knew no key size 3. What Interface and Controller need for that may cost so much, not more."""
OF_GATES = ("area_um2", "transistors", "period_ns", "throughput_mbps")
"""Metrics of devices that follow from their gates; counts of clocks are to stay as they were."""
Identity = tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A cell of the list beside what there is now."""

    identity: Identity
    best: float
    now: float | None
    withdrawn: float | None = None
    """The best of grades whose latches fail hold."""

    @property
    def words(self) -> str:
        """Say what is wrong; empty if nothing is."""
        if self.excepted:
            return ""
        return "missing" if self.now is None else "worse" if self._change(self.now) > 0 else ""

    @property
    def excepted(self) -> str:
        """Why it may be worse; empty if it is not, or may not be."""
        if self.now is not None and self._change(self.now) <= 0:
            return ""
        if self._within(self.now):
            return PROTOCOL
        return HOLD if self._within(self.withdrawn) else ""

    @property
    def better(self) -> bool:
        """Whether it is better than in the list."""
        return self.now is not None and self._change(self.now) < 0

    def _within(self, value: float | None) -> bool:
        """Whether a value is as good as in the list, but for what the protocol may cost."""
        level, *_, metric = self.identity
        costs = PROTOCOL_COSTS if level == "hardware" and metric in OF_GATES else 0.0
        return value is not None and self._change(value) <= costs * abs(self.best)

    def _change(self, value: float) -> float:
        """How much worse a value is than in the list; 0 where they differ by rounding."""
        less = METRICS[self.identity[-1]].better == "lower"
        change = (value - self.best) if less else (self.best - value)
        return change if abs(change) > TOLERANCE * abs(self.best) else 0.0


def main(arguments: list[str]) -> int:
    """Print the cells that are worse or missing, and how many were compared; return the exit status."""
    if not arguments:
        sys.stderr.write(__doc__ or "")
        return 2
    best, rows, renamed = Path(arguments[0]), Path("report/rows.json"), Path("scripts/renamed.csv")
    rows = Path(arguments[1]) if len(arguments) > 1 else rows
    renamed = Path(arguments[2]) if len(arguments) > 2 else renamed
    for path in (best, rows):
        if not path.is_file():
            sys.stderr.write(f"there is no file `{path}`; `make report` writes report/rows.json\n")
            return 2
    found = list(verdicts(best, rows, renamed))
    for one in (one for one in found if one.words):
        sys.stdout.write(f"{one.words}: {' | '.join(one.identity)}: {one.now} (best {one.best:g})\n")
    excepted = [sum(one.excepted == why for one in found) for why in (HOLD, PROTOCOL)]
    wrong = sum(bool(one.words) for one in found)
    better = sum(one.better for one in found)
    sys.stdout.write(
        f"{len(found)} cells: {wrong} worse or missing, {better} better, "
        f"{excepted[0]} excepted ({HOLD}), {excepted[1]} excepted ({PROTOCOL})\n"
    )
    return 1 if wrong else 0


def verdicts(best_figures: Path, rows: Path, renamed: Path) -> Iterator[Verdict]:
    """Yield a verdict for each line of the list."""
    names = _renamed(renamed)
    now, failing = _best_now(json.loads(rows.read_text(encoding="utf-8"))["rows"])
    with best_figures.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            identity = tuple(names.get((field, line[field]), line[field]) for field in FIELDS)
            yield Verdict(identity, float(line["best"]), now.get(identity), failing.get(identity))


def _renamed(path: Path) -> dict[tuple[str, str], str]:
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {(line["field"], line["old"]): line["new"] for line in csv.DictReader(file)}


def _best_now(rows: list[dict[str, Any]]) -> tuple[dict[Identity, float], dict[Identity, float]]:
    """Return the best value of each identity: of what holds, and of grades whose latches fail hold."""
    found: dict[Identity, float] = {}
    failing: dict[Identity, float] = {}
    for row in rows:
        if row["part"] is not None or row["metric"] not in METRICS:
            continue
        identity = tuple(_text(row, field) for field in FIELDS)
        values = failing if "fails hold" in (row["certificate"] or "") else found
        value, known = float(row["value"]), values.get(identity)
        choose = min if METRICS[row["metric"]].better == "lower" else max
        values[identity] = value if known is None else choose(known, value)
    return found, failing


def _text(row: dict[str, Any], field: str) -> str:
    value = row[field]
    if row["level"] == "hardware":  # the list has the best of any speed grade and key size
        if field == "configuration":
            return str(value or "").split(",")[0]
        if field == "key_bits":
            return ""
    return "" if value is None else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
