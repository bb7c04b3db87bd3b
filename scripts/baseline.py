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
        if self.now is None:
            return "missing"
        less = METRICS[self.identity[-1]].better == "lower"
        change = (self.now - self.best) if less else (self.best - self.now)
        return "worse" if change > TOLERANCE * abs(self.best) else ""


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
    improved = sum(one.now is not None and not one.excepted and one.now != one.best for one in found) - wrong
    sys.stdout.write(
        f"{len(found)} cells: {wrong} worse or missing, {max(improved, 0)} better, "
        f"{excepted} excepted (latches fail hold)\n"
    )
    return 1 if wrong else 0


def verdicts(best: Path, rows: Path, renamed: Path) -> Iterator[Verdict]:
    """Yield a verdict for each line of the list."""
    names = _renamed(renamed)
    now, failing = _best_now(json.loads(rows.read_text(encoding="utf-8"))["rows"])
    with best.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            identity = tuple(names.get((field, line[field]), line[field]) for field in FIELDS)
            value = now.get(identity)
            yield Verdict(identity, float(line["best"]), value, value is None and identity in failing)


def _renamed(path: Path) -> dict[tuple[str, str], str]:
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {(line["field"], line["old"]): line["new"] for line in csv.DictReader(file)}


def _best_now(rows: list[dict[str, Any]]) -> tuple[dict[Identity, float], set[Identity]]:
    """Return the best value of each identity, and the identities of values whose latches fail hold."""
    found: dict[Identity, float] = {}
    failing: set[Identity] = set()
    for row in rows:
        if row["part"] is not None or row["metric"] not in METRICS:
            continue
        identity = tuple(_text(row, field) for field in FIELDS)
        if "fails hold" in (row["certificate"] or ""):
            failing.add(identity)
            continue
        value, known = float(row["value"]), found.get(identity)
        choose = min if METRICS[row["metric"]].better == "lower" else max
        found[identity] = value if known is None else choose(known, value)
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
