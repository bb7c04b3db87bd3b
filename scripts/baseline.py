"""Compare the rows of a report with a list of best figures: none may be worse, none may be missing.

Usage: python scripts/baseline.py BEST.csv [ROWS.json] [RENAMED.csv]

BEST.csv has the columns level, target, cipher, variant, operation, key_bits, configuration, metric and best.
ROWS.json is what `assay report` writes beside its page. RENAMED.csv (columns field, old, new) says under
which name a value of a field is found now. Grades whose latches fail hold are excepted, and counted.
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
Identity = tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A cell of the list beside what there is now."""

    identity: Identity
    best: float
    now: float | None
    excepted: bool = False

    @property
    def words(self) -> str:
        """Say what is wrong; empty if nothing is."""
        if self.excepted:
            return ""
        return "missing" if self.now is None else "worse" if self._change() > 0 else ""

    @property
    def better(self) -> bool:
        """Whether it is better than in the list."""
        return self.now is not None and not self.excepted and self._change() < 0

    def _change(self) -> float:
        """How much worse the value is than in the list; 0 where they differ by rounding."""
        assert self.now is not None
        less = METRICS[self.identity[-1]].better == "lower"
        change = (self.now - self.best) if less else (self.best - self.now)
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
    excepted = sum(one.excepted for one in found)
    wrong = sum(bool(one.words) for one in found)
    better = sum(one.better for one in found)
    sys.stdout.write(
        f"{len(found)} cells: {wrong} worse or missing, {better} better, "
        f"{excepted} excepted (latches fail hold)\n"
    )
    return 1 if wrong else 0


def verdicts(best_figures: Path, rows: Path, renamed: Path) -> Iterator[Verdict]:
    """Yield a verdict for each line of the list.

    A figure that only a grade whose latches fail hold reaches is excepted.
    """
    names = _renamed(renamed)
    now, failing = _best_now(json.loads(rows.read_text(encoding="utf-8"))["rows"])
    with best_figures.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            identity = tuple(names.get((field, line[field]), line[field]) for field in FIELDS)
            value = now.get(identity)
            best = float(line["best"])
            withdrawn = Verdict(identity, best, failing.get(identity))
            excepted = bool(Verdict(identity, best, value).words) and not withdrawn.words
            yield Verdict(identity, best, value, excepted)


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
