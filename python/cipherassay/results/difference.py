"""Which numbers two sets of rows differ in: before and after a change, on two machines, by two compilers."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cipherassay.errors import UsageError, closest, nearest
from cipherassay.results import runs
from cipherassay.results.metrics import find_metric
from cipherassay.results.row import FIELDS
from cipherassay.results.schema import RUN
from cipherassay.results.store import Store

PAIRED_BY = (
    "cipher", "variant", "part", "operation", "key_bits", "strategy", "level", "target", "configuration",
    "implementation", "architecture", "key_mode", "speed_grade", "metric", "basis",
)  # fmt: skip
"""What two numbers share that are compared. What made them (`compiler`, `tools`) and what is said of them may
differ."""
Line = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """A number on both sides; `ratio` is ``after / before``, None where that is 0 and this is not."""

    row: Line
    before: float
    after: float

    @property
    def ratio(self) -> float | None:
        """How many times as great it has become."""
        return self.after / self.before if self.before else None if self.after else 1.0

    @property
    def size(self) -> float:
        """How far the ratio is from 1, alike for twice and half as much."""
        ratio = self.ratio
        return math.inf if ratio is None or ratio <= 0 else abs(math.log(ratio))

    @property
    def better(self) -> bool | None:
        """Whether it is better after; None where its metric has no direction."""
        metric = find_metric(self.row["metric"])
        if metric is None or not metric.better:
            return None
        return (self.after < self.before) == (metric.better == "lower")


@dataclass(frozen=True)
class Difference:
    """What changed, the greatest change first; how many did not; what is on one side alone."""

    changed: Sequence[Change]
    same: int
    only_before: Sequence[Line]
    only_after: Sequence[Line]


def read_side(name: str, store: Store) -> list[dict[str, Any]]:
    """Return the rows of a results folder, of a Parquet or JSON file, or of runs of the store.

    Parameters
    ----------
    name : str
        A path, else the name of a run or what the names of several begin with: ``native/measure``.

    Raises
    ------
    UsageError
        ``R026``: neither a path nor a run; ``R027``: a file without rows.
    """
    path = Path(name)
    if path.is_dir():
        return _of_store(Store(path))
    if path.is_file():
        return _of_file(path)
    under = name.rstrip("/")
    known = store.runs()
    near = closest(name, known)
    if not any(run == under or run.startswith(f"{under}/") for run in known):
        raise UsageError(
            "R026", f"`{name}` is no folder, no file, and no run of the store `{store.root}`",
            help=f"did you mean `{near}`?" if near else 'runs: `assay query "select run from runs"`',
        )  # fmt: skip
    return [line for line in _of_store(store, under) if _within(line[RUN], under)]


def _within(run: str, under: str) -> bool:
    return run == under or run.startswith(f"{under}/")


def _of_store(store: Store, under: str = "") -> list[dict[str, Any]]:
    return [
        {**line, RUN: name}
        for name, lines, _ in store.tables(under)
        for line in lines.select(list(FIELDS)).to_pylist()
        if line["metric"] is not None
    ]


def _of_file(path: Path) -> list[dict[str, Any]]:
    try:
        if path.suffix == runs.SUFFIX:
            lines = runs.read_table(path)[0].select(list(FIELDS)).to_pylist()
            return [line for line in lines if line["metric"] is not None]
        found = json.loads(path.read_text(encoding="utf-8"))["rows"]
        return [{**dict.fromkeys(FIELDS), **line, "value": float(line["value"])} for line in found]
    except (OSError, ValueError, KeyError, TypeError, runs.UnreadableRunError) as error:
        raise UsageError(
            "R027", f"`{path}` has no rows of results", notes=[str(error)],
            help="a run's Parquet file, or JSON with `rows` as `assay report` and `--json` write it",
        ) from None  # fmt: skip


def difference(
    before: Iterable[Line], after: Iterable[Line], *, ignoring: Collection[str] = (), tolerance: float = 0.0
) -> Difference:
    """Compare two sets of rows.

    Parameters
    ----------
    ignoring : collection of str
        Fields of `PAIRED_BY` in which two numbers may differ that are compared all the same: ``target`` for
        two machines. Of several rows that are then one, the best counts.
    tolerance : float
        Changes by a smaller factor count as none: 0.02 for 2 %.

    Raises
    ------
    UsageError
        ``R028``: rows are not paired by such a field.
    """
    for name in ignoring:
        if name not in PAIRED_BY:
            raise UsageError("R028", f"rows are not paired by `{name}`", help=nearest(name, PAIRED_BY))
    by = [name for name in PAIRED_BY if name not in ignoring]
    old, new = _best(before, by), _best(after, by)
    both = [Change(row, old[key]["value"], row["value"]) for key, row in new.items() if key in old]
    least = math.log1p(tolerance)
    changed = [one for one in both if one.before != one.after and one.size >= least]
    changed.sort(key=lambda one: (-one.size, str(_key(one.row, by))))
    return Difference(
        changed, len(both) - len(changed),
        [row for key, row in old.items() if key not in new],
        [row for key, row in new.items() if key not in old],
    )  # fmt: skip


def _best(rows: Iterable[Line], by: Sequence[str]) -> dict[tuple[Any, ...], Line]:
    found: dict[tuple[Any, ...], Line] = {}
    for row in rows:
        key = _key(row, by)
        known = found.get(key)
        if known is None or Change(row, known["value"], row["value"]).better:
            found[key] = row
    return found


def _key(row: Line, by: Sequence[str]) -> tuple[Any, ...]:
    """Return what pairs a row; a configuration that only says the compiler does not count."""
    compiled = row["configuration"] is not None and row["configuration"] == row["compiler"]
    return tuple(None if name == "configuration" and compiled else row[name] for name in by)
